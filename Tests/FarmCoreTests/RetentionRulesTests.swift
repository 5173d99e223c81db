import FarmCore
import Testing

@Suite("What a data folder keeps")
struct RetentionRulesTests {
    private static let day: Int64 = 86_400_000
    private let now = 100 * day

    private func run(_ id: String, started: Int64, ended: Int64?) -> RetainedRun {
        RetainedRun(
            id: RunID(id),
            started: started * Self.day,
            ended: ended.map { $0 * Self.day }
        )
    }

    @Test(
        "ended, old, and none of the newest: only such runs go, oldest first",
        arguments: [
            (30, 0, ["old", "edge"]), (30, 2, ["old", "edge"]), (30, 3, ["old"]),
            (30, 4, []), (100_000, 0, []), (0, 0, ["old", "edge", "young"]),
        ]
    )
    func expired(days: Int, count: Int, gone: [String]) {
        let runs = [
            run("young", started: 98, ended: 99), run("open", started: 99, ended: nil),
            run("old", started: 1, ended: 2), run("edge", started: 69, ended: 70),
        ]
        let policy = RetentionPolicy(keepDays: days, keepRuns: count)
        #expect(RetentionRules.expired(runs, policy, now: now).map(\.text) == gone)
    }

    @Test("a clock that went back removes nothing")
    func future() {
        let policy = RetentionPolicy(keepDays: 0, keepRuns: 0)
        let runs = [run("tomorrow", started: 101, ended: 102)]
        #expect(RetentionRules.expired(runs, policy, now: now).isEmpty)
    }

    @Test("decisions outlive the runs they were made on", arguments: [0, 30, 400, 500])
    func decisions(keepDays: Int) {
        let policy = RetentionPolicy(keepDays: keepDays, keepRuns: 0)
        let days = max(keepDays, FarmLimits.decisionDays)
        #expect(RetentionRules.decisionsEnd(policy, now: now) == now - Int64(days) * Self.day)
    }
}
