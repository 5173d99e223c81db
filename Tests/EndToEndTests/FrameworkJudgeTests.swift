import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    /// A test program that behaves as iOSSnapshotTestCase: it reads references below
    /// `FB_REFERENCE_IMAGE_DIR_64`, records and fails on purpose, and leaves a triple.
    @Suite("The framework compares", .serialized)
    struct FrameworkJudgeTests {
        private func project() throws -> Project {
            let project = try Project(devices: ["A"])
            try project.folder.write(
                "fb.sh",
                """
                set -eu
                folder="${FB_REFERENCE_IMAGE_DIR}_64/Suite"
                if [ "$SNAPSHOT_TEST_RECORD_MODE" = true ]; then
                  mkdir -p "$folder"; cp "pictures/$1.png" "$folder/$1.png"
                  echo "Test ran in record mode. Reference image is now saved."
                  exit 1
                fi
                [ ! -e "act/$1" ] || . "./act/$1"
                if cmp -s "$folder/$1.png" "pictures/$1.png"; then exit 0; fi
                mkdir -p "$IMAGE_DIFF_DIR/Suite"
                cp "$folder/$1.png" "$IMAGE_DIFF_DIR/Suite/reference_$1.png"
                cp "pictures/$1.png" "$IMAGE_DIFF_DIR/Suite/failed_$1.png"
                echo "image pixels differed by more than 0.00% from the reference image"
                exit 1
                """
            )
            try project.folder.write(
                "app.yaml",
                """
                version: 1
                references: {store: store.git, pin: snapfarm.refs}
                devices: [{name: A, width: 8, height: 8, scale: 1}]
                jobs:
                  snapshot_test:
                    kind: snapshot
                    driver: command
                    discover: cat scenes
                    run: sh fb.sh {tests}
                    judge: framework
                """
            )
            return project
        }

        @Test(
            "its recording pass that fails on purpose is a pass, and its references are read back"
        )
        func recordAndVerify() throws {
            let project = try project()
            let recorded = try project.run(["--mode", "record"])
            #expect(recorded.status == 0, "\(recorded.errors)")
            let verified = try project.run()
            #expect(verified.status == 0, "\(verified.errors)")
        }

        @Test("its verdict counts, its triple is collected, and the farm measures beside it")
        func changed() throws {
            let project = try project()
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("pictures/two.png", Project.png(shade: 200))
            #expect(try project.run().status == 1)
            let summary = try project.summary()
            #expect(summary.counts.changed == 1 && summary.counts.passed == 1)
            let snapshot = try #require(summary.snapshots.first { $0.verdict == .changed })
            #expect(snapshot.differingPixels == 63)
            for role in ["reference", "failed", "diff"] {
                let path = try #require(snapshot.files[role])
                #expect(project.exists("snapfarm-out/" + path))
            }
        }

        /// As swift-snapshot-testing: references beside the tests, and only the picture that failed.
        private static let pointFree = """
            set -eu
            references=__Snapshots__/CartTests
            mkdir -p "$references" "$SNAPSHOT_ARTIFACTS/CartTests"
            if [ "$SNAPSHOT_TESTING_RECORD" = all ]; then
              cp "pictures/$1.png" "$references/"
            elif cmp -s "$references/$1.png" "pictures/$1.png"; then
              exit 0
            fi
            cp "pictures/$1.png" "$SNAPSHOT_ARTIFACTS/CartTests/"
            [ "$SNAPSHOT_TESTING_RECORD" != all ] || exit 0
            echo "failed - Snapshot \\"$1\\" does not match reference."
            exit 1
            """

        @Test("beside a picture that failed alone, the pin's reference and our own diff are shown")
        func failedAlone() throws {
            let project = try project()
            try project.folder.write("fb.sh", Self.pointFree)
            let recorded = try project.run(["--mode", "record"])
            #expect(recorded.status == 0, "\(recorded.errors)")
            try project.folder.write("pictures/two.png", Project.png(shade: 200))
            let verified = try project.run()
            #expect(verified.status == 1, "\(verified.errors)")
            let summary = try project.summary()
            #expect(summary.counts.changed == 1 && summary.counts.passed == 1)
            let snapshot = try #require(summary.snapshots.first { $0.verdict == .changed })
            #expect(snapshot.id == "A/CartTests/two" && snapshot.differingPixels == 63)
            for role in ["reference", "failed", "diff"] {
                let path = try #require(snapshot.files[role], "\(role)")
                #expect(project.exists("snapfarm-out/" + path))
            }
        }

        @Test("a test that writes into its references under verify makes the run red")
        func writtenReferences() throws {
            let project = try project()
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write(
                "act/two",
                "chmod -R u+w \"$folder\"; cp pictures/one.png \"$folder/two.png\"; exit 0"
            )
            #expect(try project.run().status == 1)
            // Every lease that saw the same file says so.
            #expect(Set(try project.summary().problems.map(\.code)) == ["references-written"])
            // What it wrote into the cache that leases share is seen and replaced.
            try FileManager.default.removeItem(atPath: project.folder.file("act/two"))
            #expect(try project.run().status == 0)
        }
    }
}
