// Tests that two files examined together give the same result as each alone, although they share
// work.
import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmImaging

@Suite("Two files looked at together")
struct ExaminedPairTests {
    /// Returns a pair's kind, without its pixels.
    private func kind(_ pair: ExaminedPair) -> String {
        switch pair {
        case .identicalBytes: "bytes"
        case .identicalPixels(let tags): "pixels \(tags)"
        case .differing(_, _, let rows): "rows \(rows.range)"
        }
    }

    @Test("the rows that differ are named, whatever filters the files use")
    func rows() throws {
        let reference = Pictures.gradient(61, 40)
        let capture = Pictures.painted(reference, [1, 2, 3, 255]) { x, y in
            x == 60 && (y == 11 || y == 30)
        }
        for filters in HandmadePNG.filterings {
            let pair = try ExaminedPair(
                reference: HandmadePNG.file(reference, filters: filters.0),
                capture: HandmadePNG.file(capture, filters: filters.1)
            )
            #expect(kind(pair) == "rows 11..<31", "\(filters)")
            guard case .differing(let one, let other, _) = pair else { continue }
            #expect(one == reference && other == capture, "\(filters)")
        }
    }

    @Test("equal pixels under other filters, in other chunks and as RGB are identical")
    func filters() throws {
        let picture = Pictures.gradient(33, 17)
        let plain = try HandmadePNG.file(picture, filters: [0])
        for filters in HandmadePNG.filterings {
            let other = try HandmadePNG.file(picture, filters: filters.0, pieces: 3)
            #expect(kind(try ExaminedPair(reference: plain, capture: other)) == "pixels []")
            let rgb = try HandmadePNG.file(picture, filters: filters.0, channels: 3)
            #expect(kind(try ExaminedPair(reference: plain, capture: rgb)) == "pixels []")
            #expect(try PNGDecoder.decode(rgb) == picture)
        }
    }

    @Test("random pictures under random filters are what libpng makes of them")
    func random() throws {
        var random = SeededGenerator(seed: 4)
        for round in 0..<60 {
            let size = (
                Int.random(in: 1...70, using: &random), Int.random(in: 1...20, using: &random)
            )
            let pixels = (0..<size.0 * size.1 * 4).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let picture = Bitmap(size: PixelSize(width: size.0, height: size.1), pixels: pixels)
            let filters = (0..<size.1).map { _ in UInt8.random(in: 0...4, using: &random) }
            let file = try HandmadePNG.file(picture, filters: filters)
            #expect(try PNGDecoder.decode(file) == picture, "seed 4, round \(round)")
            #expect(try PNGDecoder.decodeByLibpng(file) == picture, "seed 4, round \(round)")
        }
    }

    @Test("a verdict that skips equal rows counts what one that looks at all rows counts")
    func skippedRows() throws {
        var random = SeededGenerator(seed: 11)
        for round in 0..<80 {
            let width = Int.random(in: 1...40, using: &random)
            let height = Int.random(in: 1...60, using: &random)
            let reference = Pictures.gradient(width, height)
            let changes = Set(
                (0..<Int.random(in: 1...30, using: &random)).map { _ in
                    Int.random(in: 0..<width * height, using: &random)
                }
            )
            let capture = Pictures.painted(reference, [9, 250, 3, 255]) { x, y in
                changes.contains(y * width + x)
            }
            let files = try [reference, capture].map { try HandmadePNG.file($0, filters: [4, 0]) }
            let limits = VisibleLimits(noise: 0, share: 1, cluster: 3)
            for policy in [ComparisonPolicy.exact, .visible(limits)] {
                let skipping = try PictureComparer.compare(
                    reference: files[0],
                    capture: files[1],
                    policy: policy
                )
                let looking = PictureComparer.compare(
                    reference: reference,
                    capture: capture,
                    policy: policy
                )
                #expect(skipping == looking, "seed 11, round \(round), \(policy.name)")
            }
        }
    }

    @Test("a tag of colour that only one file has is a finding of its own, and matches")
    func tags() throws {
        let picture = Pictures.gradient(5, 5)
        let plain = try HandmadePNG.file(picture, filters: [0])
        let tagged = try HandmadePNG.file(
            picture,
            filters: [0],
            extra: [("gAMA", [0, 0, 177, 143])]
        )
        let result = try PictureComparer.compare(
            reference: plain,
            capture: tagged,
            policy: .exact
        )
        #expect(result == .differentTags(["gAMA"]))
        #expect(result.matches)
    }

    @Test("a filter that does not exist is an error of its file, also where both have it")
    func brokenFilter() throws {
        let picture = Pictures.gradient(9, 9)
        let broken = try HandmadePNG.file(picture, filters: [0, 0, 7])
        let whole = try HandmadePNG.file(picture, filters: [0])
        let reason = PictureError.invalid("bad adaptive filter value")
        #expect(throws: reason) { try PNGDecoder.decode(broken) }
        #expect(throws: reason) { try PNGDecoder.decodeByLibpng(broken) }
        #expect(throws: BrokenPicture.self) {
            try ExaminedPair(reference: broken, capture: broken + [0])
        }
        for (files, side) in [
            ((broken, whole), BrokenPicture.Side.reference), ((whole, broken), .capture),
        ] {
            let error = #expect(throws: BrokenPicture.self) {
                try ExaminedPair(reference: files.0, capture: files.1)
            }
            #expect(error?.side == side)
        }
    }

    @Test("a file that claims more pixels than its bytes can hold is refused at once")
    func claim() throws {
        var file = try HandmadePNG.file(Pictures.gradient(2, 2), filters: [0])
        HandmadePNG.setSize(9_000, 9_000, in: &file)
        #expect(throws: PictureError.invalid("it has too few bytes of pixels")) {
            try PNGDecoder.decode(file)
        }
    }

    @Test("chunks between the pixels, and more chunks than any camera writes, are refused")
    func chunks() throws {
        let picture = Pictures.gradient(4, 4)
        let split = try HandmadePNG.file(
            picture,
            filters: [0],
            pieces: 2,
            between: ("tEXt", [65, 0])
        )
        #expect(throws: PictureError.invalid("other chunks stand between its IDAT chunks")) {
            try PNGDecoder.decode(split)
        }
        let extra = [(String, [UInt8])](repeating: ("tEXt", []), count: FarmLimits.pictureChunksMax)
        let many = try HandmadePNG.file(picture, filters: [0], extra: extra)
        #expect(throws: PictureError.invalid("it has too many chunks")) {
            try PNGDecoder.decode(many)
        }
    }
}
