import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    /// Tests with a test program that behaves like swift-snapshot-testing: its references lie
    /// beside its source, at a path that is compiled in, and a variable says whether it writes
    /// them.
    @Suite("References beside the sources", .serialized)
    struct BesideSourcesTests {
        private func project() throws -> Project {
            let project = try Project(scenes: ["testA", "testB"], devices: ["A", "B"])
            try project.folder.write("Tests/AppTests/CartTests.swift", "// the source of the tests")
            try project.folder.write("Tests/AppTests/__Snapshots__/CartTests/testA.1.png", "mine")
            try project.folder.write("Tests/AppTests/__Snapshots__/CartTests/list.1.txt", "words")
            try project.folder.write(
                "pf.sh",
                """
                set -eu
                test=${1##*/}
                folder='\(project.folder.path)/Tests/AppTests/__Snapshots__/CartTests'
                file="$folder/$test.1.png"
                picture="pictures/$SNAPFARM_DEVICE/$test.png"
                [ -e "$picture" ] || picture="pictures/$test.png"
                mode=$SNAPSHOT_TESTING_RECORD
                [ ! -e "act/$test" ] || . "./act/$test"
                mkdir -p "$folder"
                # Two of these at once in one tree would see each other.
                mkdir running; trap 'rmdir running' EXIT
                if [ "$mode" = all ]; then
                  rm -f "$file"; cp "$picture" "$file"
                  echo "failed - Record mode is on. Automatically recorded snapshot: …"
                  exit 1
                fi
                if [ ! -e "$file" ]; then
                  echo "failed - No reference was found on disk. New snapshot was not recorded because recording is disabled"
                  exit 1
                fi
                if cmp -s "$file" "$picture"; then exit 0; fi
                mkdir -p "$SNAPSHOT_ARTIFACTS/CartTests"
                cp "$picture" "$SNAPSHOT_ARTIFACTS/CartTests/$test.1.png"
                echo "failed - Snapshot does not match reference."
                exit 1
                """
            )
            try write(project, judge: "farm")
            return project
        }

        private func write(_ project: Project, judge: String, framework: String? = nil) throws {
            try project.folder.write(
                "app.yaml",
                """
                version: 1
                references: {store: store.git, pin: snapfarm.refs}
                devices:
                  - {name: A, width: 8, height: 8, scale: 1}
                  - {name: B, width: 8, height: 8, scale: 1}
                jobs:
                  snapshot_test:
                    kind: snapshot
                    driver: command
                    framework: \(framework ?? "swift-snapshot-testing")
                    discover: sed 's|^|AppTests.CartTests/|' scenes
                    run: sh pf.sh {tests}
                    judge: \(judge)
                """
            )
        }

        /// Returns the contents of every file and the target of every link in the tree.
        private func tree(_ project: Project) throws -> [String: Data] {
            let root = project.folder.file("Tests")
            var result: [String: Data] = [:]
            for case let path as String in try #require(
                FileManager.default.enumerator(atPath: root)
            ) {
                let link = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "\(root)/\(path)"
                )
                result[path] =
                    link.map { Data("-> \($0)".utf8) }
                    ?? FileManager.default.contents(atPath: "\(root)/\(path)") ?? Data()
            }
            return result
        }

        private func isPutBack(_ project: Project) -> Bool {
            !project.exists(".snapfarm-borrowed")
        }

        @Test("texts that the tests write again are references, as pictures are")
        func texts() throws {
            let project = try project()
            let before = try tree(project)
            for test in ["testA", "testB"] {
                try project.folder.write(
                    "act/\(test)",
                    #"mkdir -p "$folder"; echo 1 > "$folder/$test.2.txt""#
                )
            }
            #expect(try project.run(["--mode", "record"]).status == 0)
            let verified = try project.run([])
            #expect(verified.status == 0, "\(verified.said)")
            #expect(try tree(project) == before && isPutBack(project))
            #expect(try project.summary().problems.isEmpty)
            let names = Set(try project.summary().snapshots.map(\.name))
            #expect(names.isSuperset(of: ["testA.2.txt", "testB.2.txt"]), "\(names)")
            try project.folder.write(
                "act/testA",
                #"mkdir -p "$folder"; echo 2 > "$folder/testA.2.txt""#
            )
            let red = try project.run([])
            #expect(red.status == 1 && red.output.contains("-1\n    +2"), "\(red.said)")
            #expect(try tree(project) == before && isPutBack(project))
        }

        @Test("two slots record, verify and find a change, and the tree stays byte for byte")
        func wholeWay() throws {
            let project = try project()
            let before = try tree(project)
            let two = ["--workers", "2"]
            let recorded = try project.run(["--mode", "record"] + two)
            #expect(recorded.status == 0, "\(recorded.said)")
            #expect(try tree(project) == before && isPutBack(project))
            for judge in ["farm", "framework"] {
                try write(project, judge: judge)
                let verified = try project.run(two)
                #expect(verified.status == 0, "\(judge) \(verified.said)")
                #expect(try tree(project) == before && isPutBack(project))
            }
            try project.folder.write("pictures/B/testB.png", Project.png(shade: 200))
            for judge in ["farm", "framework"] {
                try write(project, judge: judge)
                #expect(try project.run(two).status == 1)
                let summary = try project.summary()
                #expect(summary.counts.changed == 1 && summary.counts.passed == 3, "\(judge)")
                #expect(try tree(project) == before && isPutBack(project))
            }
        }

        @Test("a picture that has no reference is new, and none is written")
        func withoutReference() throws {
            let project = try project()
            #expect(try project.run(["--mode", "record"]).status == 0)
            let before = try tree(project)
            try write(project, judge: "framework")
            try project.folder.write("scenes", "testA\ntestB\ntestC\n")
            try project.folder.write("pictures/testC.png", Project.png(shade: 90))
            #expect(try project.run().status == 1)
            let summary = try project.summary()
            #expect(summary.counts.new == 2 && summary.counts.passed == 4)
            #expect(summary.problems.isEmpty)
            for test in summary.tests where test.verdict == .new {
                #expect(test.message.hasPrefix("no reference yet.\n"))
                #expect(test.message.contains("New snapshot was not recorded"))
            }
            #expect(try tree(project) == before && isPutBack(project))
        }

        @Test("made to record under verify it is red, with the file's name")
        func writesUnderVerify() throws {
            let project = try project()
            #expect(try project.run(["--mode", "record"]).status == 0)
            let before = try tree(project)
            try write(project, judge: "framework")
            try project.folder.write("pictures/testA.png", Project.png(shade: 201))
            try project.folder.write("act/testA", "mode=all\n")
            #expect(try project.run().status != 0)
            let problems = try project.summary().problems
            #expect(Set(problems.map(\.code)) == ["references-written"])
            #expect(problems.first?.message.contains("CartTests/testA.1.png") == true)
            #expect(try tree(project) == before && isPutBack(project))
        }

        @Test("a profile of one's own does the same without a rebuild")
        func ownProfile() throws {
            let project = try project()
            let text = try project.program().run(["frameworks", "show", "swift-snapshot-testing"])
            #expect(text.status == 0)
            try project.folder.write(
                "frameworks/mine.yaml",
                text.output.replacing("framework: swift-snapshot-testing", with: "framework: mine")
            )
            try write(project, judge: "framework", framework: "frameworks/mine.yaml")
            let recorded = try project.run(["--mode", "record"])
            #expect(recorded.status == 0, "\(recorded.said)")
            #expect(try project.run().status == 0)
            try project.folder.write(
                "frameworks/mine.yaml",
                "framework: mine\nnames: [\"{tset}\"]\n"
            )
            let refused = try project.run()
            #expect(refused.status == 65)
            #expect(refused.errors.contains("frameworks/mine.yaml:2:"))
        }

        @Test("the profiles are listed, and one that is not known is said")
        func listed() throws {
            let project = try project()
            defer { withExtendedLifetime(project) {} }
            let program = project.program()
            let list = try program.run(["frameworks"])
            #expect(list.status == 0)
            for name in ["iOSSnapshotTestCase", "swift-snapshot-testing", "generic", "Flutter"] {
                #expect(list.output.contains(name))
            }
            let unknown = try program.run(["frameworks", "show", "Paparazi"])
            #expect(unknown.status == 65)
            #expect(unknown.errors.contains("Paparazzi"))
        }
    }
}
