import FarmCore
import Testing

@testable import FarmServer

@Suite("A coordinator's own pauses")
struct StallDetectorTests {
    @Test(
        "a look that comes ten seconds late is after a pause, but not twice in a row",
        arguments: [
            ([0, 1_000, 2_000], [false, false, false]), ([0, 9_999], [false, false]),
            ([0, 10_000, 11_000, 60_000], [false, true, false, true]),
            // If every look is late, only the first late one counts as a pause.
            ([0, 40_000, 80_000, 120_000, 121_000], [false, true, false, false, false]),
            ([0, 40_000, 80_000, 81_000, 121_000], [false, true, false, false, true]),
            // The very first look, and clocks that are set back.
            ([1_000_000], [false]), ([50_000, 0, 1_000, 11_000], [false, false, false, true]),
        ] as [([Int64], [Bool])]
    )
    func pauses(looks: [Int64], expected: [Bool]) {
        var pauses = StallDetector()
        #expect(looks.map { pauses.isPause(before: $0) } == expected)
    }
}
