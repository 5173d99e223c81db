// Why the coordinator refuses what it was asked.
import FarmCore

/// What the coordinator itself refuses.
package enum CoordinatorError: ExplainedError, Hashable {
    case noStore
    case noBlob(ReportedBlob)
    case noCell(RunID, CellID)

    package var code: String {
        switch self {
        case .noStore: "no-reference-store"
        case .noBlob: "blob-not-stored"
        case .noCell: "unknown-cell"
        }
    }
    package var message: String {
        switch self {
        case .noCell(let run, let cell):
            "run \(run) has no cell \(PlanMistakes.shown(cell.text))."
        case .noStore: "this coordinator has no reference store."
        case .noBlob(let blob):
            "the report names \(blob.name), \(blob.digest), which is not stored here."
        }
    }
    package var remedy: String {
        switch self {
        case .noCell: "Ask for a cell of the run's plan."
        case .noStore: "Add `references:` to the pipeline file."
        case .noBlob: "Nothing was kept of the report; its tests run again. Store blobs first."
        }
    }
    package var exit: FarmExit {
        switch self {
        case .noStore: .configuration
        case .noBlob, .noCell: .usage
        }
    }
}
