// What one machine's share of a run leaves for the merge: all that its verdicts rest on, and where
// in its output folder the pictures lie. It comes from another machine, so nothing in it is
// believed before `check` has looked.

import FarmCore

/// `shard/evidence.json` of an output folder, version 1.
struct ShardEvidence: Sendable, Codable {
    static let currentVersion = 1

    /// Bytes that a verdict names, somewhere in the output folder.
    struct File: Hashable, Sendable, Codable {
        /// Relative to the output folder.
        var path: String
        var digest: Digest
        var bytes: Int
        /// The Git blob id, where the bytes are a reference's.
        var object: ObjectID?
    }

    var schemaVersion = ShardEvidence.currentVersion
    var facts: RunFacts
    /// Whole, with this machine's share, and without its paths.
    var plan: Plan
    var startedAt: Int64
    var cancelled: Bool
    var tests: [TestEvidence]
    var leases: [LeaseEvidence]
    /// By cell id.
    var references: [String: CellReferences]
    var files: [File]

    init(_ evidence: RunEvidence, facts: RunFacts, files: [File]) {
        self.facts = facts
        plan = evidence.plan.portable
        startedAt = evidence.startedAt
        cancelled = evidence.cancelled
        tests = evidence.tests
        leases = evidence.leases
        let cells = evidence.references.map { ($0.key.text, $0.value) }
        references = Dictionary(cells) { first, _ in first }
        self.files = files
    }

    /// Whether every test case of the share has its verdict.
    var isFinished: Bool { !cancelled && tests.allSatisfy { $0.verdict != nil } }
}

// MARK: what is not believed

extension ShardEvidence {
    /// What is wrong with it; nil for what a run writes.
    ///
    /// After this the judge and the output folder can take every value as it is.
    func fault() -> String? {
        planFault() ?? shareFault() ?? tests.lazy.compactMap(fault).first
            ?? leases.lazy.compactMap(fault).first ?? referencesFault() ?? filesFault()
    }

    private func planFault() -> String? {
        guard plan.digest.description == facts.planDigest else { return "its plan is another" }
        guard plan.mode == facts.mode, plan.filtered == facts.filtered,
            plan.pipeline == facts.pipeline
        else { return "its plan and its facts disagree" }
        if let mistakes = PlanMistakes(plan) { return mistakes.message }
        return startedAt.isTime && PathComponent.isName(facts.id) ? nil : "its run is none"
    }

    private func shareFault() -> String? {
        if let share = plan.share {
            guard ShardPlace(index: share.place.index, total: share.place.total) != nil,
                facts.shard == share.place.description, plan.fits(share)
            else { return "it names no share of its plan" }
        } else if let fault = partFault() {
            return fault
        }
        guard tests.map(\.key) == plan.shareKeys else {
            return "its tests are not those of its share"
        }
        return nil
    }

    private func partFault() -> String? {
        guard let part = plan.part, facts.part == part.name, facts.shard == nil, plan.fits(part)
        else { return "it names no part of its pipeline" }
        return nil
    }

    private func fault(_ test: TestEvidence) -> String? {
        guard test.attempts.count <= Self.attemptsMax else { return "\(test.key) ran too often" }
        guard Self.isNumber(test.lease), test.attempts.allSatisfy({ Self.isNumber($0.lease) })
        else { return "\(test.key) was under no lease" }
        for report in test.attempts.compactMap(\.report) {
            guard report.test == test.key.test else {
                return "a report of \(test.key) is another's"
            }
            guard report.pictures.areOf(test.key.cell) else {
                return "a picture is of another cell"
            }
            if let fault = report.fault { return "the report of \(test.key): \(fault)" }
        }
        return nil
    }

    private func fault(_ lease: LeaseEvidence) -> String? {
        let isPlanned = plan.jobs.contains { planned in
            planned.job.name == lease.job && planned.job.cells.contains { $0.id == lease.cell }
        }
        guard isPlanned else { return "a lease is of no job of its plan" }
        return Self.isNumber(lease.lease) ? lease.fault : "a lease has no number"
    }

    private func referencesFault() -> String? {
        for (cell, known) in references {
            guard known.references.allSatisfy({ $0.id.cell.text == cell }),
                PathComponent.isName(cell)
            else { return "a reference is of another cell" }
        }
        return nil
    }

    private func filesFault() -> String? {
        let sizes = 0...FarmLimits.blobBytesMax
        // Only what is a size may be added up.
        guard files.allSatisfy({ sizes.contains($0.bytes) }),
            files.reduce(0, { $0 + $1.bytes }) <= FarmLimits.archiveBytesMax
        else { return "its files are too large" }
        return nil
    }

    /// Whether a lease has a number that leaves room for its share's beside it, or none.
    private static func isNumber(_ lease: Int64?) -> Bool {
        lease.map { (0..<(1 << numberBits)).contains($0) } ?? true
    }

    /// Bits of a lease's number; those above are its share's.
    static let numberBits: Int64 = 40

    /// More than rules give; a bound for what is read, not a rule.
    private static let attemptsMax = 1_000
}

extension Plan {
    /// Every (test case × cell) that this machine runs, in plan order.
    var shareKeys: [TestKey] {
        jobs.indices.flatMap { job in
            jobs[job].job.cells.indices.flatMap { cell in
                tests(job: job, cell: cell).map {
                    TestKey(job: jobs[job].job.name, cell: jobs[job].job.cells[cell].id, test: $0)
                }
            }
        }
    }
}
