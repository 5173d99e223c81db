// The state of the farm for its operator.
import FarmAPI
import FarmCore
import FarmLedger
import Synchronization

/// The facts of an overview that only the process around the coordinator knows.
package struct OverviewFacts: Sendable {
    package var upkeep: UpkeepFacts?
    package var leadership = LeadershipFacts(leads: true)
    /// Tokens and certificates, with their ends.
    package var ending: [EndingThing] = []

    package init() {}
}

extension Coordinator {
    /// Returns the state of the farm now, with what needs a person first.
    package func overview(_ facts: OverviewFacts) async throws -> FarmOverview {
        let now = clock()
        let counts = try await ledger.counts(now: now)
        let lastBackup = facts.upkeep?.lastSuccess[.backup].map { Int64($0) * 1000 }
        var farm = FarmOverview(
            time: ISO8601.text(now),
            teams: lines(of: try await ledger.loads()),
            queue: counts.waitingCells.map {
                FarmOverview.QueueLine(pipeline: $0.pipeline, cell: $0.cell, waiting: $0.count)
            },
            oldestWaitingSeconds: Int(counts.waitingMilliseconds / 1000),
            workers: try await workerLines(now: now),
            launchers: launches.launchers.map { Self.line($0) },
            coordinator: FarmOverview.CoordinatorLine()
        )
        farm.coordinator.leads = facts.leadership.leads
        farm.coordinator.behindChanges = facts.leadership.behind
        farm.coordinator.diskBytes = facts.upkeep?.diskBytes
        farm.coordinator.diskFreeBytes = facts.upkeep?.diskFreeBytes
        farm.coordinator.ledgerBytes = facts.upkeep?.ledgerBytes
        farm.coordinator.lastBackup = lastBackup.map { ISO8601.text($0) }
        farm.coordinator.unjudgedRuns = unjudgedCount
        farm.needs = FarmNeeds.of(
            farm,
            storage: faults.current,
            ending: facts.ending,
            lastBackup: lastBackup,
            now: now
        )
        return farm
    }

    private func lines(of loads: [PipelineLoad]) -> [FarmOverview.TeamLine] {
        let teams = hooks.teams()
        var lines = Dictionary(teams.named.map { ($0.name, FarmOverview.TeamLine($0)) }) { $1 }
        for load in loads {
            let team = teams.team(of: load.pipeline)
            var line = lines[team.name] ?? FarmOverview.TeamLine(team)
            line.openRuns += load.openRuns
            line.waiting += load.waiting
            line.leases += load.leases
            lines[team.name] = line
        }
        for (team, bytes) in keptBytes.withLock({ $0 }) { lines[team]?.keptBytes = bytes }
        return lines.values.sorted { $0.team < $1.team }
    }

    private func workerLines(now: Int64) async throws -> [FarmOverview.WorkerLine] {
        let leases = Dictionary(try await ledger.liveLeases().map { ($0.worker, $0) }) { $1 }
        let silent = Int64(FarmLimits.leaseSeconds * 1000)
        return try await ledger.workers(limit: FarmLimits.listMax).map { worker in
            FarmOverview.WorkerLine(
                worker: worker.id,
                state: Self.liveness(of: worker, isSilent: now - worker.seen > silent),
                seen: ISO8601.text(worker.seen),
                seenSeconds: Int((now - worker.seen) / 1000),
                lease: leases[worker.id].map { lease in
                    FarmOverview.LeaseLine(
                        run: lease.run,
                        pipeline: lease.pipeline,
                        job: lease.job,
                        cell: lease.cell,
                        test: lease.test,
                        seconds: Int((now - lease.granted) / 1000),
                        quietSeconds: Int((now - lease.heard) / 1000)
                    )
                },
                problem: worker.unfit
            )
        }
    }

    private static func line(_ launcher: LauncherCounts) -> FarmOverview.LauncherLine {
        let failures: [LaunchOutcome] = [.startFailed, .endedUncalled, .neverCalled]
        return FarmOverview.LauncherLine(
            launcher: launcher.name,
            coming: launcher.coming,
            live: launcher.live,
            failed: failures.reduce(0) { $0 + (launcher.outcomes[$1] ?? 0) }
        )
    }
}
