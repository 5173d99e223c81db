// The audit of one run's rows together: the plan is complete, the counters are right, the result
// fits.
import FarmCore
import Foundation
import GRDB

/// The row of a run, with its plan decoded.
struct AuditedRun {
    let id: String
    let state: String
    let startedAt: Int64
    let ended: Int64?
    let plan: Plan
    let judged: Data?
}

/// The positions of a job and of its cell in the plan.
struct CellPlace: Hashable {
    var job: Int
    var cell: Int
}

/// The counters of a cell, counted again from its test cases.
struct CellRecount {
    var tests: [TestID] = []
    var leased = 0
    var done = 0
    var bad = 0
    var reports = 0
    var seconds = 0.0

    mutating func add(_ testCase: AuditedCase) {
        tests.append(testCase.key.test)
        if testCase.state == 1 { leased += 1 }
        if let verdict = testCase.verdict {
            done += 1
            if verdict != .passed, verdict != .flaky { bad += 1 }
        }
        for report in testCase.attempts.compactMap(\.report) {
            reports += 1
            seconds += report.seconds.isFinite ? max(0, report.seconds) : 0
        }
    }
}

extension LedgerAudit {
    mutating func checkRuns(_ db: Database) throws {
        let rows = try Row.fetchAll(
            db,
            sql: "SELECT id, state, started, ended, plan, judged FROM run ORDER BY started, id"
        )
        for row in rows {
            count(runs: 1)
            let id: String = row["id"]
            do {
                let run = AuditedRun(
                    id: id,
                    state: row["state"],
                    startedAt: row["started"],
                    ended: row["ended"],
                    plan: try SQLiteLedger.soundPlan(row["plan"]),
                    judged: row["judged"]
                )
                try check(run, db)
            } catch LedgerError.damaged where row["state"] == RunState.unjudgeable.rawValue {
                // The run is unjudgeable for this reason; pages show none of its rows.
            } catch LedgerError.damaged(let what) {
                add("unreadable-record", run: id, "it holds something never written: \(what).")
            }
        }
    }

    private mutating func check(_ run: AuditedRun, _ db: Database) throws {
        var recounts: [CellPlace: CellRecount] = [:]
        var verdicts: [TestKey: Verdict] = [:]
        var keys: [TestKey] = []
        try forEachCase(of: run, db) { audit, testCase in
            audit.count(testCases: 1, attempts: testCase.attempts.count)
            audit.check(testCase, of: run)
            audit.nameBlobs(of: testCase, run)
            recounts[testCase.place, default: CellRecount()].add(testCase)
            keys.append(testCase.key)
            if let verdict = testCase.verdict { verdicts[testCase.key] = verdict }
        }
        checkPlan(run, recounts)
        try checkCounters(run, recounts, db)
        try nameBlobs(ofLeasesOf: run, db)
        try checkResult(run, keys, verdicts)
    }

    // MARK: plan and counters

    private mutating func checkPlan(_ run: AuditedRun, _ recounts: [CellPlace: CellRecount]) {
        for (job, planned) in run.plan.jobs.enumerated() {
            for (cell, place) in planned.job.cells.enumerated() {
                let found = recounts[CellPlace(job: job, cell: cell)]?.tests ?? []
                let wanted = run.plan.tests(job: job, cell: cell)
                guard found != wanted else { continue }
                let known = Set(found)
                let lacking = wanted.filter { !known.contains($0) }
                let example = lacking.first.map { ", first \($0)" } ?? ""
                add(
                    "plan-cases",
                    run: run.id,
                    "job \(planned.job.name) on \(place.id) has \(found.count) test cases, its "
                        + "plan \(wanted.count); \(lacking.count) are lacking\(example).",
                    remedy: "Start the run again: this one cannot be complete."
                )
            }
        }
    }

    private mutating func checkCounters(
        _ run: AuditedRun,
        _ recounts: [CellPlace: CellRecount],
        _ db: Database
    ) throws {
        var left = recounts
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT job, cell, planned, leased, done, bad, reports, seconds
                FROM cell_progress WHERE run = ?
                """,
            arguments: [run.id]
        )
        for row in rows {
            let place = CellPlace(job: row["job"], cell: row["cell"])
            let recount = left.removeValue(forKey: place) ?? CellRecount()
            let names = ["planned", "leased", "done", "bad", "reports"]
            let counted = names.map { row[$0] as Int }
            let real = [
                recount.tests.count, recount.leased, recount.done, recount.bad, recount.reports,
            ]
            let seconds: Double = row["seconds"]
            // The sums add the same numbers in another order.
            let isNear = abs(seconds - recount.seconds) <= 1e-6 * max(1, recount.seconds)
            guard counted != real || !isNear else { continue }
            add(
                "counters",
                run: run.id,
                "\(run.plan.words(place)) counts \(names.joined(separator: ", ")) \(counted), "
                    + "its test cases say \(real).",
                remedy: "Its progress is wrong, its verdicts are not; \(Self.keep)"
            )
        }
        for place in left.keys.sorted(by: { ($0.job, $0.cell) < ($1.job, $1.cell) }) {
            add("counters", run: run.id, "\(run.plan.words(place)) has no counters.")
        }
    }

    // MARK: the result

    private mutating func checkResult(
        _ run: AuditedRun,
        _ keys: [TestKey],
        _ verdicts: [TestKey: Verdict]
    ) throws {
        guard let state = RunState(rawValue: run.state) else {
            return add("run-state", run: run.id, "its state \(run.state) is not a word of ours.")
        }
        let isOpen = state == .running
        guard isOpen == (run.ended == nil), isOpen == (run.judged == nil) else {
            return add(
                "run-state",
                run: run.id,
                "it is \(state.rawValue), which its end or its result contradicts."
            )
        }
        guard let bytes = run.judged else { return }
        let judged = try SQLiteLedger.decode(JudgedRun.self, bytes)
        if judged.summary.state != state {
            add(
                "result-state",
                run: run.id,
                "it is \(state.rawValue), its summary says \(judged.summary.state.rawValue)."
            )
        }
        var counts = VerdictCounts()
        for key in keys { counts.add(judged.raised[key] ?? verdicts[key]) }
        for _ in 0..<(run.plan.inherited?.count ?? 0) { counts.add(.inherited) }
        // The number of skipped tests is in the reports, which this check does not read.
        counts.skipped = judged.summary.counts.skipped
        counts.passed -= counts.skipped
        if counts != judged.summary.counts {
            add(
                "result-counts",
                run: run.id,
                "its summary counts \(judged.summary.counts.words), its test cases say "
                    + "\(counts.words)."
            )
        }
        checkCompleteness(run, state, keys, judged, verdicts)
    }

    private mutating func checkCompleteness(
        _ run: AuditedRun,
        _ state: RunState,
        _ keys: [TestKey],
        _ judged: JudgedRun,
        _ verdicts: [TestKey: Verdict]
    ) {
        guard state == .passed || state == .failed else { return }
        let open = keys.filter { verdicts[$0] == nil }
        if let first = open.first {
            add(
                "result-incomplete",
                run: run.id,
                "it is \(state.rawValue), but \(open.count) test cases have no verdict, first "
                    + "\(first)."
            )
        }
        let jobs = run.plan.jobs.map(\.job)
        let excused = Set((judged.summary.quarantined ?? []).map { [$0.job, $0.cell, $0.test] })
        let red = keys.filter { key in
            guard !excused.contains([key.job.text, key.cell.text, key.test.text]) else {
                return false
            }
            guard let verdict = judged.raised[key] ?? verdicts[key] else { return false }
            return jobs.contains { $0.name == key.job && $0.isRed(verdict) }
        }
        if state == .passed, let first = red.first {
            add(
                "result-green",
                run: run.id,
                "it passed, but \(red.count) test cases are red, first \(first)."
            )
        }
    }
}

extension Plan {
    fileprivate func words(_ place: CellPlace) -> String {
        guard jobs.indices.contains(place.job),
            jobs[place.job].job.cells.indices.contains(place.cell)
        else { return "job \(place.job), cell \(place.cell) (not in the plan)" }
        let job = jobs[place.job].job
        return "job \(job.name) on \(job.cells[place.cell].id)"
    }
}

extension VerdictCounts {
    fileprivate var words: String {
        "\(planned) planned, \(passed) passed, \(skipped) skipped, \(flaky) flaky, "
            + "\(withoutVerdict) without verdict, "
            + "\(inherited) inherited, "
            + "\(planned - passed - skipped - flaky - inherited - withoutVerdict) bad"
    }
}
