import FarmCore
import FarmTesting
import Foundation
import Testing

/// A run of a few pictures: one change with two pictures and one change with a single picture.
private enum DecidedRun {
    static func id(_ name: String) throws -> SnapshotID {
        try SnapshotID(cell: CellID("A"), suite: "S", name: name)
    }

    static func picture(_ name: String, _ verdict: Verdict, test: String = "t") -> SnapshotSummary {
        SnapshotSummary(
            id: "A/S/\(name)",
            job: "j",
            cell: "A",
            suite: "S",
            name: name,
            identifier: name,
            test: test,
            verdict: verdict,
            reference: verdict == .new ? "" : ObjectID(ofBlob: Data("old \(name)".utf8)).hex,
            capture: verdict == .missing ? "" : Digest(of: Data(name.utf8)).description
        )
    }

    static func test(_ name: String, _ verdict: Verdict?) -> TestSummary {
        TestSummary(job: "j", cell: "A", test: name, verdict: verdict, attempts: 1, seconds: 1)
    }

    static func summary(mode: RunMode = .verify, state: RunState = .failed) -> RunSummary {
        var counts = VerdictCounts()
        for verdict in [Verdict.changed, .failed, nil] { counts.add(verdict) }
        return RunSummary(
            run: .plain("r1", mode: mode),
            state: state,
            exitCode: 1,
            counts: counts,
            comparisons: ComparisonCounts(),
            cells: [
                CellSummary(
                    id: "A",
                    device: "A",
                    os: "",
                    variant: [:],
                    complete: state == .failed,
                    counts: counts
                )
            ],
            tests: [test("t", .changed), test("broken", .failed), test("open", nil)],
            snapshots: [
                picture("broken", .changed, test: "broken"), picture("gone", .missing),
                picture("late", .changed, test: "open"), picture("new", .new),
                picture("one", .changed), picture("two", .changed), picture("same", .passed),
            ],
            artifacts: [],
            problems: [],
            changes: [
                ChangeSummary(
                    id: "c1",
                    words: "recoloured",
                    cells: "1 cell",
                    snapshots: ["A/S/one", "A/S/two", "A/S/broken"]
                ),
                ChangeSummary(
                    id: "c2",
                    words: "recoloured",
                    cells: "1 cell",
                    snapshots: ["A/S/broken"]
                ),
            ]
        )
    }

    static func decide(
        _ kind: String,
        changes: [String] = [],
        snapshots: [String] = [],
        causes: [String] = [],
        reason: String = "",
        after book: DecisionBook = DecisionBook(),
        in summary: RunSummary = DecidedRun.summary()
    ) throws -> [Decision] {
        try DecisionRules.decisions(
            DecisionForm(
                kind: kind,
                changes: changes,
                snapshots: snapshots,
                causes: causes,
                reason: reason
            ),
            about: summary,
            after: book,
            by: "ada",
            now: 7
        )
    }
}

@Suite("From a form to decisions")
struct DecisionRulesTests {
    @Test("a change means all its pictures that can be decided about, each once")
    func change() throws {
        let made = try DecidedRun.decide("accepted", changes: ["c1"], snapshots: ["A/S/one"])
        #expect(made.map(\.snapshot.name) == ["one", "two"])
        #expect(made.allSatisfy { $0.who == "ada" && $0.when == 7 && $0.run == "r1" })
        #expect(made.allSatisfy { $0.fault == nil })
        let one = try #require(DecidedRun.summary().snapshots.first { $0.name == "one" })
        #expect(made.first?.subject == one.subject)
    }

    @Test("causes accept what they explain wholly, and reject all that shows one of them")
    func causes() throws {
        let run = DecidedRun.summary()
        let (summary, ids) = CausedRun.summary(of: run, ["one": [0], "two": [0, 1]])
        func made(_ kind: String, _ causes: [String]) throws -> [String] {
            try DecidedRun.decide(kind, causes: causes, reason: "no", in: summary)
                .map(\.snapshot.name)
        }
        #expect(try made("accepted", [ids[0]]) == ["one"])
        #expect(try made("accepted", ids) == ["one", "two"])
        #expect(try made("rejected", [ids[1]]) == ["two"])
        #expect(try made("rejected", [ids[0]]) == ["one", "two"])
        #expect(throws: DecisionRefusal.nothingExplained) { try made("accepted", [ids[1]]) }
        #expect(throws: DecisionRefusal.unknownCause("c1")) { try made("accepted", ["c1"]) }
        var partly = summary
        for place in partly.snapshots.indices { partly.snapshots[place].unexplained = true }
        #expect(throws: DecisionRefusal.nothingExplained) {
            try DecidedRun.decide("accepted", causes: ids, in: partly)
        }
        // A cause whose pictures are not those that were seen is none of the run.
        var forged = summary
        let place = try #require(forged.snapshots.firstIndex { $0.name == "new" })
        forged.snapshots[place].causes = [ids[0]]
        #expect(throws: DecisionRefusal.unknownCause(ids[0])) {
            try DecidedRun.decide("accepted", causes: [ids[0]], in: forged)
        }
    }

    @Test("new and missing pictures are decided about like changed ones")
    func kinds() throws {
        let made = try DecidedRun.decide("accepted", snapshots: ["A/S/new", "A/S/gone"])
        #expect(made.map(\.snapshot.name) == ["new", "gone"])
        #expect(made.first?.reference == nil && made.last?.capture == nil)
    }

    @Test(
        "what nobody can say yes or no to is refused, and says why",
        arguments: [
            ("A/S/broken", "its test is failed"), ("A/S/same", "passed"),
            ("A/S/late", "still runs"), ("A/S/nothing", "no picture"),
            ("<script>", "no picture"),
        ]
    )
    func refused(_ id: String, _ words: String) throws {
        let error = #expect(throws: DecisionRefusal.self) {
            try DecidedRun.decide("rejected", snapshots: [id])
        }
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }

    @Test("a change of broken tests alone, an unknown change and a record run are refused")
    func refusedChanges() {
        #expect(throws: DecisionRefusal.self) { try DecidedRun.decide("accepted", changes: ["c2"]) }
        #expect(throws: DecisionRefusal.unknownChange("c9")) {
            try DecidedRun.decide("accepted", changes: ["c9"])
        }
        #expect(throws: DecisionRefusal.recorded(run: "r1")) {
            try DecidedRun.decide(
                "accepted",
                changes: ["c1"],
                in: DecidedRun.summary(mode: .record)
            )
        }
    }

    @Test(
        "a form that is none is refused",
        arguments: [
            ("published", "x", ""), ("", "x", ""), ("accepted", "", ""), ("commented", "x", "  "),
            ("rejected", "x", String(repeating: "é", count: 3_000)),
        ]
    )
    func forms(_ kind: String, _ snapshot: String, _ reason: String) {
        #expect(throws: DecisionRefusal.self) {
            try DecisionForm(
                kind: kind,
                changes: [],
                snapshots: snapshot.isEmpty ? [] : [snapshot],
                reason: reason
            )
        }
    }

    @Test("the same form again decides nothing more; another reason does")
    func again() throws {
        let first = try DecidedRun.decide("rejected", changes: ["c1"], reason: "too\r\npale")
        #expect(first.first?.reason == "too pale")
        let book = DecisionBook(first)
        #expect(
            try DecidedRun.decide("rejected", changes: ["c1"], reason: "too pale", after: book)
                == []
        )
        #expect(
            try DecidedRun.decide("rejected", changes: ["c1"], reason: "blue", after: book).count
                == 2
        )
        #expect(try DecidedRun.decide("accepted", changes: ["c1"], after: book).count == 2)
    }

    @Test("more pictures than are decided at once, or kept of one run, are refused whole")
    func tooMany() throws {
        func accept(
            _ snapshots: [String],
            after book: DecisionBook = DecisionBook(),
            atOnce: Int = 9,
            kept: Int = 9
        ) throws -> Int {
            try DecisionRules.decisions(
                DecisionForm(kind: "accepted", changes: [], snapshots: snapshots, reason: ""),
                about: DecidedRun.summary(),
                after: book,
                by: "ada",
                now: 7,
                atOnceMax: atOnce,
                keptMax: kept
            ).count
        }
        let all = ["A/S/one", "A/S/two", "A/S/new"]
        #expect(try accept(all, atOnce: 3, kept: 3) == 3)
        #expect(throws: DecisionRefusal.tooManyAtOnce(3, most: 2)) { try accept(all, atOnce: 2) }
        #expect(throws: DecisionRefusal.tooManyKept(3, most: 2)) { try accept(all, kept: 2) }
        let rejected = try DecidedRun.decide("rejected", snapshots: ["A/S/one", "A/S/two"])
        let book = DecisionBook(rejected)
        #expect(throws: DecisionRefusal.tooManyKept(3, most: 2)) {
            try accept(["A/S/new"], after: book, kept: 2)
        }
        // Only the newest decision about a picture is kept.
        #expect(try accept(["A/S/one"], after: book, kept: 2) == 1)
        // Decisions about other pictures' bytes may be dropped.
        var other = rejected
        for index in other.indices { other[index].capture = Digest(of: Data("old".utf8)) }
        #expect(try accept(["A/S/new"], after: DecisionBook(other), kept: 2) == 1)
        #expect(
            try DecisionRules.decisions(
                DecisionForm(kind: "withdrawn", changes: ["c1"], snapshots: [], reason: ""),
                about: DecidedRun.summary(),
                after: book,
                by: "ada",
                now: 7,
                keptMax: 1
            ).count == 2
        )
    }

    @Test("what was decided is taken back, what was published is not")
    func withdrawn() throws {
        #expect(try DecidedRun.decide("withdrawn", changes: ["c1"]) == [])
        var made = try DecidedRun.decide("accepted", changes: ["c1"])
        let back = try DecidedRun.decide("withdrawn", changes: ["c1"], after: DecisionBook(made))
        #expect(back.count == 2 && DecisionBook(made + back).standing.isEmpty)
        made[0].kind = .published
        let book = DecisionBook(made)
        let left = try DecidedRun.decide("withdrawn", changes: ["c1"], after: book)
        #expect(left.map(\.snapshot.name) == ["two"])
        #expect(throws: DecisionRefusal.published("A/S/one")) {
            try DecidedRun.decide("withdrawn", snapshots: ["A/S/one"], after: book)
        }
    }

    @Test("a comment about a change is kept once, about its first picture, and decides nothing")
    func comment() throws {
        let made = try DecidedRun.decide("commented", changes: ["c1"], reason: "why?")
        #expect(made.map(\.snapshot.name) == ["one"])
        #expect(DecisionBook(made).standing.isEmpty)
    }

    @Test("of a change become alternates the pictures that have room beside their reference")
    func alternates() throws {
        var summary = DecidedRun.summary()
        let made = try DecidedRun.decide("alternate", changes: ["c1"])
        #expect(made.map(\.snapshot.name) == ["one", "two"])
        let place = try #require(summary.snapshots.firstIndex { $0.name == "two" })
        summary.snapshots[place].alternates = ["1", "2", "3", "4"]
        let room = try DecidedRun.decide("alternate", changes: ["c1"], in: summary)
        #expect(room.map(\.snapshot.name) == ["one"])
        #expect(throws: DecisionRefusal.neverDecided("A/S/new", .withoutReference)) {
            try DecidedRun.decide("alternate", snapshots: ["A/S/new"])
        }
        let book = DecisionBook(made)
        let accepted = DecidedPictures(summary).accepted(in: book, of: summary)
        #expect(accepted.map(\.subject.snapshot.name) == ["one"])
    }

    @Test("published are accepted pictures that still can be")
    func accepted() throws {
        let summary = DecidedRun.summary()
        let broken = try #require(summary.snapshots.first { $0.name == "broken" }?.subject)
        var made = try DecidedRun.decide("accepted", changes: ["c1"])
        made += try DecidedRun.decide("rejected", snapshots: ["A/S/two"])
        var earlier = made[0]
        earlier.snapshot = broken.snapshot
        earlier.capture = broken.capture
        earlier.reference = broken.reference
        let book = DecisionBook(made + [earlier])
        let accepted = DecidedPictures(summary).accepted(in: book, of: summary)
        #expect(accepted.map(\.subject.snapshot.name) == ["one"])
    }
}

@Suite("Whether a run can be published")
struct PublishObstacleTests {
    @Test("a whole run can; any other says what is missing, where, and what to do")
    func obstacles() throws {
        func words(_ summary: RunSummary) -> String { summary.publishObstacle?.description ?? "" }
        #expect(DecidedRun.summary().publishObstacle == nil)
        let open = words(DecidedRun.summary(state: .incomplete))
        #expect(
            open.contains("1 of 3 tests have no verdict, on A (1)") && open.contains("--resume")
        )
        #expect(words(DecidedRun.summary(state: .running)).contains("still goes"))
        #expect(words(DecidedRun.summary(mode: .record)).contains("recorded"))
        var shard = DecidedRun.summary()
        shard.run.shard = "1/4"
        #expect(words(shard).contains("snapfarm merge"))
        #expect(words(DecidedRun.summary(state: .unjudgeable)).contains("not judged"))
    }
}
