// A run of drawn pictures of one screen, compared like those of a real one.
import FarmCore
import FarmImaging
import FarmTesting

struct DrawnRun {
    private(set) var summary: RunSummary
    private(set) var comparisons: [String: Comparison] = [:]

    init(cells: [CellSummary]) {
        summary = RunSummary(
            run: .plain("r"),
            state: .failed,
            exitCode: 1,
            counts: VerdictCounts(),
            comparisons: ComparisonCounts(),
            cells: cells,
            tests: [],
            snapshots: [],
            artifacts: [],
            problems: []
        )
    }

    /// The summary with its causes.
    var judged: RunSummary {
        var summary = summary
        RunCauses.add(to: &summary, comparisons: comparisons)
        return summary
    }

    /// Adds the picture of a cell.
    mutating func add(_ cell: String, _ reference: Bitmap, _ capture: Bitmap) throws {
        let pair = try ExplainedPair(
            reference: reference,
            capture: capture,
            choice: ComparisonChoice(.visible()),
            findsParts: true
        )
        let picture = SnapshotSummary(
            id: "\(cell)/App/home",
            job: "j",
            cell: cell,
            suite: "App",
            name: "home",
            identifier: "home",
            test: "t",
            verdict: .changed
        )
        summary.snapshots.append(picture)
        let difference = PixelDifference(
            reference: reference.size,
            capture: capture.size,
            differing: pair.explanation.changed,
            counted: pair.explanation.changed,
            largestDelta: 255,
            clusters: []
        )
        comparisons[picture.id] = .different(difference.explained(by: pair.explanation))
    }
}
