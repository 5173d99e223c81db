import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Comparing what should not be there", .serialized)
    struct CompareHostileTests {
        @Test(
            "what is no picture ends in 65 with its defect, and the others are still compared",
            arguments: [
                ("", "empty"), ("version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
                ("\u{89}PNG", "something else"), ("<html>", "HTML"),
            ]
        )
        func broken(content: String, words: String) throws {
            let pictures = try ComparePictures()
            try pictures.picture("a/good.png", shade: 1)
            try pictures.picture("b/good.png", shade: 2)
            try pictures.folder.write("a/bad.png", content)
            try pictures.folder.write("b/bad.png", content + " ")
            let result = try pictures.run(["a", "b"])
            #expect(result.status == 65)
            let lines = result.output.split(separator: "\n")
            #expect(lines.first?.hasPrefix("bad.png: reference: ") == true, "\(result.output)")
            #expect(lines.first?.contains(words) == true, "\(result.output)")
            #expect(lines.dropFirst().first?.hasPrefix("good.png: recoloured;") == true)
            // Equal bytes that are no picture do not count as equal.
            try pictures.folder.write("b/bad.png", content)
            #expect(try pictures.run(["a", "b"]).status == 65)
        }

        @Test("a picture over the limits is refused before it is read", arguments: [true, false])
        func bombs(isSparse: Bool) throws {
            let pictures = try ComparePictures()
            try pictures.picture("a/x.png", shade: 1)
            if isSparse {
                try pictures.folder.write("b/x.png", "")
                let handle = try FileHandle(
                    forWritingTo: URL(fileURLWithPath: pictures.folder.file("b/x.png"))
                )
                try handle.truncate(atOffset: 1 << 40)
                try handle.close()
            } else {
                try pictures.folder.write("b/x.png", Project.bomb())
            }
            let result = try pictures.run(["a", "b"])
            #expect(result.status == 65 && result.output.contains("over the limit"))
        }

        @Test("a long and a wide picture differ, though no drawing has room for both")
        func noCanvas() throws {
            let pictures = try ComparePictures()
            try pictures.picture("a/x.png", shade: 1, width: 1, height: 30_000)
            try pictures.picture("b/x.png", shade: 1, width: 60_000, height: 1)
            let result = try pictures.run(["a", "b", "--diff-dir", "d"])
            #expect(result.status == 1, "\(result.said)")
            #expect(result.output.hasPrefix("x.png: 1×30000 became 60000×1"), "\(result.output)")
            #expect(result.output.contains("over the limit"))
            #expect(!pictures.exists("d/x.png"))
        }

        @Test("pipes, links and folders in place of pictures neither hang nor lead elsewhere")
        func special() throws {
            let pictures = try ComparePictures()
            for side in ["a", "b"] {
                try pictures.picture("\(side)/good.png", shade: 1)
                let path = pictures.folder.file(side)
                let made = try Shell.run(
                    """
                    cd '\(path)' && mkfifo pipe.png && ln -s . loop && ln -s .. up \
                    && ln -s nowhere.png dangling.png && ln -s good.png link.png \
                    && mkdir -p folder.png
                    """
                )
                #expect(made == 0)
            }
            let result = try pictures.run(["a", "b"])
            #expect(result.status == 65)
            let lines = result.output.split(separator: "\n").map(String.init)
            #expect(lines.count == 3, "\(result.output)")
            #expect(
                lines[0].hasPrefix(
                    "dangling.png: reference: a/dangling.png: there is no such file."
                )
            )
            #expect(lines[1].hasPrefix("pipe.png: reference: a/pipe.png: it is no regular file."))
            #expect(
                lines[2] == "4 pairs: 2 the same bytes, 2 could not be compared"
            )
            let others = try pictures.document(["a", "b"])["others"] as? [String: Any]
            #expect(others?["count"] as? Int == 4)
            #expect(try pictures.run(["a/pipe.png", "b/good.png"]).status == 65)
            #expect(try pictures.run(["/dev/zero", "b/good.png"]).status == 65)
            #expect(try pictures.run(["nowhere", "b"]).status == 65)
        }

        @Test("names with line feeds and names that are not text stay one line and one pair each")
        func names() throws {
            let pictures = try ComparePictures()
            try pictures.picture("a/x\ny.png", shade: 1)
            try pictures.picture("b/x\ny.png", shade: 2)
            try pictures.picture("p.png", shade: 3)
            let made = try Shell.run(
                """
                cd '\(pictures.folder.path)' && for s in a b; do
                cp p.png "$s/$(printf 'n\\377.png')"; cp p.png "$s/$(printf 'n\\376.png')"; done
                """
            )
            #expect(made == 0)
            let result = try pictures.run(["a", "b", "--all"])
            let lines = result.output.split(separator: "\n").map(String.init)
            #expect(lines.count == 4, "\(result.output)")
            #expect(lines[0] == "\"n\\xFE.png\": the same bytes")
            #expect(lines[1] == "\"n\\xFF.png\": the same bytes")
            #expect(lines[2].hasPrefix("\"x\\ny.png\": recoloured;"))
            let document = try pictures.document(["a", "b", "--all"])
            let rows = document["pairs"] as? [[String: Any]] ?? []
            #expect(Set(rows.compactMap { $0["pathBytes"] as? String }).count == 2)
        }

        @Test("a folder nobody may read is said, and costs only what is in it")
        func unreadable() throws {
            let pictures = try ComparePictures()
            for side in ["a", "b"] {
                try pictures.picture("\(side)/good.png", shade: 1)
                try pictures.picture("\(side)/closed/x.png", shade: 1)
            }
            #expect(try Shell.run("chmod 0 '\(pictures.folder.file("b/closed"))'") == 0)
            defer { _ = try? Shell.run("chmod 700 '\(pictures.folder.file("b/closed"))'") }
            let result = try pictures.run(["a", "b"])
            // Root can read every folder.
            guard getuid() != 0 else { return }
            #expect(result.status == 65)
            #expect(result.output.hasPrefix("closed: the folder b/closed cannot be read"))
        }

        @Test("folders too deep are said, and what lies above them is compared")
        func deep() throws {
            let pictures = try ComparePictures()
            let path = String(repeating: "/d", count: 70)
            for side in ["a", "b"] {
                try pictures.picture("\(side)\(path)/x.png", shade: 1)
                try pictures.picture("\(side)/d/x.png", shade: 1)
            }
            let result = try pictures.run(["a", "b"])
            #expect(result.status == 65)
            #expect(result.output.contains("lies deeper than 64 folders"))
            #expect(result.output.hasSuffix("1 the same bytes, 1 could not be compared\n"))
        }

        @Test("one folder inside the other does not count as part of it")
        func nested() throws {
            let pictures = try ComparePictures()
            try pictures.picture("a/x.png", shade: 1)
            try pictures.picture("a/new/x.png", shade: 1)
            for words in [["a", "a/new"], ["a/new", "a"]] {
                let result = try pictures.run(words)
                #expect(result.output == "1 pair: 1 the same bytes\n")
            }
            let same = try pictures.run(["a", "a"])
            #expect(same.output == "2 pairs: 2 the same bytes\n")
        }

        @Test("pictures of differences lie at their paths, only where a pair differs")
        func differences() throws {
            let pictures = try ComparePictures()
            for side in ["a", "b"] { try pictures.picture("\(side)/x/same.png", shade: 1) }
            try pictures.picture("a/x/y/changed.png", shade: 2)
            try pictures.picture("b/x/y/changed.png", shade: 3)
            try pictures.picture("b/more.png", shade: 3)
            // The folder lies inside the second input; the next call must not read it as input.
            for _ in 0..<2 {
                let result = try pictures.run(["a", "b", "--diff-dir", "b/diffs"])
                #expect(result.status == 1)
                #expect(
                    result.output.hasSuffix("3 pairs: 1 the same bytes, 1 different, 1 added\n")
                )
                let files = try Shell.output(
                    "cd '\(pictures.folder.file("b/diffs"))' && find . -type f"
                )
                #expect(
                    Set(files.split(separator: "\n"))
                        == ["./.snapfarm-compare", "./x/y/changed.png"]
                )
            }
            let rows = try pictures.document(["a", "b", "--diff-dir", "d"])["pairs"]
            #expect((rows as? [[String: Any]])?.first?["diff"] as? String == "d/x/y/changed.png")
        }

        @Test("three pictures side by side are drawn on demand")
        func threeUp() throws {
            let pictures = try ComparePictures()
            try pictures.picture("a/x.png", shade: 2)
            try pictures.picture("b/x.png", shade: 3)
            let words = ["a", "b", "--quiet", "--diff-dir", "d"]
            for (more, width) in [([], 8), (["--three-up"], 32)] as [([String], UInt8)] {
                #expect(try pictures.run(words + more).status == 1)
                let file = FileManager.default.contents(atPath: pictures.folder.file("d/x.png"))
                #expect(file.map { Array($0.prefix(20).suffix(4)) } == [0, 0, 0, width])
            }
        }

        @Test("a folder that holds anything else takes no pictures", arguments: ["a", ".", "b"])
        func occupied(place: String) throws {
            let pictures = try ComparePictures()
            try pictures.picture("a/x.png", shade: 2)
            try pictures.picture("b/x.png", shade: 3)
            let result = try pictures.run(["a", "b", "--diff-dir", place])
            #expect(result.status == 64 && result.errors.contains("--diff-dir"))
            #expect(try pictures.run(["a", "b"]).status == 1)
        }

        @Test("paths of a list never lead out of the folder for differences")
        func escape() throws {
            let pictures = try ComparePictures()
            try pictures.picture("a/x.png", shade: 2)
            try pictures.picture("b/x.png", shade: 3)
            try pictures.folder.write(
                "list",
                "a/../a/x.png\tb/../b/x.png\n\(pictures.folder.file("a/x.png"))\tb//x.png\n"
            )
            try pictures.folder.write("d/.snapfarm-compare", "")
            // A link in the folder must not be followed when writing.
            #expect(try Shell.run("ln -s ../b/x.png '\(pictures.folder.file("d/1-x.png"))'") == 0)
            let before = FileManager.default.contents(atPath: pictures.folder.file("b/x.png"))
            #expect(try pictures.run(["--pairs", "list", "--diff-dir", "d"]).status == 1)
            #expect(pictures.exists("d/1-x.png") && pictures.exists("d/2-x.png"))
            let after = FileManager.default.contents(atPath: pictures.folder.file("b/x.png"))
            #expect(before == after)
        }

        @Test("a link among the folders for differences is not followed")
        func linkedFolder() throws {
            let pictures = try ComparePictures()
            try pictures.picture("a/x/p.png", shade: 2)
            try pictures.picture("b/x/p.png", shade: 3)
            try pictures.folder.write("d/.snapfarm-compare", "")
            try pictures.folder.write("elsewhere/keep", "")
            #expect(try Shell.run("ln -s ../elsewhere '\(pictures.folder.file("d/x"))'") == 0)
            #expect(try pictures.run(["a", "b", "--diff-dir", "d"]).status == 74)
            #expect(!pictures.exists("elsewhere/p.png"))
        }

        @Test("a full disk and a closed output end in 74")
        func full() throws {
            let pictures = try ComparePictures()
            try pictures.picture("a/x.png", shade: 2)
            try pictures.picture("b/x.png", shade: 3)
            let program = "cd '\(pictures.folder.path)' && '\(Program.path)' compare a b"
            for words in ["> /dev/full", "--json > /dev/full"] {
                #expect(try Shell.run("\(program) \(words)") == 74)
            }
            guard getuid() == 0 else { return }
            let disk = try TemporaryFolder("disk")
            guard try Shell.run("mount -t tmpfs -o size=16k tmpfs '\(disk.path)'") == 0 else {
                return
            }
            defer { _ = try? Shell.run("umount -l '\(disk.path)'") }
            #expect(try Shell.run("head -c 20000 /dev/zero > '\(disk.path)/fill'") != 0)
            let result = try pictures.run(["a", "b", "--diff-dir", disk.path + "/d"])
            #expect(result.status == 74, "\(result.said)")
        }
    }
}
