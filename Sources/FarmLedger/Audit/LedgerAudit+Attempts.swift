// The audit of a test case: `AttemptRules` is applied again to its attempts.
import FarmCore
import GRDB

/// A test case's row with all its attempts.
struct AuditedCase {
    let id: Int64
    let place: CellPlace
    let key: TestKey
    let state: Int
    let company: LeaseCompany?
    let avoid: String?
    let verdict: Verdict?
    let note: String
    let change: String?
    /// The number of attempts according to the row's counter.
    let counted: Int
    /// The attempts of the test case, oldest first.
    var attempts: [Attempt] = []
}

extension LedgerAudit {
    /// Calls `body` for each test case with its attempts, in plan order; holds one test case in
    /// memory at a time.
    mutating func forEachCase(
        of run: AuditedRun,
        _ db: Database,
        _ body: (inout LedgerAudit, AuditedCase) -> Void
    ) throws {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT t.id, t.job, t.cell, t.test, t.state, t.alone, t.avoid, t.verdict, t.note,
                  t.attempts, t.change, a.worker, \(AttemptColumns.names)
                FROM test_case t LEFT JOIN attempt a ON a.test_case = t.id
                WHERE t.run = ? ORDER BY t.id, a.epoch
                """,
            arguments: [run.id]
        )
        var current: AuditedCase?
        while let row = try rows.next() {
            if current?.id != row[0] as Int64 {
                if let current { body(&self, current) }
                current = try auditedCase(row, run)
            }
            guard let worker = row[11] as String?, let test = current?.key.test else { continue }
            let outcome = try AttemptColumns.outcome(of: test, row, 12)
            current?.attempts.append(Attempt(worker: WorkerID(worker), outcome: outcome))
        }
        if let current { body(&self, current) }
    }

    private func auditedCase(_ row: Row, _ run: AuditedRun) throws -> AuditedCase {
        let place = CellPlace(job: row[1], cell: row[2])
        guard run.plan.jobs.indices.contains(place.job),
            run.plan.jobs[place.job].job.cells.indices.contains(place.cell)
        else { throw LedgerError.damaged("test case \(row[0] as Int64) of no cell of the plan") }
        let job = run.plan.jobs[place.job].job
        let word = row[7] as String?
        let verdict = word.flatMap { Verdict(rawValue: $0) }
        if let word, verdict == nil { throw LedgerError.damaged("the verdict \(word)") }
        return AuditedCase(
            id: row[0],
            place: place,
            key: TestKey(
                job: job.name,
                cell: job.cells[place.cell].id,
                test: TestID(row[3] as String)
            ),
            state: row[4],
            company: LeaseCompany(rawValue: row[5]),
            avoid: row[6],
            verdict: verdict,
            note: row[8],
            change: row[10],
            counted: row[9]
        )
    }

    /// Returns the most attempts that a test case of a plan may have.
    ///
    /// A record run may confirm a pass with one more. A repeated test has its repeats and, beside
    /// them, attempts lost with workers.
    private func attemptsMax(_ plan: Plan) -> Int {
        if plan.mode == .record { return FarmLimits.attemptsMax + 1 }
        let repeats = plan.rules?.repeats ?? 1
        return FarmLimits.attemptsMax + (repeats > 1 ? repeats : 0)
    }

    mutating func check(_ testCase: AuditedCase, of run: AuditedRun) {
        let count = testCase.attempts.count
        func broken(_ code: String, _ fact: String, _ audit: inout LedgerAudit) {
            audit.add(code, run: run.id, "\(testCase.key) \(fact)")
        }
        if testCase.counted != count {
            broken("attempt-count", "counts \(testCase.counted) attempts and has \(count).", &self)
        }
        if count > attemptsMax(run.plan) {
            broken("attempts-max", "has \(count) attempts.", &self)
        }
        if let change = testCase.change, change != Self.change(of: testCase, run) {
            broken(
                "change-derived",
                "has the change \(change), which its last report is not.",
                &self
            )
        }
        for end in stride(from: 1, to: count, by: 1) {
            let steps = Self.steps(after: testCase.attempts.prefix(end), of: testCase, run)
            let finals = steps.compactMap { step -> Verdict? in
                if case .final(let verdict, _) = step { verdict } else { nil }
            }
            guard finals.count == steps.count, let verdict = finals.first else { continue }
            broken(
                "attempt-after-verdict",
                "was \(verdict.rawValue) after attempt \(end), but ran again.",
                &self
            )
        }
        guard count > 0 else {
            if let verdict = testCase.verdict {
                broken("verdict-unfounded", "is \(verdict.rawValue) without an attempt.", &self)
            }
            return
        }
        let facts = Self.steps(after: testCase.attempts[...], of: testCase, run).map {
            contradiction(testCase, $0)
        }
        if let fact = facts.first, let fact, facts.allSatisfy({ $0 != nil }) {
            broken("verdict-derived", fact, &self)
        }
    }

    private static func change(of testCase: AuditedCase, _ run: AuditedRun) -> String? {
        testCase.attempts.last?.report?.changeName(
            job: run.plan.jobs[testCase.place.job].job,
            mode: run.plan.mode
        )
    }

    /// Returns every step that `AttemptRules` may have derived from attempts.
    ///
    /// The ledger does not keep whether the run had retries left, whether a second worker was
    /// needed, or whether another cell confirmed the change. So each answer is possible, and a row
    /// is broken only if it contradicts all of them.
    private static func steps(
        after attempts: ArraySlice<Attempt>,
        of testCase: AuditedCase,
        _ run: AuditedRun
    ) -> [AttemptStep] {
        let contexts = (0..<8).map { bits in
            AttemptContext(
                repeats: (run.plan.rules ?? RunRules()).repeats,
                mayRetry: bits & 1 == 0,
                asksAnother: bits & 2 != 0,
                standsElsewhere: testCase.change != nil && bits & 4 != 0
            )
        }
        return contexts.map {
            AttemptRules.step(
                after: Array(attempts),
                job: run.plan.jobs[testCase.place.job].job,
                mode: run.plan.mode,
                context: $0
            )
        }
    }

    /// Returns how a test case's row contradicts a step, or `nil` if it agrees.
    private func contradiction(_ testCase: AuditedCase, _ step: AttemptStep) -> String? {
        let got = testCase.verdict?.rawValue ?? "without verdict"
        switch step {
        case .final(let verdict, let note):
            if testCase.verdict != verdict {
                return "is \(got), its attempts say \(verdict.rawValue)."
            }
            return testCase.note == note
                ? nil : "says \"\(testCase.note)\", its attempts say \"\(note)\"."
        case .again(let alone): return waiting(testCase, got, alone ? .alone : .others)
        case .isolated: return waiting(testCase, got, .isolated, avoids: false)
        case .confirm: return waiting(testCase, got, .others)
        case .repetition: return waiting(testCase, got, .others, avoids: false)
        }
    }

    private func waiting(
        _ testCase: AuditedCase,
        _ got: String,
        _ company: LeaseCompany,
        avoids: Bool = true
    ) -> String? {
        if testCase.verdict != nil { return "is \(got), its attempts say that it runs again." }
        if testCase.company != company {
            return "waits to run \(testCase.company?.words ?? "in no known way"), its attempts say "
                + "\(company.words)."
        }
        let avoided = avoids ? testCase.attempts.last?.worker.text : nil
        guard testCase.avoid != avoided else { return nil }
        return "avoids \(testCase.avoid ?? "nobody"), not \(avoided ?? "nobody")."
    }

    // MARK: blobs

    mutating func nameBlobs(of testCase: AuditedCase, _ run: AuditedRun) {
        for report in testCase.attempts.compactMap(\.report) {
            name(report.pictures.blobs, run, testCase.key.description)
        }
    }

    mutating func nameBlobs(ofLeasesOf run: AuditedRun, _ db: Database) throws {
        let rows = try Row.fetchCursor(
            db,
            sql: "SELECT epoch, evidence FROM lease WHERE run = ? AND evidence IS NOT NULL",
            arguments: [run.id]
        )
        while let row = try rows.next() {
            let evidence = try SQLiteLedger.decode(LeaseEvidence.self, row[1])
            name(evidence.blobs, run, "lease L\(row[0] as Int64)")
        }
    }

    private mutating func name(_ blobs: [ReportedBlob], _ run: AuditedRun, _ place: String) {
        for blob in blobs {
            name(blob.digest, bytes: blob.bytes, run: run.id, "\(blob.name) of \(place)")
        }
    }
}

extension LeaseCompany {
    fileprivate var words: String {
        switch self {
        case .others: "with others"
        case .alone: "alone"
        case .isolated: "with nothing else on its host"
        }
    }
}
