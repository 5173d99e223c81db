// The test cases of a plan that do not run, because they passed in an earlier run of the same plan.
// The plan names them with the runs that ran them, so that the run's verdict depends only on its
// plan, reports and references (I6).

/// The test cases that a run takes over from earlier runs instead of running them.
package struct InheritedTests: Hashable, Sendable, Codable {
    /// A run that ran some of the test cases.
    package struct Source: Hashable, Sendable, Codable {
        /// The id of the run.
        package var run: String
        /// The positions of the test cases in each job's list, ascending, by job and cell in the
        /// plan's order.
        package var tests: [[[Int]]]

        package init(run: String, tests: [[[Int]]]) {
            self.run = run
            self.tests = tests
        }
    }

    /// The id of the run that the user named; it may have inherited test cases itself.
    package var run: String
    /// Whether the named run may have tested other code, so that this run is never green.
    package var isOfOtherCode: Bool
    /// The runs that ran the test cases, sorted; none has a test case of another.
    package var sources: [Source]
    /// The pictures that the other test cases made in the named run; none of them is inherited.
    package var remade: [SnapshotID]
    /// The facts about tests that are inherited because their inputs are unchanged, or `nil` if
    /// the user named the run.
    package var unchanged: UnchangedInputs?

    package init(
        run: String,
        isOfOtherCode: Bool,
        sources: [Source],
        remade: [SnapshotID] = [],
        unchanged: UnchangedInputs? = nil
    ) {
        self.unchanged = unchanged
        self.run = run
        self.isOfOtherCode = isOfOtherCode
        self.sources = sources
        self.remade = remade
    }

    package var count: Int { sources.reduce(0) { $0 + $1.tests.joined().joined().count } }

    /// Returns the positions of the inherited tests of one cell of one job; `job` and `cell` are
    /// positions in the plan.
    func places(job: Int, cell: Int) -> Set<Int> {
        sources.reduce(into: []) { $0.formUnion($1.tests[job][cell]) }
    }
}

/// The inputs of inherited test cases that are unchanged, and the test cases that prove it.
package struct UnchangedInputs: Hashable, Sendable, Codable {
    /// The inputs of one job's inherited test cases.
    package struct Names: Hashable, Sendable, Codable {
        /// The first inputs in the order of their names, at most `FarmLimits.reuseNamesMax`.
        package var first: [String]
        package var count: Int

        package init(_ names: [String]) {
            first = Array(names.prefix(FarmLimits.reuseNamesMax))
            count = names.count
        }
    }

    /// A test case that could be inherited, and runs all the same.
    package struct Sampled: Hashable, Sendable, Codable {
        package var key: TestKey
        /// The run whose verdict would be inherited.
        package var run: String
        /// The pictures of that run, each by the picture's id; see ``ReusedTest/pictures``.
        package var pictures: [String: String]

        package init(key: TestKey, run: String, pictures: [String: String]) {
            self.key = key
            self.run = run
            self.pictures = pictures
        }
    }

    /// The inputs of each job with inherited test cases, by the job's name.
    package var inputs: [String: Names]
    package var sample: [Sampled]
    /// Files that differ from the commits of the earlier runs and are no inputs of any job, or `nil`
    /// if they are unknown.
    ///
    /// If a sampled test case differs, one of them may be the missing input.
    package var suspects: [String]?

    package init(inputs: [String: Names], sample: [Sampled], suspects: [String]? = nil) {
        self.inputs = inputs
        self.sample = sample
        self.suspects = suspects
    }
}

extension Plan {
    /// The test cases that the plan inherits, each with the id of the run that ran it.
    package var inheritedKeys: [(key: TestKey, run: String)] {
        var keys: [(key: TestKey, run: String)] = []
        for source in inherited?.sources ?? [] {
            for (job, planned) in jobs.enumerated() {
                for (cell, place) in planned.job.cells.enumerated() {
                    keys += source.tests[job][cell].map { position in
                        let test = planned.tests[position]
                        let key = TestKey(job: planned.job.name, cell: place.id, test: test)
                        return (key: key, run: source.run)
                    }
                }
            }
        }
        return keys
    }

    /// Whether all inherited test cases are in this plan, each once.
    ///
    /// Call it on a plan from another machine before using its `inherited`.
    func fits(_ inherited: InheritedTests) -> Bool {
        var seen: Set<[Int]> = []
        return inherited.sources.allSatisfy { source in
            source.tests.count == jobs.count
                && source.tests.enumerated().allSatisfy { job, cells in
                    cells.count == jobs[job].job.cells.count
                        && cells.enumerated().allSatisfy { cell, places in
                            places.allSatisfy {
                                jobs[job].tests.indices.contains($0)
                                    && seen.insert([job, cell, $0]).inserted
                            }
                        }
                }
        }
    }
}

extension PlanCosts {
    /// The costs without those of inherited tests; the costs are those of the whole plan.
    package func without(_ inherited: InheritedTests) -> PlanCosts {
        var costs = self
        for job in costs.cells.indices {
            for cell in costs.cells[job].indices {
                let left = inherited.places(job: job, cell: cell)
                costs.cells[job][cell].tests = costs.cells[job][cell].tests.enumerated()
                    .filter { !left.contains($0.offset) }.map(\.element)
            }
        }
        return costs
    }
}
