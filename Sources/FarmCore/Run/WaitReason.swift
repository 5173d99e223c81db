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
    /// A run of the same team with a higher priority, and `others` more, are served first.
    case ahead(RunID, others: Int)
    /// The run takes turns within its team, which shares the workers with other teams.
    case team(TeamShare)
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
            "Run \(run)\(others > 0 ? " and \(others) more" : "") of its team "
                + "\(others > 0 ? "go" : "goes") first, by priority."
        case .team(let share): share.text
        case .cell(let cell):
            "\(cell.job) on \(cell.cell): \(cell.open) of \(cell.planned) open"
                + (cell.unplaceable.map { ": unplaceable: \($0)" } ?? "") + "."
        }
    }
}

/// The part of the workers that a run's team has.
package struct TeamShare: Hashable, Sendable {
    package var team: String
    /// The number of other open runs of the team with the run's priority, which take turns with it.
    package var beside: Int
    /// The number of the team's live leases; each is held by one worker.
    package var leases: Int
    /// The number of workers that call, and can work.
    package var workers: Int
    /// The number of other teams with open runs.
    package var otherTeams: Int

    package init(team: String, beside: Int, leases: Int, workers: Int, otherTeams: Int) {
        self.team = team
        self.beside = beside
        self.leases = leases
        self.workers = workers
        self.otherTeams = otherTeams
    }

    /// The share as an English sentence or two.
    package var text: String {
        let has = "has \(leases) of \(workers) workers now."
        let own =
            beside == 0
            ? "Team \(team) \(has)"
            : "It takes turns with \(beside) other open \(beside == 1 ? "run" : "runs") of team "
                + "\(team), which \(has)"
        return switch otherTeams {
        case 0: own
        case 1: own + " 1 other team shares the workers."
        default: own + " \(otherTeams) other teams share the workers."
        }
    }
}
