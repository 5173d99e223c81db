import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    /// Tests with a test program that behaves like iOSSnapshotTestCase: it reads references below
    /// `FB_REFERENCE_IMAGE_DIR_64`, fails on purpose when it records, and leaves a triple.
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
                if [ ! -e "$folder/$1.png" ]; then
                  echo "Snapshot comparison failed: Code=1 \\"Unable to load reference image.\\""
                  exit 1
                fi
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
            #expect(recorded.status == 0, "\(recorded.said)")
            let verified = try project.run()
            #expect(verified.status == 0, "\(verified.said)")
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

        /// Behaves like swift-snapshot-testing: references beside the tests, and only the failed
        /// picture as output.
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
            #expect(recorded.status == 0, "\(recorded.said)")
            try project.folder.write("pictures/two.png", Project.png(shade: 200))
            let verified = try project.run()
            #expect(verified.status == 1, "\(verified.said)")
            let summary = try project.summary()
            #expect(summary.counts.changed == 1 && summary.counts.passed == 1)
            let snapshot = try #require(summary.snapshots.first { $0.verdict == .changed })
            #expect(snapshot.id == "A/CartTests/two" && snapshot.differingPixels == 63)
            for role in ["reference", "failed", "diff"] {
                let path = try #require(snapshot.files[role], "\(role)")
                #expect(project.exists("snapfarm-out/" + path))
            }
        }

        @Test("a picture without a reference is new, with what to do about it as the last line")
        func withoutReference() throws {
            let project = try project()
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("scenes", "one\ntwo\nthree\n")
            try project.folder.write("pictures/three.png", Project.png(shade: 90))
            let verified = try project.run()
            #expect(verified.status == 1, "\(verified.said)")
            let summary = try project.summary()
            #expect(summary.counts.new == 1 && summary.counts.passed == 2)
            let test = try #require(summary.tests.first { $0.verdict == .new })
            let lines = test.message.split(separator: "\n")
            #expect(test.test == "three" && lines.first == "no reference yet.")
            #expect(lines.last?.contains("`snapfarm run FILE --mode record`") == true)
            // A retry cannot create the picture, and nothing may suggest approving a missing
            // picture.
            #expect(test.attempts == 1)
            let said = verified.said
            #expect(!said.contains("snapfarm approve"))
            #expect(said.contains("--mode record`, look at it, and commit the pin."))
            #expect(project.text("snapfarm-out/junit.xml").contains("type=\"SnapshotNew\""))
            #expect(try project.run(["--mode", "record"]).status == 0)
            #expect(try project.run().status == 0)
        }

        /// The reference folder of each framework whose references lie in the lease.
        private static let layouts = [
            ("iOSSnapshotTestCase", "${FB_REFERENCE_IMAGE_DIR}_64", "Cart"),
            ("Playwright", "$SNAPFARM_REFERENCE_DIR", "tests/cart.spec.ts"),
            ("jest-image-snapshot", "$SNAPFARM_REFERENCE_DIR", "cart.test.js"),
            ("Roborazzi", "$flag", "."),
        ]

        @Test(
            "a test that writes a reference under verify is red with the file's name",
            arguments: layouts
        )
        func writtenReference(framework: String, folder: String, suite: String) throws {
            let project = try project()
            try project.folder.write(
                "fb.sh",
                """
                set -eu
                for word in "$@"; do
                  case $word in *output.dir=*) flag=${word#*output.dir=} ;; esac
                done
                folder="\(folder)/\(suite)"
                mkdir -p "$folder"
                chmod u+w "$folder"
                if [ -e writes ]; then name=written; else name=$1; fi
                [ -e "$folder/$name.png" ] || cp "pictures/$1.png" "$folder/$name.png"
                """
            )
            let text = project.text("app.yaml")
            try project.folder.write(
                "app.yaml",
                text.replacing("run: sh fb.sh {tests}", with: "run: sh fb.sh {tests} {flags}")
                    + "\n    framework: \(framework)\n"
            )
            let recorded = try project.run(["--mode", "record"])
            #expect(recorded.status == 0, "\(recorded.said)")
            #expect(try project.run().status == 0)
            try project.folder.write("writes", "")
            #expect(try project.run().status == 1)
            let problems = try project.summary().problems
            #expect(Set(problems.map(\.code)) == ["references-written"])
            let file = suite == "." ? "written.png" : "\(suite)/written.png"
            #expect(problems.allSatisfy { $0.message.hasSuffix(": \(file) was written.") })
            #expect(problems.allSatisfy { !$0.remedy.isEmpty })
        }

        /// Behaves like pytest-mpl: its references lie in the work tree, and it keeps pictures of
        /// passed tests only with an option.
        private static let pytest = """
            set -eu
            for word in "$@"; do
              case $word in
              --mpl-results-path=*) out=${word#*=} ;;
              --mpl-results-always) always=1 ;;
              --*) ;;
              *) test=$word ;;
              esac
            done
            folder="$out/test_axes.$test"; mkdir -p "$folder"
            cp "pictures/$test.png" "$folder/result.png"
            if [ ! -e "baseline/$test.png" ]; then
              echo "Failed: Image file not found for comparison test in: $PWD/baseline"
              exit 1
            fi
            cp "baseline/$test.png" "$folder/baseline.png"
            if cmp -s "$folder/result.png" "$folder/baseline.png"; then
              [ -n "${always:-}" ] || rm -r "$folder"
              exit 0
            fi
            cp "$folder/result.png" "$folder/result-failed-diff.png"
            echo "Failed: Error: Image files did not match."
            exit 1
            """

        @Test("references of the tests' own need no store: passed, changed and new are told apart")
        func ownReferences() throws {
            let project = try project()
            try project.folder.write("scenes", "one\ntwo\nthree\n")
            try project.folder.write("pictures/three.png", Project.png(shade: 90))
            try project.folder.write("baseline/one.png", Project.png(shade: 10))
            try project.folder.write("baseline/two.png", Project.png(shade: 200))
            try project.folder.write("fb.sh", Self.pytest)
            let store = "references: {store: store.git, pin: snapfarm.refs}\n"
            let text = project.text("app.yaml").replacing(store, with: "")
                .replacing("{tests}", with: "{flags} {tests}")
            try project.folder.write(
                "app.yaml",
                text.replacing("judge: framework", with: "framework: pytest-mpl")
            )
            let verified = try project.run()
            #expect(verified.status == 1, "\(verified.said)")
            let summary = try project.summary()
            let verdicts = summary.snapshots.map { "\($0.id) \($0.verdict.rawValue)" }
            #expect(
                verdicts == ["A/test_axes.three/result new", "A/test_axes.two/result changed"]
            )
            #expect(summary.counts.passed == 1 && summary.problems.isEmpty)
            let new = try #require(summary.tests.first { $0.test == "three" })
            #expect(new.message.contains("`pytest --mpl-generate-path=FOLDER`"))
            #expect(!verified.said.contains("snapfarm approve"))
        }

        /// An unknown framework, with its own variables, files, names and output.
        private static let ownProfile = """
            framework: shots
            judge: framework
            record: {env: {SHOTS_MODE: make, SHOTS: "{references}/shots"}}
            verify:
              env: {SHOTS_MODE: look, SHOTS: "{references}/shots", BAD: "{failures}/shots"}
            references:
              layout: lease
              folder: "{references}/shots"
              path: "{suite}/{name}.shot.png"
            pictures:
              - folders: ["{references}/shots"]
                when: record
                capture: "{suite}/{name}.shot.png"
              - folders: ["{failures}/shots"]
                when: verify
                failed: "{suite}/{name}.png"
            names: ["{test}~{identifier}"]
            owner: [{test: "{test}"}]
            messages:
              differs: ["shot is not the same:"]
              missing: ["shot is not there:"]
              remedy: "Make it with `shots make`."
            """
        private static let ownProgram = """
            set -eu
            shot="$SHOTS/Suite/$1~light.shot.png"
            if [ "$SHOTS_MODE" = make ]; then
              mkdir -p "$SHOTS/Suite"; cp "pictures/$1.png" "$shot"; exit
            fi
            [ -e "$shot" ] || { echo "shot is not there: $1"; exit 1; }
            cmp -s "$shot" "pictures/$1.png" && exit
            mkdir -p "$BAD/Suite"; cp "pictures/$1.png" "$BAD/Suite/$1~light.png"
            echo "shot is not the same: $1"
            exit 1
            """

        @Test("a profile of one's own, of a framework that nobody knows, is followed whole")
        func ownFramework() throws {
            let project = try project()
            try project.folder.write("frameworks/shots.yaml", Self.ownProfile)
            try project.folder.write("fb.sh", Self.ownProgram)
            let text = project.text("app.yaml")
            try project.folder.write(
                "app.yaml",
                text.replacing("judge: framework", with: "framework: frameworks/shots.yaml")
            )
            let recorded = try project.run(["--mode", "record"])
            #expect(recorded.status == 0, "\(recorded.said)")
            #expect(try project.run().status == 0)
            try project.folder.write("pictures/two.png", Project.png(shade: 200))
            try project.folder.write("scenes", "one\ntwo\nthree\n")
            try project.folder.write("pictures/three.png", Project.png(shade: 90))
            #expect(try project.run().status == 1)
            let summary = try project.summary()
            let verdicts = Dictionary(
                uniqueKeysWithValues: summary.tests.map { ($0.test, $0.verdict) }
            )
            #expect(verdicts == ["one": .passed, "two": .changed, "three": .new])
            let changed = try #require(summary.snapshots.first { $0.verdict == .changed })
            #expect(changed.id == "A/Suite/two~light" && changed.differingPixels == 63)
            let new = try #require(summary.tests.first { $0.verdict == .new })
            #expect(new.message.hasSuffix("\nMake it with `shots make`."))
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
            // Every lease that saw the written file reports it.
            let problems = try project.summary().problems
            #expect(Set(problems.map(\.code)) == ["references-written"])
            #expect(problems.allSatisfy { $0.message.contains("Suite/two.png was changed") })
            // A change to the cache that leases share is detected and undone.
            try FileManager.default.removeItem(atPath: project.folder.file("act/two"))
            #expect(try project.run().status == 0)
        }
    }
}
