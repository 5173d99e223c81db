import FarmCore
import Testing

@testable import FarmWorker

@Suite("The start of a launch")
struct StartupTimeFitTests {
    /// Launches of 10, 40 and 20 tests: their start, the extra seconds for each test, and the start
    /// found after each launch.
    private static let lines: [(start: Double, each: Double, found: [Double])] = [
        (3.6, 0, [3.6, 3.6, 3.6]),
        (0.5, 0.1, [1.5, 0.5, 0.5]),
        // Parallel tests take less time than they report.
        (2, -0.5, [0, 2, 2]),
    ]

    @Test(
        "what a launch takes beside its tests is its start and something for each test",
        arguments: lines
    )
    func line(start: Double, each: Double, found: [Double]) {
        var fit = StartupTimeFit()
        let cell = CellKey(job: JobName("unit"), cell: Cell.host.id)
        for (count, expected) in zip([10, 40, 20], found) {
            let said = fit.start(of: cell, tests: count, seconds: start + each * Double(count))
            #expect(abs(said - expected) < 1e-9)
        }
        let other = CellKey(job: JobName("web"), cell: Cell.host.id)
        #expect(fit.start(of: other, tests: 10, seconds: 7) == 7)
    }
}
