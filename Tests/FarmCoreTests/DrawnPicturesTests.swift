// Tests of the rule that tells pictures that another renderer only drew differently from those that
// changed.
import FarmCore
import FarmTesting
import Foundation
import Testing

@Suite("Pictures that another renderer drew")
struct DrawnPicturesTests {
    /// A run of suite S, whose references were drawn by browser 155.
    private struct Drawn {
        var builder = EvidenceBuilder()

        init() {
            builder.job.probes = ["S/probe*"]
            add(lease: 1, browser: "156")
        }

        mutating func add(lease: Int64, browser: String) {
            var evidence = LeaseEvidence(
                job: JobName("snap"),
                cell: CellID("c"),
                renderer: ["browser": browser]
            )
            evidence.lease = lease
            builder.leases.append(evidence)
        }

        /// Adds a picture with this number in all places of its measure; 0 for an equal one.
        mutating func add(
            _ name: String,
            _ number: Int?,
            lease: Int64 = 1,
            height: Int = 2
        ) throws {
            let isEqual = number == 0
            var capture = try EvidenceBuilder.capture(name, isEqual ? "same" : "new \(name)")
            if !isEqual {
                capture.rendering = number.map {
                    RenderingMeasure(Array(repeating: $0, count: RenderingMeasure.count))
                }
                var difference = try #require(capture.comparison?.difference)
                difference.capture.height = height
                capture.comparison = .different(difference)
            }
            builder.add(name, [capture], verdict: isEqual ? .passed : .changed)
            builder.tests[builder.tests.count - 1].lease = lease
            try builder.expect(name, test: name)
            builder.references.suites["S"]?.renderer = ["browser": "155"]
        }

        var summary: RunSummary { RunJudge.judge(builder.evidence).summary }
        /// The names of the pictures that are only drawn differently.
        var differently: [String] { summary.snapshots.filter(\.isExplained).map(\.name) }
        var note: String {
            summary.problems.first { $0.code == "renderer-mismatch" }?.message ?? ""
        }
    }

    @Test("pictures that differ no more than the probes are one cause, the others are not in it")
    func told() throws {
        var run = Drawn()
        try run.add("probe", 2)
        try run.add("like", 2)
        try run.add("unlike", 200)
        try run.add("taller", nil, height: 3)
        try run.add("same", 0)
        #expect(run.differently == ["like", "probe"])
        let summary = run.summary
        let cause = try #require(summary.causes?.first)
        #expect(summary.causes?.count == 1 && cause.pictures == 2 && cause.screens == 2)
        #expect(cause.words == "drawn by another renderer: browser 155 became 156")
        #expect(summary.genuineCauses == summary.causes)
        #expect(summary.pictures(explainedBy: [cause.id]).count == 2)
        #expect(
            run.note.hasSuffix(
                "Of 4 changed pictures, 2 are only drawn differently, 2 changed, 0 could not be told."
            ),
            "\(run.note)"
        )
        // Verdicts and exit code are those of any changed pictures.
        #expect(summary.exitCode == 1 && summary.snapshots.count { $0.verdict == .changed } == 4)
        #expect(RunJudge.judge(run.builder.evidence).summary == summary)
    }

    @Test("an equal probe allows no difference, the most different of several counts")
    func probes() throws {
        var run = Drawn()
        try run.add("probe", 0)
        try run.add("like", 1)
        #expect(run.differently.isEmpty)
        #expect(run.note.contains("1 changed picture, 0 are only drawn differently, 1 changed"))
        try run.add("probe-2", 2)
        #expect(run.differently == ["like", "probe-2"])
    }

    @Test("without a probe that can be measured nothing is told, and the note says what to do")
    func untold() throws {
        for probe in [nil, "new", "taller"] {
            var run = Drawn()
            try run.add("like", 1)
            switch probe {
            case "new":
                run.builder.add(
                    "probe",
                    [try EvidenceBuilder.capture("probe", "new", reference: nil)],
                    verdict: .new
                )
                run.builder.tests[1].lease = 1
            case "taller": try run.add("probe", nil, height: 3)
            default: break
            }
            #expect(run.differently.isEmpty && run.summary.causes == nil)
            #expect(run.note.contains("1 could not be told"), "\(run.note)")
            let remedy = run.summary.problems.first { $0.code == "renderer-mismatch" }?.remedy
            #expect(remedy?.contains("`probes:`") == true)
        }
    }

    @Test(
        "a probe that differs beyond every limit is drawing itself, and lets no picture follow it"
    )
    func beyond() throws {
        var run = Drawn()
        try run.add("probe", 250)
        try run.add("like", 2)
        try run.add("unlike", 200)
        #expect(run.differently == ["like", "probe"])
    }

    @Test("a probe speaks only for pictures that the same two renderers drew")
    func renderers() throws {
        var run = Drawn()
        run.add(lease: 2, browser: "157")
        run.add(lease: 3, browser: "155")
        try run.add("probe", 2)
        try run.add("own", 2)
        try run.add("of-157", 2, lease: 2)
        try run.add("of-155", 2, lease: 3)
        #expect(run.differently == ["own", "probe"])
        let notes = run.summary.problems.filter { $0.code == "renderer-mismatch" }.map(\.message)
        #expect(notes.count == 2 && notes[1].contains("0 changed, 1 could not be told"))
    }

    @Test("a probe that matches an alternate says nothing of how its reference would be drawn")
    func alternate() throws {
        var run = Drawn()
        try run.add("like", 1)
        var probe = try EvidenceBuilder.capture("probe", "other")
        let other = ObjectID(ofBlob: Data("other".utf8))
        (probe.alternates, probe.alternate) = ([other], other)
        probe.comparison = .identicalBytes
        run.builder.add("probe", [probe], verdict: .passed)
        run.builder.tests[1].lease = 1
        try run.builder.expect("probe", test: "probe")
        #expect(run.differently.isEmpty && run.note.contains("1 could not be told"))
    }

    @Test("a measure is at most that of white on black, and has all its numbers")
    func limits() throws {
        #expect(RenderingMeasure.zero.isOfPictures)
        #expect(!RenderingMeasure([1, 2]).isOfPictures)
        #expect(
            !RenderingMeasure(Array(repeating: 256, count: RenderingMeasure.count)).isOfPictures
        )
        var report = TestReport(test: TestID("t"), ending: .passed, seconds: 1)
        report.pictures.captures = [try EvidenceBuilder.capture("p", "new")]
        report.pictures.captures[0].rendering = .zero
        #expect(report.fault == nil)
        report.pictures.captures[0].rendering = RenderingMeasure([-1])
        #expect(report.fault?.contains("rendering") == true)
        let bytes = try JSONEncoder().encode(report.pictures)
        #expect(try JSONDecoder().decode(PictureReports.self, from: bytes) == report.pictures)
    }

    @Test("numbers may be a quarter and half a level larger than the probes', and never the most")
    func slack() {
        func measure(_ number: Int) -> RenderingMeasure {
            var values = RenderingMeasure.zero.values
            values[RenderingMeasure.contrasts.count - 1] = number
            return RenderingMeasure(values)
        }
        #expect(measure(50).isDrawing(like: measure(40)))
        #expect(!measure(51).isDrawing(like: measure(40)))
        #expect(measure(115).isDrawing(like: measure(255)))
        #expect(!measure(116).isDrawing(like: measure(255)))
        #expect(!measure(1).isDrawing(like: .zero) && RenderingMeasure.zero.isDrawing(like: .zero))
    }
}
