import FarmCore
import FarmTesting
import Testing

@testable import FarmImaging

@Suite("Pictures of different sizes")
struct AlignmentTests {
    private let list = Scene.list(rows: 5, height: 240)

    private func aligned(_ reference: Scene, _ capture: Scene) throws -> PictureAlignment {
        try #require(
            PictureAligner.align(
                reference: reference.painted(),
                capture: capture.painted()
            )
        )
    }

    private func measured(_ reference: Scene, _ capture: Scene) throws -> PixelDifference {
        try #require(
            PictureComparer.compare(
                reference: reference.painted(),
                capture: capture.painted(),
                policy: .exact
            ).difference
        )
    }

    @Test("a row that grew in the middle: only its own rows differ")
    func middle() throws {
        // The separator of the second row, and everything below it, moves down by 6.
        let capture = list.sized(200, 246).moved(from: 87, by: 6)
        let found = try aligned(list, capture)
        #expect(found.rows == .init(change: .inserted, at: 87, count: 6))
        #expect(found.columns == nil)
        #expect(found.fits)
        #expect(try measured(list, capture).differing == 6 * 200)
        let explained = Explainer.explain(
            reference: list.painted(),
            capture: capture.painted()
        )
        #expect(explained.regions.map(\.box) == [PixelBox(x: 0, y: 87, width: 200, height: 6)])
    }

    @Test("rows that vanished are the reference's")
    func shrank() throws {
        let larger = list.sized(200, 246).moved(from: 87, by: 6)
        let found = try aligned(larger, list)
        #expect(found.rows == .init(change: .removed, at: 87, count: 6))
        #expect(try measured(larger, list).differing == 6 * 200)
    }

    @Test("a picture that grew at its top or at its bottom")
    func ends() throws {
        let down = list.box(0, 0, 200, 1, Scene.grey)
        let top = try aligned(down, down.moved(from: 0, by: 9).sized(200, 249))
        #expect(top.rows == .init(change: .inserted, at: 0, count: 9))
        let bottom = try aligned(list, list.sized(200, 260))
        #expect(bottom.rows == .init(change: .inserted, at: 240, count: 20))
    }

    @Test("a column that grew")
    func horizontal() throws {
        var capture = list.sized(210, 240)
        for index in capture.shapes.indices where capture.shapes[index].x >= 44 {
            capture.shapes[index].x += 10
        }
        for index in capture.shapes.indices where capture.shapes[index].width == 200 {
            capture.shapes[index].width = 210
        }
        let found = try aligned(list, capture)
        #expect(found.columns == .init(change: .inserted, at: 44, count: 10))
        #expect(found.rows == nil)
        #expect(try measured(list, capture).differing == 10 * 240)
    }

    @Test("both sides may change, one growing and one shrinking")
    func both() throws {
        var capture = list.sized(190, 246).moved(from: 87, by: 6)
        for index in capture.shapes.indices where capture.shapes[index].width == 200 {
            capture.shapes[index].width = 190
        }
        let found = try aligned(list, capture)
        #expect(found.rows == .init(change: .inserted, at: 87, count: 6))
        #expect(found.columns == .init(change: .removed, at: 190, count: 10))
        #expect(found.fits)
    }

    @Test("pictures with nothing in common are not said to fit, nor are other scales")
    func nothing() throws {
        let other = Scene(width: 200, height: 260, ground: Scene.grey)
            .text(3, 5, letters: 20, seed: 99).icon(150, 100, Scene.red)
        let found = try aligned(list, other)
        #expect(!found.fits)
        #expect(found.rows == .init(change: .inserted, at: 240, count: 20))
        let twice = try #require(
            PictureAligner.align(reference: list.painted(), capture: list.painted(scale: 2))
        )
        #expect(!twice.fits)
        #expect(
            PictureAligner.align(
                reference: list.painted(),
                capture: other.sized(200, 240).painted()
            ) == nil
        )
    }

    @Test("the position is the last of those with the fewest differing pixels")
    func fewest() throws {
        var random = SeededGenerator.announced()
        for _ in 0..<40 {
            let count = Int.random(in: 3...12, using: &random)
            let rows = (0..<count).map { _ in UInt8.random(in: 0...2, using: &random) }
            let grown = Int.random(in: 1...3, using: &random)
            let taller = (0..<count + grown).map { _ in UInt8.random(in: 0...2, using: &random) }
            let costs = (0...count).map { at in
                (0..<count).reduce(0) {
                    $0 + (rows[$1] == taller[$1 < at ? $1 : $1 + grown] ? 0 : 1)
                }
            }
            let best = try #require(costs.min())
            // Rows of two alternating colours have enough edges for every alignment to fit.
            func picture(_ rows: [UInt8]) -> Bitmap {
                Pictures.make(64, rows.count) { x, y in [rows[y], UInt8(x % 2), 0, 255] }
            }
            let found = PictureAligner.align(reference: picture(rows), capture: picture(taller))
            guard let found, found.fits else { continue }
            #expect(found.rows?.at == costs.lastIndex(of: best), "\(rows) \(taller)")
        }
    }

    @Test("an alignment of other pictures is taken as none")
    func foreign() throws {
        let alignment = PictureAlignment(rows: .init(change: .inserted, at: 900, count: 4))
        let reference = Pictures.flat(8, 8, Pictures.black)
        let capture = Pictures.flat(8, 10, Pictures.black)
        let diff = try DiffPicture.draw(
            reference: reference,
            capture: capture,
            alignment: alignment
        )
        #expect(diff.size == PixelSize(width: 8, height: 10))
    }

    @Test("ignored boxes are the reference's, also below inserted rows")
    func ignored() {
        let alignment = PictureAlignment(rows: .init(change: .inserted, at: 2, count: 3))
        let classes = PixelClasses(
            Pictures.flat(6, 5, Pictures.black),
            Pictures.flat(6, 8, Pictures.white),
            alignment: alignment,
            ignoring: [PixelBox(x: 1, y: 1, width: 2, height: 3)]
        )
        #expect(classes.size == PixelSize(width: 6, height: 8))
        let rows = (0..<8).map { classes[1, $0] }
        #expect(
            rows == [.changed, .ignored, .same, .same, .same, .ignored, .ignored, .changed]
        )
        #expect(classes[3, 1] == .changed)
    }
}
