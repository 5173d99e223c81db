import FarmCore
import FarmTesting
import Foundation
import Testing

@Suite("The history of runs")
struct RunHistoryTests {
    private typealias Fixture = HistoryFixture

    @Test("it is the same bytes whatever order it was made in, and reads back as it was")
    func canonical() throws {
        var random = SeededGenerator.announced()
        let names = ["a/b", "ä", "with \"quotes\"\\", "line\nfeed", "z/\u{1}", "日本/語"]
        var history = RunHistory(runs: 3)
        for name in names {
            history.tests[Fixture.key(name)] = TestHistory(samples: [5, 7], seen: 3, flaky: 1)
            history.tests[Fixture.key(name, cell: "B")] = TestHistory(samples: [1], seen: 2)
            history.starts[CellKey(job: JobName(name), cell: CellID("A"))] =
                StartHistory(samples: [30], seen: 1)
        }
        history.completes = ["main", "ä \"quoted\"", ""].map {
            CompleteRun(run: "r", branch: $0, set: "5", tests: [JobName("j"): [TestID("t")]])
        }
        let read = try RunHistory(parsing: Data(history.text.utf8))
        #expect(read == history && read.text == history.text)
        for _ in 0..<5 {
            var other = RunHistory(runs: 3, starts: history.starts, completes: history.completes)
            for key in history.tests.keys.shuffled(using: &random) {
                other.tests[key] = history.tests[key]
            }
            #expect(other.text == history.text && other.digest == history.digest)
        }
    }

    @Test("the newest ten times of a test are kept, whole microseconds and never none")
    func samples() {
        var history = RunHistory()
        for run in 1...12 { history.add(Fixture.summary([Fixture.row("t", Double(run))])) }
        let known = history.tests[Fixture.key("t")]
        #expect(known?.samples == (3...12).map { $0 * 1_000_000 } && known?.seen == 12)
        history.add(Fixture.summary([Fixture.row("quick", 0)]))
        #expect(history.tests[Fixture.key("quick")]?.samples == [1])
    }

    @Test(
        "only a test that came to its own end is timed",
        arguments: [
            (Fixture.row("t", 2, verdict: .errored), false),
            (Fixture.row("t", 2, verdict: nil), false),
            (Fixture.row("t", 2, skipped: true), false),
            (Fixture.row("t", .infinity), false), (Fixture.row("t", -1), false),
            (Fixture.row("t", 2, verdict: .changed), true), (Fixture.row("t", 2), true),
        ]
    )
    func timed(row: TestSummary, isTimed: Bool) {
        var history = RunHistory()
        history.add(Fixture.summary([row]))
        #expect(history.isEmpty == !isTimed && history.runs == (isTimed ? 1 : 0))
    }

    @Test("attempts that disagreed are counted")
    func flaky() {
        var history = RunHistory()
        for verdict in [Verdict.flaky, .passed, .flaky] {
            history.add(Fixture.summary([Fixture.row("t", 1, verdict: verdict)]))
        }
        #expect(history.tests[Fixture.key("t")]?.flaky == 2)
    }

    @Test("what leases took to start is kept apart for workers that come from elsewhere")
    func starts() throws {
        let (first, second) = (CellKey("snap", "A"), CellKey("snap", "B"))
        var summary = Fixture.summary([Fixture.row("a", 1)])
        summary.starts = [
            StartSummary(job: "snap", cell: "A", warmSeconds: 15, coldSeconds: 45),
            StartSummary(job: "snap", cell: "B", warmSeconds: nil, coldSeconds: 30),
        ]
        var history = RunHistory()
        history.add(summary)
        history.add(summary)
        let twice = { StartHistory(samples: [$0, $0], seen: 2) }
        #expect(history.starts == [first: twice(45_000_000), second: twice(30_000_000)])
        #expect(history.launches == [first: twice(15_000_000)])
        #expect(try RunHistory(parsing: Data(history.text.utf8)) == history)
    }

    @Test("of what the leases of a cell took, the median is said, warm and cold apart")
    func startSummaries() {
        func lease(_ cell: String, _ start: MeasuredStart?) -> LeaseEvidence {
            LeaseEvidence(job: JobName("snap"), cell: CellID(cell), start: start)
        }
        let cold = [40.0, 50, 45].map { MeasuredStart(seconds: $0, isWarm: false) }
        let warm = MeasuredStart(seconds: 15, isWarm: true)
        let leases = [lease("B", warm), lease("C", nil)] + cold.map { lease("A", $0) }
        #expect(
            StartSummary.all(of: leases) == [
                StartSummary(job: "snap", cell: "A", warmSeconds: nil, coldSeconds: 45),
                StartSummary(job: "snap", cell: "B", warmSeconds: 15, coldSeconds: nil),
            ]
        )
        #expect(StartSummary.all(of: [lease("C", nil)]) == nil)
    }

    @Test("only a complete, unfiltered, whole run names what there is")
    func names() {
        let rows = [Fixture.row("b", 1), Fixture.row("a", 1), Fixture.row("a", 1, cell: "B")]
        var history = RunHistory()
        history.add(Fixture.summary(rows, filtered: true))
        history.add(Fixture.summary(rows, shard: "0/2"))
        history.add(Fixture.summary(rows, state: .cancelled))
        history.add(Fixture.summary(rows + [Fixture.row("open", 0, verdict: nil)]))
        #expect(history.completes.isEmpty)
        history.add(Fixture.summary(rows, id: "whole", state: .failed, branch: "main", set: "5"))
        let names = [JobName("snap"): [TestID("a"), TestID("b")]]
        let whole = CompleteRun(run: "whole", branch: "main", set: "5", tests: names)
        #expect(history.completes == [whole])
        let plan = Fixture.plan([("snap", ["A"], ["b", "c"])])
        func lost(_ plan: Plan) -> LostTests? { history.lost(from: plan, branch: "main", set: "5") }
        let tests = ["snap": [TestID("a")]]
        #expect(lost(plan) == LostTests(run: "whole", tests: tests))
        #expect(lost(Fixture.plan([("unit", ["A"], ["b"])]))?.tests.isEmpty == true)
        #expect(lost(Fixture.plan([("snap", ["A"], ["b"])], filtered: true)) == nil)
        // The run has another set of references: a record or an approval has decided since then.
        #expect(history.lost(from: plan, branch: "main", set: "6")?.tests.isEmpty == true)
    }

    @Test("each branch has the names of its own last run; another's are those of no branch yet")
    func branches() throws {
        var history = RunHistory()
        for (id, branch) in [("1", "main"), ("2", "old"), ("3", "main")]
            + (4...11).map({ ("\($0)", "b\($0)") })
        {
            let rows = [Fixture.row("of \(branch)", 1), Fixture.row("run \(id)", 1)]
            history.add(Fixture.summary(rows, id: id, branch: branch))
            history = try RunHistory(parsing: Data(history.text.utf8))
            if id == "3" { #expect(history.completes.map(\.run) == ["3", "2"]) }
        }
        #expect(history.completes.count == FarmLimits.historyBranchesMax)
        let plan = Fixture.plan([("snap", ["A"], ["of b11", "new"])])
        let own = history.lost(from: plan, branch: "b11", set: "")
        #expect(own == LostTests(run: "11", tests: ["snap": [TestID("run 11")]]))
        let other = history.lost(from: plan, branch: "feature", set: "")
        #expect(other?.run == "11" && other?.other == "branch b11")
    }

    @Test("tests that vanished stay among a run's names until that is accepted")
    func vanished() {
        var history = RunHistory()
        var red = Fixture.summary([Fixture.row("a", 1)], id: "red", state: .failed)
        red.vanished = ["snap": ["b"], "unit": ["c"]]
        history.add(red)
        let plan = Fixture.plan([("snap", ["A"], ["a"])])
        #expect(history.lost(from: plan, branch: "", set: "")?.tests == ["snap": [TestID("b")]])
        history.add(Fixture.summary([Fixture.row("a", 1)], id: "green"))
        #expect(history.lost(from: plan, branch: "", set: "")?.tests.isEmpty == true)
    }

    @Test("a file of before branches were kept is read, as of none")
    func beforeBranches() throws {
        let text = #"""
            {"schemaVersion":1,"runs":1,"complete":{"run":"r","tests":{"snap":["a"]}},
            "starts":{},"tests":{"snap":{"A":{"a":{"seen":1,"us":[5]}}}}}
            """#
        let history = try RunHistory(parsing: Data(text.utf8))
        let plan = Fixture.plan([("unit", ["A"], ["b"]), ("snap", ["A"], ["b"])])
        let lost = history.lost(from: plan, branch: "main", set: "")
        #expect(
            lost == LostTests(run: "r", other: "another branch", tests: ["snap": [TestID("a")]])
        )
    }

    @Test("what was not seen for longest falls out first, and the file stays within its bytes")
    func bounded() throws {
        var history = RunHistory()
        let old = (0..<50).map { Fixture.row("old/\($0)", 1) }
        let new = (0..<50).map { Fixture.row("new/\($0)", 1) }
        history.add(Fixture.summary(old, filtered: true))
        history.add(Fixture.summary(new, filtered: true))
        var few = history
        few.shrink(testsMax: 60)
        #expect(few.tests.count == 60)
        #expect(few.tests.keys.count { $0.test.text.hasPrefix("new/") } == 50)
        var small = history
        small.shrink(bytesMax: 12_000)
        #expect(!small.isEmpty && small.tests.count < 50)
        #expect(small.text.utf8.count <= 12_000)
        #expect(small.tests.keys.allSatisfy { $0.test.text.hasPrefix("new/") })
        #expect(try RunHistory(parsing: Data(small.text.utf8)) == small)
    }

    @Test(
        "what is no history of this version is refused, and nothing in it is believed",
        arguments: [
            "", "[]", "{", "null", "{\"schemaVersion\":2}", "{\"schemaVersion\":1}",
            file(runs: "-1"), file(runs: "1e300"), file(runs: "99999999999"),
            file(test: "{\"seen\":1,\"us\":[]}"), file(test: "{\"seen\":1,\"us\":[0]}"),
            file(test: "{\"seen\":1,\"us\":[-5]}"), file(test: "{\"seen\":2,\"us\":[5]}"),
            file(test: "{\"seen\":1,\"us\":[9223372036854775807]}"),
            file(test: "{\"seen\":1,\"us\":[1,1,1,1,1,1,1,1,1,1,1]}"),
            file(test: "{\"flaky\":7,\"seen\":1,\"us\":[5]}"),
        ]
    )
    func hostile(text: String) {
        #expect(throws: HistoryError.self) { try RunHistory(parsing: Data(text.utf8)) }
    }

    @Test("the smallest file that is a history is one")
    func smallest() throws {
        #expect(try RunHistory(parsing: Data(Self.file().utf8)).tests.count == 1)
    }

    private static func file(
        runs: String = "1",
        test: String = "{\"seen\":1,\"us\":[5]}"
    ) -> String {
        "{\"schemaVersion\":1,\"runs\":\(runs),\"complete\":null,\"starts\":{},"
            + "\"tests\":{\"j\":{\"c\":{\"t\":\(test)}}}}"
    }
}

@Suite("Learned costs")
struct LearnedCostsTests {
    private typealias Fixture = HistoryFixture

    @Test(
        "the 90th percentile is a time that was measured, and one outlier of ten is none",
        arguments: [
            ([7], 7), ([1, 9], 9), ([1, 2, 3, 4, 5, 6, 7, 8, 9, 1000], 9),
            ([10, 20, 30, 40, 50], 50), ([], 0),
        ]
    )
    func p90(samples: [Int], expected: Int) {
        #expect(samples.p90 == expected)
    }

    @Test("an unknown test costs the median of what is nearest to it, and never nothing")
    func nearest() {
        var history = RunHistory(runs: 1)
        func know(_ key: TestKey, _ cost: Int) {
            history.tests[key] = TestHistory(samples: [cost], seen: 1)
        }
        know(Fixture.key("S/a"), 10)
        know(Fixture.key("S/b"), 20)
        know(Fixture.key("S/c"), 60)
        know(Fixture.key("T/x"), 500)
        know(Fixture.key("T/x", cell: "B"), 700)
        know(Fixture.key("u", job: "unit", cell: "host"), 3)
        let costs = LearnedCosts(history)
        #expect(costs.microseconds(Fixture.key("S/a")) == 10)
        #expect(costs.microseconds(Fixture.key("S/b", cell: "B")) == 20)
        #expect(costs.microseconds(Fixture.key("S/new")) == 20)
        #expect(costs.microseconds(Fixture.key("T/x", cell: "C")) == 500)
        #expect(costs.microseconds(Fixture.key("other")) == 60)
        #expect(costs.microseconds(Fixture.key("t", job: "web")) == 20)
        #expect(costs.knows(Fixture.key("S/a")) && !costs.knows(Fixture.key("S/new")))
        #expect(LearnedCosts(RunHistory()).microseconds(Fixture.key("t")) == 1_000_000)
    }

    @Test("starting on an unknown cell costs what starting on the job's others does")
    func start() {
        var history = RunHistory(runs: 1)
        history.starts[CellKey(job: JobName("snap"), cell: CellID("A"))] =
            StartHistory(samples: [10, 30, 20], seen: 1)
        let costs = LearnedCosts(history)
        #expect(costs.start(CellKey(job: JobName("snap"), cell: CellID("A"))) == 20)
        #expect(costs.start(CellKey(job: JobName("snap"), cell: CellID("B"))) == 20)
        #expect(costs.start(CellKey(job: JobName("unit"), cell: CellID("A"))) == 0)
        #expect(costs.launch(CellKey("snap", "A")) == nil)
        history.launches[CellKey("snap", "A")] = StartHistory(samples: [7], seen: 1)
        let launches = LearnedCosts(history)
        #expect(launches.launch(CellKey("snap", "A")) == 7)
        #expect(launches.launch(CellKey("snap", "B")) == 7)
        #expect(launches.launch(CellKey("unit", "A")) == nil)
    }
}

extension CellKey {
    fileprivate init(_ job: String, _ cell: String) {
        self.init(job: JobName(job), cell: CellID(cell))
    }
}
