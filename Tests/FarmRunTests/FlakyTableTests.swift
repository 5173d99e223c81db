import FarmCore
import Foundation
import Testing

@testable import FarmRun

@Suite("The list of flaky tests")
struct FlakyTableTests {
    private func attempt(_ worker: String, changed: String? = nil) throws -> AttemptNote {
        var captures: [CaptureReport] = []
        if let changed {
            let size = PixelSize(width: 2, height: 2)
            let bytes = Data(changed.utf8)
            captures.append(
                CaptureReport(
                    capture: Capture(
                        id: try SnapshotID(cell: CellID("A"), suite: "S", name: changed),
                        test: nil,
                        digest: Digest(of: bytes),
                        objectID: ObjectID(ofBlob: bytes),
                        bytes: bytes.count
                    ),
                    reference: ObjectID(ofBlob: Data()),
                    comparison: .different(
                        PixelDifference(
                            reference: size,
                            capture: size,
                            differing: 1,
                            counted: 1,
                            largestDelta: 9,
                            clusters: []
                        )
                    )
                )
            )
        }
        let report = TestReport(
            test: TestID("t"),
            ending: .passed,
            seconds: 1,
            pictures: PictureReports(captures: captures)
        )
        return AttemptNote(Attempt(worker: WorkerID(worker), outcome: .reported(report)))
    }

    private func result(_ run: String, _ verdict: Verdict, _ attempts: [AttemptNote])
        -> TestVerdicts.Result
    {
        TestVerdicts.Result(
            run: RunID(run),
            commit: "c0ffee",
            branch: "main",
            started: "",
            verdict: verdict,
            attempts: attempts
        )
    }

    @Test("names what differed once, and counts what only passed")
    func differed() throws {
        let passes = try (1...19).map { try attempt("w\($0 % 2)") }
        let history = TestVerdicts(
            job: JobName("snap"),
            cell: CellID("A"),
            test: TestID("t"),
            results: [
                result("r4", .passed, [try attempt("w1")]), result("r3", .passed, []),
                result("r2", .changed, try [1, 1].map { try attempt("w\($0)", changed: "two") }),
                result("r1", .flaky, [try attempt("w9", changed: "one")] + passes),
            ]
        )
        let lines = FlakyTable.lines(FlakyTests(runs: 4, histories: [history]))
        let words = "1 of 4 pixels (25.00 %) differs, largest delta 9"
        #expect(
            lines == [
                "t on A (job snap): flaky in 1 of 4 runs; "
                    + "passed one run of a commit and not another, on 1 commit",
                "    r2 c0ffee changed — changed 2 times on w1: A/S/two: \(words)",
                "    r1 c0ffee flaky — changed on w9: A/S/one: \(words); passed 19 times on w1, w0",
                "    passed in 2 runs: r4, r3",
            ]
        )
    }
}
