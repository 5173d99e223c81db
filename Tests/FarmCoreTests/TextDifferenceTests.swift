// Tests of the difference of two texts, and of the boxes of its lines.
import FarmCore
import FarmTesting
import Foundation
import Testing

@Suite("The difference of two texts")
struct TextDifferenceTests {
    private func compared(_ old: String, _ new: String) throws -> ComparedTexts? {
        let rule = TextRule(isJSON: false)
        return ComparedTexts(
            reference: try TextForm(Data(old.utf8), rule),
            capture: try TextForm(Data(new.utf8), rule),
            rule
        )
    }

    @Test("counts lines, and shows three lines around each change")
    func shown() throws {
        let old = (1...20).map { "line \($0)\n" }.joined()
        let new = old.replacing("line 5\n", with: "LINE 5\nmore\n").replacing("line 18\n", with: "")
        let found = try #require(try compared(old, new))
        #expect(found.difference.words == "2 lines added, 2 removed.")
        #expect(
            found.difference.hunks == """
                @@ -2,7 +2,8 @@
                 line 2
                 line 3
                 line 4
                -line 5
                +LINE 5
                +more
                 line 6
                 line 7
                 line 8
                @@ -15,6 +16,5 @@
                 line 15
                 line 16
                 line 17
                -line 18
                 line 19
                 line 20

                """
        )
        #expect(try compared(old, old) == nil)
        #expect(try compared("", "a\n")?.difference.words == "1 line added.")
        #expect(try compared("a\n", "")?.difference.hunks == "@@ -1,1 +0,0 @@\n-a\n")
        let long = try #require(try compared("", String(repeating: "0123456789\n", count: 9_000)))
        #expect(long.difference.hunks.utf8.count <= FarmLimits.textHunksBytesMax)
        #expect(long.difference.hunks.hasSuffix("9\n") && long.diff.count > 90_000)
    }

    @Test("has the boxes of added lines alone, without what is ignored, and not too many")
    func boxes() throws {
        let rule = TextRule(isJSON: false, ignored: [.pattern("[0-9]+")])
        var found = try #require(
            ComparedTexts(
                reference: try TextForm(Data("old\n".utf8), rule),
                capture: try TextForm(Data("new 1\nnew 2\nold\nplain\n".utf8), rule),
                rule
            )
        ).difference
        func box(_ x: Int) -> PixelBox { PixelBox(x: x, y: 0, width: 5, height: 5) }
        found.mark(["old": [box(0)], "gone": [box(1)], "plain": []], rule)
        #expect(found.boxes == nil)
        var many = found
        found.mark(["old": [box(0)], "new 1": [box(1)], "new 2": [box(2)]], rule)
        #expect(found.boxes == ["new …": [box(1), box(2)]])
        #expect(Comparison.differentText(found).fault == nil)
        many.mark(["new 1": Array(repeating: box(1), count: 20), "new 2": (0..<20).map(box)], rule)
        #expect(many.boxes?["new …"]?.count == FarmLimits.textBoxesMax)
        #expect(Comparison.differentText(many).fault == nil)
        for bad in [
            ["old": [box(0)]], ["new …": [box(-1)]],
            ["new …": Array(repeating: box(0), count: FarmLimits.textBoxesMax + 1)],
        ] {
            found.boxes = bad
            #expect(Comparison.differentText(found).fault?.contains("texts") == true, "\(bad)")
        }
    }

    @Test("is a patch from one text to the other, in 300 random pairs")
    func patch() throws {
        var random = SeededGenerator.announced("TextDifferenceTests.patch")
        for number in 0..<300 {
            func lines() -> [String] {
                (0..<Int.random(in: 0...30, using: &random)).map { _ in
                    ["a", "b", "c", "d"].randomElement(using: &random) ?? ""
                }
            }
            let old = lines()
            var new = old
            if number % 3 == 0 { new = lines() }
            for _ in 0..<Int.random(in: 0...4, using: &random) where !new.isEmpty {
                new[new.indices.randomElement(using: &random) ?? 0] = "e"
            }
            let texts = [old, new].map { $0.map { $0 + "\n" }.joined() }
            guard let found = try compared(texts[0], texts[1]) else {
                #expect(old == new)
                continue
            }
            let diff = String(decoding: found.diff, as: UTF8.self)
            #expect(Self.applied(diff, to: old) == new, "\(number): \(diff)")
        }
    }

    /// Returns the lines after a unified diff, whose line numbers and equal lines must be right.
    private static func applied(_ diff: String, to old: [String]) -> [String]? {
        var (result, place): ([String], Int) = ([], 0)
        for line in diff.split(separator: "\n") {
            if let match = line.wholeMatch(of: /@@ -(\d+),(\d+) \+(\d+),(\d+) @@/) {
                let start = (Int(match.1) ?? 0) - (match.2 == "0" ? 0 : 1)
                guard start >= place, start <= old.count else { return nil }
                result += old[place..<start]
                place = start
                guard result.count == (Int(match.3) ?? 0) - (match.4 == "0" ? 0 : 1) else {
                    return nil
                }
                continue
            }
            let text = String(line.dropFirst())
            if line.first != "+" {
                guard place < old.count, old[place] == text else { return nil }
                place += 1
            }
            if line.first != "-" { result.append(text) }
        }
        return result + old[place...]
    }
}
