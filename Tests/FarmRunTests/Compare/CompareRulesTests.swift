// Tests of the pure rules of `snapfarm compare`: lines, pairs, matching, renames, totals.
import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmRun

@Suite("Rules of comparing many pictures")
struct CompareRulesTests {
    @Test(
        "only names that end in .png are pictures, in any case",
        arguments: [
            ("a.png", true), ("a.PNG", true), ("a.pNg", true), ("é.png", true),
            (".png", false), ("png", false), ("a.png.txt", false), ("a_png", false),
            ("a.p\u{0E}g", false), ("", false),
        ]
    )
    func pictures(name: String, isPicture: Bool) {
        #expect(PathBytes(name).isPicture == isPicture)
    }

    @Test(
        "a path is shown in one line that moves no cursor",
        arguments: [
            ("a/b c.png", "a/b c.png"), ("画面.png", "画面.png"),
            ("a\nb.png", "\"a\\nb.png\""), ("a\u{1B}[2J.png", "\"a\\u{1b}[2J.png\""),
            ("a\u{202E}gnp", "\"a\\u{202e}gnp\""),
        ]
    )
    func shown(path: String, shown: String) {
        #expect(PathBytes(path).shown == shown)
    }

    @Test("names that are not text stay apart and are shown by their bytes")
    func notText() {
        let one = PathBytes([0x61, 0xFF, 0x2E])
        let other = PathBytes([0x61, 0xFE, 0x2E])
        #expect(one != other && one < PathBytes([0x62]) && other < one)
        #expect(one.shown == "\"a\\xFF.\"")
        #expect(!one.isText && one.text == other.text)
    }

    @Test(
        "a path that leads elsewhere has no parts",
        arguments: [
            ("a/b.png", 2), ("a", 1), ("", 0), ("/a", 0), ("a/../b", 0), ("./a", 0), ("a//b", 0),
            ("a/", 0), ("..", 0), ("a\0b", 0), ("..a/b..", 2),
        ]
    )
    func parts(path: String, count: Int) {
        #expect((PathBytes(path).parts?.count ?? 0) == count)
    }

    // MARK: lines

    @Test("lines are the same wherever the stream is cut", arguments: 1...9)
    func cuts(chunk: Int) {
        let text = Array("one\n\ntwo\r\nlonger than ten\nab\nlast".utf8)
        var buffer = LineBuffer(bytesMax: 10)
        var lines: [LineBuffer.Line] = []
        for start in stride(from: 0, to: text.count, by: chunk) {
            text[start..<min(start + chunk, text.count)].withUnsafeBytes { buffer.append($0) }
            while let line = buffer.next() { lines.append(line) }
        }
        buffer.finish()
        while let line = buffer.next() { lines.append(line) }
        let expected: [LineBuffer.Line] = [
            .line(Array("one".utf8)), .line([]), .line(Array("two".utf8)), .tooLong,
            .line(Array("ab".utf8)), .line(Array("last".utf8)),
        ]
        #expect(lines == expected)
    }

    @Test("a line without an end is cut off, however long, and the end is found")
    func endless() {
        var buffer = LineBuffer(bytesMax: 100)
        let chunk = [UInt8](repeating: 0x61, count: 1_000)
        for _ in 0..<1_000 {
            chunk.withUnsafeBytes { buffer.append($0) }
            #expect(buffer.next() == nil)
        }
        Array("\nb\n".utf8).withUnsafeBytes { buffer.append($0) }
        #expect(buffer.next() == .tooLong)
        #expect(buffer.next() == .line([0x62]))
        chunk.withUnsafeBytes { buffer.append($0) }
        buffer.finish()
        #expect(buffer.next() == .tooLong)
        #expect(buffer.next() == nil)
    }

    @Test(
        "a line of a list holds two paths; further columns are ignored",
        arguments: [
            ("a\tb", "a", "b"), ("a\tb\t0.02\tx", "a", "b"), (" a \t b", " a ", " b"),
            ("/x/../a.png\t-", "/x/../a.png", "-"),
        ]
    )
    func pairLine(line: String, a: String, b: String) throws {
        let pair = try PicturePair(line: Array(line.utf8), number: 3)
        #expect(pair == PicturePair(number: 3, a: PathBytes(a), b: PathBytes(b)))
    }

    @Test("a line without two paths names no pair", arguments: ["a", "a\t", "\tb", "a\tb\0"])
    func badLine(line: String) {
        #expect(throws: PairLineError.self) {
            try PicturePair(line: Array(line.utf8), number: 7)
        }
    }

    @Test("pictures of differences of listed pairs never share a name")
    func differencePaths() {
        func path(_ number: Int, _ a: String, _ b: String, _ origin: PicturePair.Origin) -> String {
            PicturePair(number: number, a: PathBytes(a), b: PathBytes(b))
                .differencePath(origin).text
        }
        #expect(path(1, "a/x.png", "a/x.png", .folders) == "a/x.png")
        #expect(path(1, "/r/a.png", "/c/b.tmp", .files) == "b.tmp.png")
        #expect(path(2, "r/x.png", "../../c/x.png", .list) == "2-x.png")
        #expect(path(3, "r/x.png", "../../c/x.png", .list) == "3-x.png")
        let long = String(repeating: "n", count: 251) + ".png"
        #expect(path(12, long, long, .list).utf8.count == 255)
    }

    // MARK: matching

    @Test("no name of two folders is lost or given twice", arguments: 0..<50)
    func matching(round: Int) {
        var generator = SeededGenerator(seed: UInt64(round))
        func names() -> [[UInt8]] {
            let count = Int.random(in: 0...12, using: &generator)
            let all = (0..<count).map { _ in
                (0..<Int.random(in: 1...2, using: &generator)).map { _ in
                    UInt8.random(in: 97...99, using: &generator)
                }
            }
            return Set(all).sorted { $0.lexicographicallyPrecedes($1) }
        }
        let (a, b) = (names(), names())
        let matched = FolderMatch.names(a, b)
        #expect(matched.filter { $0.found != .onlyB }.map(\.name) == a, "round \(round)")
        #expect(matched.filter { $0.found != .onlyA }.map(\.name) == b, "round \(round)")
        #expect(Set(matched.map(\.name)).count == matched.count, "round \(round)")
        for match in matched {
            #expect((match.found == .both) == (a.contains(match.name) && b.contains(match.name)))
        }
    }

    @Test("equal pixels under another path are one rename, the nearest name first")
    func renames() {
        let blank = Digest(of: Data("blank".utf8))
        let other = Digest(of: Data("other".utf8))
        let renames = PictureRenames(
            removed: [
                (PathBytes("a/one.png"), blank), (PathBytes("a/two.png"), blank),
                (PathBytes("b/x.png"), other), (PathBytes("b/unknown.png"), nil),
            ],
            added: [
                (PathBytes("c/two.png"), blank), (PathBytes("a/zero.png"), blank),
                (PathBytes("c/more.png"), blank), (PathBytes("c/none.png"), nil),
            ]
        )
        #expect(renames.renamed.map(\.from.text) == ["a/one.png", "a/two.png"])
        #expect(renames.renamed.map(\.to.text) == ["a/zero.png", "c/two.png"])
        #expect(renames.removed.map(\.text) == ["b/unknown.png", "b/x.png"])
        #expect(renames.added.map(\.text) == ["c/more.png", "c/none.png"])
    }

    @Test("no picture is lost or counted twice by renames", arguments: 0..<50)
    func renamesKeepAll(round: Int) {
        var generator = SeededGenerator(seed: UInt64(round))
        let digests = (0..<4).map { Digest(of: Data([UInt8($0)])) }
        func side(_ letter: String) -> [(path: PathBytes, digest: Digest?)] {
            (0..<Int.random(in: 0...12, using: &generator)).map { index in
                let digest = digests.randomElement(using: &generator)
                let isKnown = Bool.random(using: &generator)
                return (PathBytes("\(index % 3)/\(letter)\(index).png"), isKnown ? digest : nil)
            }
        }
        let (removed, added) = (side("r"), side("a"))
        let renames = PictureRenames(removed: removed, added: added)
        let old = renames.renamed.map(\.from) + renames.removed
        let new = renames.renamed.map(\.to) + renames.added
        #expect(old.sorted() == removed.map(\.path).sorted(), "round \(round)")
        #expect(new.sorted() == added.map(\.path).sorted(), "round \(round)")
        let before = Dictionary(uniqueKeysWithValues: removed.map { ($0.path, $0.digest) })
        let after = Dictionary(uniqueKeysWithValues: added.map { ($0.path, $0.digest) })
        for rename in renames.renamed {
            #expect(before[rename.from] == after[rename.to], "round \(round)")
        }
        // No possible pair is left.
        let leftBefore = Set(renames.removed.compactMap { before[$0] ?? nil })
        let leftAfter = Set(renames.added.compactMap { after[$0] ?? nil })
        #expect(leftBefore.isDisjoint(with: leftAfter), "round \(round)")
    }

    // MARK: totals

    @Test(
        "the worst verdict decides the exit code, and what was not compared outweighs all",
        arguments: [
            ([], 0), ([.identicalBytes, .identicalPixels, .differentTags, .withinTolerance], 0),
            ([.identicalBytes, .different], 1), ([.added], 1), ([.removed], 1), ([.renamed], 1),
            ([.broken], 65), ([.different, .broken, .added], 65),
        ] as [([PairVerdict], Int32)]
    )
    func exits(verdicts: [PairVerdict], exit: Int32) {
        var totals = CompareTotals()
        for verdict in verdicts { totals.count(verdict) }
        #expect(totals.exit.rawValue == exit)
        #expect(totals.pairs == verdicts.count)
    }

    @Test("totals in words name what there is, the good first")
    func words() {
        var totals = CompareTotals()
        #expect(totals.words == "0 pairs")
        totals.count(.identicalBytes)
        #expect(totals.words == "1 pair: 1 the same bytes")
        totals.count(.identicalBytes, times: 9_998)
        totals.count(.different)
        #expect(totals.words == "10,000 pairs: 9,999 the same bytes, 1 different")
        #expect(totals.bad == 1)
    }
}
