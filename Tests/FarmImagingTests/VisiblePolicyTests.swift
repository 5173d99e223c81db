// Tests of our own policy: its two gates, its noise floor, and the search for the worst window,
// compared with a brute-force search.
import FarmCore
import FarmTesting
import Testing

@testable import FarmImaging

@Suite("The policy of what is visible")
struct VisiblePolicyTests {
    private let grey = Pictures.flat(64, 48, [100, 100, 100, 255])

    private func judge(
        _ reference: Bitmap,
        _ capture: Bitmap,
        _ limits: VisibleLimits = VisibleLimits()
    ) -> Comparison {
        PictureComparer.compare(reference: reference, capture: capture, policy: .visible(limits))
    }

    @Test("it is what a job gets that says nothing")
    func isDefault() {
        #expect(ComparisonRules().policy == .visible(VisibleLimits()))
        #expect(VisibleLimits().share == 0)
        #expect(VisibleLimits().antiAliasing == .ignored)
    }

    // (noise, step, channel, matches)
    @Test(
        "a channel that differs by no more than the noise never counts, not even everywhere",
        arguments: [
            (1, 1, 0, true), (1, 2, 0, false), (0, 1, 1, false), (2, 2, 2, true), (2, 3, 2, false),
            (1, 1, 3, true), (1, 2, 3, false), (255, 155, 0, true), (300, 155, 0, true),
            (-1, 1, 0, false),
        ]
    )
    func noise(floor: Int, step: UInt8, channel: Int, matches: Bool) {
        var colour: [UInt8] = [100, 100, 100, 255]
        colour[channel] = channel == 3 ? 255 - step : 100 + step
        let capture = Pictures.flat(64, 48, colour)
        let result = judge(grey, capture, VisibleLimits(noise: floor))
        #expect(result.matches == matches)
        #expect(result.difference?.counted == (matches ? 0 : 64 * 48))
    }

    @Test("a difference below one step of 8 bits is noise, unless nothing is")
    func lowBits() {
        let low = [UInt8](repeating: 7, count: 64 * 48 * 4)
        let capture = Bitmap(size: grey.size, pixels: grey.pixels, lowBytes: low)
        #expect(judge(grey, capture).matches)
        #expect(!judge(grey, capture, VisibleLimits(noise: 0)).matches)
    }

    @Test("the colour of what is transparent in both pictures is not seen, unless nothing is noise")
    func transparent() {
        let reference = Pictures.flat(64, 48, [0, 0, 0, 0])
        let capture = Pictures.flat(64, 48, [255, 90, 0, 0])
        let result = judge(reference, capture)
        #expect(result.matches)
        #expect(result.difference?.differing == 64 * 48)
        #expect(result.difference?.counted == 0)
        #expect(!judge(reference, capture, VisibleLimits(noise: 0)).matches)
        #expect(
            !PictureComparer.compare(reference: reference, capture: capture, policy: .exact).matches
        )
        // The lower halves of 16-bit samples are equally invisible.
        let low = [UInt8](repeating: 7, count: 64 * 48 * 4)
        #expect(
            judge(reference, Bitmap(size: capture.size, pixels: capture.pixels, lowBytes: low))
                .matches
        )
    }

    @Test("rounding of premultiplied colours is noise at every alpha, two steps of it are not")
    func premultiplied() {
        for alpha in 1...254 {
            func picture(_ blended: Int) -> Bitmap {
                let stored = UInt8((blended * 255 + alpha / 2) / alpha)
                return Pictures.flat(4, 4, [stored, stored, stored, UInt8(alpha)])
            }
            let middle = alpha / 2
            #expect(judge(picture(middle), picture(min(middle + 1, alpha))).matches, "\(alpha)")
            guard middle + 2 <= alpha else { continue }
            #expect(!judge(picture(middle), picture(middle + 2)).matches, "\(alpha)")
        }
    }

    @Test("what becomes visible counts, though its colour was there before")
    func becameVisible() {
        let hidden = Pictures.flat(64, 48, [200, 10, 10, 0])
        #expect(!judge(hidden, Pictures.flat(64, 48, [200, 10, 10, 2])).matches)
        #expect(judge(hidden, Pictures.flat(64, 48, [10, 10, 200, 1])).matches)
        let pale = Pictures.flat(64, 48, [255, 0, 0, 20])
        #expect(!judge(pale, Pictures.flat(64, 48, [0, 0, 255, 20])).matches)
    }

    @Test("one pixel fails a job that tolerates no share, wherever it is")
    func onePixel() {
        for (x, y) in [(0, 0), (63, 0), (0, 47), (63, 47), (30, 20)] {
            let capture = Pictures.painted(grey, Pictures.white) { $0 == x && $1 == y }
            let result = judge(grey, capture)
            #expect(!result.matches, "(\(x), \(y))")
            #expect(result.difference?.worst?.counted == 1)
        }
    }

    @Test("the share may be reached and not passed")
    func share() {
        // The pixels are so far apart that no window holds two of them.
        let capture = Pictures.painted(grey, Pictures.white) { x, y in
            y % 20 == 0 && x % 20 == 0
        }
        let counted = 12
        let limit = Double(counted) / Double(64 * 48)
        #expect(judge(grey, capture).difference?.counted == counted)
        #expect(judge(grey, capture, VisibleLimits(share: limit)).matches)
        #expect(!judge(grey, capture, VisibleLimits(share: limit.nextDown)).matches)
        #expect(!judge(grey, capture, VisibleLimits(share: .nan)).matches)
    }

    @Test("a changed icon fails where the same number of scattered pixels passes")
    func cluster() {
        let scattered = Pictures.painted(grey, Pictures.white) { x, y in
            x % 20 == 0 && y % 20 == 0
        }
        let icon = Pictures.painted(grey, Pictures.white) { x, y in
            (40..<44).contains(x) && (15..<18).contains(y)
        }
        let limits = VisibleLimits(share: 0.01)
        #expect(judge(grey, scattered, limits).matches)
        let result = judge(grey, icon, limits)
        #expect(!result.matches)
        #expect(result.difference?.counted == 12)
        #expect(
            result.difference?.worst
                == WorstWindow(counted: 12, box: PixelBox(x: 28, y: 2, width: 16, height: 16))
        )
        #expect(judge(grey, icon, VisibleLimits(share: 0.01, cluster: 12)).matches)
    }

    @Test("the window slides: an icon across a border of tiles is seen whole")
    func sliding() {
        for start in 0..<20 {
            let icon = Pictures.painted(grey, Pictures.white) { x, y in
                (start..<start + 16).contains(x) && (start..<start + 16).contains(y)
            }
            #expect(judge(grey, icon).difference?.worst?.counted == 256)
            #expect(judge(grey, icon).difference?.worst?.box.x == start)
        }
    }
}

@Suite("The worst window")
struct WorstWindowTests {
    private let window = VisibleLimits.window

    /// Returns the first window in reading order with the most marks, by looking at every place.
    private func bruteForce(_ marks: Set<[Int]>, _ size: PixelSize) -> WorstWindow? {
        var worst: WorstWindow?
        for y in 0...max(0, size.height - window) {
            for x in 0...max(0, size.width - window) {
                let box = PixelBox(
                    x: x,
                    y: y,
                    width: min(window, size.width),
                    height: min(window, size.height)
                )
                let counted = marks.count { mark in
                    (x..<x + box.width).contains(mark[0]) && (y..<y + box.height).contains(mark[1])
                }
                if counted > worst?.counted ?? 0 { worst = WorstWindow(counted: counted, box: box) }
            }
        }
        return worst
    }

    @Test("it is the one that a search at every place finds")
    func random() {
        var generator = SeededGenerator.announced()
        let seed = generator.seed
        for _ in 0..<60 {
            let size = PixelSize(
                width: Int.random(in: 1...50, using: &generator),
                height: Int.random(in: 1...40, using: &generator)
            )
            var marks: Set<[Int]> = []
            for _ in 0..<Int.random(in: 0...40, using: &generator) {
                marks.insert([
                    Int.random(in: 0..<size.width, using: &generator),
                    Int.random(in: 0..<size.height, using: &generator),
                ])
            }
            let flat = Pictures.flat(size.width, size.height, Pictures.black)
            let capture = Pictures.painted(flat, Pictures.white) { marks.contains([$0, $1]) }
            let found = CountedPixels(flat, capture, noise: 0, antiAliasing: false)
            #expect(found.worst == bruteForce(marks, size), "seed \(seed), \(size), \(marks)")
            #expect(found.changed == marks.count, "seed \(seed)")
        }
    }

    @Test("counting and classifying agree on every pixel, with noise, shapes and ignored boxes")
    func agreement() {
        var generator = SeededGenerator.announced()
        let seed = generator.seed
        for _ in 0..<40 {
            let width = Int.random(in: 1...40, using: &generator)
            let height = Int.random(in: 1...40, using: &generator)
            let levels = [0, 1, 2, 90, 160, 255] as [UInt8]
            func draw() -> Bitmap {
                Pictures.make(width, height) { x, _ in
                    let kept = levels[x * 6 / width]
                    let level =
                        Int.random(in: 0..<4, using: &generator) > 0
                        ? kept : levels.randomElement(using: &generator) ?? 0
                    return [level, level, level, 255]
                }
            }
            let pictures = (draw(), draw())
            let box = PixelBox(x: 3, y: 5, width: 9, height: 100)
            let noise = Int.random(in: 0...2, using: &generator)
            let counted = CountedPixels(
                pictures.0,
                pictures.1,
                noise: noise,
                antiAliasing: true,
                ignoring: [box]
            )
            let classes = PixelClasses(
                pictures.0,
                pictures.1,
                noise: noise,
                antiAliasing: true,
                ignoring: [box]
            )
            var by: [PixelClasses.Class: Int] = [:]
            for y in 0..<height { for x in 0..<width { by[classes[x, y], default: 0] += 1 } }
            #expect(counted.changed == by[.changed] ?? 0, "seed \(seed)")
            #expect(counted.noise == by[.noise] ?? 0, "seed \(seed)")
            #expect(counted.antiAliased == by[.antiAliased] ?? 0, "seed \(seed)")
        }
    }
}
