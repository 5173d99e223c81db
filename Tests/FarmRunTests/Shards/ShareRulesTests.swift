import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmRun

@Suite("How a plan is cut for machines that do not speak with each other")
struct ShareRulesTests {
    private typealias Fixture = HistoryFixture

    private static func plan(tests: Int, cells: Int) -> Plan {
        Fixture.plan([
            ("snap", (0..<cells).map { "c\($0)" }, (0..<tests).map { "S/t\($0)" }),
            ("unit", ["host"], (0..<tests / 2).map { "u\($0)" }),
        ])
    }

    private static func history(
        of plan: Plan,
        using random: inout SeededGenerator,
        start: Int = 0
    ) -> RunHistory {
        var history = RunHistory(runs: 1)
        for key in plan.shareKeys {
            let cost = Int.random(in: 1...10_000_000, using: &random)
            history.tests[key] = TestHistory(samples: [cost], seen: 1)
            if start > 0 {
                history.starts[CellKey(job: key.job, cell: key.cell)] =
                    StartHistory(samples: [start], seen: 1)
            }
        }
        return history
    }

    private static func shares(_ plan: Plan, _ total: Int, _ history: RunHistory?) -> [Plan] {
        (0..<total).compactMap { ShardPlace(index: $0, total: total) }.map { place in
            var own = plan
            own.share = ShareRules.share(of: plan, at: place, history: history)
            return own
        }
    }

    @Test(
        "the shares of all machines add up to the plan, no test twice",
        arguments: [1, 2, 4, 7, 100],
        [true, false]
    )
    func partition(total: Int, learned: Bool) throws {
        var random = SeededGenerator.announced()
        let plan = Self.plan(tests: 23, cells: 3)
        let history = learned ? Self.history(of: plan, using: &random) : nil
        let shares = Self.shares(plan, total, history)
        let keys = shares.flatMap(\.shareKeys)
        #expect(keys.count == plan.testCount && Set(keys) == Set(plan.shareKeys))
        #expect(shares.allSatisfy { $0.digest == plan.digest })
        for share in shares {
            #expect(plan.fits(try #require(share.share)))
            #expect(share.share?.history == history?.digest)
            #expect(share.testCount == share.shareKeys.count)
        }
    }

    @Test("the share is the same whatever order the history was written in, and on any machine")
    func deterministic() throws {
        var random = SeededGenerator(seed: 7)
        let plan = Self.plan(tests: 40, cells: 4)
        let history = Self.history(of: plan, using: &random, start: 30_000_000)
        let read = try RunHistory(parsing: Data(history.text.utf8))
        var other = plan
        other.workTree = "/elsewhere"
        for index in other.jobs.indices { other.jobs[index].prepared = ["path": "/elsewhere"] }
        #expect(
            Self.shares(plan, 4, history).map(\.share) == Self.shares(other, 4, read).map(\.share)
        )
        #expect(Self.shares(plan, 4, nil).map(\.share) == Self.shares(other, 4, nil).map(\.share))
    }

    @Test("without a history every machine gets as many tests as another, or one more")
    func even() {
        let counts = Self.shares(Self.plan(tests: 23, cells: 3), 4, nil).map(\.testCount)
        #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= 1)
    }

    @Test("by learned times no machine ends more than the longest test after another")
    func balanced() {
        var random = SeededGenerator.announced()
        let plan = Self.plan(tests: 60, cells: 3)
        let history = Self.history(of: plan, using: &random)
        let costs = LearnedCosts(history)
        let loads = Self.shares(plan, 5, history).map { share in
            share.shareKeys.reduce(0) { $0 + costs.microseconds($1) }
        }
        #expect((loads.max() ?? 0) - (loads.min() ?? 0) <= 10_000_000)
    }

    @Test(
        "a cell that is slow to start is not started on every machine",
        arguments: [nil] + (0..<20).map { Optional(UInt64($0)) }
    )
    func startsFew(seed: UInt64?) {
        var random = seed.map { SeededGenerator(seed: $0) } ?? .announced()
        let plan = Fixture.plan([("snap", (0..<12).map { "c\($0)" }, (0..<10).map { "t\($0)" })])
        func starts(_ start: Int) -> Int {
            let history = Self.history(of: plan, using: &random, start: start)
            return Self.shares(plan, 4, history).reduce(0) { sum, share in
                sum + Set(share.shareKeys.map(\.cell)).count
            }
        }
        #expect(starts(1) > 40)
        // Of 48 possible starts; 12 are needed.
        #expect(starts(300_000_000) <= 24)
    }

    @Test("an empty history is none")
    func emptyHistory() throws {
        let plan = Self.plan(tests: 8, cells: 2)
        let place = try #require(ShardPlace(index: 1, total: 3))
        let none = ShareRules.share(of: plan, at: place, history: nil)
        #expect(ShareRules.share(of: plan, at: place, history: RunHistory(runs: 5)) == none)
    }

    @Test(
        "--shard is read as INDEX/TOTAL, counted from 0",
        arguments: [
            ("0/4", "0/4"), ("3/4", "3/4"), ("0/1", "0/1"), ("4/4", nil), ("-1/4", nil),
            ("1", nil), ("1/2/3", nil), ("a/b", nil), ("", nil), ("0/0", nil), ("0/1001", nil),
            ("1/", nil),
        ]
    )
    func place(text: String, expected: String?) {
        #expect((try? ShardPlace(parsing: text))?.description == expected)
    }

    @Test("a share of another plan does not fit")
    func fits() throws {
        let plan = Fixture.plan([("snap", ["a", "b"], ["x", "y"])])
        let place = try #require(ShardPlace(index: 0, total: 2))
        for (tests, fits) in [
            ([[[0, 1], [1]]], true), ([[[], []]], true), ([[[0, 2], [1]]], false),
            ([[[1, 0], []]], false), ([[[0, 0], []]], false), ([[[0]]], false), ([], false),
            ([[[-1], []]], false),
        ] {
            #expect(plan.fits(PlanShare(place: place, history: nil, tests: tests)) == fits)
        }
    }
}
