// The rules by which `watch` chooses the test cases of its next run. They use what the last run of
// each test case recorded; what is unknown is changed.
import FarmCore

/// All that `watch` knows of a plan beside its files: what the files of each job are.
struct WatchFacts: Sendable {
    /// The files that a job's test cases read.
    struct Inputs: Sendable {
        /// The digest of each test case's own entry in a file of the job, or `nil` if the driver
        /// does not record the files that its test cases read.
        var entries: [TestID: Digest]?
        /// The path of the file with the entries, whose change counts by what they say, or `nil`.
        var entriesFile: String?
        /// The patterns of `inputs`, which all test cases of the job read; `nil` if the job has none.
        var patterns: [Glob]?
    }

    var inputs: [JobName: Inputs] = [:]
    var references: [CellID: MadeReferences] = [:]
    /// The paths of the pipeline file and the pin, whose change counts by what they say.
    var own: Set<String> = []

    /// Whether the pipeline names a file: itself, its pin, a file of entries or an input.
    func names(_ path: String) -> Bool {
        own.contains(path)
            || inputs.values.contains { inputs in
                inputs.entriesFile == path
                    || inputs.patterns?.contains { $0.matches(path) } == true
            }
    }
}

/// The references of a cell, by the tests that make their pictures.
struct MadeReferences: Hashable, Sendable {
    private(set) var byTest: [TestID: Set<Reference>] = [:]
    /// Those that no known test makes; any test may.
    private(set) var others: Set<Reference> = []

    init(_ cell: CellReferences) {
        for reference in cell.references {
            let id = reference.id
            if let test = cell.suites[id.firstFolder]?.tests["\(id.suite)/\(id.name)"] {
                byTest[test, default: []].insert(reference)
            } else {
                others.insert(reference)
            }
        }
    }
}

/// The state in which a test case ran.
struct LastRun: Hashable, Sendable {
    /// The job on the test case's cell alone.
    private let job: Job
    private let entry: Digest?
    /// The references of the pictures that the test case makes.
    private let references: Set<Reference>
    /// The hash of the references that any test case of the cell may make.
    private let others: Int
    /// The files that it read, or `nil` if they are not known.
    let files: Set<String>?

    /// Makes the state of a test case; `job` is its job on its cell alone.
    init(of key: TestKey, _ job: Job, _ facts: WatchFacts, read inputs: RecordedInputs? = nil) {
        self.job = job
        entry = facts.inputs[key.job]?.entries?[key.test]
        let cell = job.kind == .snapshot ? facts.references[key.cell] : nil
        references = cell?.byTest[key.test] ?? []
        others = cell?.others.hashValue ?? 0
        files = inputs?.unknown == nil ? inputs.map { Set($0.files) } : nil
    }

    /// Whether a test case would run in the same state now.
    fileprivate func isLike(_ now: LastRun) -> Bool {
        job == now.job && entry == now.entry && references == now.references
            && others == now.others
    }
}

extension Job {
    /// Returns the job on one cell, without its rule of reuse.
    func alone(on cell: CellID) -> Job {
        var job = self
        job.cells.removeAll { $0.id != cell }
        job.reuse = nil
        return job
    }
}

enum WatchRules {
    /// Returns the test cases of a plan that have not run, or whose settings, references or files
    /// have changed since.
    ///
    /// `changed` are the paths of changed files below the work tree, or absolute ones.
    static func due(
        in plan: Plan,
        _ facts: WatchFacts,
        after last: [TestKey: LastRun],
        changed: Set<String>
    ) -> Set<TestKey> {
        let others = changed.subtracting(facts.own)
        var due: Set<TestKey> = []
        for planned in plan.jobs {
            let inputs = facts.inputs[planned.job.name]
            let files = others.subtracting([inputs?.entriesFile].compactMap(\.self))
            let patterns = inputs?.patterns
            let isNamed = patterns.map { globs in
                files.contains { path in globs.contains { $0.matches(path) } }
            }
            let isRecorded = inputs?.entries != nil
            for cell in planned.job.cells.map(\.id) {
                let job = planned.job.alone(on: cell)
                for test in planned.tests {
                    let key = TestKey(job: job.name, cell: cell, test: test)
                    guard let ran = last[key], isNamed != true,
                        ran.isLike(LastRun(of: key, job, facts))
                    else {
                        due.insert(key)
                        continue
                    }
                    if let read = ran.files {
                        if !read.isDisjoint(with: files) { due.insert(key) }
                    } else if !files.isEmpty, isNamed == nil || isRecorded {
                        // Of such a test case it is only known that it may have read any file.
                        due.insert(key)
                    }
                }
            }
        }
        return due
    }
}

extension Plan {
    /// Returns the smallest plan of a part that has these test cases: those of one job are its tests
    /// on its cells.
    func narrowed(to keys: Set<TestKey>) -> Plan {
        var plan = self
        plan.part = nil
        plan.jobs = jobs.compactMap { planned in
            let own = keys.filter { $0.job == planned.job.name }
            guard !own.isEmpty else { return nil }
            let (cells, tests) = (Set(own.map(\.cell)), Set(own.map(\.test)))
            var planned = planned
            planned.job.cells.removeAll { !cells.contains($0.id) }
            planned.tests.removeAll { !tests.contains($0) }
            return planned
        }
        plan.filtered = filtered || plan.testCount < testCount
        return plan
    }
}
