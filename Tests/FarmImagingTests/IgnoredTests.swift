// Tests of ignored parts of a comparison: under every policy, exact to the pixel, and never beyond
// the picture's size.
import FarmCore
import FarmTesting
import Testing

@testable import FarmImaging

@Suite("Ignored regions")
struct IgnoredTests {
    private static let policies: [ComparisonPolicy] = [
        .visible(), .exact, .fb(perPixelTolerance: 0, overallTolerance: 0),
        .pointFree(precision: 1), .pointFree(precision: 1, perceptualPrecision: 0.99),
        .pixelmatch(threshold: 0.1, includeAntiAliasing: true, maxDifferingPixels: 0),
        .pixelmatch(
            threshold: 0.1,
            includeAntiAliasing: true,
            maxDifferingPixels: 0,
            version: .v5
        ),
        .paparazzi(maxPercentDifference: 0), .roborazzi(maxDistance: 0.007, threshold: 0),
    ]
    private let black = Pictures.flat(40, 30, Pictures.black)

    private func compare(
        _ reference: Bitmap,
        _ capture: Bitmap,
        _ policy: ComparisonPolicy,
        _ boxes: [String]
    ) -> Comparison {
        let ignored = boxes.compactMap { PixelBox(inclusive: $0) }
        return PictureComparer.compare(
            reference: reference,
            capture: capture,
            choice: ComparisonChoice(policy, ignored: ignored)
        )
    }

    @Test("pixels of a box never count, whatever the policy", arguments: policies)
    func inside(policy: ComparisonPolicy) {
        // The corners 10,5 and 19,9 belong to the box.
        let capture = Pictures.painted(black, Pictures.white) { x, y in
            (10...19).contains(x) && (5...9).contains(y)
        }
        #expect(!compare(black, capture, policy, []).matches)
        let result = compare(black, capture, policy, ["10,5-19,9"])
        #expect(result.matches)
        #expect(result.difference?.counted == 0)
        #expect(compare(black, capture, policy, ["10,5-14,9", "15,0-19,29", "0,0-3,3"]).matches)
        for smaller in ["11,5-19,9", "10,6-19,9", "10,5-18,9", "10,5-19,8", "50,50-60,60"] {
            #expect(!compare(black, capture, policy, [smaller]).matches, "\(smaller)")
        }
    }

    @Test("a box may reach beyond the picture, and another size still differs", arguments: policies)
    func beyond(policy: ComparisonPolicy) {
        let white = Pictures.flat(40, 30, Pictures.white)
        let all = ["0,0-99999999,99999999"]
        #expect(compare(black, white, policy, all).matches)
        #expect(!compare(black, Pictures.flat(40, 33, Pictures.white), policy, all).matches)
    }

    @Test("16-bit samples are ignored with their lower halves", arguments: policies)
    func deep(policy: ComparisonPolicy) {
        let low = [UInt8](repeating: 77, count: 40 * 30 * 4)
        let capture = Bitmap(size: black.size, pixels: black.pixels, lowBytes: low)
        #expect(compare(black, capture, policy, ["0,0-39,29"]).matches)
        #expect(compare(capture, black, policy, ["0,0-39,29"]).matches)
        #expect(compare(capture, black, .exact, ["0,0-39,28"]).difference?.counted == 40)
    }

    @Test(
        "a box is written with its first and last pixel",
        arguments: [
            ("0,0-0,0", PixelBox(x: 0, y: 0, width: 1, height: 1)),
            ("10,20-300,40", PixelBox(x: 10, y: 20, width: 291, height: 21)),
            ("1, 2- 3, 4", PixelBox(x: 1, y: 2, width: 3, height: 3)),
            ("", nil), ("10,20", nil), ("10,20-9,40", nil), ("10,20-300,19", nil),
            ("-1,0-3,3", nil), ("1,2,3-4,5", nil), ("1;2-3;4", nil), ("a,b-c,d", nil),
            ("0,0-100000000,5", nil), ("0,0-99999999999999999999,5", nil), ("+1,0-3,3", nil),
        ] as [(String, PixelBox?)]
    )
    func spelling(text: String, box: PixelBox?) {
        #expect(PixelBox(inclusive: text) == box)
        if let box { #expect(PixelBox(inclusive: box.inclusiveText) == box) }
    }
}

@Suite("Masks")
struct IgnoreMaskTests {
    private static let clear: [UInt8] = [255, 255, 255, 0]

    @Test("a white shape on black or on nothing is the boxes of its rows, merged")
    func shape() throws {
        for ground in [Pictures.black, Self.clear, [127, 127, 127, 255]] {
            let mask = Pictures.painted(Pictures.flat(20, 12, ground), Pictures.white) { x, y in
                (2...5).contains(x) && (1...8).contains(y) || (4...9).contains(x) && y == 9
                    || x == 19 && y == 11
            }
            #expect(
                try IgnoreMask.boxes(of: mask).sorted { $0.y < $1.y } == [
                    PixelBox(x: 2, y: 1, width: 4, height: 8),
                    PixelBox(x: 4, y: 9, width: 6, height: 1),
                    PixelBox(x: 19, y: 11, width: 1, height: 1),
                ]
            )
        }
    }

    @Test("its boxes hold every white pixel once, and no other")
    func exact() throws {
        var generator = SeededGenerator.announced()
        for _ in 0..<50 {
            let (width, height) = (
                Int.random(in: 1...24, using: &generator),
                Int.random(in: 1...24, using: &generator)
            )
            var white: Set<[Int]> = [[0, 0]]
            for _ in 0..<Int.random(in: 0...80, using: &generator) {
                white.insert([
                    Int.random(in: 0..<width, using: &generator),
                    Int.random(in: 0..<height, using: &generator),
                ])
            }
            guard white.count < width * height else { continue }
            let flat = Pictures.flat(width, height, Pictures.black)
            let mask = Pictures.painted(flat, Pictures.white) { white.contains([$0, $1]) }
            var covered: [[Int]] = []
            for box in try IgnoreMask.boxes(of: mask) {
                for y in box.y..<box.y + box.height {
                    for x in box.x..<box.x + box.width { covered.append([x, y]) }
                }
            }
            #expect(covered.count == white.count, "seed \(generator.seed)")
            #expect(Set(covered) == white, "seed \(generator.seed)")
        }
    }

    @Test("a mask that says nothing, or too much, is refused")
    func refused() {
        #expect(throws: IgnoreMaskError.ignoresNothing) {
            try IgnoreMask.boxes(of: Pictures.flat(4, 4, Pictures.black))
        }
        #expect(throws: IgnoreMaskError.ignoresNothing) {
            try IgnoreMask.boxes(of: Pictures.flat(4, 4, Self.clear))
        }
        #expect(throws: IgnoreMaskError.ignoresEverything) {
            try IgnoreMask.boxes(of: Pictures.flat(4, 4, Pictures.white))
        }
        let board = Pictures.make(50, 50) { x, y in
            (x + y) % 2 == 0 ? Pictures.white : Pictures.black
        }
        #expect(throws: IgnoreMaskError.tooManyBoxes) { try IgnoreMask.boxes(of: board) }
    }

    @Test("the boxes of all masks of a job's rules take their place")
    func resolved() throws {
        let box = PixelBox(x: 1, y: 2, width: 3, height: 4)
        let other = PixelBox(x: 9, y: 9, width: 1, height: 1)
        var rules = ComparisonRules(
            ignored: IgnoredRegions(boxes: [other], mask: "a.png"),
            overrides: [
                ComparisonRules.Override(
                    subject: .cells,
                    pattern: "*",
                    policy: nil,
                    ignored: IgnoredRegions(mask: "b.png")
                ),
                ComparisonRules.Override(subject: .suites, pattern: "x", policy: .exact),
            ]
        )
        var asked: [String] = []
        rules.resolveMasks { path -> [PixelBox] in
            asked.append(path)
            return [box]
        }
        #expect(asked == ["a.png", "b.png"])
        #expect(rules.ignored == IgnoredRegions(boxes: [other, box]))
        let id = try SnapshotID(cell: CellID("any"), suite: "s", name: "n")
        #expect(rules.choice(for: id) == ComparisonChoice(.visible(), ignored: [other, box, box]))
    }
}
