// The rules that find what needs a person in a farm's state, and name the step that helps.

package enum FarmNeeds {
    /// Returns what needs a person, the most important first.
    ///
    /// `storage` are the present failures of disk, bucket and database; `ending` are the names of
    /// tokens and certificates, with their ends. `lastBackup` is the time of the last backup, or
    /// `nil` if there was none. All times are in milliseconds since 1970.
    package static func of(
        _ farm: FarmOverview,
        storage: [Problem],
        ending: [EndingThing],
        lastBackup: Int64?,
        now: Int64
    ) -> [Problem] {
        storage + coordinator(farm.coordinator) + work(farm) + workers(farm) + launchers(farm)
            + quotas(farm) + ending.compactMap { $0.problem(at: now) }
            + backup(lastBackup, now: now)
    }

    // MARK: the coordinator

    private static func coordinator(_ line: FarmOverview.CoordinatorLine) -> [Problem] {
        var needs: [Problem] = []
        if let all = line.diskBytes, let free = line.diskFreeBytes, all > 0,
            free < all / FarmLimits.diskFreeParts
        {
            needs.append(
                Problem(
                    code: "disk-nearly-full",
                    message: "\(free / 1_000_000) MB of \(all / 1_000_000) MB are free on the disk "
                        + "of the data folder.",
                    remedy: "Make room on that disk; to keep less, set `days:` or `bytes:` of a "
                        + "team, then snapfarm reload, or `retention:`, then restart the "
                        + "coordinator."
                )
            )
        }
        if line.unjudgedRuns > 0 {
            needs.append(
                Problem(
                    code: "runs-not-judged",
                    message:
                        "\(line.unjudgedRuns) runs have all their reports and cannot be judged.",
                    remedy: "Ask for the reason: snapfarm why RUN."
                )
            )
        }
        if line.behindChanges > FarmLimits.behindChangesMax {
            needs.append(
                Problem(
                    code: "copy-behind",
                    message: "this coordinator's copy of the ledger lacks \(line.behindChanges) "
                        + "changes.",
                    remedy: "Look into its log; the database may be slow or away."
                )
            )
        }
        return needs
    }

    private static func backup(_ last: Int64?, now: Int64) -> [Problem] {
        let remedy = "Make one: snapfarm backup --to BACKUPS --config FILE, best from a timer."
        guard let last else {
            return [
                Problem(
                    code: "backup-missing",
                    message: "there is no backup of the data folder.",
                    remedy: remedy
                )
            ]
        }
        let days = (now - last) / 86_400_000
        guard days >= FarmLimits.backupDaysMax else { return [] }
        return [
            Problem(
                code: "backup-old",
                message: "the last backup is \(days) days old.",
                remedy: remedy
            )
        ]
    }

    // MARK: work and workers

    private static func work(_ farm: FarmOverview) -> [Problem] {
        let waiting = farm.teams.reduce(0) { $0 + $1.waiting }
        let isWorking = farm.workers.contains { $0.state == .live }
        guard waiting > 0, !isWorking else { return [] }
        return [
            Problem(
                code: "no-worker",
                message: "\(waiting) test cases wait, and no worker calls.",
                remedy: "Start one: snapfarm worker --coordinator URL."
            )
        ]
    }

    private static func workers(_ farm: FarmOverview) -> [Problem] {
        farm.workers.compactMap { line -> Problem? in
            if line.state == .silent, line.seenSeconds < FarmLimits.silentWorkerSeconds {
                let work = line.lease.map { " with tests of run \($0.run)" } ?? ""
                return Problem(
                    code: "worker-silent",
                    message: "worker \(line.worker) is silent since \(line.seen)\(work).",
                    remedy: "Its tests go to other workers; look at its machine."
                )
            }
            if let lease = line.lease, lease.isLate {
                let test = lease.test.map { "\($0) of " } ?? ""
                return Problem(
                    code: "lease-late",
                    message: "worker \(line.worker) has reported nothing for "
                        + "\(lease.quietSeconds / 60) minutes: \(test)\(lease.job) on \(lease.cell), "
                        + "run \(lease.run).",
                    remedy: "It ends at the job's time limit; end the run: snapfarm cancel "
                        + "\(lease.run)."
                )
            }
            guard line.state == .unfit, let problem = line.problem else { return nil }
            return Problem(
                code: problem.code,
                message: "worker \(line.worker) gets no work: \(problem.message)",
                remedy: problem.remedy
            )
        }
    }

    private static func quotas(_ farm: FarmOverview) -> [Problem] {
        farm.teams.compactMap { line in
            guard let runs = line.quota?.runs, line.openRuns >= runs else { return nil }
            return Problem(
                code: "team-at-quota",
                message:
                    "the team \(line.team) has \(line.openRuns) of at most \(runs) open runs; its "
                    + "next ones wait.",
                remedy: "If it may have more, set its `runs:`, then: snapfarm reload."
            )
        }
    }

    private static func launchers(_ farm: FarmOverview) -> [Problem] {
        farm.launchers.filter { $0.failed > 0 && $0.live + $0.coming == 0 }.map { line in
            Problem(
                code: "launcher-fails",
                message:
                    "the launcher \(line.launcher) could not start \(line.failed) workers, and "
                    + "has none.",
                remedy: "Its command's last lines are in the coordinator's log."
            )
        }
    }
}

/// A token or certificate, and its end.
package struct EndingThing: Hashable, Sendable {
    /// The thing in words, such as `the token ci`.
    package var name: String
    /// The end in milliseconds since 1970.
    package var end: Int64
    package var remedy: String

    package init(name: String, end: Int64, remedy: String) {
        self.name = name
        self.end = end
        self.remedy = remedy
    }

    /// Returns the coordinator's certificate, which ends at `end`.
    package static func certificate(_ end: Int64) -> EndingThing {
        EndingThing(
            name: "the certificate",
            end: end,
            remedy: "Replace its file, then: snapfarm reload."
        )
    }

    /// Returns a token, or `nil` for one without end or one that a link made.
    package static func token(_ record: TokenRecord) -> EndingThing? {
        guard let end = record.expires, !record.name.hasPrefix("invited-") else { return nil }
        let words =
            record.scopes.map { "--scope \($0.rawValue)" }
            + (record.pipelines ?? []).map { "--pipeline '\($0)'" }
        return EndingThing(
            name: "the token \(record.name)",
            end: end,
            remedy:
                "Make another: snapfarm tokens create NAME \(words.joined(separator: " ")); then "
                + "snapfarm tokens revoke \(record.name)."
        )
    }

    /// Returns the problem of a thing that has ended or ends within
    /// `FarmLimits.certificateWarningDays`, or `nil` for any other.
    func problem(at now: Int64) -> Problem? {
        let days = (end - now) / 86_400_000
        guard days < FarmLimits.certificateWarningDays else { return nil }
        let when = CertificateLife.text(end)
        let words = end <= now ? "has expired at \(when)" : "expires at \(when)"
        return Problem(code: "expires", message: "\(name) \(words).", remedy: remedy)
    }
}
