// The start time of launches whose programs do not report when a test starts. Beside its tests a
// launch takes its start and some time for each test (a module, a process, a report). A line
// through a worker's launches tells the two apart.
import FarmCore

/// The launches of one worker on one cell, and the line through them that gives their start time.
struct StartupTimeFit: Sendable {
    /// The number of tests of each launch, and its seconds beyond the sum of its tests' durations;
    /// negative if tests ran side by side.
    private var launches: [(count: Double, seconds: Double)] = []
    private var cell: CellKey?

    /// The most launches that are kept; the oldest are dropped.
    private static let launchesMax = 16
    /// The least ratio of the largest to the smallest number of tests: launches of nearly one size
    /// determine no line.
    private static let spreadMin = 2.0

    init() {}

    /// Notes a launch, and returns the seconds that a launch of its cell takes before the first
    /// test.
    ///
    /// Without launches of different sizes, it returns the fewest seconds of any launch.
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
