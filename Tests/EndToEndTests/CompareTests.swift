import FarmCore
import FarmPipeline
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Comparing pictures from the command line", .serialized)
    struct CompareTests {
        @Test("two equal files end in 0, whatever their encoding, two that differ in 1")
        func files() throws {
            let pictures = try ComparePictures()
            try pictures.picture("one.png", shade: 10)
            try pictures.picture("same.png", shade: 10)
            try pictures.picture("other.png", shade: 11)
            let again = Project.png(shade: 200) + Data([0])
            try pictures.folder.write("again.png", again)
            let same = try pictures.run(["one.png", "same.png"])
            #expect(same.status == 0 && same.output == "1 pair: 1 the same bytes\n")
            let encoded = try pictures.run(["one.png", "again.png"])
            #expect(encoded.status == 0 && encoded.output == "1 pair: 1 the same pixels\n")
            let other = try pictures.run(["one.png", "other.png"])
            #expect(other.status == 1)
            #expect(
                other.output.hasPrefix("other.png: recoloured; 1 region; 98.44 % of pixels"),
                "\(other.output)"
            )
            #expect(other.output.hasSuffix("\n1 pair: 1 different\n"))
            #expect(other.errors.isEmpty)
            #expect(try pictures.run(["one.png", "one.png"]).status == 0)
            let quiet = try pictures.run(["one.png", "other.png", "--quiet"])
            #expect(quiet.status == 1 && quiet.errors.isEmpty)
            #expect(quiet.output == "1 pair: 1 different\n")
        }

        @Test("folders are matched by path; added, removed and renamed pictures are differences")
        func folders() throws {
            let pictures = try ComparePictures()
            for side in ["a", "b"] { try pictures.picture("\(side)/x/same.png", shade: 1) }
            try pictures.picture("a/x/changed.PNG", shade: 2)
            try pictures.picture("b/x/changed.PNG", shade: 3)
            try pictures.picture("a/old/name.png", shade: 4)
            try pictures.picture("b/new/name.png", shade: 4)
            try pictures.picture("a/gone.png", shade: 5)
            try pictures.picture("b/more.png", shade: 6)
            try pictures.folder.write("b/readme.txt", "no picture")
            let result = try pictures.run(["a", "b"])
            #expect(result.status == 1)
            let lines = result.output.split(separator: "\n")
            #expect(lines.count == 5, "\(result.output)")
            #expect(lines.first?.hasPrefix("x/changed.PNG: ") == true)
            #expect(
                lines.dropFirst() == [
                    "gone.png: removed", "more.png: added",
                    "new/name.png: renamed from old/name.png",
                    "5 pairs: 1 the same bytes, 1 different, 1 added, 1 removed, 1 renamed",
                ]
            )
            let document = try pictures.document(["a", "b"])
            #expect(document["schemaVersion"] as? Int == 1)
            #expect(document["exitCode"] as? Int == 1)
            let rows = document["pairs"] as? [[String: Any]] ?? []
            #expect(
                rows.map { $0["verdict"] as? String }
                    == ["different", "removed", "added", "renamed"]
            )
            #expect(rows.first?["differingPixels"] as? Int == 63)
            #expect(rows.first?["largestDelta"] as? Int == 20)
            #expect(rows.first?["words"] as? String == "recoloured; 1 region; 98.44 % of pixels")
            let explanation = rows.first?["explanation"] as? [String: Any]
            #expect((explanation?["regions"] as? [Any])?.count == 1)
            let others = document["others"] as? [String: Any]
            #expect(others?["names"] as? [String] == ["b/readme.txt"])
            let all = try pictures.document(["a", "b", "--all"])["pairs"] as? [Any]
            #expect(all?.count == 5)
        }

        @Test(
            "documents and answers are what their schema says",
            .enabled(if: ComparePictures.hasJSONSchema, "python3 has no jsonschema")
        )
        func schema() throws {
            let pictures = try ComparePictures()
            try pictures.picture("a/x.png", shade: 1)
            try pictures.picture("b/x.png", shade: 2, height: 9)
            try pictures.picture("a/y.png", shade: 1)
            try pictures.picture("b/y.png", shade: 1)
            try pictures.folder.write("a/z.png", "bad")
            try pictures.folder.write("b/z.png", "also bad")
            let documents = [
                try pictures.run(["a", "b", "--json", "--all", "--diff-dir", "d"]),
                try pictures.run("--pairs - --json", input: "a/x.png\tb/x.png\nnonsense\n"),
            ]
            for document in documents {
                #expect(try pictures.schemaErrors(document.output, "#").isEmpty)
            }
            let requests = "{\"a\": \"a/x.png\", \"b\": \"b/x.png\", \"id\": 1}\nnonsense\n"
            let answers = try pictures.run("--stdin", input: requests).output
            for answer in answers.split(separator: "\n") {
                #expect(try pictures.schemaErrors(String(answer), "#/$defs/answer").isEmpty)
            }
        }

        @Test("a list is compared line by line; a broken line is said and the others still run")
        func list() throws {
            let pictures = try ComparePictures()
            try pictures.picture("one.png", shade: 1)
            try pictures.picture("two.png", shade: 2)
            let list = "one.png\tone.png\n\nnonsense\none.png\ttwo.png\t0.5\none.png\tnone.png"
            try pictures.folder.write("list", list)
            let result = try pictures.run(["--pairs", "list"])
            #expect(result.status == 65)
            let lines = result.output.split(separator: "\n").map(String.init)
            #expect(lines.count == 4, "\(result.output)")
            #expect(lines[0].hasPrefix("line 3: it does not hold two paths."))
            #expect(lines[1].hasPrefix("two.png: recoloured;"))
            #expect(lines[2].hasPrefix("none.png: capture: none.png: there is no such file."))
            #expect(
                lines[3] == "4 pairs: 1 the same bytes, 1 different, 2 could not be compared"
            )
            let piped = try pictures.run("--pairs -", input: list)
            #expect(piped.output == result.output && piped.status == 65)
            #expect(try pictures.run(["--pairs", "a"]).status == 65)
            #expect(try pictures.run(["--pairs", "nowhere"]).status == 65)
        }

        @Test("a long list gives its results in order, whoever finishes first")
        func order() throws {
            let pictures = try ComparePictures()
            try pictures.picture("one.png", shade: 1)
            var lines: [String] = []
            for index in 0..<300 {
                let side = index % 7 == 0 ? 200 : 1
                try pictures.picture(
                    "p\(index).png",
                    shade: index % 3 == 0 ? 1 : 2,
                    width: side,
                    height: side
                )
                lines.append("one.png\tp\(index).png")
            }
            let input = lines.joined(separator: "\n")
            let result = try pictures.run("--pairs - --all --jobs 4", input: input)
            let names = result.output.split(separator: "\n").dropLast()
                .map { $0.prefix { $0 != ":" } }
            #expect(names == (0..<300).map { "p\($0).png" })
        }

        @Test("each request gets its answer, in order and with its id, also the broken ones")
        func requests() throws {
            let pictures = try ComparePictures()
            try pictures.picture("one.png", shade: 10)
            try pictures.picture("two.png", shade: 12)
            let input = """
                {"id": "x", "a": "one.png", "b": "one.png"}
                nonsense
                {"id": 7, "a": "one.png", "b": "two.png"}

                {"a": "one.png", "b": "two.png", "policy": "fb", "perPixelTolerance": 0.2}
                {"id": 8, "a": "one.png", "b": "two.png", "perPixelTolerance": 0.2, "policy": "exact"}
                {"id": 9, "a": "one.png", "c": "two.png"}
                {"a": "one.png", "b": "none.png"}
                {"a": "one.png", "b": "one.png", "policy": []}
                """
            let result = try pictures.run("--stdin", input: input)
            #expect(result.status == 65, "\(result.said)")
            let answers = try result.output.split(separator: "\n")
                .map { try ComparePictures.object(String($0)) }
            #expect(answers.map { $0["line"] as? Int } == [1, 2, 3, 5, 6, 7, 8, 9])
            #expect(
                answers.map { $0["verdict"] as? String } == [
                    "identicalBytes", "broken", "different", "withinTolerance", "broken",
                    "broken", "broken", "broken",
                ]
            )
            #expect(answers.first?["id"] as? String == "x")
            #expect(answers[2]["id"] as? Int == 7 && answers[4]["id"] as? Int == 8)
            #expect(answers.allSatisfy { $0["schemaVersion"] as? Int == 1 })
        }

        @Test("an answer comes before the next request is sent")
        func conversation() throws {
            let pictures = try ComparePictures()
            try pictures.picture("one.png", shade: 10)
            // A tool that sends a request only after the last answer: without answers it would wait
            // for ever.
            try pictures.folder.write(
                "tool.py",
                """
                import json,subprocess,sys
                p=subprocess.Popen([sys.argv[1],"compare","--stdin"],stdin=-1,stdout=-1,text=True)
                for i in range(5):
                    p.stdin.write(json.dumps({"a":"one.png","b":"one.png","id":i})+"\\n")
                    p.stdin.flush()
                    print(json.loads(p.stdout.readline())["id"])
                p.stdin.close()
                print("exit",p.wait())
                """
            )
            let result = try TestProcess.run(
                ["python3", "tool.py", Program.path],
                in: pictures.folder.path,
                seconds: 30
            )
            #expect(result.output == "0\n1\n2\n3\n4\nexit 0\n", "\(result.said)")
        }

        @Test("policies come from flags, and a flag of another policy is refused with its owner")
        func policies() throws {
            let pictures = try ComparePictures()
            try pictures.picture("one.png", shade: 10)
            try pictures.picture("two.png", shade: 12)
            func status(_ words: [String]) throws -> Int32 {
                try pictures.run(["one.png", "two.png"] + words).status
            }
            #expect(try status(["--policy", "exact"]) == 1)
            #expect(try status(["--policy", "fb", "--per-pixel-tolerance", "0.2"]) == 0)
            #expect(try status(["--policy", "fb", "--overall-tolerance", "0.5"]) == 1)
            #expect(try status(["--policy", "fb", "--overall-tolerance", "1"]) == 0)
            #expect(try status(["--policy", "point-free", "--precision", "0"]) == 0)
            #expect(try status(["--policy", "pixelmatch", "--threshold", "0.5"]) == 0)
            #expect(try status(["--policy", "pixelmatch", "--threshold", "0"]) == 1)
            let words = ["--policy", "pixelmatch", "--threshold", "0"]
            #expect(try status(words + ["--max-differing-pixels", "63"]) == 0)
            #expect(try status(words + ["--max-differing-pixels", "62"]) == 1)
            let foreign = try pictures.run([
                "one.png", "two.png", "--policy", "fb", "--threshold", "0",
            ])
            #expect(foreign.status == 64 && foreign.errors.contains("pixelmatch"))
            #expect(try status(["--policy", "fb", "--overall-tolerance", "2"]) == 64)
            #expect(try status(["--policy", "pixelmach"]) == 64)
        }

        @Test("every number of every policy has a flag that sets it")
        func everyFlag() throws {
            let pictures = try ComparePictures()
            let help = try pictures.run(["--help"]).output
            for key in PolicyFlags.keys {
                let flag = "--" + PolicyFlags.flag(of: key)
                #expect(help.contains(flag + " "), "\(key)")
                // An unknown flag would get another error: policy `exact` has none of these
                // settings.
                guard key != "policy" else { continue }
                let value = key == "includeAntiAliasing" ? [] : ["1"]
                let words = ["x", "x", "--policy", "exact", flag] + value
                let result = try pictures.run(words)
                #expect(result.status == 64)
                #expect(result.errors.contains("exact has no \(key)."), "\(result.said)")
            }
        }

        @Test("what is ignored never counts, wherever it was asked for")
        func ignored() throws {
            let pictures = try ComparePictures()
            try pictures.picture("one.png", shade: 1)
            try pictures.picture("two.png", shade: 2)
            func status(_ words: [String]) throws -> Int32 {
                try pictures.run(["one.png", "two.png", "--policy", "exact"] + words).status
            }
            #expect(try status(["--ignore", "0,0-7,7"]) == 0)
            #expect(try status(["--ignore", "0,0-7,3", "--ignore", "0,4-7,7"]) == 0)
            // Boxes include their last row and column: one row is left.
            #expect(try status(["--ignore", "0,0-7,6"]) == 1)
            for box in ["0,0-7", "7,7-0,0", "", "x", "0,0-7,7x"] {
                #expect(try status(["--ignore", box]) == 64)
            }
            let requests = """
                {"a": "one.png", "b": "two.png", "ignore": "0,0-7,7"}
                {"a": "one.png", "b": "two.png", "ignore": ["0,0-7,3", "0,5-7,7"]}
                {"a": "one.png", "b": "two.png", "ignore": 7}
                """
            let answers = try pictures.run("--stdin --ignore 0,4-7,4", input: requests)
            #expect(answers.status == 65)
            let verdicts = try answers.output.split(separator: "\n")
                .map { try ComparePictures.object(String($0))["verdict"] as? String }
            #expect(verdicts == ["withinTolerance", "withinTolerance", "broken"])
        }

        @Test("a mask ignores what is white in it, and says what is wrong with it")
        func mask() throws {
            let pictures = try ComparePictures()
            try pictures.picture("one.png", shade: 1)
            // Differs in the first pixel only.
            try pictures.picture("two.png", shade: 1, corner: 0)
            try pictures.picture("corner.png", shade: 0)
            try pictures.picture("black.png", shade: 0, corner: 0)
            func ending(_ mask: String) throws -> ProcessEnding {
                try pictures.run(["one.png", "two.png", "--policy", "exact", "--mask", mask])
            }
            #expect(try pictures.run(["one.png", "two.png"]).status == 1)
            #expect(try ending("corner.png").status == 0)
            #expect(try ending("black.png").status == 65)
            let missing = try ending("none.png")
            #expect(missing.status == 65 && missing.errors.contains("none.png: there is no"))
        }

        @Test(
            "a command line that says two things, or nothing, ends in 64",
            arguments: [
                [], ["a"], ["a", "b", "--stdin"], ["--pairs", "x", "--stdin"],
                ["a", "b", "--pairs", "x"], ["a", "b", "--json", "--quiet"],
                ["a", "b", "--three-up"],
                ["--stdin", "--json"], ["a", "b", "--jobs", "0"], ["a", "one.png"],
                ["a", "b", "--nonsense"],
            ]
        )
        func usage(words: [String]) throws {
            let pictures = try ComparePictures()
            try pictures.picture("one.png", shade: 10)
            #expect(try pictures.run(words).status == 64)
        }
    }
}
