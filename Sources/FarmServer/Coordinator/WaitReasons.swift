// The reasons why a run is not done, for people who see nothing move. A pure function.
import FarmCore

/// The state of an open run and of the farm around it.
package struct RunSituation: Hashable, Sendable {
    package var run: RunID
    package var progress: RunProgress
    /// The number of live leases, of all runs of the farm.
    package var leases: Int
    /// The number of workers with live leases.
    package var holders: Int
    /// The number of workers that called within the time of one lease, and can work.
    package var liveWorkers: Int
    /// The number of workers that called before, and do not call now.
    package var silentWorkers: Int
    /// The open runs of the same team with a higher priority, which are served before this run.
    package var ahead: [RunID]
    /// The part of the workers that the run's team has, or `nil` if the run is not in the list of runs.
    package var share: TeamShare?

    package init(
        run: RunID,
        progress: RunProgress,
        leases: Int,
        holders: Int,
        liveWorkers: Int,
        silentWorkers: Int,
        ahead: [RunID],
        share: TeamShare?
    ) {
        self.run = run
        self.progress = progress
        self.leases = leases
        self.holders = holders
        self.liveWorkers = liveWorkers
        self.silentWorkers = silentWorkers
        self.ahead = ahead
        self.share = share
    }
}

package enum WaitReasons {
    /// The most lost workers that the reasons name; the newest ones are named.
    private static let lossesMax = 3
    /// The most problems of workers, launchers and the coordinator's storage that the reasons list.
    private static let notesMax = 8

    /// Returns the reasons why a run is not done, the most important first.
    ///
    /// If nothing is wrong, a reason says so.
    package static func of(_ situation: RunSituation) -> [WaitReason] {
        let progress = situation.progress
        guard progress.state == .running else {
            let reasons = progress.state == .unjudgeable ? progress.notes : []
            return [.ended(situation.run, progress.state)]
                + reasons.map { .problem($0) }
        }
        if let problem = progress.notes.first(where: { $0.code == Problem.notJudgedCode }) {
            return [.problem(problem)]
        }
        let workers = situation.liveWorkers
        // The list of cells below names unplaceable ones with their reason.
        let notes = progress.notes.filter { $0.code != Problem.unplaceableCode }
        let losses = notes.filter { $0.code == Problem.workerLostCode }
        let others = notes.filter { $0.code != Problem.workerLostCode }
        let said = others.prefix(Self.notesMax) + losses.suffix(Self.lossesMax)
        var reasons: [WaitReason] = said.map { .problem($0) }
        reasons.append(.open(progress.planned - progress.done, of: progress.planned))
        if workers == 0 {
            // The note of a launcher or of an unfit worker already names the remedy.
            if !notes.contains(where: { $0.isOfLauncher || $0.code == Problem.workerUnfitCode }) {
                reasons.append(.noWorker(silent: situation.silentWorkers))
            }
        } else if progress.isUnplaceable {
            reasons.append(.nonePlaceable(workers: workers))
        } else if situation.leases == 0 {
            reasons.append(.noLease(workers: workers))
        } else {
            reasons.append(.leases(situation.leases, workers: situation.holders))
        }
        if let first = situation.ahead.first {
            reasons.append(.ahead(first, others: situation.ahead.count - 1))
        }
        // A caller may see no run of another team, and its leases all the same.
        if let share = situation.share, workers > 0,
            share.beside + share.otherTeams > 0 || share.leases < situation.leases
        {
            reasons.append(.team(share))
        }
        return reasons + progress.cells.filter { $0.done < $0.planned }.map { .cell($0) }
    }
}
