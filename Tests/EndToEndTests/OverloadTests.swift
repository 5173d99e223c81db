import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Hosts that are too busy", .serialized)
    struct OverloadTests {
        private static let scenes = (1...14).map { "scene\($0)" }

        /// Draws in the background for 0.3 s of CPU time, waits a fixed second as many tests do,
        /// and then captures the current picture.
        ///
        /// The CPU time includes the kernel's: on some machines most of it goes into reading the
        /// clock.
        ///
        /// Ten of these at once, with the processes that start them, need more CPU than two cores
        /// have in that second. One alone needs so little that parallel tests do not starve it. If
        /// permitted, the drawing runs before other work of the session; at a second attempt, which
        /// runs alone, before all other work of the machine. So only other drawings can starve it.
        private static func impatient(_ picture: String) -> String {
            """
            mkdir -p "$SNAPFARM_CAPTURE_DIR/Suite"
            screen=$SNAPFARM_LEASE_DIR/screen
            cp blank.png "$screen"
            cp \(picture) "$screen.drawn"
            before="nice -n -15"
            if [ -e "$1.begun" ] && chrt -r 1 true; then before="chrt -r 1"; fi
            touch "$1.begun"
            $before perl -e 'do { ($user, $system) = times } while ($user + $system < 0.3);
              rename $ARGV[0], $ARGV[1]' "$screen.drawn" "$screen" &
            sleep 1.0
            cp "$screen" "$SNAPFARM_CAPTURE_DIR/Suite/$1.png"
            kill $! 2>/dev/null || true
            wait

            """
        }

        /// Records finished pictures; from then on the tests do not wait for them.
        private func recorded(changing changed: [String] = []) throws -> Project {
            let project = try Project(scenes: Self.scenes, devices: ["A"], units: 0)
            try project.folder.write("blank.png", Project.png(shade: 250))
            let recording = try project.run(only + ["--mode", "record", "--workers", "1"])
            #expect(recording.status == 0, "\(recording.said)")
            try project.folder.write("other.png", Project.png(shade: 3))
            for scene in Self.scenes {
                let picture = changed.contains(scene) ? "other.png" : "pictures/\(scene).png"
                try project.folder.write("act/\(scene)", Self.impatient(picture))
            }
            return project
        }

        private let only = ["--select", "job=snapshot_test"]
        private let real = ["SNAPFARM_CPU_PRESSURE": "/proc/pressure/cpu"]

        @Test("fixed waits on an oversubscribed host make no difference", .timeLimit(.minutes(3)))
        func starved() throws {
            let project = try recorded()
            let result = try project.run(only + ["--workers", "10"], environment: real)
            let summary = try project.summary()
            print("overload: \(summary.counts.flaky) of \(summary.counts.planned) were flaky")
            #expect(result.status == 0, "\(result.said)")
            #expect(summary.counts.changed == 0)
            #expect(summary.counts.passed + summary.counts.flaky == Self.scenes.count)
            for test in summary.tests where test.verdict == .flaky {
                #expect(test.attempts == 2, "\(test)")
                #expect(test.message.contains("on an overloaded host"), "\(test.message)")
            }
            // Each test passed with a picture, so each reports the load of its host.
            #expect(summary.tests.allSatisfy { $0.load != nil })
        }

        @Test("a real difference on an oversubscribed host is one", .timeLimit(.minutes(3)))
        func changed() throws {
            let project = try recorded(changing: ["scene4", "scene9"])
            let result = try project.run(only + ["--workers", "10"], environment: real)
            #expect(result.status == 1, "\(result.said)")
            let summary = try project.summary()
            let red = summary.tests.filter { $0.verdict == .changed }.map(\.test)
            #expect(red.sorted() == ["scene4", "scene9"])
            #expect(summary.counts.passed + summary.counts.flaky == Self.scenes.count - 2)
        }
    }
}
