// Tests pictures whose rows moved alike, one of them with a defect in the rows that moved, beside
// them, in the space above them, or in their distance. No cause may explain that one wholly.
import FarmCore
import FarmTesting
import Testing

@testable import FarmImaging

@Suite("Intruders among pictures that moved")
struct MoveIntruderTests {
    private static let groups = 90

    private enum Plant: CaseIterable {
        case glyph, pixel, icon, colour
        /// A row of pixels in a colour of the picture, and one of the old content at its old place.
        case row, leftBehind
        /// A row of pixels in the space above the rows that moved.
        case inTheGap
        /// Rows that moved by the same distance once more, by a shorter one, and at another place.
        case twice, nearer, elsewhere

        var drawn: AppIntruder? {
            switch self {
            case .glyph: .glyph
            case .pixel: .pixel
            case .icon: .icon
            case .colour: .colour
            case .row, .leftBehind, .inTheGap, .twice, .nearer, .elsewhere: nil
            }
        }
    }

    @Test(
        "of 90 pictures that moved with an intruder each, in what moved, beside and above, none is explained"
    )
    func intruders() throws {
        let random = SeededGenerator.announced("MoveIntruderTests.intruders", usual: 1)
        var (hidden, others, explained): ([String], Int, Int) = ([], 0, 0)
        for number in 0..<Self.groups {
            let plant = Plant.allCases[number % Plant.allCases.count]
            let (judged, wrong) = try Self.judged(plant, seed: random.seed &+ UInt64(number))
            for (place, picture) in judged.snapshots.enumerated() {
                if place == wrong {
                    if picture.isExplained { hidden.append("\(number) \(plant)") }
                } else {
                    others += 1
                    explained += picture.isExplained ? 1 : 0
                }
            }
        }
        print("\(hidden.count) of \(Self.groups) intruders explained: \(hidden)")
        print("\(explained) of \(others) other pictures explained")
        #expect(hidden.isEmpty)
        #expect(explained * 10 > others * 9)
    }

    /// Returns a run of four pictures with their causes, and the place of that with the plant.
    private static func judged(_ plant: Plant, seed: UInt64) throws -> (RunSummary, Int) {
        var random = SeededGenerator(seed: seed)
        var screen = AppScreen(&random)
        screen.change = .spacing
        screen.row = Int.random(in: 0...2, using: &random)
        let device = [AppCell.Device.small, .phone, .large].randomElement(using: &random) ?? .small
        let cells = [false, true].flatMap { isDark in
            [false, true].map { AppCell(device: device, isDark: isDark, isJapanese: $0) }
        }
        let wrong = Int.random(in: cells.indices, using: &random)
        var run = DrawnRun(cells: cells.map(\.summary))
        for (place, cell) in cells.enumerated() {
            let reference = screen.painted(cell, isChanged: false)
            let clean = screen.painted(cell, isChanged: true)
            let capture =
                place == wrong ? planted(plant, screen, cell, reference, clean, &random) : clean
            try run.add(cell.summary.id, reference, capture)
        }
        return (run.judged, wrong)
    }

    /// Returns the capture with a plant that differs from the clean one.
    private static func planted(
        _ plant: Plant,
        _ screen: AppScreen,
        _ cell: AppCell,
        _ reference: Bitmap,
        _ clean: Bitmap,
        _ random: inout SeededGenerator
    ) -> Bitmap {
        var capture = clean
        var other = screen
        while capture.pixels == clean.pixels {
            switch plant {
            case .glyph, .pixel, .icon, .colour:
                let drawn = plant.drawn.map {
                    AppScreen.Plant(kind: $0, random: SeededGenerator(seed: random.next()))
                }
                capture = screen.painted(cell, isChanged: true, plant: drawn)
            case .row: capture = CauseIntruderTests.withRow(reference, clean, &random)
            case .leftBehind: capture = withRowLeftBehind(reference, clean, &random)
            case .inTheGap: capture = withRowInTheGap(screen, cell, clean, &random)
            case .twice:
                other.spacedRow = Int.random(in: screen.row + 1...3, using: &random)
                capture = other.painted(cell, isChanged: true)
            case .nearer:
                other.spacing = Double(Int.random(in: 3...5, using: &random))
                capture = other.painted(cell, isChanged: true)
            case .elsewhere:
                other.row = Int.random(in: 0...2, using: &random)
                capture = other.painted(cell, isChanged: true)
            }
        }
        return capture
    }

    private static func withRowLeftBehind(
        _ reference: Bitmap,
        _ clean: Bitmap,
        _ random: inout SeededGenerator
    ) -> Bitmap {
        let (before, after) = (reference.pixels, clean.pixels)
        let changed = stride(from: 0, to: after.count, by: 4).filter {
            before[$0..<$0 + 3] != after[$0..<$0 + 3]
        }
        var pixels = after
        let start = changed.randomElement(using: &random) ?? 0
        let end = min(start + 4 * Int.random(in: 4...24, using: &random), pixels.count)
        pixels[start..<end] = before[start..<end]
        return Bitmap(size: clean.size, pixels: pixels)
    }

    private static func withRowInTheGap(
        _ screen: AppScreen,
        _ cell: AppCell,
        _ clean: Bitmap,
        _ random: inout SeededGenerator
    ) -> Bitmap {
        let top = (48 + 32 * (screen.row + 1)) * cell.device.size.2
        let y = top + Int.random(in: 0..<6 * cell.device.size.2, using: &random)
        let x = Int.random(in: 0..<clean.width - 24, using: &random)
        let ink = AppPalette(isDark: cell.isDark).ink
        var pixels = clean.pixels
        for step in 0..<Int.random(in: 1...24, using: &random) {
            let at = (y * clean.width + x + step) * 4
            pixels.replaceSubrange(at..<at + 4, with: ink)
        }
        return Bitmap(size: clean.size, pixels: pixels)
    }
}
