// What a test will cost, as far as runs have taught: the 90th percentile of its own ends, or the
// median of what is nearest to it. Whole microseconds and a fixed order of looking, so that every
// machine with the same history gets the same numbers.

/// The costs of tests and of starting on cells.
package struct LearnedCosts: Hashable, Sendable {
    private var own: [TestKey: Int]
    private var anyCell: [JobTest: Int]
    private var suites: [JobTest: Int]
    private var jobs: [JobName: Int]
    private var all: Int?
    private var starts: [CellKey: Int]
    private var jobStarts: [JobName: Int]
    private var launches: [CellKey: Int]
    private var jobLaunches: [JobName: Int]

    private struct JobTest: Hashable {
        var job: JobName
        var text: String
    }

    package init(_ history: RunHistory) {
        own = history.tests.mapValues(\.samples.p90)
        var anyCell: [JobTest: [Int]] = [:]
        var suites: [JobTest: [Int]] = [:]
        var jobs: [JobName: [Int]] = [:]
        for (key, cost) in own {
            anyCell[JobTest(job: key.job, text: key.test.text), default: []].append(cost)
            suites[JobTest(job: key.job, text: key.test.suite), default: []].append(cost)
            jobs[key.job, default: []].append(cost)
        }
        self.anyCell = anyCell.mapValues(\.median)
        self.suites = suites.mapValues(\.median)
        self.jobs = jobs.mapValues(\.median)
        all = own.isEmpty ? nil : Array(own.values).median
        starts = history.starts.mapValues(\.samples.median)
        jobStarts = Self.byJob(starts)
        launches = history.launches.mapValues(\.samples.median)
        jobLaunches = Self.byJob(launches)
    }

    private static func byJob(_ costs: [CellKey: Int]) -> [JobName: Int] {
        var jobs: [JobName: [Int]] = [:]
        for (key, cost) in costs { jobs[key.job, default: []].append(cost) }
        return jobs.mapValues(\.median)
    }

    /// Whether nothing is known: every test then costs the same.
    package var isEmpty: Bool { own.isEmpty }

    /// Microseconds of one (test case × cell), at least 1.
    ///
    /// An unknown one costs the median of its own other cells, else of its suite, else of its job,
    /// else of all.
    package func microseconds(_ key: TestKey) -> Int {
        if let cost = own[key] { return max(1, cost) }
        let cost =
            anyCell[JobTest(job: key.job, text: key.test.text)]
            ?? suites[JobTest(job: key.job, text: key.test.suite)]
            ?? jobs[key.job] ?? all ?? Self.unknown
        return max(1, cost)
    }

    /// Whether the (test case × cell) itself was timed.
    package func knows(_ key: TestKey) -> Bool { own[key] != nil }

    /// Microseconds before the first test of a lease whose worker comes from another cell; 0 where
    /// nothing is known.
    package func start(_ key: CellKey) -> Int { starts[key] ?? jobStarts[key.job] ?? 0 }

    /// The same of a lease whose worker comes from this cell; nil where nothing is known.
    package func launch(_ key: CellKey) -> Int? { launches[key] ?? jobLaunches[key.job] }

    private static let unknown = 1_000_000
}

extension TestID {
    /// What stands before the last `/`: `Target/Class` of `Target/Class/method`; empty without one.
    package var suite: String {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return String(text[..<slash])
    }
}
