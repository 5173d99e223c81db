// Why a run is not done: what people ask when nothing seems to move. Pure.
import FarmCore

/// What is known of an open run and the farm around it.
package struct RunSituation: Hashable, Sendable {
    package var run: RunID
    package var progress: RunProgress
    /// Leases that live workers hold, of all runs.
    package var leases: Int
    /// Workers that called within one lease.
    package var liveWorkers: Int
    /// Workers that called before, and do not now.
    package var silentWorkers: Int
    /// Open runs of a higher priority: they are served first.
    package var ahead: [RunID]
    /// Open runs of the same priority: they share the workers.
    package var beside: Int

    package init(
        run: RunID,
        progress: RunProgress,
        leases: Int,
        liveWorkers: Int,
        silentWorkers: Int,
        ahead: [RunID],
        beside: Int
    ) {
        self.run = run
        self.progress = progress
        self.leases = leases
        self.liveWorkers = liveWorkers
        self.silentWorkers = silentWorkers
        self.ahead = ahead
        self.beside = beside
    }
}

package enum WaitReasons {
    /// Sentences, the most important first; one that says that nothing is wrong where nothing is.
    package static func of(_ situation: RunSituation) -> [String] {
        let progress = situation.progress
        guard progress.state == .running else {
            let reasons = progress.state == .unjudgeable ? progress.notes.map(\.description) : []
            return ["Run \(situation.run) has ended: \(progress.state.rawValue)."] + reasons
        }
        if let problem = progress.notes.first(where: { $0.code == Problem.notJudgedCode }) {
            return [problem.description]
        }
        let open = progress.planned - progress.done
        var reasons = ["\(open) of \(progress.planned) test cases have no verdict yet."]
        if situation.liveWorkers == 0 {
            let silent =
                situation.silentWorkers > 0
                ? " (\(situation.silentWorkers) called before, and are silent)" : ""
            reasons.append(
                "No worker calls\(silent). Start one: snapfarm worker --coordinator URL."
            )
        } else if progress.isUnplaceable {
            reasons.append(
                "\(situation.liveWorkers) workers call, and none of them may run what is open."
            )
        } else if situation.leases == 0 {
            reasons.append(
                "\(situation.liveWorkers) workers call, and none has a lease: look into their logs."
            )
        } else {
            reasons.append(
                "\(situation.leases) leases are held by \(situation.liveWorkers) workers."
            )
        }
        if let first = situation.ahead.first {
            let others = situation.ahead.count > 1 ? " and \(situation.ahead.count - 1) more" : ""
            reasons.append("Run \(first)\(others), of a higher priority, goes first.")
        }
        if situation.beside > 0 {
            reasons.append("It shares the workers with \(situation.beside) other open runs.")
        }
        for cell in progress.cells where cell.done < cell.planned {
            let reason = cell.unplaceable.map { ": unplaceable: \($0)" } ?? ""
            reasons.append(
                "\(cell.job) on \(cell.cell): \(cell.open) of \(cell.planned) open\(reason)."
            )
        }
        return reasons
    }
}
