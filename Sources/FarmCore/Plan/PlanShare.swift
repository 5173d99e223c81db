// One machine's share of a plan that several machines run without a coordinator. The plan stays
// whole, so that its digest says that all of them run the same; the share names what is mine.

/// Which machine of how many.
package struct ShardPlace: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Counted from 0.
    package var index: Int
    package var total: Int

    /// Nil for a place that no set of machines has.
    package init?(index: Int, total: Int) {
        guard (1...FarmLimits.shardsMax).contains(total), (0..<total).contains(index) else {
            return nil
        }
        self.index = index
        self.total = total
    }

    /// `INDEX/TOTAL`, as `--shard` takes it.
    package var description: String { "\(index)/\(total)" }

    /// `shard 2 of 4`, as people count.
    package var words: String { "shard \(index + 1) of \(total)" }

    /// The words for `INDEX/TOTAL`; any other text stays as it is.
    package static func words(of text: String) -> String {
        (try? ShardPlace(parsing: text))?.words ?? "shard \(text.prefix(20))"
    }

    /// Why `--shard` cannot be read.
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

    /// Reads `INDEX/TOTAL`.
    package init(parsing text: String) throws(Mistake) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let index = Int(parts[0]), let total = Int(parts[1]) else {
            throw .form(text)
        }
        guard let place = ShardPlace(index: index, total: total) else { throw .range(text) }
        self = place
    }
}

/// What one machine runs of a plan.
package struct PlanShare: Hashable, Sendable, Codable {
    package var place: ShardPlace
    /// The history the plan was cut by; nil: all tests counted as equally long.
    package var history: Digest?
    /// By job and cell, in the plan's order: places in the job's list of tests, ascending.
    package var tests: [[[Int]]]

    package init(place: ShardPlace, history: Digest?, tests: [[[Int]]]) {
        self.place = place
        self.history = history
        self.tests = tests
    }

    package var testCount: Int { tests.joined().reduce(0) { $0 + $1.count } }
}

extension Plan {
    /// The test cases this machine runs of one cell of one job, by their places in the plan.
    package func tests(job: Int, cell: Int) -> [TestID] {
        guard let share else { return jobs[job].tests }
        return share.tests[job][cell].map { jobs[job].tests[$0] }
    }

    /// How many test cases this machine runs of one cell of one job.
    package func testCount(job: Int, cell: Int) -> Int {
        share?.tests[job][cell].count ?? jobs[job].tests.count
    }

    /// Whether a share speaks of this plan and of nothing else.
    ///
    /// What comes from another machine is asked before anything looks into it.
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
