// Changes of pages with known distances of their moves.
import FarmCore
import FarmImaging
import FarmTesting

/// Two pages, and every distance downwards by which something moved.
struct MoveCase {
    enum Change: String, CaseIterable {
        /// A gap grew or shrank, and everything below it moved.
        case gap
        /// A block was inserted, or removed, and everything below it moved.
        case inserted, removed
        /// One block moved between two gaps.
        case alone
        /// A list of equal rows moved as a whole.
        case equalRows
        /// A list of rows was scrolled below a fixed header.
        case scrolled
        /// A list of equal rows was scrolled below a fixed header.
        case scrolledEqualRows
        /// Two neighbours changed places.
        case swapped
        /// A different row was inserted into a list of equal rows.
        case insertedAmongEqualRows
    }
    var change: Change
    var reference: Bitmap
    var capture: Bitmap
    var moves: Set<Int>
}

/// Draws changes from a seed.
struct MoveCases {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func next(_ change: MoveCase.Change) -> MoveCase {
        switch change {
        case .gap: gap()
        case .inserted: inserted(isRemoved: false)
        case .removed: inserted(isRemoved: true)
        case .alone: alone(stack(2...4), change)
        case .equalRows: alone(rows(2...6, areEqual: true), change)
        case .scrolled: scrolled(areEqual: false)
        case .scrolledEqualRows: scrolled(areEqual: true)
        case .swapped: swapped()
        case .insertedAmongEqualRows: insertedAmongEqualRows()
        }
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &random)
    }

    private mutating func block() -> PageBlock {
        let seed = random.next()
        switch number(0...5) {
        case 0, 1, 2: return PageBlock(look: .text, height: 14, seed: seed)
        case 3: return PageBlock(look: .card, height: number(32...70), seed: seed)
        case 4: return PageBlock(look: .icon, height: 28, seed: seed)
        default: return PageBlock(look: .line, height: 1, seed: seed)
        }
    }

    /// Returns blocks with gaps between them.
    private mutating func stack(_ counts: ClosedRange<Int>) -> [PageBlock] {
        (0..<number(counts)).flatMap { _ in [block(), .gap(number(3...24))] }
    }

    private mutating func rows(_ counts: ClosedRange<Int>, areEqual: Bool) -> [PageBlock] {
        let seed = random.next()
        let gap = number(4...34)
        let look: PageBlock.Look = number(0...1) == 0 ? .icon : .text
        let height = look == .icon ? 28 : 14
        return (0..<number(counts)).flatMap { _ in
            [
                PageBlock(look: look, height: height, seed: areEqual ? seed : random.next()),
                .gap(gap), PageBlock(look: .line, height: 1, seed: 0), .gap(3),
            ]
        }
    }

    private func made(
        _ change: MoveCase.Change,
        _ reference: [PageBlock],
        _ capture: [PageBlock],
        _ moves: Set<Int>
    ) -> MoveCase {
        MoveCase(
            change: change,
            reference: MovedPage(blocks: reference).painted(),
            capture: MovedPage(blocks: capture).painted(),
            moves: moves
        )
    }

    private mutating func gap() -> MoveCase {
        let above = stack(1...4)
        let below = stack(2...8)
        let (small, by) = (number(4...30), number(1...120))
        let isDown = number(0...1) == 0
        let pages = [small, small + by].map { above + [.gap($0)] + below }
        return made(.gap, pages[isDown ? 0 : 1], pages[isDown ? 1 : 0], [isDown ? by : -by])
    }

    private mutating func inserted(isRemoved: Bool) -> MoveCase {
        let above = stack(0...3) + [.gap(8)]
        let below = stack(3...9)
        let new = [block(), .gap(number(3...24))]
        let by = new[0].height + new[1].height
        return isRemoved
            ? made(.removed, above + new + below, above + below, [-by])
            : made(.inserted, above + below, above + new + below, [by])
    }

    private mutating func alone(_ content: [PageBlock], _ change: MoveCase.Change) -> MoveCase {
        let above = stack(0...2)
        let below = stack(0...3)
        let (small, by, rest) = (number(2...30), number(1...100), number(2...40))
        let isDown = number(0...1) == 0
        let pages = [(small, by + rest), (small + by, rest)].map { gaps in
            above + [.gap(gaps.0)] + content + [.gap(gaps.1)] + below
        }
        return made(change, pages[isDown ? 0 : 1], pages[isDown ? 1 : 0], [isDown ? by : -by])
    }

    private mutating func scrolled(areEqual: Bool) -> MoveCase {
        let header = PageBlock(look: .card, height: 40, seed: random.next())
        let list = rows(14...16, areEqual: areEqual)
        let by = number(1...90)
        func page(_ offset: Int) -> Bitmap {
            var canvas = PageCanvas(width: MovedPage.width, height: 480)
            var y = 44 - offset
            for block in list {
                canvas.draw(block, at: y)
                y += block.height
            }
            canvas.fill(0, 0, MovedPage.width, 44, 255)
            canvas.draw(header, at: 2)
            return canvas.bitmap
        }
        return MoveCase(
            change: areEqual ? .scrolledEqualRows : .scrolled,
            reference: page(0),
            capture: page(by),
            moves: [-by]
        )
    }

    private mutating func swapped() -> MoveCase {
        let (above, below) = (stack(1...3), stack(0...4))
        let one = stack(1...3)
        let other = stack(1...3)
        func height(_ blocks: [PageBlock]) -> Int { blocks.reduce(0) { $0 + $1.height } }
        return made(
            .swapped,
            above + one + other + below,
            above + other + one + below,
            [height(other), -height(one)]
        )
    }

    private mutating func insertedAmongEqualRows() -> MoveCase {
        let above = stack(0...2)
        let list = rows(4...7, areEqual: true)
        let other = Array(rows(2...2, areEqual: false).prefix(4))
        let at = 4 * number(1...3)
        let by = other.reduce(0) { $0 + $1.height }
        let capture = above + list[..<at] + other + list[at...]
        return made(.insertedAmongEqualRows, above + list, capture, [by])
    }

    /// Returns a page that grew or shrank by a block at row `at`, while its largest part, a card
    /// above or below, changed colour.
    mutating func grown() -> (reference: Bitmap, capture: Bitmap, at: Int, by: Int) {
        let above = stack(2...5)
        // Every place within a gap fits equally well; the last one is the block's start.
        let new = [PageBlock(look: .card, height: number(32...120), seed: random.next()), .gap(9)]
        let below =
            [PageBlock(look: .icon, height: 28, seed: random.next()), .gap(7)] + stack(2...5)
        let (colours, isAbove) = ((UInt8(240), UInt8(200)), number(0...1) == 0)
        func page(_ blocks: [[PageBlock]], _ grey: UInt8) -> Bitmap {
            let height = blocks.joined().reduce(0) { $0 + $1.height } + 120
            var canvas = PageCanvas(width: MovedPage.width, height: height)
            if isAbove { canvas.fill(0, 10, MovedPage.width, 80, grey) }
            canvas.fill(0, height - 90, MovedPage.width, 80, isAbove ? 240 : grey)
            var y = isAbove ? 100 : 0
            for block in blocks.joined() {
                canvas.draw(block, at: y)
                y += block.height
            }
            return canvas.bitmap
        }
        let small = page([above, below], colours.0)
        let large = page([above, new, below], colours.1)
        let at = above.reduce(isAbove ? 100 : 0) { $0 + $1.height }
        let by = new.reduce(0) { $0 + $1.height }
        return number(0...1) == 0 ? (small, large, at, by) : (large, small, at, -by)
    }
}
