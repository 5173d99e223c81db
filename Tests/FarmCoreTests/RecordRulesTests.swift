import FarmCore
import Foundation
import Testing

@Suite("What a record run may write")
struct RecordRulesTests {
    @Test("a complete record replaces its cell and remembers which test makes what")
    func complete() throws {
        var builder = EvidenceBuilder(mode: .record)
        let new = try EvidenceBuilder.capture("a", "x", reference: nil)
        builder.add("a", [new], verdict: .passed, earlier: [[new]])
        let recording = try #require(RecordRules.recordings(of: builder.evidence).first)
        #expect(recording.replacesCell)
        #expect(recording.suites["S"]?.tests == ["S/a": TestID("a")])
        builder.filtered = true
        #expect(RecordRules.recordings(of: builder.evidence).first?.replacesCell == false)
    }

    @Test("a failing test keeps its old references and keeps the cell from being replaced")
    func failing() throws {
        var builder = EvidenceBuilder(mode: .record)
        builder.add("good", [try EvidenceBuilder.capture("a", "x")], verdict: .passed)
        builder.add(
            "bad",
            [try EvidenceBuilder.capture("b", "y")],
            ending: .failed("no"),
            verdict: .failed
        )
        let recording = try #require(RecordRules.recordings(of: builder.evidence).first)
        #expect(!recording.replacesCell)
        #expect(recording.pictures.keys.map(\.name) == ["a"])
    }

    @Test("a picture that two tests make is not written")
    func contested() throws {
        var builder = EvidenceBuilder(mode: .record)
        builder.add("a", [try EvidenceBuilder.capture("x", "1")], verdict: .passed)
        builder.add("b", [try EvidenceBuilder.capture("x", "2")], verdict: .passed)
        builder.add("c", [try EvidenceBuilder.capture("y", "3")], verdict: .passed)
        let recording = try #require(RecordRules.recordings(of: builder.evidence).first)
        #expect(recording.pictures.keys.map(\.name) == ["y"])
        #expect(!recording.replacesCell)
    }

    @Test("pictures that differ only in case are not written, and all others are")
    func twins() throws {
        var builder = EvidenceBuilder(mode: .record)
        for name in ["Login", "home", "login"] {
            builder.add(name, [try EvidenceBuilder.capture(name)], verdict: .passed)
        }
        let recording = try #require(RecordRules.recordings(of: builder.evidence).first)
        #expect(recording.pictures.keys.map(\.name) == ["home"])
        #expect(!recording.replacesCell)
    }

    /// Returns evidence of a picture whose name changed in case, beside the reference of its old
    /// name.
    private func renamed(besideFailure fails: Bool) throws -> RunEvidence {
        var builder = EvidenceBuilder(mode: .record)
        try builder.expect("login", test: "login")
        builder.add("Login", [try EvidenceBuilder.capture("Login")], verdict: .passed)
        builder.add("home", [try EvidenceBuilder.capture("home")], verdict: .passed)
        if fails { builder.add("bad", [], ending: .failed("no"), verdict: .failed) }
        return builder.evidence
    }

    @Test("a name whose case changed is written where the old one leaves the references")
    func renamed() throws {
        let evidence = try renamed(besideFailure: false)
        let recording = try #require(RecordRules.recordings(of: evidence).first)
        #expect(recording.pictures.keys.map(\.name).sorted() == ["Login", "home"])
        #expect(recording.replacesCell)
        #expect(RunJudge.judge(evidence).summary.state == .passed)
    }

    @Test("a name whose case changed is an error where the old one stays, and stops nothing else")
    func blocked() throws {
        let evidence = try renamed(besideFailure: true)
        let recording = try #require(RecordRules.recordings(of: evidence).first)
        #expect(recording.pictures.keys.map(\.name) == ["home"])
        let summary = RunJudge.judge(evidence).summary
        #expect(summary.tests.map(\.verdict) == [.errored, .failed, .passed])
        let problem = try #require(summary.problems.first)
        #expect(problem.message.contains("c/S/Login and c/S/login differ only in case"))
        #expect(problem.message.contains("is a reference that stays"))
    }

    @Test("a picture whose two captures differ is not written")
    func unstable() throws {
        var builder = EvidenceBuilder(mode: .record)
        let first = try EvidenceBuilder.capture("a", "x")
        let second = try EvidenceBuilder.capture("a", "y")
        let steady = try EvidenceBuilder.capture("b", "z")
        builder.add("t", [second, steady], verdict: .passed, earlier: [[first, steady]])
        #expect(RecordRules.unstable(builder.tests[0], in: builder.evidence).map(\.name) == ["a"])
        let recording = try #require(RecordRules.recordings(of: builder.evidence).first)
        #expect(!recording.replacesCell)
        #expect(recording.pictures.keys.map(\.name) == ["b"])
        #expect(RunJudge.judge(builder.evidence).summary.state == .failed)
    }

    @Test("what is said of an unstable picture follows from its takes and its reference")
    func unstableWords() throws {
        var builder = EvidenceBuilder(mode: .record)
        let takes = try ["x", "y"].map { try EvidenceBuilder.capture("a", $0, reference: nil) }
        builder.add("t", [takes[1]], verdict: .passed, earlier: [[takes[0]]])
        // Both hosts were overloaded; the difference is shown nevertheless.
        for index in 0...1 {
            guard case .reported(var report) = builder.tests[0].attempts[index].outcome else {
                continue
            }
            report.load = HostLoad(waiting: 0.9, source: .pressure)
            builder.tests[0].attempts[index].outcome = .reported(report)
        }
        var judged = RunJudge.judge(builder.evidence)
        let remedy = "Remove what changes by itself (time, animation, random data); "
        #expect(judged.summary.problems.map(\.remedy) == [remedy + "it is not recorded."])
        #expect(judged.pictures["c/S/a"]?.earlier == takes[0].capture.digest)

        try builder.expect("a", test: "t")
        judged = RunJudge.judge(builder.evidence)
        #expect(judged.summary.problems.map(\.remedy) == [remedy + "it keeps its old reference."])

        builder.tests = []
        builder.add("t", [takes[1]], verdict: .passed, earlier: [[]])
        let once = RunJudge.judge(builder.evidence).summary
        #expect(
            once.problems.map(\.message)
                == ["c/S/a is unstable: one attempt makes it and another one does not."]
        )
        #expect(
            once.snapshots.map(\.words)
                == ["unstable: only some attempts make it, so it is not recorded."]
        )
    }

    @Test("a picture whose two captures differ by nothing that the job's policy counts is written")
    func alike() throws {
        var builder = EvidenceBuilder(mode: .record)
        let first = try EvidenceBuilder.capture("a", "x")
        let second = try EvidenceBuilder.capture("a", "y")
        builder.add("t", [second], verdict: .passed, earlier: [[first]])
        builder.add(
            "gone",
            [],
            verdict: .passed,
            earlier: [[try EvidenceBuilder.capture("b", "z")]]
        )
        var evidence = builder.evidence
        var seen: [Digest] = []
        evidence.alike = RecordRules.alike(in: evidence) { one, other, _ in
            seen += [one, other]
            return true
        }
        #expect(seen == [first.capture.digest, second.capture.digest])
        let recording = try #require(RecordRules.recordings(of: evidence).first)
        #expect(recording.pictures.values.map(\.digest) == [second.capture.digest])
        #expect(RecordRules.unstable(evidence.tests[0], in: evidence) == [])
        #expect(RecordRules.unstable(evidence.tests[1], in: evidence).map(\.name) == ["b"])
    }

    @Test("a flat picture, and one that is the same on all sizes, are warned of, not refused")
    func suspects() throws {
        var builder = EvidenceBuilder(mode: .record)
        builder.job.cells = [(100, "small"), (200, "large")].map { width, name in
            Cell(
                id: CellID(name),
                device: Device(name: name, width: width, height: 100, scale: 1),
                variant: []
            )
        }
        for cell in ["small", "large"] {
            var capture = try EvidenceBuilder.capture("a", "x", reference: nil)
            capture.capture.id = try SnapshotID(cell: CellID(cell), suite: "S", name: "a")
            capture.warning = cell == "small" ? "it is one flat colour; was the screen drawn?" : nil
            builder.add("t-\(cell)", [capture], verdict: .passed, earlier: [[capture]])
            builder.tests[builder.tests.count - 1].key.cell = CellID(cell)
        }
        let summary = RunJudge.judge(builder.evidence).summary
        #expect(summary.state == .passed)
        #expect(summary.problems.map(\.code) == ["suspicious-picture", "suspicious-picture"])
        #expect(summary.problems.last?.message.hasPrefix("S/a is the same picture") == true)
    }

    @Test("a cell that made no picture is left as it is")
    func nothing() {
        var builder = EvidenceBuilder(mode: .record)
        builder.add("a", [], verdict: .passed)
        #expect(RecordRules.recordings(of: builder.evidence).isEmpty)
    }
}
