import FarmCore
import Foundation
import Testing

/// Builds evidence for the judge, in as few words as a case needs.
struct EvidenceBuilder {
    var mode: RunMode = .verify
    var filtered = false
    var job = Job(
        name: JobName("snap"),
        kind: .snapshot,
        driver: .command(CommandSettings(discover: "d", run: "r")),
        cells: [Cell(id: CellID("c"), device: nil, variant: [])]
    )
    var tests: [TestEvidence] = []
    var references = CellReferences()
    var leases: [LeaseEvidence] = []

    static func id(_ name: String) throws -> SnapshotID {
        try SnapshotID(cell: CellID("c"), suite: "S", name: name)
    }

    static func capture(
        _ name: String,
        _ bytes: String = "same",
        reference: String? = "same"
    ) throws -> CaptureReport {
        let data = Data(bytes.utf8)
        let capture = Capture(
            id: try id(name),
            test: nil,
            digest: Digest(of: data),
            objectID: ObjectID(ofBlob: data),
            bytes: data.count
        )
        let size = PixelSize(width: 2, height: 2)
        let difference = PixelDifference(
            reference: size,
            capture: size,
            differing: 1,
            counted: 1,
            largestDelta: 7,
            clusters: []
        )
        return CaptureReport(
            capture: capture,
            reference: reference.map { ObjectID(ofBlob: Data($0.utf8)) },
            comparison: reference.map { $0 == bytes ? .identicalBytes : .different(difference) }
        )
    }

    mutating func add(
        _ test: String,
        _ captures: [CaptureReport],
        ending: TestEnding = .passed,
        verdict: Verdict?,
        earlier: [[CaptureReport]] = []
    ) {
        let key = TestKey(job: job.name, cell: CellID("c"), test: TestID(test))
        let all = earlier + [captures]
        let attempts = all.map { pictures in
            Attempt(
                worker: WorkerID("w"),
                outcome: .reported(
                    TestReport(
                        test: TestID(test),
                        ending: ending,
                        seconds: 1,
                        pictures: PictureReports(captures: pictures)
                    )
                )
            )
        }
        tests.append(
            TestEvidence(
                key: key,
                verdict: verdict,
                note: "",
                attempts: verdict == nil ? [] : attempts
            )
        )
    }

    mutating func expect(_ name: String, test: String?) throws {
        references.references.append(
            Reference(id: try Self.id(name), objectID: ObjectID(ofBlob: Data("same".utf8)))
        )
        var suite =
            references.suites["S"]
            ?? SuiteRecord(job: job.name, renderer: [:], tests: [:])
        if let test { suite.tests["S/\(name)"] = TestID(test) }
        references.suites["S"] = suite
    }

    var evidence: RunEvidence {
        let plan = Plan(
            pipeline: "p",
            mode: mode,
            filtered: filtered,
            pin: "",
            jobs: [PlannedJob(job: job, tests: tests.map(\.key.test), prepared: [:])],
            workTree: "/"
        )
        let facts = RunFacts(
            id: "r",
            key: "",
            pipeline: "p",
            mode: mode,
            filtered: filtered,
            commit: "",
            branch: "",
            pullRequest: "",
            pin: "",
            planDigest: "",
            started: "",
            finished: ""
        )
        return RunEvidence(
            facts: facts,
            plan: plan,
            tests: tests,
            leases: leases,
            references: [CellID("c"): references],
            cancelled: false,
            startedAt: 0
        )
    }
}

@Suite("What makes a run green or red")
struct RunJudgeTests {
    @Test("every test with one good verdict is green, and judging again gives the same")
    func green() throws {
        var builder = EvidenceBuilder()
        builder.add("a", [try EvidenceBuilder.capture("a")], verdict: .passed)
        try builder.expect("a", test: "a")
        let judged = RunJudge.judge(builder.evidence)
        #expect(judged.summary.state == .passed && judged.summary.exitCode == 0)
        #expect(judged == RunJudge.judge(builder.evidence))
        #expect(judged.summary.comparisons.identicalByDigest == 1)
    }

    @Test("one test without a verdict makes a run incomplete, whatever the others say")
    func incomplete() throws {
        var builder = EvidenceBuilder()
        builder.add("a", [try EvidenceBuilder.capture("a")], verdict: .passed)
        builder.add("b", [], verdict: nil)
        let summary = RunJudge.judge(builder.evidence).summary
        #expect(summary.state == .incomplete && summary.exitCode == 2)
        #expect(summary.counts.withoutVerdict == 1)
    }

    @Test("who chose not to run is counted as skipped, not as passed, and makes no run red")
    func skipped() throws {
        var builder = EvidenceBuilder()
        builder.add("a", [], ending: .skipped("not today"), verdict: .passed)
        builder.add("b", [], ending: .skipped(""), verdict: .passed)
        // A run of nothing else is as green as one whose tests pass.
        let all = RunJudge.judge(builder.evidence).summary
        #expect(all.state == .passed && all.exitCode == 0)
        #expect(all.counts.planned == 2 && all.counts.skipped == 2 && all.counts.passed == 0)
        builder.add("c", [try EvidenceBuilder.capture("c")], verdict: .passed)
        builder.add("d", [], ending: .failed("no"), verdict: .failed)
        let summary = RunJudge.judge(builder.evidence).summary
        #expect(summary.state == .failed)
        let counts = summary.counts
        #expect(counts.planned == 4 && counts.skipped == 2)
        #expect(counts.passed == 1 && counts.failed == 1)
        #expect(summary.cells.map(\.counts) == [counts])
        #expect(summary.tests.prefix(2).allSatisfy { $0.skipped && $0.verdict == .passed })
    }

    @Test("who skipped after a failure is flaky, and counted once")
    func skippedLate() {
        var counts = VerdictCounts()
        counts.add(.flaky, isSkipped: true)
        #expect(counts.flaky == 1 && counts.skipped == 0 && counts.planned == 1)
    }

    @Test("a snapshot job that made no picture at all is red")
    func noPictures() {
        var builder = EvidenceBuilder()
        builder.add("a", [], verdict: .passed)
        let summary = RunJudge.judge(builder.evidence).summary
        #expect(summary.state == .failed)
        #expect(summary.problems.map(\.code) == ["no-pictures"])
    }

    @Test("a reference is missing when its test ran to its end, unreached when it did not")
    func missing() throws {
        var builder = EvidenceBuilder()
        builder.add("ran", [try EvidenceBuilder.capture("other")], verdict: .passed)
        let problem = Problem(code: "x", message: "x.", remedy: "")
        builder.add("died", [], ending: .errored(problem), verdict: .errored)
        try builder.expect("other", test: "ran")
        try builder.expect("gone", test: "ran")
        try builder.expect("late", test: "died")
        let summary = RunJudge.judge(builder.evidence).summary
        let verdicts = Dictionary(
            uniqueKeysWithValues: summary.snapshots.map { ($0.name, $0.verdict) }
        )
        #expect(verdicts == ["other": .passed, "gone": .missing, "late": .unreached])
        #expect(summary.tests.map(\.verdict) == [.errored, .missing])
    }

    @Test(
        "a reference whose test is gone is missing in a whole run and no matter in a filtered one"
    )
    func orphan() throws {
        var builder = EvidenceBuilder()
        builder.add("a", [try EvidenceBuilder.capture("a")], verdict: .passed)
        try builder.expect("a", test: "a")
        try builder.expect("old", test: "deleted")
        #expect(RunJudge.judge(builder.evidence).summary.state == .failed)
        builder.filtered = true
        #expect(RunJudge.judge(builder.evidence).summary.state == .passed)
    }

    @Test("references of a job that is gone are red, and the message says how to move or drop them")
    func renamedJob() throws {
        var builder = EvidenceBuilder()
        builder.add("a", [try EvidenceBuilder.capture("a")], verdict: .passed)
        try builder.expect("a", test: "a")
        try builder.expect("old", test: "deleted")
        builder.references.suites["S"]?.job = JobName("before")
        let summary = RunJudge.judge(builder.evidence).summary
        #expect(summary.state == .failed)
        #expect(summary.snapshots.first { $0.name == "old" }?.verdict == .missing)
        let problem = try #require(summary.problems.first)
        #expect(problem.code == "references-without-owner")
        let words = "no job of this pipeline makes the references of c/S any more (job before did)"
        #expect(problem.message.hasPrefix(words) && problem.about == "c/S")
        #expect(problem.remedy.contains("`snapfarm refs retire c/S`"))
        builder.filtered = true
        #expect(RunJudge.judge(builder.evidence).summary.state == .passed)
    }

    @Test("references of another pipeline are its own, and are only mentioned")
    func otherPipeline() throws {
        var builder = EvidenceBuilder()
        builder.add("a", [try EvidenceBuilder.capture("a")], verdict: .passed)
        try builder.expect("other", test: "a")
        builder.references.suites["S"]?.pipeline = "web"
        let summary = RunJudge.judge(builder.evidence).summary
        #expect(summary.state == .passed)
        #expect(summary.problems.map(\.code) == ["references-of-other-pipeline"])
    }

    @Test("a snapshot job that recorded no picture is red, unless all of its tests were skipped")
    func nothingRecorded() {
        var builder = EvidenceBuilder(mode: .record)
        builder.add("a", [], verdict: .passed)
        let judged = RunJudge.judge(builder.evidence).summary
        #expect(judged.state == .failed)
        #expect(judged.problems.map(\.code) == ["no-pictures"])
        builder.tests = []
        builder.add("a", [], ending: .skipped("not here"), verdict: .passed)
        #expect(RunJudge.judge(builder.evidence).summary.state == .passed)
    }

    @Test("a picture that every attempt makes anew is unstable, and cannot be approved")
    func unstableUnderVerify() throws {
        var builder = EvidenceBuilder()
        let takes = try ["x", "y"].map { try EvidenceBuilder.capture("a", $0) }
        builder.add("a", [takes[1]], verdict: .changed, earlier: [[takes[0]]])
        let judged = RunJudge.judge(builder.evidence)
        #expect(judged.summary.state == .failed)
        let picture = try #require(judged.summary.snapshots.first)
        #expect(picture.verdict == .flaky)
        #expect(picture.words.hasPrefix("unstable: "))
        #expect(judged.pictures["c/S/a"]?.earlier == takes[0].capture.digest)
    }

    @Test("one picture made by two tests is an error of both, and names them")
    func contested() throws {
        var builder = EvidenceBuilder()
        builder.add("a", [try EvidenceBuilder.capture("x")], verdict: .passed)
        builder.add("b", [try EvidenceBuilder.capture("x")], verdict: .passed)
        let summary = RunJudge.judge(builder.evidence).summary
        #expect(summary.tests.map(\.verdict) == [.errored, .errored])
        #expect(
            summary.problems.first?.message.contains("c/S/x is made by snap/a and by snap/b")
                == true
        )
    }

    @Test("names that differ only in case are an error")
    func caseFolding() throws {
        var builder = EvidenceBuilder()
        builder.add("a", [try EvidenceBuilder.capture("X")], verdict: .passed)
        builder.add("b", [try EvidenceBuilder.capture("x")], verdict: .passed)
        let summary = RunJudge.judge(builder.evidence).summary
        #expect(summary.state == .failed)
        #expect(summary.problems.map(\.code) == ["duplicate-snapshot"])
    }

    @Test("references drawn by another renderer are said clearly, without changing a verdict")
    func renderer() throws {
        var builder = EvidenceBuilder()
        builder.add("a", [try EvidenceBuilder.capture("a")], verdict: .passed)
        try builder.expect("a", test: "a")
        builder.references.suites["S"]?.renderer = ["browser": "155"]
        builder.leases = [
            LeaseEvidence(job: JobName("snap"), cell: CellID("c"), renderer: ["browser": "156"])
        ]
        let summary = RunJudge.judge(builder.evidence).summary
        #expect(summary.state == .passed)
        #expect(summary.problems.first?.message.contains("browser 155 became 156") == true)
    }

    @Test("pictures that differ in colour tags alone pass, and are said once for all of them")
    func tags() throws {
        var builder = EvidenceBuilder()
        for name in ["a", "b"] {
            var capture = try EvidenceBuilder.capture(name, "tagged")
            capture.comparison = .differentTags(["gAMA", "sRGB"])
            builder.add(name, [capture], verdict: .passed)
            try builder.expect(name, test: name)
        }
        let summary = RunJudge.judge(builder.evidence).summary
        #expect(summary.state == .passed)
        #expect(summary.comparisons.differing == 0)
        #expect(summary.problems.map(\.code) == ["colour-tags-differ"])
        let message = try #require(summary.problems.first?.message)
        #expect(message.contains("2 pictures, the first c/S/a: "))
        #expect(message.contains("gAMA, sRGB"))
    }
}

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

    @Test("a picture whose two captures differ is not written")
    func unstable() throws {
        var builder = EvidenceBuilder(mode: .record)
        let first = try EvidenceBuilder.capture("a", "x")
        let second = try EvidenceBuilder.capture("a", "y")
        let steady = try EvidenceBuilder.capture("b", "z")
        builder.add("t", [second, steady], verdict: .passed, earlier: [[first, steady]])
        #expect(RecordRules.unstable(builder.tests[0]).map(\.name) == ["a"])
        let recording = try #require(RecordRules.recordings(of: builder.evidence).first)
        #expect(!recording.replacesCell)
        #expect(recording.pictures.keys.map(\.name) == ["b"])
        #expect(RunJudge.judge(builder.evidence).summary.state == .failed)
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
