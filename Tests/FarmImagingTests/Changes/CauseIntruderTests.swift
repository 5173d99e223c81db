// Tests pictures whose accent was recoloured and that changed alike besides, one of them with a
// defect. Causes may never explain that one wholly, because it would be accepted with the others.
import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmImaging

@Suite("Intruders among the pictures of causes")
struct CauseIntruderTests {
    /// The number of groups of pictures; `make soak` tries 320.
    private static let groups =
        ProcessInfo.processInfo.environment["SNAPFARM_SOAK"] == "1" ? 320 : 110
    /// The number of parallel tasks.
    private static let parts = 4

    /// A defect of one picture: one that the screen draws, a row of pixels in a colour of the
    /// picture, or a row that kept the accent.
    private enum Plant {
        case drawn(AppIntruder)
        case row, kept

        static let all = AppIntruder.allCases.map(Plant.drawn) + [.row, .row, .kept]

        var name: String {
            switch self {
            case .drawn(let intruder): intruder.rawValue
            case .row: "row"
            case .kept: "kept row"
            }
        }
    }

    private struct Result {
        var label: String
        var isHidden: Bool
        /// The other pictures, and those of them that causes explain wholly.
        var others: Int
        var explained: Int
    }

    @Test(
        "of pictures with an intruder each, under or beside a recolouring, none is explained"
    )
    func intruders() async throws {
        let random = SeededGenerator.announced("CauseIntruderTests.intruders", usual: 1)
        let results = try await withThrowingTaskGroup(of: [Result].self) { tasks in
            for part in 0..<Self.parts {
                tasks.addTask {
                    try stride(from: part, to: Self.groups, by: Self.parts).map { number in
                        try Self.result(number, seed: random.seed &+ UInt64(number))
                    }
                }
            }
            return try await tasks.reduce(into: [Result]()) { $0 += $1 }
        }
        let hidden = results.filter(\.isHidden).map(\.label)
        let others = results.reduce(0) { $0 + $1.others }
        let explained = results.reduce(0) { $0 + $1.explained }
        print("\(hidden.count) of \(results.count) intruders explained: \(hidden)")
        print("\(explained) of \(others) other pictures explained")
        #expect(results.count == Self.groups)
        #expect(hidden.isEmpty)
        #expect(explained * 2 > others)
    }

    private static func result(_ number: Int, seed: UInt64) throws -> Result {
        var random = SeededGenerator(seed: seed)
        var screen = AppScreen(&random)
        screen.isRecoloured = true
        let plant = Plant.all[number % Plant.all.count]
        // A picture at another scale has its looks alone; so it is explained by likeness.
        let third = number % 4 == 0 ? AppCell.Device.tall : .tablet
        let cells = [AppCell.Device.small, .large, third].flatMap { device in
            [false, true].map { AppCell(device: device, isDark: $0, isJapanese: $0) }
        }
        let wrong = Int.random(in: cells.indices, using: &random)
        var run = DrawnRun(cells: cells.map(\.summary))
        for (place, cell) in cells.enumerated() {
            let reference = screen.painted(cell, isChanged: false)
            var capture = screen.painted(cell, isChanged: true)
            if place == wrong {
                capture = planted(plant, screen, cell, reference, capture, &random)
            }
            try run.add(cell.summary.id, reference, capture)
        }
        let judged = run.judged
        let others = judged.snapshots.enumerated().filter { $0.offset != wrong }.map(\.element)
        return Result(
            label: "\(number) \(plant.name) beside \(screen.change)",
            isHidden: judged.snapshots[wrong].isExplained,
            others: others.count,
            explained: others.count { $0.isExplained }
        )
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
        while capture.pixels == clean.pixels {
            switch plant {
            case .drawn(let kind):
                let plant = AppScreen.Plant(
                    kind: kind,
                    random: SeededGenerator(seed: random.next())
                )
                capture = screen.painted(cell, isChanged: true, plant: plant)
            case .row: capture = withRow(reference, clean, &random)
            case .kept:
                let accent = AppPalette(isDark: cell.isDark).accent
                capture = withRow(reference, clean, keeping: accent, &random)
            }
        }
        return capture
    }

    /// Returns the capture with a short row of another of its colours, where pixels changed or
    /// beside; or with one that kept a colour of the reference.
    static func withRow(
        _ reference: Bitmap,
        _ clean: Bitmap,
        keeping kept: [UInt8]? = nil,
        _ random: inout SeededGenerator
    ) -> Bitmap {
        var pixels = clean.pixels
        let before = reference.pixels
        var changed: [Int] = []
        for at in stride(from: 0, to: pixels.count, by: 4)
        where pixels[at..<at + 3] != before[at..<at + 3] {
            changed.append(at)
        }
        func colour(_ pixels: [UInt8], _ at: Int) -> [UInt8] { Array(pixels[at..<at + 4]) }
        func isFar(_ one: [UInt8], _ other: [UInt8]) -> Bool {
            zip(one, other).contains { abs(Int($0) - Int($1)) > 24 }
        }
        let start = changed.randomElement(using: &random) ?? 0
        let other = changed.randomElement(using: &random) ?? 0
        let drawn = kept ?? colour(Bool.random(using: &random) ? pixels : before, other)
        let up = kept == nil ? Int.random(in: -2...2, using: &random) : 0
        for step in 0..<Int.random(in: 4...24, using: &random) {
            let at = start + up * clean.size.width * 4 + step * 4
            guard at >= 0, at + 4 <= pixels.count else { continue }
            let isPlanted =
                kept == nil
                ? isFar(drawn, colour(pixels, at)) && isFar(drawn, colour(before, at))
                : colour(before, at) == drawn
            guard isPlanted else { continue }
            for i in 0..<4 { pixels[at + i] = drawn[i] }
        }
        return Bitmap(size: clean.size, pixels: pixels)
    }
}
