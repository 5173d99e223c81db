import FarmCore
import FarmReports
import Foundation
import Testing

@testable import FarmRun

@Suite("The last lines of a run")
struct ClosingWordsTests {
    private static func red() throws -> RunSummary {
        try RunBench().judged(changed: ["one": "1"]).summary
    }

    @Test("a red run says how to look at it and approve it, with run, file and data folder")
    func approve() throws {
        let advice = DecideAdvice(
            try Self.red(),
            isElsewhere: false,
            file: "app.yaml",
            data: "state"
        )
        #expect(advice?.review == "snapfarm review app.yaml --run r1 --data state")
        #expect(advice?.approve == "snapfarm approve app.yaml --run r1 --data state --reason \"…\"")
    }

    @Test("where the data folder is on another machine, the zip is what travels")
    func elsewhere() throws {
        let advice = DecideAdvice(try Self.red(), isElsewhere: true)
        #expect(advice?.review == "snapfarm review --from FailureDiffs.zip")
        #expect(advice?.approve == "snapfarm approve --from FailureDiffs.zip --reason \"…\"")
    }

    @Test("who called from a machine of their own finds the zip where the run has put it")
    func ownMachine() throws {
        let advice = DecideAdvice(try Self.red(), isElsewhere: true, zip: "out/FailureDiffs.zip")
        #expect(advice?.review == "snapfarm review --from out/FailureDiffs.zip")
    }

    @Test("nothing is advised for what no approval takes")
    func nothing() throws {
        let red = try Self.red()
        var incomplete = red
        incomplete.state = .incomplete
        var share = red
        share.run.shard = "0/2"
        var recorded = red
        recorded.run.mode = .record
        let green = try RunBench().judged(same: ["two": "2"]).summary
        for summary in [incomplete, share, recorded, green] {
            #expect(DecideAdvice(summary, isElsewhere: false) == nil)
        }
    }

    @Test("what no test makes any more leaves the references, unless a problem is the reason")
    func removal() throws {
        var summary = try RunBench().judged(same: ["two": "2"]).summary
        summary.state = .failed
        summary.snapshots[0].verdict = .missing
        let advice = DecideAdvice(summary, isElsewhere: false)
        #expect(advice?.review == "snapfarm review --run r1")
        #expect(
            advice?.approve == "snapfarm approve --run r1 --remove-missing --reason \"…\""
        )
        summary.problems = [
            Problem(code: "no-pictures", message: "m", remedy: "r", about: "snap")
        ]
        #expect(DecideAdvice(summary, isElsewhere: false) == nil)
    }

    @Test("the zip is named where something differs")
    func places() throws {
        var summary = try Self.red()
        let empty = RunClosing.places(summary, at: "/out", advice: nil)
        #expect(empty.report == "/out/report/index.html" && empty.zip == nil)
        summary.snapshots[0].files = ["capture": "captures/A/S/one.png"]
        #expect(RunClosing.places(summary, at: "/out", advice: nil).zip == nil)
        summary.snapshots[0].files["failed"] = "FailureDiffs/snap/A/S/failed_one.png"
        let advice = DecideAdvice(try Self.red(), isElsewhere: true)
        let full = RunClosing.places(summary, at: "/out", advice: advice)
        #expect(full.zip == "/out/FailureDiffs.zip" && full.approve == advice?.approve)
    }

    @Test("a recording counts what changed, and names at most ten that fell out of a cell")
    func recorded() throws {
        let gone = try (10..<25).map {
            try SnapshotID(cell: CellID("A"), suite: "S", name: "p\($0)")
        }
        let recording = RunRecording(
            pin: ReferencePin(),
            set: ObjectID(ofBlob: Data("set".utf8)),
            outcomes: [
                "A": RecordingOutcome(added: [], changed: [], removed: gone, unchangedCount: 3)
            ]
        )
        let lines = RunClosing.recorded(recording)
        #expect(lines[0].hasPrefix("Recorded: 0 new, 0 changed, 15 removed, 3 unchanged (set "))
        #expect(lines[1] == "  fell out of A: A/S/p10" && lines.count == 11)
    }
}
