import FarmCore
import FarmLedger
import FarmReferences
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("The main job", .serialized)
    struct MainJobTests {
        @Test(
            "record makes references, and verify finds every picture identical without decoding one"
        )
        func recordThenVerify() throws {
            let project = try Project()
            let recorded = try project.run(["--mode", "record"])
            #expect(recorded.status == 0, "\(recorded.said)")
            #expect(project.exists("snapfarm.refs"))
            let verified = try project.run()
            #expect(verified.status == 0, "\(verified.said)")
            let summary = try project.summary()
            #expect(summary.state == .passed)
            #expect(summary.counts.planned == 7 && summary.counts.passed == 7)
            #expect(summary.comparisons.total == 4 && summary.comparisons.identicalByDigest == 4)
            #expect(summary.comparisons.decoded == 0)
            for name in [
                "junit.xml", "report.md", "catalogue.md", "report/index.html", "timeline.json",
            ] {
                #expect(project.exists("snapfarm-out/" + name), "\(name)")
            }
        }

        @Test("a changed picture is red, and its triple lies in the folder and in the zip")
        func changed() throws {
            let project = try Project()
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("pictures/two.png", Project.png(shade: 200))
            let result = try project.run()
            #expect(result.status == 1)
            let summary = try project.summary()
            #expect(summary.counts.changed == 2 && summary.counts.passed == 5)
            #expect(summary.snapshots.filter { $0.verdict == .changed }.count == 2)
            #expect(summary.snapshots.first { $0.id == "A/Suite/two" }?.differingPixels == 63)
            for role in ["reference", "failed", "diff"] {
                #expect(
                    project.exists(
                        "snapfarm-out/FailureDiffs/snapshot_test/A/Suite/\(role)_two.png"
                    )
                )
            }
            let names = try listing(of: project.folder.file("snapfarm-out/FailureDiffs.zip"))
            // Both cells drew the same bytes, so they share files.
            #expect(names.filter { $0.hasSuffix(".png") }.count == 3)
            #expect(names.contains("manifest.json"))
        }

        @Test("what a mask paints white is not looked at, and a mask that is gone stops the run")
        func mask() throws {
            let project = try Project()
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write(
                "app.yaml",
                project.text("app.yaml") + "\n    comparison: {policy: exact, mask: clock.png}\n"
            )
            let missing = try project.run()
            #expect(missing.status == 65)
            #expect(missing.errors.contains("clock.png"), "\(missing.said)")
            // The mask is white only in the upper left corner, where the capture differs as well.
            try project.folder.write("clock.png", Project.png(shade: 0))
            try project.folder.write("pictures/two.png", Project.png(shade: 50, corner: 9))
            let masked = try project.run()
            #expect(masked.status == 0, "\(masked.said)")
            try project.folder.write("pictures/two.png", Project.png(shade: 51, corner: 9))
            #expect(try project.run().status == 1)
        }

        @Test("a picture without a reference is new, a reference without a picture is missing")
        func newAndMissing() throws {
            let project = try Project()
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("act/two", "exit 0")
            try project.folder.write("scenes", "one\ntwo\nthree\n")
            try project.folder.write("pictures/three.png", Project.png(shade: 99))
            let result = try project.run()
            #expect(result.status == 1)
            let counts = try project.summary().counts
            #expect(counts.missing == 2 && counts.new == 2 && counts.passed == 5)
        }

        @Test("a test case that is gone leaves its reference missing, and the run red")
        func testGone() throws {
            let project = try Project()
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("scenes", "one\n")
            #expect(try project.run().status == 1)
            let missing = try project.summary().snapshots.filter { $0.verdict == .missing }
            #expect(missing.map(\.id) == ["A/Suite/two", "B/Suite/two"])
            #expect(try project.run(["--select", "test=one"]).status == 0)
            let none = try project.run(["--select", "test=onne"])
            #expect(
                none.status == 2 && none.errors.contains("nothing matches --select test=onne."),
                "\(none.said)"
            )
        }

        @Test(
            "a record run with one failing cell leaves that cell's references and pin lines unchanged"
        )
        func failingCell() throws {
            let project = try Project()
            #expect(try project.run(["--mode", "record"]).status == 0)
            let before = project.text("snapfarm.refs")
            for scene in ["one", "two"] {
                try project.folder.write("pictures/\(scene).png", Project.png(shade: 222))
                try project.folder.write(
                    "act/\(scene)",
                    """
                    [ "$SNAPFARM_DEVICE" = A ] && exit 3
                    mkdir -p "$SNAPFARM_CAPTURE_DIR/Suite"
                    cp "pictures/$1.png" "$SNAPFARM_CAPTURE_DIR/Suite/$1.png"
                    """
                )
            }
            let result = try project.run(["--mode", "record"])
            #expect(result.status == 1, "\(result.said)")
            let after = project.text("snapfarm.refs")
            func lines(_ text: String, _ cell: String) -> [Substring] {
                let all = text.split(separator: "\n")
                return all.indices.filter { all[$0].hasPrefix(cell) }.flatMap {
                    [all[$0], all[$0 + 1]]
                }
            }
            #expect(lines(before, "A/") == lines(after, "A/") && !lines(after, "A/").isEmpty)
            #expect(lines(before, "B/") != lines(after, "B/"))
        }

        @Test("a picture that differs each time is unstable and is not written, unless by one step")
        func unstable() throws {
            let project = try Project()
            for (name, others) in [("two", ["one", "two"]), ("three", ["light", "lighter"])] {
                try project.folder.write(
                    "act/\(name)",
                    """
                    mkdir -p "$SNAPFARM_CAPTURE_DIR/Suite"
                    if mkdir "once-\(name)-$SNAPFARM_DEVICE" 2>/dev/null
                    then from=\(others[0]); else from=\(others[1]); fi
                    cp "pictures/$from.png" "$SNAPFARM_CAPTURE_DIR/Suite/\(name).png"
                    """
                )
            }
            try project.folder.write("scenes", "one\ntwo\nthree\n")
            try project.folder.write("pictures/light.png", Project.png(shade: 200))
            try project.folder.write("pictures/lighter.png", Project.png(shade: 201))
            let result = try project.run(["--mode", "record"])
            #expect(result.status == 1)
            #expect(result.output.contains("unstable"))
            let store = try ReferenceStore(opening: project.folder.file("store.git"))
            let pin = try ReferencePin(parsing: Data(project.text("snapfarm.refs").utf8))
            let names = try store.references(pin, cell: CellID("A")).map(\.id.text)
            #expect(names == ["A/Suite/one", "A/Suite/three"])
        }

        @Test("unit and snapshot jobs run at the same time")
        func sideBySide() async throws {
            let project = try Project(units: 6)
            try project.folder.write("act-unit", "sleep 0.2")
            #expect(try project.run(["--mode", "record", "--workers", "2"]).status == 0)
            let ledger = try SQLiteLedger(path: project.folder.file(".snapfarm/ledger.sqlite"))
            let leases = try await ledger.leases(RunID(try project.summary().run.id))
            let overlapping = leases.contains { unit in
                unit.job.text == "unit_test"
                    && leases.contains {
                        $0.job.text == "snapshot_test" && $0.granted < (unit.ended ?? 0)
                            && unit.granted < ($0.ended ?? 0)
                    }
            }
            #expect(overlapping)
        }

        @Test("--json prints exactly the summary, and the summary names the zip by its digest")
        func deterministic() throws {
            let project = try Project()
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("scenes", "one\ntwo\nthree\n")
            try project.folder.write("pictures/three.png", Project.png(shade: 99))
            let first = try project.run(["--json"])
            #expect(first.status == 1)
            let printed = try JSONDecoder().decode(RunSummary.self, from: Data(first.output.utf8))
            #expect(printed == (try project.summary()))
            #expect(printed.counts.new == 2)
            let zip = project.folder.file("snapfarm-out/FailureDiffs.zip")
            #expect(
                printed.artifacts.first?.sha256
                    == Digest(of: try Data(contentsOf: URL(fileURLWithPath: zip))).hex
            )
        }

        private func listing(of zip: String) throws -> [String] {
            try TestProcess.run(["unzip", "-Z1", zip]).output.split(separator: "\n").map(
                String.init
            )
        }
    }
}
