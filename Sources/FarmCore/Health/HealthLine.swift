// What `snapfarm doctor` finds before a run does, one line for each thing that was looked at. Whoever
// knows a thing brings its checks (a driver those of its programs); who shows them knows none of it.

/// What was found about one thing that a run needs.
package struct HealthLine: Hashable, Sendable {
    package enum Level: String, Hashable, Sendable, Codable {
        case ok
        /// Runs go on; some of them, or what comes after them, will not be as expected.
        case warning = "warn"
        case failure = "fail"
    }

    /// What was looked at, in one or two words.
    package let subject: String
    package let level: Level
    /// What was found.
    package let fact: String
    /// What to do; empty where there is nothing to do.
    package let remedy: String
    /// How a run would end because of it.
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

    /// What a run would say of it.
    package static func failure(_ subject: String, _ error: any ExplainedError) -> Self {
        Self(subject, .failure, error.message, error.remedy, error.exit)
    }

    /// The same of any error; those without explanation are faults of snapfarm.
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
    /// What is said when its time is over.
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

/// A look at something that may be slow, or not there.
package struct HealthCheck: Sendable {
    /// The subject of the line that says it took too long.
    package let subject: String
    /// Who is asked, as that line begins.
    package let place: String
    /// How long it may take.
    package let seconds: Double
    /// What it means when the time is over.
    package let late: HealthLine.Level
    /// Ends when its task is cancelled.
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
