// Tests groups of pictures that changed alike, one of them with a defect besides. That one must
// never join the change of the others, because a reviewer would not look at it.
import FarmCore
import FarmImaging
import FarmTesting
import Testing

@Suite("Intruders among pictures that changed alike")
struct IntruderTests {
    private static let groups = 200
    /// The number of parallel tasks.
    private static let parts = 4

    private struct Result {
        var number: Int
        var label: String
        var isHidden: Bool
        /// The number of changes into which the other pictures fall.
        var changes: Int
    }

    @Test(
        "of 200 groups with an intruder each, a glyph, a pixel, an icon or a colour, none hides it"
    )
    func intruders() async throws {
        let random = SeededGenerator.announced("IntruderTests.intruders", usual: 1)
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
        let hidden = results.filter(\.isHidden).map { "\($0.number) \($0.label)" }
        let split = results.filter { $0.changes > 1 }
        print("\(hidden.count) of \(results.count) intruders hidden")
        print("\(split.count) groups split needlessly:")
        for one in split.sorted(by: { $0.label < $1.label }) {
            print("  \(one.number) \(one.label): \(one.changes)")
        }
        #expect(results.count == Self.groups)
        #expect(hidden.isEmpty)
        #expect(split.count < Self.groups / 2)
    }

    private static func result(_ number: Int, seed: UInt64) throws -> Result {
        var random = SeededGenerator(seed: seed)
        let screen = AppScreen(&random)
        let kind = AppIntruder.allCases[number % AppIntruder.allCases.count]
        let devices = AppCell.Device.allCases.shuffled(using: &random)
            .prefix(Int.random(in: 0..<4, using: &random) == 0 ? 3 : 2)
        let cells = devices.flatMap { device in
            [(false, false), (false, true), (true, false), (true, true)].map {
                AppCell(device: device, isDark: $0.0, isJapanese: $0.1)
            }
        }
        let wrong = Int.random(in: cells.indices, using: &random)
        var run = DrawnRun(cells: cells.map(\.summary))
        for (place, cell) in cells.enumerated() {
            let reference = screen.painted(cell, isChanged: false)
            var capture = screen.painted(cell, isChanged: true)
            if place == wrong {
                let clean = capture
                while capture.pixels == clean.pixels {
                    let plant = AppScreen.Plant(
                        kind: kind,
                        random: SeededGenerator(seed: random.next())
                    )
                    capture = screen.painted(cell, isChanged: true, plant: plant)
                }
            }
            try run.add(cell.summary.id, reference, capture)
        }
        let changes = RunChanges.of(run.summary, comparisons: run.comparisons)
        let id = run.summary.snapshots[wrong].id
        let own = changes.first { $0.snapshots.contains(id) }
        return Result(
            number: number,
            label: "\(kind.rawValue) beside \(screen.change)",
            isHidden: own?.snapshots.count != 1,
            changes: changes.count - 1
        )
    }
}
