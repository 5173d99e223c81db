// The findings of `snapfarm doctor`, one line for each thing that a run needs. Each part of the
// program brings its own checks, such as a driver those of its programs; the code that prints them
// knows none of them.

/// A line of `snapfarm doctor`: the finding about one thing that a run needs.
package struct HealthLine: Hashable, Sendable {
    package enum Level: String, Hashable, Sendable, Codable {
        case ok
        /// Runs are possible, but some of them, or later steps, may not go as expected.
        case warning = "warn"
        case failure = "fail"
    }

    /// The thing that was checked, in one or two words.
    package let subject: String
    package let level: Level
    /// The finding in words.
    package let fact: String
    /// The user's remedy, or empty if none is needed.
    package let remedy: String
    /// The exit code of a run that fails because of the finding.
    package let exit: ExitCode

    private init(
        _ subject: String,
        _ level: Level,
        _ fact: String,
        _ remedy: String,
        _ exit: ExitCode
    ) {
        let mask = SecretMask()
        self.subject = subject
        self.level = level
        self.fact = mask.mask(fact)
        self.remedy = mask.mask(remedy)
        self.exit = exit
    }

    package static func ok(_ subject: String, _ fact: String) -> Self {
        Self(subject, .ok, fact, "", .passed)
    }

    package static func warning(_ subject: String, _ fact: String, remedy: String) -> Self {
        Self(subject, .warning, fact, remedy, .passed)
    }

    package static func failure(
        _ subject: String,
        _ fact: String,
        remedy: String,
        exit: ExitCode = .configuration
    ) -> Self {
        Self(subject, .failure, fact, remedy, exit)
    }

    /// Makes the line of a failed check from the error that a run would print.
    package static func failure(_ subject: String, _ error: any ExplainedError) -> Self {
        Self(subject, .failure, error.message, error.remedy, error.exit)
    }

    /// Makes the line of a failed check from any error; an unexplained error is a fault of
    /// snapfarm.
    package static func failure(_ subject: String, _ error: any Error) -> Self {
        (error as? any ExplainedError).map { failure(subject, $0) }
            ?? failure(
                subject,
                "it could not be looked at: \(error.inWords)",
                remedy: "Report this fault with the command that shows it.",
                exit: .internal
            )
    }
}

extension HealthCheck {
    /// The line that reports that the check exceeded its time limit.
    package var lateLine: HealthLine {
        let fact = "\(place) gave no answer within \(Int(seconds)) s."
        guard late == .failure else {
            return .warning(subject, fact, remedy: "Try again when this machine is less busy.")
        }
        return .failure(
            subject,
            fact,
            remedy: "Check the network, and the log of what should answer; then try again.",
            exit: .busy
        )
    }
}

/// A check of something that may be slow or missing.
package struct HealthCheck: Sendable {
    /// The thing that is checked, in one or two words: the subject of the line about a check that
    /// took too long.
    package let subject: String
    /// The thing that does not answer, in the line about a check that took too long.
    package let place: String
    /// The check's time limit, in seconds.
    package let seconds: Double
    /// The level of the line about a check that took too long.
    package let late: HealthLine.Level
    /// The check itself, which returns the findings; it must end when its task is cancelled.
    package let look: @Sendable () async -> [HealthLine]

    package init(
        _ subject: String,
        at place: String = "it",
        seconds: Double = FarmLimits.healthSeconds,
        late: HealthLine.Level = .warning,
        look: @escaping @Sendable () async -> [HealthLine]
    ) {
        self.subject = subject
        self.place = place
        self.seconds = seconds
        self.late = late
        self.look = look
    }
}
