// Why the coordinator refuses a call, each with what to do.
import FarmCore

/// A call that the coordinator itself refuses.
package enum CoordinatorError: ExplainedError, Hashable {
    case noStore
    case noBlob(ReportedBlob)
    case noCell(RunID, CellID)
    case noPicture(RunID, String)
    /// No reference set of the run's store has the pictures that the caller calls published.
    case notPublished(RunID)
    /// The run has not ended, and the call needs an ended one.
    case open(RunID)
    /// Too many calls wait for the reference store already, because it does not answer.
    case storeBusy
    /// The judgement that a caller waits for does not end.
    case judgementHangs

    package var code: String {
        switch self {
        case .noStore: "no-reference-store"
        case .noBlob: "blob-not-stored"
        case .noCell: "unknown-cell"
        case .noPicture: "unknown-picture"
        case .notPublished: "not-published"
        case .open: "run-open"
        case .storeBusy: "store-busy"
        case .judgementHangs: "judgement-hangs"
        }
    }
    package var message: String {
        switch self {
        case .noCell(let run, let cell):
            "run \(run) has no cell \(PlanMistakes.shown(cell.text))."
        case .noPicture(let run, let id):
            "run \(run) has no picture \(PlanMistakes.shown(id))."
        case .notPublished(let run):
            "no set that this coordinator can read has these pictures of run \(run)."
        case .open(let run): "run \(run) has not ended."
        case .noStore: "this coordinator has no reference store."
        case .noBlob(let blob):
            "the report names \(blob.name), \(blob.digest), which is not stored here."
        case .storeBusy:
            "\(FarmLimits.storeCallsWaitingMax) calls wait for this run's reference store."
        case .judgementHangs: "its judgement did not end in time."
        }
    }
    package var remedy: String {
        switch self {
        case .noCell: "Ask for a cell of the run's plan."
        case .noPicture: "Ask for a picture that the run made or missed."
        case .notPublished:
            "Publish them on the run's page, or with `snapfarm approve` into the store that the "
                + "coordinator has under `stores:`."
        case .open(let run): "Ask `snapfarm why \(run)` what it waits for."
        case .noStore: "Add `references:` to the pipeline file."
        case .noBlob: "Nothing was kept of the report; its tests run again. Store blobs first."
        case .storeBusy, .judgementHangs:
            "See whether the disk or the host of the reference store answers."
        }
    }
    package var exit: ExitCode {
        switch self {
        case .noStore: .configuration
        case .noBlob, .noCell, .noPicture, .notPublished: .usage
        case .storeBusy, .open: .busy
        case .judgementHangs: .configuration
        }
    }
}
