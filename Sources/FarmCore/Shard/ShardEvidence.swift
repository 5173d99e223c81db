// What one machine's share of a run leaves for the merge: all that its verdicts rest on, and where
// in its output folder the pictures lie. It comes from another machine, so nothing in it is
// believed before `check` has looked.

/// `shard/evidence.json` of an output folder, version 1.
package struct ShardEvidence: Sendable, Codable {
    package static let currentVersion = 1

    /// Bytes that a verdict names, somewhere in the output folder.
    package struct File: Hashable, Sendable, Codable {
        /// Relative to the output folder.
        package var path: String
        package var digest: Digest
        package var bytes: Int
        /// The Git blob id, where the bytes are a reference's.
        package var object: ObjectID?

        package init(path: String, digest: Digest, bytes: Int, object: ObjectID? = nil) {
            self.path = path
            self.digest = digest
            self.bytes = bytes
            self.object = object
        }
    }

    package var schemaVersion = ShardEvidence.currentVersion
    package var facts: RunFacts
    /// Whole, with this machine's share, and without its paths.
    package var plan: Plan
    package var startedAt: Int64
    package var cancelled: Bool
    package var tests: [TestEvidence]
    package var leases: [LeaseEvidence]
    /// By cell id.
    package var references: [String: CellReferences]
    package var files: [File]

    package init(_ evidence: RunEvidence, facts: RunFacts, files: [File]) {
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
    package var isFinished: Bool { !cancelled && tests.allSatisfy { $0.verdict != nil } }
}

// MARK: what is not believed

extension ShardEvidence {
    /// What is wrong with it; nil for what a run writes.
    ///
    /// After this the judge and the output folder can take every value as it is.
    package func fault() -> String? {
        planFault() ?? shareFault() ?? tests.lazy.compactMap(fault).first
            ?? leases.lazy.compactMap(fault).first ?? referencesFault() ?? filesFault()
    }

    private func planFault() -> String? {
        guard plan.digest.description == facts.planDigest else { return "its plan is another" }
        guard plan.mode == facts.mode, plan.filtered == facts.filtered,
            plan.pipeline == facts.pipeline
        else { return "its plan and its facts disagree" }
        guard Set(plan.jobs.map(\.job.name)).count == plan.jobs.count else {
            return "its plan has a job twice"
        }
        for planned in plan.jobs {
            let cells = planned.job.cells
            guard Self.isName(planned.job.name.text), cells.allSatisfy({ Self.isName($0.id.text) })
            else { return "its plan has a name that is no name" }
            guard Set(cells.map(\.id)).count == cells.count,
                Set(planned.tests).count == planned.tests.count,
                cells.allSatisfy({ Set($0.variant.map(\.axis)).count == $0.variant.count })
            else { return "its plan has a name twice" }
        }
        return Self.isTime(startedAt) && Self.isName(facts.id) ? nil : "its run is none"
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
        return part.jobs.allSatisfy { Self.isName($0.name.text) }
            ? nil : "its pipeline has a name that is no name"
    }

    private func fault(_ test: TestEvidence) -> String? {
        guard test.attempts.count <= Self.attemptsMax else { return "\(test.key) ran too often" }
        for report in test.attempts.compactMap(\.report) {
            guard report.test == test.key.test, report.seconds.isFinite, report.seconds >= 0,
                Self.isTime(report.startedAt)
            else { return "the report of \(test.key) is none" }
            if let fault = fault(report.pictures, cell: test.key.cell) { return fault }
        }
        return nil
    }

    private func fault(_ lease: LeaseEvidence) -> String? {
        let isPlanned = plan.jobs.contains { planned in
            planned.job.name == lease.job && planned.job.cells.contains { $0.id == lease.cell }
        }
        return isPlanned ? nil : "a lease is of no job of its plan"
    }

    private func fault(_ pictures: PictureReports, cell: CellID) -> String? {
        let ids = pictures.captures.map(\.capture.id) + pictures.differences.map(\.id)
        guard ids.allSatisfy({ $0.cell == cell }) else { return "a picture is of another cell" }
        let sizes = pictures.captures.compactMap(\.capture.size)
        let compared =
            pictures.captures.compactMap { $0.comparison?.difference }
            + pictures.differences.compactMap { $0.comparison?.difference }
        let all = sizes + compared.flatMap { [$0.reference, $0.capture] }
        let areSizes = all.allSatisfy { size in
            (0...FarmLimits.picturePixelsMax).contains(size.width)
                && (0...FarmLimits.picturePixelsMax).contains(size.height)
        }
        let isCounted = compared.allSatisfy {
            (0...Self.pixelsMax).contains($0.differing) && (0...Self.pixelsMax).contains($0.counted)
        }
        return areSizes && isCounted ? nil : "a picture is larger than any"
    }

    private func referencesFault() -> String? {
        for (cell, known) in references {
            guard known.references.allSatisfy({ $0.id.cell.text == cell }), Self.isName(cell) else {
                return "a reference is of another cell"
            }
        }
        return nil
    }

    private func filesFault() -> String? {
        let areBytes = files.allSatisfy { (0...FarmLimits.blobBytesMax).contains($0.bytes) }
        let all = files.reduce(0) { $0 + min($1.bytes, FarmLimits.blobBytesMax) }
        return areBytes && all <= FarmLimits.archiveBytesMax ? nil : "its files are too large"
    }

    /// A name that becomes a folder of the output.
    private static func isName(_ text: String) -> Bool {
        (try? PathComponent(text))?.text == text
    }

    private static func isTime(_ milliseconds: Int64) -> Bool {
        (0...FarmLimits.clockMillisecondsMax).contains(milliseconds)
    }

    /// More than rules give; a bound for what is read, not a rule.
    private static let attemptsMax = 1_000
    /// Of two pictures over each other.
    private static let pixelsMax = 4 * FarmLimits.picturePixelsMax
}

extension Plan {
    /// Every (test case × cell) that this machine runs, in plan order.
    package var shareKeys: [TestKey] {
        jobs.indices.flatMap { job in
            jobs[job].job.cells.indices.flatMap { cell in
                tests(job: job, cell: cell).map {
                    TestKey(job: jobs[job].job.name, cell: jobs[job].job.cells[cell].id, test: $0)
                }
            }
        }
    }
}
