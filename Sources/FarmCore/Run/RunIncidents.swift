// What can happen to a run as a whole, in the words people read in its summary.

extension Problem {
    /// The retries of a run are used up; failures are final from here on.
    package static func retriesUsedUp(_ max: Int, planned: Int) -> Problem {
        Problem(
            code: "retries-used-up",
            message: "\(max) retries, all that a run of \(planned) tests has, are used up: what "
                + "failed after that was not run again.",
            remedy: "So many failures have one cause; mend it before you look at single tests."
        )
    }

    /// `--fail-fast` ended a run.
    package static func stoppedEarly(_ test: TestKey, _ verdict: Verdict) -> Problem {
        Problem(
            code: "stopped-early",
            message: "the run was stopped by --fail-fast: \(test.test) on \(test.cell) is "
                + "\(verdict.rawValue). What had not run by then has no verdict.",
            remedy: "Mend it, or run without --fail-fast to see everything."
        )
    }

    /// An entry of the quarantine whose day has passed.
    package static func quarantineExpired(_ entry: QuarantineEntry) -> Problem {
        Problem(
            code: "quarantine-expired",
            message: "the quarantine of \(entry.name) ended on \(entry.until) "
                + "(\(entry.reason)): its verdicts count again.",
            remedy: "Mend the test and remove the entry, or give it a new date."
        )
    }
}
