import FarmCore
import FarmTesting
import Foundation
import Testing

@Suite("Tests that are proposed for the quarantine")
struct QuarantineRuleTests {
    private typealias Fixture = HistoryFixture
    private static let rule = QuarantineRule(times: 2, hosts: 2, cleanRuns: 20, days: 30)
    /// 2026-11-21 08:00 UTC.
    private static let now: Int64 = 1_795_248_000_000

    private static func pipeline(_ quarantine: [QuarantineEntry] = []) -> Pipeline {
        let job = Job(
            name: JobName("snap"),
            kind: .unit,
            driver: DriverSettings("command", ["discover": "d", "run": "r"]),
            cells: [Cell(id: CellID("A"), device: nil, variant: []), .host]
        )
        return Pipeline(
            name: "p",
            references: nil,
            devices: [],
            axes: [],
            jobs: [job],
            quarantine: quarantine
        )
    }

    /// Returns a history of runs on alternating hosts, in which tests have the verdicts of their
    /// columns.
    private static func history(
        _ tests: [String: [Verdict?]],
        hosts: [String] = ["h1", "h2"],
        change: (Int, inout RunSummary) -> Void = { _, _ in }
    ) -> RunHistory {
        var history = RunHistory()
        for run in 0..<(tests.values.map(\.count).max() ?? 0) {
            let rows = tests.sorted { $0.key < $1.key }.compactMap { name, verdicts in
                verdicts[run].map { verdict in
                    var row = Fixture.row(name, 1, verdict: verdict)
                    guard verdict == .flaky else { return row }
                    row.history = [Verdict.failed, .passed].map {
                        AttemptSummary(verdict: $0, seconds: 1, worker: "w1")
                    }
                    return row
                }
            }
            var summary = Fixture.summary(rows, id: "r\(run)", state: .failed, branch: "main")
            summary.run.commit = "c\(run)"
            summary.run.started = "2026-11-0\(run + 1)T08:00:00.000Z"
            change(run, &summary)
            history.add(summary, host: hosts[run % hosts.count])
        }
        return history
    }

    private static func proposed(
        _ history: RunHistory,
        _ pipeline: Pipeline = pipeline(),
        runs: Int = 20
    ) -> [String] {
        rule.proposals(from: history.flaky(runs: runs), for: pipeline, now: now).compactMap(\.test)
    }

    @Test("are those that were flaky often enough, on enough hosts, and no broken ones")
    func rule() throws {
        let history = Self.history([
            "flaky": [.passed, .flaky, .flaky, .passed],
            "once": [.passed, .flaky, .passed, .passed],
            "broken": [.passed, .failed, .failed, .failed],
            "mended": [.failed, .passed, .failed, .passed],
            "both*?\\": [.failed, .passed, .passed, .flaky],
        ])
        #expect(Self.proposed(history) == ["flaky", "both\\*\\?\\\\"])
        // `mended` failed on h1 alone.
        var loose = Self.rule
        loose.hosts = 1
        let all = loose.proposals(
            from: history.flaky(runs: 20),
            for: Self.pipeline(),
            now: Self.now
        )
        #expect(all.compactMap(\.test) == ["flaky", "both\\*\\?\\\\", "mended"])
        let entry = try #require(all.first)
        #expect(entry.cell == "A" && entry.until == "2026-12-21" && entry.cleanRuns == 20)
        #expect(entry.reason == "flaky 2 times in 4 runs on 2 hosts, since c1 of 2026-11-02")
        let names = all.compactMap(\.test).map { Glob($0, mode: .text) }
        #expect(names[1].matches("both*?\\") && !names[1].matches("bothers"))
        #expect(Self.proposed(history, runs: 2).isEmpty)
    }

    @Test("are none of a day with a fault of the farm, of another job, or with an entry")
    func exempt() {
        let tests: [String: [Verdict?]] = ["t": [.flaky, .flaky]]
        #expect(Self.proposed(Self.history(tests)) == ["t"])
        let lost = Problem(code: "worker-lost", message: "m", remedy: "r")
        let faulty = Self.history(tests) { run, summary in
            if run == 1 { summary.problems = [lost] }
        }
        #expect(Self.proposed(faulty).isEmpty)
        let other = Self.history(tests) { _, summary in
            for index in summary.tests.indices { summary.tests[index].job = "gone" }
        }
        #expect(Self.proposed(other).isEmpty)
        func entry(until: String) -> Pipeline {
            Self.pipeline([QuarantineEntry(test: "t", until: until, reason: "r")])
        }
        #expect(Self.proposed(Self.history(tests), entry(until: "2026-12-31")).isEmpty)
        #expect(Self.proposed(Self.history(tests), entry(until: "2026-11-20")) == ["t"])
    }

    @Test("the history records results only of tests that were bad, and within its limits")
    func bounds() throws {
        let good = Self.history(["t": [.passed, .passed]])
        #expect(good.tests.values.allSatisfy(\.results.isEmpty) && good.recorded.count == 2)
        var history = Self.history(["t": [.passed, .failed, .passed]])
        #expect(history.tests[Fixture.key("t")]?.results.map(\.run) == [2, 3])
        #expect(try RunHistory(parsing: Data(history.text.utf8)) == history)
        for run in 0..<FarmLimits.historyRecordedMax {
            history.add(Fixture.summary([Fixture.row("t", 1)], id: "n\(run)"))
        }
        #expect(history.recorded.count == FarmLimits.historyRecordedMax)
        #expect(history.tests[Fixture.key("t")]?.results == [])
        // Of a broken app the tests that turn are kept.
        var broken = RunHistory()
        let names = (0..<400).map { String(format: "b%03d", $0) }
        for run in 0..<30 {
            var rows = names.map { Fixture.row($0, 1, verdict: .failed) }
            rows.append(Fixture.row("z", 1, verdict: run % 2 == 0 ? .failed : .passed))
            broken.add(Fixture.summary(rows, id: "n\(run)", state: .failed))
        }
        let count = broken.tests.values.reduce(0) { $0 + $1.results.count }
        #expect(count <= FarmLimits.historyResultsMax && count > 9_000)
        #expect(broken.tests[Fixture.key("z")]?.results.count == 30)
        #expect(try RunHistory(parsing: Data(broken.text.utf8)) == broken)
        let hostile = history.text.replacingOccurrences(of: "\"number\":4", with: "\"number\":-4")
        #expect(throws: HistoryError.self) { try RunHistory(parsing: Data(hostile.utf8)) }
    }

    @Test("an inherited test has no result of that run, which shows nothing about it")
    func inherited() {
        let history = Self.history([
            "t": [.passed, .flaky, .inherited, .passed], "u": [.passed, .passed, .passed, .passed],
        ]) { run, summary in
            if run == 2 { summary.tests[0].attempts = 0 }
        }
        #expect(history.recorded.map(\.number) == [1, 2, 3, 4])
        #expect(history.tests[Fixture.key("t")]?.results.map(\.run) == [2, 4])
        #expect(history.flaky(runs: 9).tests.map(\.runs) == [2])
    }

    @Test("what a recorded result says is the attempt that was bad, and what the others cost")
    func words() throws {
        let history = Self.history(["t": [.changed, .flaky]]) { run, summary in
            summary.tests[0].history = [
                AttemptSummary(verdict: .failed, seconds: 2.5, worker: "w2", message: "no\nmore"),
                AttemptSummary(verdict: run == 1 ? .passed : .changed, seconds: 1, worker: "w3"),
            ]
            summary.tests[0].load = HostLoad(waiting: 0.974, source: .pressure)
            guard run == 0 else { return }
            summary.snapshots = [
                SnapshotSummary(
                    id: "A/S/p",
                    job: "snap",
                    cell: "A",
                    suite: "S",
                    name: "p",
                    identifier: "p",
                    test: "t",
                    verdict: .changed,
                    words: "recoloured; 1 region"
                )
            ]
        }
        let test = try #require(history.flaky(runs: 9).tests.first)
        #expect(test.evidence.map(\.retrySeconds) == [2.5, 2.5])
        let notes = test.evidence.compactMap(\.attempts.first)
        #expect(notes.map(\.worker.text) == ["w2", "w3"] && notes.map(\.host) == ["h2", "h1"])
        #expect(notes.map(\.message) == ["no", "p: recoloured; 1 region"])
        #expect(notes.map(\.ending) == ["failed", "changed"] && notes.map(\.load) == [nil, 0.97])
    }
}
