// The expected cost of a test, learned from earlier runs: the 90th percentile of its own times, or
// the median of the nearest known ones. Numbers are whole microseconds and looked up in a fixed
// order, so that all machines with the same history compute the same.

/// The times of tests and of lease starts that earlier runs taught.
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

    /// Whether no test's time is known; every test then costs the same.
    package var isEmpty: Bool { own.isEmpty }

    /// Returns the expected time of a test case in microseconds, at least 1.
    ///
    /// For an unknown test case, returns the median of the same test on other cells, else of its
    /// suite, else of its job, else of all tests.
    package func microseconds(_ key: TestKey) -> Int {
        if let cost = own[key] { return max(1, cost) }
        let cost =
            anyCell[JobTest(job: key.job, text: key.test.text)]
            ?? suites[JobTest(job: key.job, text: key.test.suite)]
            ?? jobs[key.job] ?? all ?? Self.unknown
        return max(1, cost)
    }

    /// Whether earlier runs timed the test case itself.
    package func knows(_ key: TestKey) -> Bool { own[key] != nil }

    /// Returns the microseconds before the first test of a lease whose worker comes from another
    /// cell; 0 if they are unknown.
    package func start(_ key: CellKey) -> Int { starts[key] ?? jobStarts[key.job] ?? 0 }

    /// Returns the microseconds before the first test of a lease whose worker comes from the same
    /// cell, or `nil` if they are unknown.
    package func launch(_ key: CellKey) -> Int? { launches[key] ?? jobLaunches[key.job] }

    private static let unknown = 1_000_000
}

extension TestID {
    /// The suite of a test's name, which is the text before the last `/`: `Target/Class` of
    /// `Target/Class/method`; empty without a `/`.
    package var suite: String {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return String(text[..<slash])
    }
}
