// The incidents of a run as a whole, with their messages in its summary.

extension Problem {
    /// Returns the problem of a run whose retries are used up; further failures are final.
    package static func retriesUsedUp(_ max: Int, planned: Int) -> Problem {
        Problem(
            code: "retries-used-up",
            message: "\(max) retries, all that a run of \(planned) tests has, are used up: what "
                + "failed after that was not run again.",
            remedy: "So many failures probably have one cause: mend it first, then look at tests."
        )
    }

    /// Returns the problem of a run that `--fail-fast` ended.
    package static func stoppedEarly(_ test: TestKey, _ verdict: Verdict) -> Problem {
        Problem(
            code: "stopped-early",
            message: "the run was stopped by --fail-fast: \(test.test) on \(test.cell) is "
                + "\(verdict.rawValue). What had not run by then has no verdict.",
            remedy: "Mend it, or run without --fail-fast to see everything."
        )
    }

    package static let abandonedCode = "run-abandoned"

    /// Returns the problem of a run that was given up: no worker took or ended any of its tests for
    /// `seconds`.
    package static func abandoned(seconds: Double) -> Problem {
        let time =
            seconds >= 3600
            ? "\(Int((seconds / 3600).rounded())) hours" : "\(Int(seconds.rounded())) seconds"
        return Problem(
            code: abandonedCode,
            message: "no worker took or ended anything of this run for \(time), so it was given "
                + "up. What had not run by then has no verdict.",
            remedy: "Start workers that fit it (`snapfarm why RUN` says what they need) and run "
                + "again; `limits: {silence: …}` of the coordinator says how long a run may wait."
        )
    }

    package static let workerLostCode = "worker-lost"

    /// Returns the problem of a run whose worker was lost while it had tests to run.
    ///
    /// `test` is the one that ran by its last report, or else the first of the `open` ones.
    package static func workerLost(
        _ worker: WorkerID,
        _ test: TestKey,
        open: Int,
        isKnown: Bool
    ) -> Problem {
        let place = "of \(test.job) on \(test.cell)"
        let others = open == 1 ? "" : ", the first of \(open) in hand"
        return Problem(
            code: workerLostCode,
            message: isKnown
                ? "worker \(worker) was lost while \(test.test) \(place) ran."
                : "worker \(worker) was lost while it had \(test.test) \(place) to run\(others).",
            remedy: "Its open tests run again. Where the same test is named again, it ends its "
                + "worker: see whether it kills processes that are not its own."
        )
    }

    /// The codes of faults of the farm itself, which may make sound tests fail.
    package static let farmFaults: Set = [
        workerLostCode, workerUnfitCode, abandonedCode, "worker-suspended", "storage-fails",
        "simulator-lost-tests", "simulator-boot-hung",
    ]

    package static let unplaceableCode = "unplaceable"
    /// The code of the problem with which a worker reports that it cannot work.
    package static let workerUnfitCode = "worker-unfit"
    /// The code of the problem with which a worker reports that it was stopped.
    package static let workerLeftCode = "worker-left"

    /// Returns the problem that a worker reports itself when it is stopped.
    package static func workerLeft(_ worker: WorkerID) -> Problem {
        Problem(
            code: workerLeftCode,
            message: "worker \(worker) was stopped.",
            remedy: "Start it again where it is needed."
        )
    }

    /// Returns one problem for each reason why no live worker fits a cell.
    package static func unplaceable(_ cells: [CellProgress]) -> [Problem] {
        var reasons: [String] = []
        for cell in cells {
            if let reason = cell.unplaceable, !reasons.contains(reason) { reasons.append(reason) }
        }
        return reasons.map { reason in
            let stuck = cells.filter { $0.unplaceable == reason }
            let open = stuck.reduce(0) { $0 + $1.open }
            let first = stuck.first.map { "\($0.job) on \($0.cell)" } ?? ""
            let others = stuck.count > 1 ? " and \(stuck.count - 1) more cells" : ""
            return Problem(
                code: unplaceableCode,
                message: "\(open) tests of \(first)\(others) are unplaceable: \(reason).",
                remedy: "Start a worker that offers it; what a worker cannot find out by itself "
                    + "is said with --offer NAME=VALUE."
            )
        }
    }

    /// Returns the problem of a worker that fits no cell with waiting tests of a run.
    package static func fitsNothing(
        _ worker: WorkerID,
        of run: RunID,
        _ needs: Needs,
        _ misses: [OfferMiss]
    ) -> Problem {
        Problem(
            code: "worker-unfitting",
            message: "worker \(worker) may run no cell of run \(run): the nearest needs "
                + "\(needs.words), and it offers \(misses.map(\.words).joined(separator: " and ")).",
            remedy: "Nothing to do where other workers fit; what this one has and cannot find out "
                + "by itself is said with --offer NAME=VALUE."
        )
    }

    /// Returns the problem of a quarantine entry whose last day has passed.
    package static func quarantineExpired(_ entry: QuarantineEntry) -> Problem {
        Problem(
            code: "quarantine-expired",
            message: "the quarantine of \(entry.name) ended on \(entry.until) "
                + "(\(entry.reason)): its verdicts count again.",
            remedy: "Mend the test and remove the entry, or give it a new date."
        )
    }
    /// Returns the problem of a quarantine entry that ended after enough clean runs.
    package static func quarantineLeft(_ entry: QuarantineEntry) -> Problem {
        let runs = entry.cleanRuns ?? 0
        return Problem(
            code: "quarantine-left",
            message: "\(entry.name) left quarantine after \(runs) clean "
                + "\(runs == 1 ? "run" : "runs") (\(entry.reason)): its verdicts count again.",
            remedy: "Remove its line from `quarantine` in the pipeline file."
        )
    }
}
