import FarmCore
import Foundation
import Testing

@Suite("What is wrong with a report")
struct ReportFaultTests {
    private static func report() throws -> TestReport {
        var report = TestReport(test: TestID("t"), ending: .passed, seconds: 1, startedAt: 5)
        report.pictures.captures = [try EvidenceBuilder.capture("p", "new")]
        let difference = PixelDifference(
            reference: PixelSize(width: 2, height: 2),
            capture: PixelSize(width: 2, height: 2),
            differing: 1,
            counted: 1,
            largestDelta: 7,
            clusters: [],
            explanation: Explanation(
                regions: [
                    Explanation.Region(
                        box: PixelBox(x: 0, y: 0, width: 1, height: 1),
                        pixels: 1,
                        kind: .moved(dx: -1, dy: 1)
                    )
                ],
                regionCount: 1
            )
        )
        report.pictures.captures[0].comparison = .different(difference)
        return report
    }

    /// Returns such a report with a changed difference.
    private static func differing(
        _ change: (inout PixelDifference) -> Void
    ) throws -> TestReport {
        var report = try report()
        guard case .different(var difference) = report.pictures.captures[0].comparison else {
            return report
        }
        change(&difference)
        report.pictures.captures[0].comparison = .different(difference)
        return report
    }

    @Test("each field that no test can have is named")
    func fields() throws {
        func spoil(_ change: (inout TestReport) -> Void) throws -> TestReport {
            var report = try Self.report()
            change(&report)
            return report
        }
        let long = String(repeating: "x", count: FarmLimits.reportTextBytesMax + 1)
        func change(_ selector: String, count: Int) -> ElementChange {
            ElementChange(selector: selector, property: "text", count: count)
        }
        let far = PixelBox(x: .max, y: 0, width: .max, height: 1)
        let bad: [(String, TestReport)] = [
            (
                "companion",
                try spoil {
                    $0.pictures.captures[0].companions = [
                        .elements: Companion(
                            digest: Digest(of: Data()),
                            objectID: ObjectID(ofBlob: Data()),
                            bytes: FarmLimits.companionBytesMax + 1
                        )
                    ]
                }
            ),
            ("elements", try Self.differing { $0.explanation?.elements = [change("x", count: 0)] }),
            (
                "elements",
                try Self.differing { $0.explanation?.elements = [change(long, count: 1)] }
            ),
            (
                "elements",
                try Self.differing {
                    let many = FarmLimits.elementChangesMax + 1
                    $0.explanation?.elements = Array(repeating: change("x", count: 1), count: many)
                }
            ),
            ("startedAt", try spoil { $0.startedAt = .min }),
            ("startedAt", try spoil { $0.startedAt = .max }),
            ("seconds", try spoil { $0.seconds = -1 }),
            ("seconds", try spoil { $0.seconds = .nan }),
            ("seconds", try spoil { $0.seconds = 1e18 }),
            ("test", try spoil { $0.test = TestID("") }),
            ("output", try spoil { $0.output = long }),
            ("earlierFailure", try spoil { $0.earlierFailure = long }),
            ("ending", try spoil { $0.ending = .failed(long) }),
            ("ending", try spoil { $0.ending = .changed(long) }),
            ("ending", try spoil { $0.ending = .new(long) }),
            (
                "ending",
                try spoil { $0.ending = .errored(Problem(code: "c", message: long, remedy: "")) }
            ),
            ("bytes", try spoil { $0.pictures.captures[0].capture.bytes = -1 }),
            (
                "size",
                try spoil {
                    $0.pictures.captures[0].capture.size = PixelSize(width: .max, height: 2)
                }
            ),
            ("text", try spoil { $0.pictures.captures[0].warning = long }),
            ("differing", try Self.differing { $0.differing = .max }),
            ("largestDelta", try Self.differing { $0.largestDelta = -1 }),
            ("size", try Self.differing { $0.reference.width = .min }),
            ("clusters", try Self.differing { $0.clusters = [far] }),
            ("worst", try Self.differing { $0.worst = WorstWindow(counted: 1, box: far) }),
            ("region", try Self.differing { $0.explanation?.regions[0].pixels = .max }),
            (
                "region",
                try Self.differing { $0.explanation?.regions[0].kind = .moved(dx: 0, dy: .min) }
            ),
            (
                "bandMove",
                try Self.differing { difference in
                    difference.explanation?.bandMove = Explanation.BandMove(
                        from: 0,
                        rows: 1,
                        by: .min
                    )
                }
            ),
            (
                "alignment",
                try Self.differing { difference in
                    difference.explanation?.alignment = PictureAlignment(
                        rows: PictureAlignment.Band(change: .inserted, at: .max, count: .max)
                    )
                }
            ),
        ]
        for (field, report) in bad {
            let fault = try #require(report.fault, "\(field)")
            #expect(fault.contains(field), "\(fault)")
        }
        #expect(try Self.report().fault == nil)
    }

    @Test("a picture of a cell that is no folder is refused, and so is one of another cell")
    func cells() throws {
        var report = try Self.report()
        #expect(report.pictures.areOf(CellID("c")) && !report.pictures.areOf(CellID("d")))
        report.pictures.captures[0].capture.id = try SnapshotID(
            cell: CellID(".."),
            suite: "S",
            name: "p"
        )
        #expect(report.fault?.contains("no path") == true)
    }

    @Test("what a worker sends is within the limits, whatever its driver said")
    func clipped() throws {
        var report = try Self.report()
        report.seconds = -.infinity
        report.startedAt = -5
        report.output = String(repeating: "é", count: FarmLimits.reportTextBytesMax)
        for ending in [
            TestEnding.failed(report.output), .changed(report.output), .new(report.output),
        ] {
            report.ending = ending
            #expect(report.withinLimits.fault == nil)
        }
        #expect(report.withinLimits.output.hasPrefix("éé"))
        #expect(try Self.report().withinLimits == Self.report())
    }

    @Test("what a lease left is bounded, and its number is the ledger's alone")
    func leases() {
        var evidence = LeaseEvidence(job: JobName("j"), cell: CellID("c"))
        #expect(evidence.fault == nil)
        for seconds in [-1, .infinity, 1e9] {
            evidence.start = MeasuredStart(seconds: seconds, isWarm: true)
            #expect(evidence.fault?.contains("start") == true)
        }
        evidence.start = MeasuredStart(seconds: 15, isWarm: true)
        #expect(evidence.fault == nil)
        evidence.leftOver = [TestID("")]
        #expect(evidence.fault?.contains("leftOver") == true)
        evidence.leftOver = []
        for place in 0...FarmLimits.rendererFactsMax { evidence.renderer["\(place)"] = "" }
        #expect(evidence.fault?.contains("renderer") == true)
    }
}

@Suite("What a driver says of a test")
struct TestResultTests {
    @Test(
        "a time that no test takes is a day, and what is no time is none",
        arguments: [
            (1.5, 1.5), (1e300, 86_400), (.infinity, 86_400), (-1, 0), (-.infinity, 0), (.nan, 0),
        ]
    )
    func seconds(said: Double, kept: Double) {
        #expect(TestResult(test: TestID("a"), ending: .passed, seconds: said).seconds == kept)
    }
}
