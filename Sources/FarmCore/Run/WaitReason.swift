// The reasons why a run is not done, as facts: a terminal shows them in English, a page in its
// reader's language.

/// A reason why a run has not ended yet.
package enum WaitReason: Hashable, Sendable {
    case ended(RunID, RunState)
    case problem(Problem)
    case open(Int, of: Int)
    /// No worker calls the coordinator; `silent` workers have called before.
    case noWorker(silent: Int)
    case nonePlaceable(workers: Int)
    case noLease(workers: Int)
    case leases(Int, workers: Int)
    /// A run of a higher priority, and `others` more, are served first.
    case ahead(RunID, others: Int)
    case beside(Int)
    case cell(CellProgress)

    /// The reason as an English sentence.
    package var text: String {
        switch self {
        case .ended(let run, let state): "Run \(run) has ended: \(state.rawValue)."
        case .problem(let problem): problem.description
        case .open(let open, let planned):
            "\(open) of \(planned) test cases have no verdict yet."
        case .noWorker(let silent):
            "No worker calls\(silent > 0 ? " (\(silent) called before, and are silent)" : ""). "
                + "Start one: snapfarm worker --coordinator URL."
        case .nonePlaceable(1): "1 worker calls, and may not run what is open."
        case .nonePlaceable(let workers):
            "\(workers) workers call, and none of them may run what is open."
        case .noLease(1): "1 worker calls, and has no lease: look into its log."
        case .noLease(let workers):
            "\(workers) workers call, and none has a lease: look into their logs."
        case .leases(let leases, let workers):
            "\(leases) \(leases == 1 ? "lease is" : "leases are") held by "
                + "\(workers) \(workers == 1 ? "worker" : "workers")."
        case .ahead(let run, let others):
            "Run \(run)\(others > 0 ? " and \(others) more" : ""), of a higher priority, goes first."
        case .beside(let runs):
            "It shares the workers with \(runs) other open \(runs == 1 ? "run" : "runs")."
        case .cell(let cell):
            "\(cell.job) on \(cell.cell): \(cell.open) of \(cell.planned) open"
                + (cell.unplaceable.map { ": unplaceable: \($0)" } ?? "") + "."
        }
    }
}
