// Tests of the shifts of whole pages: every pixel that they do not explain is left over.
import FarmCore
import FarmTesting
import Testing

@testable import FarmImaging

@Suite("Shifts of rows")
struct ShiftTests {
    private static func parts(_ reference: Bitmap, _ capture: Bitmap) -> Explanation.Parts? {
        Explainer.explain(reference: reference, capture: capture, findsParts: true).parts
    }

    /// Returns a page of three cards; `gaps` are the heights of the grounds above each.
    private static func page(_ gaps: [Int], seeds: [UInt64] = [1, 2, 3]) -> Bitmap {
        let blocks = zip(gaps, seeds).flatMap { gap, seed in
            [.gap(gap), PageBlock(look: .card, height: 60, seed: seed)]
        }
        return MovedPage(blocks: blocks).painted()
    }

    @Test(
        "a space that became taller or lower moved what is below, and nothing else changed",
        arguments: [
            ([20, 30, 40], [26, 30, 40], [6]), ([20, 30, 40], [20, 36, 40], [6]),
            ([20, 30, 40], [20, 21, 40], [-9]), ([20, 30, 40], [24, 34, 44], [4, 4, 4]),
        ]
    )
    func spaces(before: [Int], after: [Int], distances: [Int]) throws {
        let parts = try #require(Self.parts(Self.page(before), Self.page(after)))
        #expect(parts.shifts?.map(\.by) == distances)
        #expect(parts.rest.isEmpty && parts.restCount == 0)
    }

    @Test("the place of a shift does not depend on what moved")
    func place() throws {
        let pages: [(gap: Int, seeds: [UInt64])] = [(30, [1, 2, 3]), (50, [1, 7, 8])]
        let places = try pages.map { gap, seeds in
            let parts = Self.parts(
                Self.page([20, gap, 40], seeds: seeds),
                Self.page([20, gap + 6, 40], seeds: seeds)
            )
            return try #require(parts?.shifts)
        }
        #expect(places[0] == places[1])
    }

    @Test("a taller line below a text is a repeated row, wherever its ground is")
    func repeated() throws {
        // A bar in one colour, with letters, above a white page: its lower part grew.
        func page(_ height: Int) -> Bitmap {
            var canvas = PageCanvas(width: 160, height: 300)
            canvas.fill(0, 0, 160, height, 90)
            canvas.draw(PageBlock(look: .text, height: 14, seed: 4), at: 12)
            for row in 0..<4 {
                canvas.draw(
                    PageBlock(look: .card, height: 40, seed: UInt64(row)),
                    at: height + 10 + row * 50
                )
            }
            return canvas.bitmap
        }
        let parts = try #require(Self.parts(page(40), page(46)))
        #expect(parts.shifts?.map(\.by) == [6])
        #expect(parts.rest.isEmpty)
    }

    @Test("content within a few rows that moved is a region, not a shift")
    func small() {
        func page(_ y: Int) -> Bitmap {
            var canvas = PageCanvas(width: 160, height: 480)
            canvas.draw(PageBlock(look: .icon, height: 28, seed: 3), at: y)
            return canvas.bitmap
        }
        #expect(Self.parts(page(200), page(206)) == nil)
    }

    @Test("a pixel that shifts do not explain lies in a region that is left over")
    func leftOver() throws {
        let random = SeededGenerator.announced("ShiftTests.leftOver", usual: 5)
        var cases = MoveCases(seed: random.seed)
        var chance = SeededGenerator(seed: random.seed &+ 1)
        let changes: [MoveCase.Change] = [.gap, .inserted, .removed, .alone, .scrolled, .swapped]
        var shifted = 0
        for number in 0..<18 {
            let drawn = cases.next(changes[number % changes.count])
            let plant = (
                x: Int.random(in: 0..<drawn.capture.width, using: &chance),
                y: Int.random(in: 0..<drawn.capture.height, using: &chance)
            )
            var pixels = drawn.capture.pixels
            pixels[(plant.y * drawn.capture.width + plant.x) * 4 + 1] = 99
            let capture = Bitmap(size: drawn.capture.size, pixels: pixels)
            guard let parts = Self.parts(drawn.reference, capture), let shifts = parts.shifts else {
                continue
            }
            shifted += 1
            let strangers = Self.strangers(drawn.reference, capture, shifts)
            #expect(strangers.contains { $0 == plant }, "\(number)")
            guard parts.rest.count == parts.restCount else { continue }
            let hidden = strangers.filter { pixel in
                !parts.rest.contains { $0.box.holds(pixel.x, pixel.y) }
            }
            #expect(hidden.isEmpty, "\(number) \(drawn.change)")
        }
        #expect(shifted > 9)
    }

    /// Returns the pixels of the capture that the reference with these shifts does not have, within
    /// the columns that changed.
    private static func strangers(
        _ reference: Bitmap,
        _ capture: Bitmap,
        _ shifts: [Explanation.RowShift]
    ) -> [(x: Int, y: Int)] {
        var rows = Array(0..<reference.height)
        for shift in shifts.reversed() {
            if shift.by > 0 {
                rows.insert(contentsOf: Array(repeating: shift.row, count: shift.by), at: shift.row)
            } else {
                rows.removeSubrange(shift.row..<shift.row - shift.by)
            }
        }
        while rows.count < capture.height { rows.append(reference.height - 1) }
        let (before, after) = (reference.pixels, capture.pixels)
        func differ(_ x: Int, _ y: Int, from row: Int) -> Bool {
            let (old, new) = ((row * capture.width + x) * 4, (y * capture.width + x) * 4)
            return (0..<3).contains { before[old + $0] != after[new + $0] }
        }
        let columns = (0..<capture.width).filter { x in
            (0..<capture.height).contains { differ(x, $0, from: $0) }
        }
        guard let left = columns.first, let right = columns.last else { return [] }
        return (0..<capture.height).flatMap { y in
            (left...right).filter { differ($0, y, from: rows[y]) }.map { ($0, y) }
        }
    }
}

extension PixelBox {
    fileprivate func holds(_ x: Int, _ y: Int) -> Bool {
        (self.x..<self.x + width).contains(x) && (self.y..<self.y + height).contains(y)
    }
}
