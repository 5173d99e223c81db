import FarmCore
import Foundation
import Testing

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
        // A run with only skipped tests is green.
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

    @Test("without pictures the driver's advice counts, else the advice for tests that write them")
    func pictureRemedy() throws {
        for (advice, words) in [
            (nil, "or name in `framework:` what takes them"), ("Ask Bo.", "Ask Bo."),
        ] {
            var builder = EvidenceBuilder()
            builder.job.pictureRemedy = advice
            builder.add("a", [], verdict: .passed)
            let problem = try #require(RunJudge.judge(builder.evidence).summary.problems.first)
            #expect(problem.remedy.contains(words), "\(problem.remedy)")
        }
    }

    @Test("where every test of a snapshot job has an error, only the errors are told")
    func errorsAlone() {
        var builder = EvidenceBuilder()
        builder.add("a", [], verdict: .errored)
        let summary = RunJudge.judge(builder.evidence).summary
        #expect(summary.state == .failed && summary.problems.isEmpty)
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

    @Test("a new picture is unstable if its takes differ by more than the job's policy allows")
    func unstableNewPicture() throws {
        var builder = EvidenceBuilder()
        builder.job.repeatNew = 2
        let takes = try ["x", "y"].map { try EvidenceBuilder.capture("a", $0, reference: nil) }
        builder.add("a", [takes[1]], verdict: .new, earlier: [[takes[0]]])
        var evidence = builder.evidence
        let picture = try #require(RunJudge.judge(evidence).summary.snapshots.first)
        #expect(picture.verdict == .flaky)
        #expect(picture.words == "unstable: two takes of it differ, so it is not approved.")
        // Also if the hosts had too much to do: either of the two may become the reference.
        for place in evidence.tests[0].attempts.indices {
            guard case .reported(var report) = evidence.tests[0].attempts[place].outcome else {
                continue
            }
            report.load = HostLoad(waiting: 1, source: .pressure)
            evidence.tests[0].attempts[place].outcome = .reported(report)
        }
        #expect(RunJudge.judge(evidence).summary.snapshots.map(\.verdict) == [.flaky])
        evidence.alike = RecordRules.alike(in: evidence) { _, _, _ in true }
        #expect(RunJudge.judge(evidence).summary.snapshots.map(\.verdict) == [.new])
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

    @Test(
        "names that differ only in case are an error of both, and of no other",
        arguments: RunMode.allCases
    )
    func caseFolding(mode: RunMode) throws {
        var builder = EvidenceBuilder(mode: mode)
        for name in ["X", "good", "x"] {
            builder.add(name, [try EvidenceBuilder.capture(name)], verdict: .passed)
        }
        let summary = RunJudge.judge(builder.evidence).summary
        #expect(summary.state == .failed)
        #expect(summary.tests.map(\.verdict) == [.errored, .passed, .errored])
        #expect(summary.snapshots.map(\.verdict) == [.errored, .passed, .errored])
        #expect(summary.problems.map(\.code) == ["duplicate-snapshot"])
        #expect(summary.problems.first?.message.contains("c/S/X and c/S/x differ") == true)
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
