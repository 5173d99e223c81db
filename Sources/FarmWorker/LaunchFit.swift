// The start of a launch whose program says of no test that it has started: what the launch took beside
// its tests is its start and something for each test (a module, a process, a report). A line through
// the launches of a worker tells the two apart.
import FarmCore

/// The launches of one worker on one cell, and the line through them.
struct LaunchFit: Sendable {
    /// Tests, and the seconds that the launch took beyond what these say of themselves; less than none
    /// where they ran side by side.
    private var launches: [(count: Double, seconds: Double)] = []
    private var cell: CellKey?

    /// Launches that are kept, the newest.
    private static let launchesMax = 16
    /// So many times the tests of the smallest launch the largest must have: the line through launches
    /// of nearly one size says nothing of none.
    private static let spreadMin = 2.0

    init() {}

    /// Notes a launch; returns the seconds that a launch of its cell takes to start.
    ///
    /// Before there are launches of different sizes, these are the least that one took.
    mutating func start(of cell: CellKey, tests: Int, seconds: Double) -> Double {
        if self.cell != cell {
            self.cell = cell
            launches = []
        }
        launches = (launches + [(Double(tests), seconds)]).suffix(Self.launchesMax)
        let least = max(0, launches.map(\.seconds).min() ?? 0)
        let counts = launches.map(\.count)
        guard let smallest = counts.min(), let largest = counts.max(), smallest > 0,
            largest >= Self.spreadMin * smallest
        else { return least }
        let meanCount = counts.reduce(0, +) / Double(counts.count)
        let meanSeconds = launches.reduce(0) { $0 + $1.seconds } / Double(launches.count)
        let spread = launches.reduce(0) { $0 + ($1.count - meanCount) * ($1.count - meanCount) }
        let slope =
            launches.reduce(0) { $0 + ($1.count - meanCount) * ($1.seconds - meanSeconds) } / spread
        return max(0, meanSeconds - slope * meanCount)
    }
}
