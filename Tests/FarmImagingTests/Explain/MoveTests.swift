// Tests of explanations of moves with known distances.
import FarmCore
import FarmImaging
import FarmTesting
import Testing

@Suite("Moves are named rightly or not at all")
struct MoveTests {
    /// Ambiguous changes: equal rows take the place of equal rows, so that another move looks the
    /// same or nearly so.
    private static let untold: Set<MoveCase.Change> = [
        .equalRows, .scrolledEqualRows, .insertedAmongEqualRows,
    ]

    private func named(_ found: Explanation) -> Set<Explanation.Kind> {
        var named = Set(found.regions.map(\.kind).filter { $0.name == "moved" })
        if let band = found.bandMove { named.insert(.moved(dx: 0, dy: band.by)) }
        return named
    }

    @Test("of 172 moves none is named wrongly, and most that can be told are named")
    func moves() {
        let changes = MoveCase.Change.allCases
        var cases = MoveCases(seed: 172)
        var told = 0
        var right = 0
        for index in 0..<172 {
            let drawn = cases.next(changes[index % changes.count])
            let found = Explainer.explain(reference: drawn.reference, capture: drawn.capture)
            let truth = Set(drawn.moves.map { Explanation.Kind.moved(dx: 0, dy: $0) })
            let named = named(found)
            #expect(named.subtracting(truth).isEmpty, "\(index) \(drawn.change): \(drawn.moves)")
            guard !Self.untold.contains(drawn.change) else { continue }
            told += 1
            right += named.isEmpty ? 0 : 1
        }
        // The missed ones moved by more than 64 px and cover less than an eighth of the page.
        #expect(told == 115)
        #expect(right >= 105)
    }

    @Test("a page that grew or shrank is said to have, though a card got another colour")
    func grown() throws {
        var cases = MoveCases(seed: 99)
        for index in 0..<40 {
            let drawn = cases.grown()
            let found = try #require(
                PictureAligner.align(reference: drawn.reference, capture: drawn.capture)
            )
            #expect(found.fits, "\(index)")
            #expect(
                found.rows
                    == .init(
                        change: drawn.by > 0 ? .inserted : .removed,
                        at: drawn.at,
                        count: abs(drawn.by)
                    ),
                "\(index)"
            )
        }
    }

    @Test("rows of a list that repeat do not say where they went; one other row does")
    func repeated() {
        var equal: [PageBlock] = [.gap(20)]
        for _ in 0..<4 { equal += [PageBlock(look: .icon, height: 28, seed: 5), .gap(33)] }
        var other = equal
        other[3].seed = 6
        // The same rows, 37 px further down; they would also fit 24 px further up.
        let moved = { (blocks: [PageBlock]) in [.gap(57)] + blocks.dropFirst() }
        let kinds = { (blocks: [PageBlock]) in
            named(
                Explainer.explain(
                    reference: MovedPage(blocks: blocks).painted(),
                    capture: MovedPage(blocks: moved(blocks)).painted()
                )
            )
        }
        #expect(kinds(equal) == [])
        #expect(kinds(other) == [.moved(dx: 0, dy: 37)])
    }
}
