// Tests of anti-aliasing by shape: the differences that it must excuse, and above all those that it
// must not. Shapes are drawn by sampling, so that two pictures of a shape differ as from two
// rasterisers.
import FarmCore
import Testing

@testable import FarmImaging

/// Draws a shape with `samples` × `samples` per pixel, in straight RGBA.
private func drawing(
    samples: Int = 8,
    ground: [UInt8] = Pictures.white,
    ink: [UInt8] = Pictures.black,
    of covers: (_ x: Double, _ y: Double) -> Bool
) -> Bitmap {
    Pictures.make(48, 48) { x, y in
        var covered = 0
        for row in 0..<samples {
            for column in 0..<samples {
                let dx = (Double(column) + 0.5) / Double(samples)
                let dy = (Double(row) + 0.5) / Double(samples)
                if covers(Double(x) + dx, Double(y) + dy) { covered += 1 }
            }
        }
        let share = Double(covered) / Double(samples * samples)
        return zip(ground, ink).map { below, above in
            UInt8((Double(above) * share + Double(below) * (1 - share)).rounded())
        }
    }
}

private func circle(
    _ radius: Double = 15,
    x: Double = 24.2,
    y: Double = 23.7,
    thickness: Double = .infinity
) -> (Double, Double) -> Bool {
    { px, py in
        let distance = ((px - x) * (px - x) + (py - y) * (py - y)).squareRoot()
        return distance <= radius && distance > radius - thickness
    }
}

/// Returns a letter with curves, stems and slopes, as at scale 2.
private func glyph(x: Double = 0, y: Double = 0) -> (Double, Double) -> Bool {
    { px, py in
        let (u, v) = (px - x, py - y)
        let stem = (12..<15).contains(u) && (10..<38).contains(v)
        let bowl = circle(9.3, x: 20.5, y: 18.6, thickness: 2.6)(u, v) && u > 15
        let leg = abs((u - 17) - (v - 26) * 0.7) < 1.6 && (26..<38).contains(v)
        return stem || bowl || leg
    }
}

/// Returns a disc between two grounds with a rim of a third colour, like an avatar.
private func rimmed(_ rim: UInt8, inside: UInt8 = 90) -> Bitmap {
    let disc = drawing(ink: [inside, inside, inside, 255], of: circle(14))
    let ring = drawing(
        ground: Pictures.black,
        ink: Pictures.white,
        of: circle(15, thickness: 1)
    )
    return Pictures.make(48, 48) { x, y in
        let at = (y * 48 + x) * 4
        let share = Double(255 - ring.pixels[at]) / 255
        let over = Double(disc.pixels[at]) * share + Double(rim) * (1 - share)
        let level = UInt8(over.rounded())
        return [level, level, level, 255]
    }
}

/// Returns rows of one colour each, given by their first rows.
private func bands(_ levels: [(from: Int, level: UInt8)]) -> Bitmap {
    Pictures.make(48, 48) { _, y in
        let level = levels.last { $0.from <= y }?.level ?? 0
        return [level, level, level, 255]
    }
}

/// Returns an upright edge from white to black with one or two grey columns, and with single pixels
/// painted.
private func edge(_ greys: [UInt8], _ painted: [(x: Int, y: Int, colour: [UInt8])] = []) -> Bitmap {
    Pictures.make(48, 48) { x, y in
        if let dot = painted.first(where: { $0.x == x && $0.y == y }) { return dot.colour }
        let level = x < 20 ? 255 : x - 20 < greys.count ? greys[x - 20] : 0
        return [level, level, level, 255]
    }
}

private func grey(_ level: UInt8) -> [UInt8] { [level, level, level, 255] }

@Suite("Anti-aliasing by shape")
struct AntiAliasingTests {
    private func counted(_ reference: Bitmap, _ capture: Bitmap) -> CountedPixels {
        CountedPixels(reference, capture, noise: 1, antiAliasing: true)
    }

    // MARK: differences to excuse

    private static let clear: [UInt8] = [0, 0, 255, 0]
    private static let blue: [UInt8] = [0, 0, 255, 255]

    @Test("the same shape drawn with other samples is the same", arguments: [6.3, 12.2, 15, 20.4])
    func sampling(radius: Double) {
        for (ground, ink) in [
            (Pictures.white, Pictures.black), ([40, 90, 200, 255], [250, 220, 10, 255]),
            (Self.clear, Self.blue),
        ] {
            let reference = drawing(samples: 8, ground: ground, ink: ink, of: circle(radius))
            let capture = drawing(samples: 16, ground: ground, ink: ink, of: circle(radius))
            let found = counted(reference, capture)
            #expect(found.changed == 0, "\(ground) \(ink)")
            #expect(found.antiAliased > 0)
            func matches(_ antiAliasing: VisibleLimits.AntiAliasing) -> Bool {
                PictureComparer.compare(
                    reference: reference,
                    capture: capture,
                    policy: .visible(VisibleLimits(antiAliasing: antiAliasing))
                ).matches
            }
            #expect(matches(.ignored))
            #expect(!matches(.counted))
        }
    }

    @Test("it is symmetric: which picture is the reference does not matter")
    func symmetric() {
        let pictures = (drawing(samples: 4, of: glyph()), drawing(samples: 9, of: glyph()))
        let (one, other) = (
            counted(pictures.0, pictures.1), counted(pictures.1, pictures.0)
        )
        #expect(one.antiAliased == other.antiAliased)
        #expect(one.changed == other.changed)
    }

    @Test("where a side of an edge has another colour, its edge counts too")
    func sides() {
        let one = drawing(ink: grey(60), of: circle())
        let other = drawing(ink: grey(66), of: circle())
        #expect(counted(one, other).antiAliased == 0)
        #expect(counted(one, other).changed > 600)

        // Too small for the rule of areas and too short for the rule of lines: only the rule of
        // colours applies.
        func stroke(_ rim: UInt8, _ ink: UInt8) -> Bitmap {
            let columns = [rim, ink]
            return Pictures.make(48, 48) { x, y in
                (20..<22).contains(x) && (20..<24).contains(y)
                    ? grey(columns[x - 20]) : Pictures.white
            }
        }
        #expect(counted(stroke(128, 0), stroke(126, 3)).antiAliased == 0)
        #expect(counted(stroke(128, 0), stroke(126, 3)).changed == 8)
    }

    @Test("below what has changed anyway nobody looks for edges, so they count")
    func changedAnyway() {
        let drawings = (drawing(samples: 8, of: circle()), drawing(samples: 16, of: circle()))
        // A 64th of 48 × 48 pixels is 36.
        for (pixels, looks) in [(36, true), (37, false)] {
            let capture = Pictures.painted(drawings.1, Pictures.black) { $0 < pixels && $1 == 0 }
            #expect((counted(drawings.0, capture).antiAliased > 0) == looks, "\(pixels)")
        }
    }

    // MARK: differences not to excuse

    private struct Change: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var pictures: @Sendable () -> (Bitmap, Bitmap)

        init(_ description: String, _ pictures: @escaping @Sendable () -> (Bitmap, Bitmap)) {
            testDescription = description
            self.pictures = pictures
        }
    }

    private static let changes: [Change] = [
        Change("a line one pixel wide vanished") {
            (bands([(0, 255), (20, 128), (21, 255)]), bands([(0, 255)]))
        },
        Change("a hairline between two grounds, of a colour between them, vanished") {
            (bands([(0, 255), (20, 224), (21, 128)]), bands([(0, 255), (21, 128)]))
        },
        Change("a hairline between two grounds has a slightly other colour") {
            (
                bands([(0, 255), (20, 224), (21, 128)]),
                bands([(0, 255), (20, 220), (21, 128)])
            )
        },
        Change("a hairline between two grounds is two steps darker") {
            (
                bands([(0, 255), (20, 224), (21, 128)]),
                bands([(0, 255), (20, 222), (21, 128)])
            )
        },
        Change("an upright hairline between two grounds is two steps darker") {
            (edge([224]), edge([222]))
        },
        Change("one pixel of an edge went a third of the way, its neighbour a little back") {
            (edge([128]), edge([128], [(20, 20, grey(50)), (20, 21, grey(160))]))
        },
        Change("one pixel of an edge has a tint") {
            (edge([128]), edge([128], [(20, 20, [128, 110, 128, 255])]))
        },
        Change("the two greys of an edge changed places") {
            (
                edge([160, 100]),
                edge([160, 100], [(20, 20, grey(100)), (21, 20, grey(160))])
            )
        },
        Change("the grain of a photograph changed") {
            // A linear congruential generator gives enough grain.
            func photograph(_ by: Int) -> Bitmap {
                var state: UInt32 = 7
                return Pictures.make(48, 48) { x, y in
                    state = state &* 1_664_525 &+ 1_013_904_223
                    let changed = x % 12 == 5 && y % 12 == 5
                    return grey(UInt8(40 + Int(state >> 25) + (changed ? by : 0)))
                }
            }
            return (photograph(0), photograph(6))
        },
        Change("a straight edge moved by a tenth of a pixel") {
            (bands([(0, 255), (20, 128), (21, 0)]), bands([(0, 255), (20, 102), (21, 0)]))
        },
        Change("a slanted line one pixel wide vanished") {
            let line = drawing { x, y in abs(x * 0.4 + 10 - y) < 0.5 }
            return (line, Pictures.flat(48, 48, Pictures.white))
        },
        Change("a slanted line one pixel wide is a little lighter") {
            func line(_ level: UInt8) -> Bitmap {
                drawing(ink: [level, level, level, 255]) { x, y in abs(x * 0.4 + 10 - y) < 0.5 }
            }
            return (line(60), line(70))
        },
        Change("a dot of one pixel appeared") {
            let flat = Pictures.flat(48, 48, Pictures.white)
            return (flat, Pictures.painted(flat, [250, 250, 250, 255]) { $0 == 9 && $1 == 9 })
        },
        Change("a dot of one pixel appeared on an edge") {
            let disc = drawing(of: circle())
            // The rightmost column that the disc touches.
            return (disc, Pictures.painted(disc, Pictures.black) { $0 == 39 && $1 == 23 })
        },
        Change("a letter moved right by a pixel") {
            (drawing(of: glyph()), drawing(of: glyph(x: 1)))
        },
        Change("a letter moved down by a pixel") {
            (drawing(of: glyph()), drawing(of: glyph(y: 1)))
        },
        Change("a letter moved by a quarter of a pixel") {
            (drawing(of: glyph()), drawing(of: glyph(x: 0.25)))
        },
        Change("a faint letter moved by a pixel") {
            let faint: [UInt8] = [235, 235, 235, 255]
            return (drawing(ink: faint, of: glyph()), drawing(ink: faint, of: glyph(x: 1)))
        },
        Change("a letter has a slightly other colour") {
            (
                drawing(ink: [51, 51, 51, 255], of: glyph()),
                drawing(ink: [56, 56, 56, 255], of: glyph())
            )
        },
        Change("a disc moved by a tenth of a pixel") {
            (drawing(samples: 16, of: circle()), drawing(samples: 16, of: circle(x: 24.3)))
        },
        Change("a disc grew by a tenth of a pixel") {
            (drawing(samples: 16, of: circle(15)), drawing(samples: 16, of: circle(15.1)))
        },
        Change("a disc grew by a thirtieth of a pixel") {
            (drawing(samples: 16, of: circle(15)), drawing(samples: 16, of: circle(15.033)))
        },
        Change("a thin ring has another colour") {
            (
                drawing(ink: [200, 60, 60, 255], of: circle(thickness: 1)),
                drawing(ink: [200, 70, 60, 255], of: circle(thickness: 1))
            )
        },
        Change("a rim between two grounds, of a colour between them, is a little darker") {
            (rimmed(200), rimmed(190))
        },
        Change("a rim between two grounds vanished") { (rimmed(200), rimmed(90)) },
        Change("a disc has a slightly other colour") {
            (rimmed(200, inside: 90), rimmed(200, inside: 92))
        },
        Change("a hole of two pixels closed") {
            let disc = drawing(of: circle())
            return (
                Pictures.painted(disc, Pictures.white) { (20..<22).contains($0) && $1 == 24 }, disc
            )
        },
        Change("a notch in an edge was filled") {
            let edge = bands([(0, 255), (20, 0)])
            return (Pictures.painted(edge, Pictures.white) { $0 == 9 && $1 == 20 }, edge)
        },
        Change("a gradient became steeper") {
            func gradient(_ slope: Double) -> Bitmap {
                Pictures.make(48, 48) { x, _ in
                    let level = UInt8(40 + Double(x) * slope)
                    return [level, level, level, 255]
                }
            }
            return (gradient(3), gradient(3.2))
        },
    ]

    @Test("what vanished, appeared, moved, grew or was recoloured counts", arguments: changes)
    private func never(change: Change) {
        let pictures = change.pictures()
        #expect(counted(pictures.0, pictures.1).changed > 0)
        #expect(counted(pictures.1, pictures.0).changed > 0)
        let result = PictureComparer.compare(
            reference: pictures.0,
            capture: pictures.1,
            policy: .visible()
        )
        #expect(!result.matches)
    }
}
