// The evidence of a run or of one machine's share, for the merge and for judging again: the basis of
// its verdicts. It comes from another machine, so every value is untrusted until `fault()` has
// checked it.

import FarmCore

/// The content of `evidence.json`, version 1: of a share in `shard/`, of a whole run in
/// `FailureDiffs/` and its zip.
struct PortableEvidence: Sendable, Codable {
    static let currentVersion = 1

    /// A file of the output folder that the evidence names.
    struct File: Hashable, Sendable, Codable {
        /// The file's path, relative to the output folder.
        var path: String
        var digest: Digest
        var bytes: Int
        /// The Git blob id if the file is a reference, else `nil`.
        var object: ObjectID?
    }

    var schemaVersion = PortableEvidence.currentVersion
    var facts: RunFacts
    /// The whole plan, with this machine's share, without this machine's paths.
    var plan: Plan
    var startedAt: Int64
    var cancelled: Bool
    var tests: [TestEvidence]
    var leases: [LeaseEvidence]
    /// The references of each cell, by the cell's id; empty for a whole run, whose store has them.
    var references: [String: CellReferences]
    /// The files that a share's evidence names; empty for a whole run, whose summary has the paths.
    var files: [File]
    /// The problems of the run as a whole, or `nil` for a share.
    var incidents: [Problem]?
    /// The earlier run that proves the share green, or `nil` if the tests ran.
    var provenBy: ProvenBy?

    init(_ evidence: RunEvidence, facts: RunFacts, files: [File]) {
        self.facts = facts
        plan = evidence.plan.portable
        startedAt = evidence.startedAt
        cancelled = evidence.cancelled
        tests = evidence.tests
        provenBy = evidence.provenBy
        leases = evidence.leases
        let cells = evidence.references.map { ($0.key.text, $0.value) }
        references = Dictionary(cells) { first, _ in first }
        self.files = files
    }

    /// Creates the evidence of a whole run; `facts` are those of its summary.
    init(whole evidence: RunEvidence, facts: RunFacts) {
        var evidence = evidence
        evidence.references = [:]
        self.init(evidence, facts: facts, files: [])
        incidents = evidence.incidents
    }

    /// Returns the evidence of a whole run for its judge.
    var whole: RunEvidence {
        RunEvidence(
            facts: facts,
            plan: plan,
            tests: tests,
            leases: leases,
            references: [:],
            cancelled: cancelled,
            startedAt: startedAt,
            incidents: incidents ?? []
        )
    }

    /// Whether the run was not cancelled and every test case of the share has its verdict.
    var isFinished: Bool { !cancelled && tests.allSatisfy { $0.verdict != nil } }
}

// MARK: checks

extension PortableEvidence {
    /// Returns the first mistake in the evidence, or `nil` if a run can have written it.
    ///
    /// Without a mistake, the judge and the output folder can use every value as it is.
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
        } else if plan.part != nil || facts.shareName != nil, let fault = partFault() {
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
        guard isNumber(test.lease), test.attempts.allSatisfy({ isNumber($0.lease) })
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
        return isNumber(lease.lease) ? lease.fault : "a lease has no number"
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
        // The sizes are checked first, so that their sum cannot overflow.
        guard files.allSatisfy({ sizes.contains($0.bytes) }),
            files.reduce(0, { $0 + $1.bytes }) <= FarmLimits.archiveBytesMax
        else { return "its files are too large" }
        return nil
    }

    /// Whether a lease's number is possible; true for `nil`.
    ///
    /// In a share, the upper bits are free for the share's number in the whole run.
    private func isNumber(_ lease: Int64?) -> Bool {
        let end = facts.shareName == nil ? Int64.max : 1 << Self.numberBits
        return lease.map { (0..<end).contains($0) } ?? true
    }

    /// The number of bits of a lease's number; the bits above are for the share's number.
    static let numberBits: Int64 = 40

    /// The most attempts of a test that are read; the rules for attempts allow fewer.
    private static let attemptsMax = 1_000
}
