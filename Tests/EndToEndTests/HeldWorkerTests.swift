import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Pictures of a worker that is suspended")
    struct HeldWorkerTests {
        @Test(
            "a worker whose lease is taken back loses no picture that was accepted",
            .timeLimit(.minutes(3))
        )
        func held() throws {
            let scenes = (1...400).map { "scene\($0)" }
            let project = try Project(
                scenes: scenes,
                devices: ["A"],
                units: 1,
                extra: "    retries: 1"
            )
            let one = ["--select", "job=snapshot_test"]
            let recorded = try project.run(one + ["--mode", "record", "--workers", "2"])
            #expect(recorded.status == 0, "\(recorded.said)")
            // Three of four scenes fail on one worker and pass on the other.
            let act = """
                case $SNAPFARM_LEASE_DIR in */w1-*) exit 1 ;; esac
                mkdir -p "$SNAPFARM_CAPTURE_DIR/Suite"
                cp pictures/$1.png "$SNAPFARM_CAPTURE_DIR/Suite/$1.png"

                """
            for number in 1...400 where number % 4 != 0 {
                try project.folder.write("act/scene\(number)", act)
            }
            let result = try project.run(one + ["--workers", "2"])
            let summary = try project.summary()
            // Failures of the suspended worker do not count: the other worker has passed each of
            // the tests.
            #expect(summary.counts.passed + summary.counts.flaky == 400, "\(result.said)")
            #expect(summary.counts.flaky > 0)
            #expect(result.errors.contains("is suspended"), "\(result.said)")
            #expect(summary.snapshots.count == 400)
            #expect(summary.snapshots.allSatisfy { $0.verdict == .passed && !$0.capture.isEmpty })
            let pin = project.text("snapfarm.refs")
            let approved = try project.program().run([
                "approve", "app.yaml", "--run", summary.run.id, "--remove-missing", "--json",
            ])
            #expect(approved.status == 0, "\(approved.said)")
            let document = try JSONSerialization.jsonObject(with: Data(approved.output.utf8))
            let lists = try #require(document as? [String: Any])
            for name in ["approved", "removed", "left"] {
                #expect((lists[name] as? [Any])?.count == 0, "\(name): \(approved.output)")
            }
            #expect(project.text("snapfarm.refs") == pin)
        }
    }
}
