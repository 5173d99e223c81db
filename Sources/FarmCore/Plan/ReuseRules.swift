// The rules by which a run inherits verdicts without being asked: a test case is inherited if the
// digest of all that decides its verdict is the one with which it passed.
//
// Invariants
//   - What is unknown is changed: a job whose inputs are not known, or a test case without a record,
//     runs.
//   - A part of the test cases that could be inherited runs all the same. One of them that differs
//     makes the run red, and its job inherits nothing until a run of all tests is green.
//   - A run of all tests is made again after `FarmLimits.reuseAgeMax`.
import Foundation

/// All that decides verdicts beside the plan's jobs: inputs and references.
package struct ReuseFacts: Sendable {
    /// The inputs of one job's tests.
    package struct Inputs: Hashable, Sendable {
        /// The digest of the inputs' contents, and of the machine that reads them.
        package var digest: Digest
        /// The names of the inputs, sorted.
        package var names: [String]
        /// The programs that draw the job's pictures.
        package var renderer: [String: String]
        /// The digest of each test case's own entry, if the driver records the files that each test
        /// case reads; `nil` if all test cases of the job have the same inputs.
        package var entries: [TestID: Digest]?

        package init(
            digest: Digest,
            names: [String],
            renderer: [String: String] = [:],
            entries: [TestID: Digest]? = nil
        ) {
            self.digest = digest
            self.names = names
            self.renderer = renderer
            self.entries = entries
        }
    }

    /// The inputs of the jobs; the tests of a job without inputs run.
    package var inputs: [JobName: Inputs]
    package var references: [CellID: CellReferences]
    /// The contents of recorded files by their paths, as texts that differ if the contents do.
    package var contents: [String: String] = [:]

    package init(inputs: [JobName: Inputs], references: [CellID: CellReferences]) {
        self.inputs = inputs
        self.references = references
    }
}

extension ReuseRecord {
    /// Whether a run that starts at `now`, in milliseconds since 1970, may inherit; the time of the
    /// last run of all tests must be known and at most a day ago.
    package func isYoung(now: Int64) -> Bool {
        fullRun.map { (0...FarmLimits.reuseAgeMax).contains(now - $0) } ?? false
    }
}

extension Plan {
    /// Whether a run of this plan may inherit verdicts: a whole run that compares each test once.
    package var mayReuse: Bool {
        mode == .verify && share == nil && !filtered && inherited == nil
            && (rules?.repeats ?? 1) == 1 && jobs.contains { $0.job.reuse != nil }
    }

    /// The plan that runs all tests, if this one inherits what is unchanged; else the plan itself.
    package var withoutReuse: Plan {
        guard inherited?.unchanged != nil else { return self }
        var plan = self
        plan.inherited = nil
        return plan
    }

    /// Returns this plan with all test cases inherited whose digest is the one in the record, but
    /// for a sample; the plan itself if there is none.
    ///
    /// The same record and facts give the same plan, also when the run is resumed. At least
    /// `sampleMin` test cases of each job that could be inherited run.
    package func reusing(
        _ record: ReuseRecord,
        _ facts: ReuseFacts,
        sampleMin: Int = FarmLimits.reuseSampleMin
    ) -> Plan {
        guard mayReuse else { return self }
        let known = Dictionary(record.tests.map { ($0.key, $0) }) { first, _ in first }
        let quarantine = Quarantine(of: self, startedAt: 0)
        var runs: [TestKey: ReusedTest] = [:]
        var sample: [UnchangedInputs.Sampled] = []
        var inputs: [String: UnchangedInputs.Names] = [:]
        for planned in jobs where !record.off.contains(planned.job.name) {
            guard let rule = planned.job.reuse, let own = facts.inputs[planned.job.name] else {
                continue
            }
            let digests = ReuseDigests(of: planned.job, in: self, facts)
            let equal = planned.keys.compactMap { known[$0] }.filter { test in
                digests.digest(of: test.key, pictures: test.pictures.keys, files: test.files)
                    == test.digest
                    && !quarantine.names(test)
            }
            let drawn = rule.sample(of: equal, seed: record.seed, countMin: sampleMin)
            let kept = equal.filter { !drawn.contains($0.key) }
            let found = withPictures(
                Dictionary(kept.map { ($0.key, $0.run) }) { first, _ in first },
                madeBy: Set(kept.lazy.filter { !$0.pictures.isEmpty }.map(\.key))
            )
            guard !found.isEmpty else { continue }
            inputs[planned.job.name.text] = UnchangedInputs.Names(
                Set(own.names).union(kept.compactMap(\.files).joined()).sorted()
            )
            for test in equal where drawn.contains(test.key) {
                sample.append(
                    UnchangedInputs.Sampled(key: test.key, run: test.run, pictures: test.pictures)
                )
            }
            for test in kept { runs[test.key] = test }
        }
        guard let newest = runs.values.map(\.run).max() else { return self }
        var plan = self
        plan.inherited = InheritedTests(
            run: newest,
            isOfOtherCode: false,
            sources: sources(runs.mapValues(\.run)),
            remade: facts.remade(but: Set(runs.values.flatMap(\.pictures.keys))),
            unchanged: UnchangedInputs(inputs: inputs, sample: sample)
        )
        return plan
    }
}

extension ReuseFacts {
    /// Returns the references without a known test that are not among the inherited pictures.
    fileprivate func remade(but inherited: Set<String>) -> [SnapshotID] {
        references.values.flatMap { cell in
            cell.references.map(\.id).filter {
                cell.test(of: $0) == nil && !inherited.contains($0.text)
            }
        }.sorted()
    }
}

extension ReuseRule {
    /// Returns the keys of the test cases that run although they could be inherited.
    ///
    /// The same seed draws the same ones.
    fileprivate func sample(
        of tests: [ReusedTest],
        seed: String,
        countMin: Int
    ) -> Set<TestKey> {
        let share = Int((Double(tests.count) * samplePercent / 100).rounded(.up))
        let count = max(countMin, share)
        guard count < tests.count else { return Set(tests.map(\.key)) }
        let drawn = tests.map { (Digest(of: Data("\(seed) \($0.key)".utf8)), $0.key) }
        return Set(drawn.sorted { $0 < $1 }.prefix(count).map(\.1))
    }
}

extension ReuseRecord {
    /// The seed of the next run's sample; each run that ends changes it.
    fileprivate var seed: String { "\(runs) \(counts.first?.run ?? "")" }
}

extension Quarantine {
    /// Whether an entry names the test case or a picture of it: such a test runs, so that its clean
    /// runs are counted.
    fileprivate func names(_ test: ReusedTest) -> Bool {
        if isEmpty { return false }
        return entry(ofTest: test.key.test, cell: test.key.cell) != nil
            || test.pictures.keys.contains {
                SnapshotID(exactly: $0).flatMap { entry(ofPicture: $0) } != nil
            }
    }
}

extension PlannedJob {
    /// The keys of the job's test cases in the plan's order.
    fileprivate var keys: [TestKey] {
        job.cells.flatMap { cell in
            tests.map { TestKey(job: job.name, cell: cell.id, test: $0) }
        }
    }
}

extension CellReferences {
    /// Returns the test that makes a picture, or `nil` if it is not known.
    fileprivate func test(of id: SnapshotID) -> TestID? {
        suites[id.firstFolder]?.test(of: id)
    }
}

/// The digests of one job's test cases.
struct ReuseDigests {
    /// The lines that all test cases of a cell share, by cell.
    private var common: [CellID: String] = [:]
    /// The references of each test case.
    private var owned: [TestKey: Set<SnapshotID>] = [:]
    private var references: [SnapshotID: Reference] = [:]
    private var entries: [TestID: Digest]?
    private var contents: [String: String] = [:]

    /// Prepares the digests of a job's test cases; there are none without the job's inputs.
    init(of job: Job, in plan: Plan, _ facts: ReuseFacts) {
        guard let inputs = facts.inputs[job.name], job.judge == .farm else { return }
        entries = inputs.entries
        contents = facts.contents
        for cell in job.cells {
            var rest: [Reference] = []
            if job.kind == .snapshot, let known = facts.references[cell.id] {
                for reference in known.references {
                    references[reference.id] = reference
                    let suite = known.suites[reference.id.firstFolder]
                    if let suite, suite.job != job.name { continue }
                    guard let test = known.test(of: reference.id) else {
                        rest.append(reference)
                        continue
                    }
                    let key = TestKey(job: job.name, cell: cell.id, test: test)
                    owned[key, default: []].insert(reference.id)
                }
            }
            common[cell.id] = [
                plan.pipeline, job.digest(on: cell).hex, inputs.digest.hex,
                RunProof.digest(of: rest).hex,
            ].joined(separator: "\n")
        }
    }

    /// Returns the digest of all that decides a test case's verdict, or `nil` if that is not known.
    ///
    /// `pictures` are the ids of the pictures that the test case made, `files` the paths of the files
    /// that its driver recorded.
    func digest(
        of key: TestKey,
        pictures: some Sequence<String>,
        files: [String]?
    ) -> Digest? {
        guard let common = common[key.cell], let read = lines(of: key.test, files) else {
            return nil
        }
        let made = pictures.map { SnapshotID(exactly: $0) }
        guard !made.contains(nil) else { return nil }
        let ids = Set(made.compactMap(\.self)).union(owned[key] ?? [])
        let named = RunProof.digest(of: ids.compactMap { references[$0] })
        let lines = [common, key.test.text, named.hex] + ids.map(\.text).sorted() + read
        return Digest(of: Data(lines.joined(separator: "\n").utf8))
    }

    /// Returns the lines of a test case's own inputs, or `nil` if one is not known.
    private func lines(of test: TestID, _ files: [String]?) -> [String]? {
        guard let entries else { return [] }
        guard let entry = entries[test], let files else { return nil }
        let lines = files.compactMap { path in contents[path].map { "\(path)\0\($0)" } }
        return lines.count == files.count ? [entry.hex] + lines : nil
    }
}

extension Job {
    /// Returns the digest of the job's settings on one cell, without the rule of reuse.
    fileprivate func digest(on cell: Cell) -> Digest {
        var job = self
        job.cells = [cell]
        job.reuse = nil
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // A job holds only texts, finite numbers and lists of these: encoding cannot fail.
        return Digest(of: (try? encoder.encode(job)) ?? Data())
    }
}

extension CaptureReport {
    /// The picture as a record names it: the reference whose pixels it has, or else its digest.
    var reusedPicture: String {
        switch comparison {
        case .identicalBytes, .identicalPixels, .equalTexts:
            (alternate ?? reference)?.hex ?? capture.digest.description
        case .differentTags, .withinTolerance, .different, .differentText, nil:
            capture.digest.description
        }
    }
}

extension TestEvidence {
    /// The pictures of the test case as a record names them.
    var reusedPictures: [String: String] {
        Dictionary(
            (report?.pictures.captures ?? []).map { ($0.capture.id.text, $0.reusedPicture) }
        ) { first, _ in first }
    }
}
