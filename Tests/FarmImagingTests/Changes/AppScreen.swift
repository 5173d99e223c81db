// A screen of an app on devices of several sizes and scales, light and dark, in two languages, with
// a change of its style and with an intruder in one cell.
import FarmCore
import FarmImaging
import FarmTesting

/// A cell of the matrix.
struct AppCell {
    enum Device: Int, CaseIterable {
        case small, phone, tall, large, tablet

        /// The width and height in points, and the scale.
        var size: (Int, Int, Int) {
            switch self {
            case .small: (160, 264, 2)
            case .phone: (188, 290, 1)
            case .tall: (188, 330, 3)
            case .large: (207, 340, 2)
            case .tablet: (300, 320, 2)
            }
        }
    }
    var device: Device
    var isDark: Bool
    var isJapanese: Bool

    var summary: CellSummary {
        CellSummary(
            id: "\(device)_\(isDark ? "dark" : "light")_\(isJapanese ? "ja" : "en")",
            device: "\(device)",
            os: "",
            variant: [
                "appearance": isDark ? "dark" : "light", "locale": isJapanese ? "ja" : "en",
            ],
            complete: true,
            counts: VerdictCounts()
        )
    }
}

struct AppPalette {
    let ground, surface, ink, muted, other: [UInt8]
    var accent: [UInt8]

    init(isDark: Bool) {
        func colour(_ light: Int, _ dark: Int) -> [UInt8] {
            let value = isDark ? dark : light
            return [UInt8(value >> 16), UInt8(value >> 8 & 255), UInt8(value & 255), 255]
        }
        ground = colour(0xF4F5FA, 0x0E0F1C)
        surface = colour(0xFFFFFF, 0x191B2E)
        ink = colour(0x15172B, 0xF2F3FB)
        muted = colour(0x62667E, 0xA0A4BF)
        accent = colour(0x4150F0, 0x8590FF)
        other = colour(0xC0392B, 0xFF8A75)
    }
}

/// A change on all cells.
enum AppChange: CaseIterable {
    case accent, iconMoved, iconAppears, iconVanishes, iconReplaced, text, textColour, spacing
    case corners, dividers, label
}

/// A defect in one cell only.
enum AppIntruder: String, CaseIterable {
    case glyph, pixel, icon, colour
}

struct AppScreen {
    let seed: UInt64
    var change: AppChange
    /// The row of the list that changes.
    var row: Int
    /// Whether the accent becomes another colour besides.
    var isRecoloured = false
    /// The points by which the change `spacing` moves the rows below its row, and another row below
    /// which they move once more.
    var spacing = 6.0
    var spacedRow: Int?

    private static let rows = 5

    init(_ random: inout SeededGenerator) {
        seed = random.next()
        change = AppChange.allCases.randomElement(using: &random) ?? .accent
        row = Int.random(in: 0..<Self.rows, using: &random)
    }

    /// A defect to draw; the generator decides its place.
    struct Plant {
        let kind: AppIntruder
        var random: SeededGenerator
    }

    func painted(_ cell: AppCell, isChanged: Bool, plant: Plant? = nil) -> Bitmap {
        var painter = Painter(self, cell, isChanged: isChanged, plant: plant)
        painter.draw()
        return painter.canvas.bitmap
    }

    private struct Painter {
        let screen: AppScreen
        let cell: AppCell
        var palette: AppPalette
        var canvas: AppCanvas
        let width: Double
        let height: Double
        let change: AppChange?
        var plant: Plant?
        /// The index of the letter that is drawn wrong, and the number of letters drawn.
        var wrongLetter = -1
        var letters = 0
        /// The index of the shape in a wrong colour, and the number of shapes drawn.
        var wrongShape = -1
        var shapes = 0
        /// The wrong colour, which no palette contains.
        var wrongColour: [UInt8] = []

        init(_ screen: AppScreen, _ cell: AppCell, isChanged: Bool, plant: Plant?) {
            self.screen = screen
            self.cell = cell
            self.plant = plant
            palette = AppPalette(isDark: cell.isDark)
            if isChanged, screen.isRecoloured { palette.accent = [0, 128, 128, 255] }
            let (width, height, scale) = cell.device.size
            canvas = AppCanvas(width: width, height: height, scale: scale, ground: palette.ground)
            self.width = Double(width)
            self.height = Double(height)
            change = isChanged ? screen.change : nil
            guard var random = plant?.random else { return }
            switch plant?.kind {
            case .glyph: wrongLetter = Int.random(in: 0..<40, using: &random)
            case .colour:
                wrongShape = Int.random(in: 0..<12, using: &random)
                wrongColour =
                    [[40, 160, 90, 255], [230, 160, 20, 255], [150, 60, 200, 255]]
                    .randomElement(using: &random) ?? []
            default: break
            }
            self.plant?.random = random
        }

        mutating func draw() {
            let left = max((width - 180) / 2, 12)
            let right = width - left
            text(left, 14, seed: 1, count: 6, size: 2.1, palette.ink)
            var y = 48.0
            for row in 0..<AppScreen.rows {
                let isMeant = row == screen.row
                if change == .spacing, row == screen.row + 1 { y += screen.spacing }
                if change == .spacing, row - 1 == screen.spacedRow { y += screen.spacing }
                let down = change == .iconMoved && isMeant ? 4.0 : 0
                let isThere = self.isThere(isMeant)
                let shape = change == .iconReplaced && isMeant ? row + 50 : row
                if isThere { icon(left, y + down, shape: shape) }
                let words = change == .text && isMeant ? row + 70 : row + 10
                let colour =
                    change == .textColour && isMeant ? palette.other : palette.ink
                text(left + 26.3, y + 4.4, seed: words, count: 5, size: 1.7, colour)
                shapes += 1
                let line = change == .dividers ? palette.accent : palette.muted
                canvas.fill(left, y + 25, right - left, 1, line)
                y += 32
            }
            button(left, right - left)
            drawPlant()
        }

        /// Returns whether the icon is drawn; only the icon of the changed row may be absent.
        private func isThere(_ isMeant: Bool) -> Bool {
            guard isMeant else { return true }
            switch screen.change {
            case .iconAppears: return change != nil
            case .iconVanishes: return change == nil
            default: return true
            }
        }

        private mutating func coloured(_ colour: [UInt8]) -> [UInt8] {
            shapes += 1
            return shapes - 1 == wrongShape ? wrongColour : colour
        }

        private mutating func button(_ left: Double, _ width: Double) {
            let top = height - 44
            let colour = coloured(change == .accent ? palette.other : palette.accent)
            canvas.fill(left, top, width, 30, colour)
            let cuts = change == .corners ? 4 : 1
            for cut in 0..<cuts {
                let (inset, step) = (Double(cuts - cut), Double(cut))
                for x in [left, left + width - inset] {
                    canvas.fill(x, top + step, inset, 1, palette.ground)
                    canvas.fill(x, top + 29 - step, inset, 1, palette.ground)
                }
            }
            let seed = change == .label ? 91 : 90
            let count = 5
            text(
                left + width / 2 - 28,
                top + 9,
                seed: seed,
                count: count,
                size: 1.8,
                palette.surface
            )
        }

        /// Draws a square with holes; `shape` decides their places.
        private mutating func icon(_ x: Double, _ y: Double, shape: Int) {
            var random = SeededGenerator(seed: screen.seed &+ UInt64(shape * 7))
            canvas.fill(x, y, 18, 18, coloured(shape % 2 == 0 ? palette.accent : palette.muted))
            for _ in 0..<3 {
                let at = (
                    Double.random(in: 2...11, using: &random),
                    Double.random(in: 2...11, using: &random)
                )
                canvas.fill(x + at.0, y + at.1, 4.5, 4.5, palette.surface)
            }
        }

        /// Draws letters in a grid; other languages have other letters and widths.
        private mutating func text(
            _ x: Double,
            _ y: Double,
            seed: Int,
            count: Int,
            size: Double,
            _ colour: [UInt8]
        ) {
            let language: UInt64 = cell.isJapanese ? 1_000 : 2_000
            var random = SeededGenerator(seed: screen.seed &+ language &+ UInt64(seed))
            let count = count + Int.random(in: 0...(cell.isJapanese ? 1 : 4), using: &random)
            let columns = cell.isJapanese ? 4 : 3
            let colour = coloured(colour)
            var at = x
            for _ in 0..<count {
                var bits = random.next()
                if letters == wrongLetter { bits = ~bits }
                letters += 1
                for spot in 0..<columns * 5 where spot < 5 || bits >> UInt64(spot) & 1 == 1 {
                    let place = (Double(spot / 5), Double(spot % 5))
                    canvas.fill(at + place.0 * size, y + place.1 * size, size, size, colour)
                }
                at += Double(columns) * size + 1.3
            }
        }

        private mutating func drawPlant() {
            guard var random = plant?.random else { return }
            switch plant?.kind {
            case .pixel:
                let x = Int.random(in: 0..<canvas.size.width, using: &random)
                let y = Int.random(in: 0..<canvas.size.height, using: &random)
                let luma = Int(canvas.colour(x, y)[1])
                canvas.set(x, y, luma > 127 ? [20, 20, 20, 255] : [235, 235, 235, 255])
            case .icon:
                let x = Double.random(in: 0...width - 10, using: &random)
                let y = Double.random(in: 0...height - 10, using: &random)
                canvas.fill(x, y, 8, 8, palette.muted)
                canvas.fill(x + 2, y + 3, 4, 2, palette.surface)
            default: break
            }
        }
    }
}
