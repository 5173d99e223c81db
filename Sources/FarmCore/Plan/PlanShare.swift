// One machine's share of a plan that several machines run without a coordinator. Every machine has
// the whole plan, so that equal digests show that all run the same; the share names this machine's
// test cases.

/// The place of one machine among all that share a plan: its number, and the number of all.
package struct ShardPlace: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The machine's number, from 0.
    package var index: Int
    package var total: Int

    /// Makes the place of a machine, or returns `nil` if `index` or `total` is out of range.
    package init?(index: Int, total: Int) {
        guard (1...FarmLimits.shardsMax).contains(total), (0..<total).contains(index) else {
            return nil
        }
        self.index = index
        self.total = total
    }

    /// The place as `INDEX/TOTAL`, the form of `--shard`.
    package var description: String { "\(index)/\(total)" }

    /// The place in words, counted from 1: `shard 2 of 4`.
    package var words: String { "shard \(index + 1) of \(total)" }

    /// Returns the words for `INDEX/TOTAL`; for any other text, `shard` and its first 20
    /// characters.
    package static func words(of text: String) -> String {
        (try? ShardPlace(parsing: text))?.words ?? "shard \(text.prefix(20))"
    }

    /// The reason why a value of `--shard` is refused.
    package enum Mistake: ExplainedError, Hashable {
        case form(String)
        case range(String)

        package var code: String { "shard-invalid" }
        package var message: String {
            switch self {
            case .form(let text): "--shard \(text.prefix(80)) is not INDEX/TOTAL."
            case .range(let text):
                "--shard \(text.prefix(80)): the index counts from 0 and is below the total."
            }
        }
        package var remedy: String {
            "The first of four machines is --shard 0/4, the last 3/4; at most "
                + "\(FarmLimits.shardsMax) machines. 0/1 runs everything here."
        }
        package var exit: ExitCode { .usage }
    }

    /// Parses `INDEX/TOTAL`, the value of `--shard`.
    package init(parsing text: String) throws(Mistake) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let index = Int(parts[0]), let total = Int(parts[1]) else {
            throw .form(text)
        }
        guard let place = ShardPlace(index: index, total: total) else { throw .range(text) }
        self = place
    }
}

/// The test cases of a plan that one machine runs.
package struct PlanShare: Hashable, Sendable, Codable {
    package var place: ShardPlace
    /// The digest of the history that the plan was cut by, or `nil` if all tests counted as equally
    /// long.
    package var history: Digest?
    /// The positions of the machine's tests in each job's list, ascending, by job and cell in the
    /// plan's order.
    package var tests: [[[Int]]]

    package init(place: ShardPlace, history: Digest?, tests: [[[Int]]]) {
        self.place = place
        self.history = history
        self.tests = tests
    }

    package var testCount: Int { tests.joined().reduce(0) { $0 + $1.count } }
}

extension Plan {
    /// Returns the tests that this machine runs of one cell of one job; `job` and `cell` are
    /// positions in the plan.
    package func tests(job: Int, cell: Int) -> [TestID] {
        let tests = jobs[job].tests
        if let share { return share.tests[job][cell].map { tests[$0] } }
        guard let left = inherited?.places(job: job, cell: cell), !left.isEmpty else {
            return tests
        }
        return tests.indices.filter { !left.contains($0) }.map { tests[$0] }
    }

    /// Returns the number of tests that this machine runs of one cell of one job.
    package func testCount(job: Int, cell: Int) -> Int {
        if let share { return share.tests[job][cell].count }
        return jobs[job].tests.count - (inherited?.places(job: job, cell: cell).count ?? 0)
    }

    /// Whether a share's jobs, cells and tests are all in this plan.
    ///
    /// Call it on a share from another machine before using the share.
    package func fits(_ share: PlanShare) -> Bool {
        share.tests.count == jobs.count
            && zip(jobs, share.tests).allSatisfy { planned, cells in
                cells.count == planned.job.cells.count
                    && cells.allSatisfy { places in
                        places.allSatisfy(planned.tests.indices.contains)
                            && zip(places, places.dropFirst()).allSatisfy(<)
                    }
            }
    }
}

extension Plan {
    /// The keys of all pairs of a test case and a cell that this machine runs, in plan order.
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
