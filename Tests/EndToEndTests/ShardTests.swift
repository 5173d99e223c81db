// Tests of static shards end to end: four machines (four clones of a project) and a merge, compared
// with one machine that runs everything.
import FarmCore
import FarmReferences
import FarmReports
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Shards without a coordinator", .serialized)
    struct ShardTests {
        /// Returns a copy of the project for another machine, with its own data and paths.
        private func machine(_ project: Project, _ name: String) throws -> Program {
            let path = project.folder.path + "-" + name
            let copied = try Shell.run(
                "rm -rf '\(path)' && cp -r '\(project.folder.path)' '\(path)' && cd '\(path)' "
                    + "&& rm -rf .snapfarm snapfarm-out shard-* other-* whole merged"
            )
            #expect(copied == 0)
            return Program(folder: path)
        }

        private func shards(
            _ project: Project,
            _ total: Int,
            _ options: [String] = [],
            name: String = "shard",
            environment: [String: String] = [:]
        ) throws -> (folders: [String], endings: [ProcessEnding]) {
            var folders: [String] = []
            var endings: [ProcessEnding] = []
            for index in 0..<total {
                var program = try machine(project, "machine\(index)")
                program.environment = environment
                let out = project.folder.file("\(name)-\(index)")
                let words = ["run", "app.yaml", "--shard", "\(index)/\(total)", "--output", out]
                endings.append(try program.run(words + ["--workers", "2"] + options))
                // Only the output of the machine is left.
                try FileManager.default.removeItem(atPath: program.folder)
                folders.append(out)
            }
            return (folders, endings)
        }

        private func pictures(_ folder: String) throws -> [String: Digest] {
            var found: [String: Digest] = [:]
            let names = FileManager.default.enumerator(atPath: folder)
            while let name = names?.nextObject() as? String {
                guard name.hasSuffix(".png") else { continue }
                let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
                found[name] = Digest(of: bytes)
            }
            return found
        }

        /// Returns a project whose run has changed, missing and new pictures, a failed test, and a
        /// reference without a picture.
        private func eventful() throws -> Project {
            let project = try Project(
                scenes: ["one", "two", "three", "four", "gone"],
                devices: ["A", "B", "C"]
            )
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("scenes", "one\ntwo\nthree\nfour\nfive\nsix\n")
            try project.folder.write("pictures/two.png", Project.png(shade: 200))
            try project.folder.write("pictures/five.png", Project.png(shade: 99))
            try project.folder.write("act/three", "exit 0")
            try project.folder.write("act/six", "echo broken; exit 3")
            return project
        }

        @Test("four merged shards equal the unsharded run but for times")
        func verify() throws {
            let project = try eventful()
            let whole = try project.run(["--output", "whole"])
            #expect(whole.status == 1, "\(whole.said)")
            let (folders, endings) = try shards(project, 4)
            #expect(endings.allSatisfy { [0, 1].contains($0.status) })
            #expect(endings.contains { $0.errors.contains("shard 2 of 4") })
            let words = ["merge"] + folders.reversed() + ["--output", "merged"]
            let merged = try project.program().run(words)
            #expect(merged.status == 1, "\(merged.said)")
            let one = try project.summary("whole")
            let joined = try project.summary("merged")
            #expect(one.timeless == joined.timeless)
            #expect(joined.counts.changed == 3 && joined.counts.new == 3)
            #expect(joined.snapshots.filter { $0.verdict == .missing }.count == 6)
            #expect(
                try pictures(project.folder.file("whole"))
                    == pictures(project.folder.file("merged"))
            )
            for name in ["junit.xml", "report.md", "catalogue.md", "timeline.json"] {
                #expect(project.exists("merged/\(name)"), "\(name)")
            }
            let diffs = try pictures(project.folder.file("merged/FailureDiffs"))
            #expect(diffs.count > 3 && Set(diffs.values).count == diffs.count)
            let left = try FileManager.default.contentsOfDirectory(atPath: project.folder.path)
            #expect(!left.contains { $0.contains(".scratch-") })
            // The merged run is reviewed like any other; a single shard is not.
            let approve = ["approve", "app.yaml", "--from"]
            let refused = try project.program().run(approve + [folders[0], "--dry-run"])
            #expect(refused.status == 2 && refused.errors.contains("merge"), "\(refused.said)")
            let taken = try project.program().run(
                approve + ["merged", "--select", "verdict=changed"]
            )
            #expect(taken.status == 0, "\(taken.said)")
        }

        @Test(
            "an unstable picture of a share has both takes and their difference in the merged run"
        )
        func unstable() throws {
            let project = try Project(
                scenes: ["one", "two"],
                devices: ["A"],
                extra: "    retries: 1"
            )
            #expect(try project.run(["--mode", "record"]).status == 0)
            // The takes differ from each other in one pixel, and from the reference in all pixels.
            let takes = [Project.png(shade: 98), Project.png(shade: 98, corner: 10)]
            for (index, take) in takes.enumerated() {
                try project.folder.write("take\(index).png", take)
            }
            try project.folder.write(
                "act/one",
                """
                echo x >> takes
                mkdir -p "$SNAPFARM_CAPTURE_DIR/Suite"
                cp take$(( $(wc -l < takes) % 2 )).png "$SNAPFARM_CAPTURE_DIR/Suite/one.png"

                """
            )
            let (folders, endings) = try shards(project, 2)
            #expect(endings.contains { $0.status == 1 }, "\(endings.map(\.errors))")
            let merged = try project.program().run(["merge"] + folders + ["--output", "merged"])
            #expect(merged.status == 1, "\(merged.errors)")
            let unstable = try project.summary("merged").snapshots.filter { $0.verdict == .flaky }
            let files = try #require(unstable.first).files
            #expect(
                Set(files.keys) == ["capture", "failed", "other", "diff", "reference"],
                "\(files)"
            )
            let found = try pictures(project.folder.file("merged"))
            let shown = Set(
                [files["failed"], files["other"]].compactMap { $0.flatMap { found[$0] } }
            )
            #expect(shown == Set(takes.map { Digest(of: $0) }))
            #expect(files.values.allSatisfy { found[$0] != nil }, "\(files)")
            let zip = project.folder.file("merged/FailureDiffs.zip")
            let place = project.folder.file("unpacked")
            #expect(try TestProcess.run(["unzip", "-q", zip, "-d", place]).status == 0)
            #expect(
                try pictures(place) == pictures(project.folder.file("merged/FailureDiffs")),
                "the zip has what the folder has"
            )
        }

        @Test("a record run over four shards makes the set that one machine makes, from no part")
        func record() throws {
            let project = try Project(scenes: ["one", "two", "three"], devices: ["A", "B"])
            let other = try machine(project, "whole")
            defer { try? FileManager.default.removeItem(atPath: other.folder) }
            let whole = try other.run(["run", "app.yaml", "--mode", "record", "--output", "whole"])
            #expect(whole.status == 0, "\(whole.said)")
            let (folders, endings) = try shards(project, 4, ["--mode", "record"])
            #expect(endings.allSatisfy { $0.status == 0 }, "\(endings.map(\.errors))")
            #expect(!project.exists("snapfarm.refs"))
            let partial = try project.program().run(
                ["merge"] + folders.dropLast() + ["--output", "merged"]
            )
            #expect(
                partial.status == 2
                    && partial.errors.contains("shard 4 of 4 is missing (--shard 3/4)")
            )
            #expect(!project.exists("merged") && !project.exists("snapfarm.refs"))
            let merged = try project.program().run(["merge"] + folders + ["--output", "merged"])
            #expect(merged.status == 0, "\(merged.said)")
            let pin = try String(contentsOfFile: other.folder + "/snapfarm.refs", encoding: .utf8)
            #expect(project.text("snapfarm.refs") == pin && !pin.isEmpty)
            let summary = try Data(
                contentsOf: URL(fileURLWithPath: other.folder + "/whole/summary.json")
            )
            #expect(
                try SummaryJSON.decode(summary).timeless == project.summary("merged").timeless
            )
            let verified = try project.run()
            #expect(verified.status == 0, "\(verified.said)")
            // The pin has moved: the same shards cannot be recorded over it.
            let again = try project.program().run(["merge"] + folders + ["--output", "merged"])
            #expect(again.status == 78, "\(again.said)")
        }

        @Test("each wrong set of shards is refused by name, and nothing is written")
        func wrong() throws {
            let project = try Project(scenes: ["one", "two"], devices: ["A", "B"])
            #expect(try project.run(["--mode", "record"]).status == 0)
            let (folders, _) = try shards(project, 2)
            func merge(_ folders: [String]) throws -> ProcessEnding {
                let ending = try project.program().run(
                    ["merge"] + folders + ["--output", "merged"]
                )
                #expect(!project.exists("merged"), "\(folders)")
                return ending
            }
            let missing = try merge([folders[0]])
            #expect(missing.status == 2 && missing.errors.contains("shard 2 of 2 is missing"))
            let whole = try merge([folders[0], project.folder.file("snapfarm-out")])
            #expect(whole.status == 65 && whole.errors.contains("snapfarm-out"))
            #expect(try merge([folders[0], "nowhere"]).status == 65)
            // The same plan of another CI run, with another number of machines.
            let ci = ["CIRCLECI": "true", "CIRCLE_WORKFLOW_ID": "w2"]
            let (others, _) = try shards(project, 2, name: "other", environment: ci)
            let foreign = try merge([folders[0], folders[1], others[1]])
            #expect(foreign.status == 2 && foreign.errors.contains("other-1 is not of the same"))
            #expect(foreign.errors.contains("key"), "\(foreign.said)")
            // Another split of the same plan: only one machine knows learned times.
            let learned = ["--history", "history.json"]
            #expect(try project.run(learned).status == 0)
            let (cut, _) = try shards(project, 2, learned, name: "other")
            let unlike = try merge([folders[0], cut[1]])
            #expect(unlike.status == 2 && unlike.errors.contains("history"), "\(unlike.said)")
        }

        @Test("a damaged file of a shard is named, whatever file it is")
        func damaged() throws {
            let project = try Project(scenes: ["one", "two"], devices: ["A", "B"])
            try project.folder.write("pictures/B/one.png", Project.png(shade: 77))
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("pictures/two.png", Project.png(shade: 200))
            let (folders, _) = try shards(project, 2)
            var random = SeededGenerator.announced()
            let names = try FileManager.default.subpathsOfDirectory(atPath: folders[1]).filter {
                $0.hasPrefix("shard/") || $0.hasPrefix("captures/") || $0.contains("diff_")
                    || $0.contains("failed_")
            }
            let digests = try names.map { name -> Digest? in
                var isFolder: ObjCBool = false
                _ = FileManager.default.fileExists(
                    atPath: "\(folders[1])/\(name)",
                    isDirectory: &isFolder
                )
                guard !isFolder.boolValue else { return nil }
                let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folders[1])/\(name)"))
                return Digest(of: bytes)
            }
            // Of several equal pictures, only one is read.
            let lone = zip(names, digests).filter { _, digest in
                digest != nil && digests.count { $0 == digest } == 1
            }.map(\.0)
            #expect(lone.count > 1)
            for name in lone {
                let path = folders[1] + "/" + name
                let good = try Data(contentsOf: URL(fileURLWithPath: path))
                var bad = good
                let place = Int.random(in: 0..<bad.count, using: &random)
                bad[place] = bad[place] == 0x7B ? 0x7D : 0x7B
                try FileManager.default.removeItem(atPath: path)
                try bad.write(to: URL(fileURLWithPath: path))
                let ending = try project.program().run(
                    ["merge"] + folders + ["--output", "merged"]
                )
                #expect([2, 65].contains(ending.status), "\(name): \(ending.said)")
                #expect(ending.errors.contains("shard-1"), "\(name): \(ending.said)")
                #expect(!project.exists("merged"))
                try good.write(to: URL(fileURLWithPath: path))
            }
            let merged = try project.program().run(["merge"] + folders + ["--output", "merged"])
            #expect(merged.status == 1, "\(merged.said)")
        }

        @Test("a merge removes what a killed one left beside its output, and nothing else")
        func leftovers() throws {
            let project = try Project(scenes: ["one"], devices: ["A"], units: 1)
            #expect(try project.run(["--mode", "record"]).status == 0)
            let (folders, _) = try shards(project, 2)
            try project.folder.write("merged.scratch-Kx3Qwa/.snapfarm-owner", "")
            try project.folder.write("merged.scratch-Kx3Qwa/blobs/tmp/half", "half of a picture")
            try project.folder.write("merged.scratch-notes/file", "mine")
            try project.folder.write("other.scratch-Kx3Qwa/.snapfarm-owner", "")
            let merged = try project.program().run(["merge"] + folders + ["--output", "merged"])
            #expect(merged.status == 0, "\(merged.said)")
            let left = try FileManager.default.contentsOfDirectory(atPath: project.folder.path)
                .filter { $0.contains(".scratch-") }
            #expect(left.sorted() == ["merged.scratch-notes", "other.scratch-Kx3Qwa"])
        }

        @Test("a shard that is run again replaces its output, and a shard without a test is green")
        func again() throws {
            let project = try Project(scenes: ["one"], devices: ["A"], units: 1)
            #expect(try project.run(["--mode", "record"]).status == 0)
            let (folders, endings) = try shards(project, 3)
            #expect(endings.allSatisfy { $0.status == 0 }, "\(endings.map(\.errors))")
            let empty = endings.filter { $0.output.contains("got no test case") }
            #expect(empty.count == 1)
            var again = project.program()
            again.environment = [
                "CIRCLE_NODE_INDEX": "1", "CIRCLE_NODE_TOTAL": "3", "CIRCLECI": "true",
            ]
            again.environment["CI"] = "true"
            let words = ["run", "app.yaml", "--output", "again"]
            // The CI's variables mean the same as the option; the key is empty in both cases.
            let ending = try again.run(words)
            #expect(ending.status == 0, "\(ending.said)")
            #expect(try project.summary("again").run.shard == "1/3")
            let merged = try project.program().run(
                ["merge"] + folders + ["again", "--output", "merged"]
            )
            #expect(merged.status == 0, "\(merged.said)")
            #expect(merged.errors.contains("shard-1 is left out: again is newer"))
            #expect(try project.summary("merged").counts.passed == 2)
        }

        @Test("run keeps a history, shards cut by it, and the merge writes it")
        func history() throws {
            let project = try Project(scenes: ["one", "two"], devices: ["A", "B"])
            let record = ["--mode", "record", "--history", "history.json"]
            #expect(try project.run(record).status == 0)
            let first = try RunHistory(parsing: Data(project.text("history.json").utf8))
            #expect(first.runs == 1 && first.tests.count == 7)
            #expect(first.completes.first?.tests[JobName("snapshot_test")]?.count == 2)
            let plan = ["plan", "app.yaml", "--history", "history.json"]
            let shown = try project.program().run(plan + ["--workers", "1,2,4"])
            #expect(shown.status == 0 && shown.output.contains("2 workers:"), "\(shown.output)")
            #expect(!shown.output.contains("never timed"))
            let blind = try project.program().run(["plan", "app.yaml", "--workers", "2"])
            #expect(blind.output.contains("no history"))
            let share = try project.program().run(plan + ["--shard", "1/2", "--json"])
            #expect(share.output.contains(first.digest.description), "\(share.output)")

            let (folders, _) = try shards(project, 2, ["--history", "history.json"])
            let merge = ["merge"] + folders + ["--output", "merged", "--history", "history.json"]
            let merged = try project.program().run(merge)
            #expect(merged.status == 0, "\(merged.said)")
            let second = try RunHistory(parsing: Data(project.text("history.json").utf8))
            #expect(second.runs == 2 && second.tests.values.allSatisfy { $0.samples.count == 2 })

            try project.folder.write("history.json", "{\"schemaVersion\": 99}")
            let foreign = try project.run(["--history", "history.json"])
            #expect(foreign.status == 0 && foreign.errors.contains("version 99"))
            let fresh = try RunHistory(parsing: Data(project.text("history.json").utf8))
            #expect(fresh.runs == 1)
        }
    }
}
