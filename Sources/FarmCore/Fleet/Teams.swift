// The teams that share a coordinator's workers. A run belongs to the team of its pipeline; a
// coordinator without `teams:` has a team for each pipeline.

/// The limits of a team's use of the farm; `nil` is no limit.
package struct TeamQuota: Hashable, Sendable, Codable {
    /// The most open runs of the team.
    package var runs: Int?
    /// The most test cases of the team that wait for a worker; a single larger run is admitted if
    /// nothing of the team waits.
    package var tests: Int?
    /// The days for which an ended run and its artifacts stay.
    package var days: Int?
    /// The most bytes that the artifacts of the team's runs take; its oldest ended runs leave.
    package var bytes: Int?

    package init(runs: Int? = nil, tests: Int? = nil, days: Int? = nil, bytes: Int? = nil) {
        self.runs = runs
        self.tests = tests
        self.days = days
        self.bytes = bytes
    }

    /// Returns why a team with `openRuns` and `waiting` test cases may not have one more run of
    /// `planned` test cases now, or `nil` if it may.
    package func refusal(
        of team: String,
        openRuns: Int,
        waiting: Int,
        planned: Int
    ) -> QuotaRefusal? {
        if let runs, openRuns >= runs { return .runs(team: team, open: openRuns, most: runs) }
        if let tests, waiting > 0, waiting + planned > tests {
            return .tests(team: team, waiting: waiting, planned: planned, most: tests)
        }
        return nil
    }
}

/// The reason why a run cannot be handed in now; later it can.
package enum QuotaRefusal: ExplainedError, Hashable {
    case runs(team: String, open: Int, most: Int)
    case tests(team: String, waiting: Int, planned: Int, most: Int)

    package static let code = "team-quota"
    package var code: String { Self.code }
    package var message: String {
        switch self {
        case .runs(let team, let open, let most):
            "the team \(team) has \(open) of at most \(most) open runs."
        case .tests(let team, let waiting, let planned, let most):
            "\(waiting) test cases of the team \(team) wait, and this run has \(planned) more; at "
                + "most \(most) may wait."
        }
    }
    package var remedy: String {
        "Wait until a run has ended, or end one: snapfarm cancel RUN."
    }
    package var exit: ExitCode { .busy }
}

/// A team, as the coordinator's configuration names it.
package struct Team: Hashable, Sendable {
    /// The range of weights.
    package static let weights = 1...100

    package var name: String
    /// The patterns of the names of the team's pipelines (`Glob.Mode.text`).
    package var pipelines: [String]
    /// The team's part of the workers: a team of weight 2 gets twice the workers of one of weight 1,
    /// if both have enough work.
    package var weight: Int
    /// The team's limits, or `nil` if it has none.
    package var quota: TeamQuota?

    package init(
        name: String,
        pipelines: [String] = [],
        weight: Int = 1,
        quota: TeamQuota? = nil
    ) {
        self.name = name
        self.pipelines = pipelines
        self.weight = weight
        self.quota = quota
    }
}

/// The teams of a coordinator's configuration, in the order of the file.
package struct Teams: Hashable, Sendable {
    package let named: [Team]
    private let patterns: [[Glob]]

    package init(_ named: [Team] = []) {
        self.named = named
        patterns = named.map { team in team.pipelines.map { Glob($0, mode: .text) } }
    }

    /// Returns the team of a pipeline: the first of the file with a pattern that matches, else the
    /// one that has the pipeline's name, else a team of the pipeline alone.
    package func team(of pipeline: String) -> Team {
        let place = patterns.firstIndex { team in team.contains { $0.matches(pipeline) } }
        if let place { return named[place] }
        return named.first { $0.name == pipeline } ?? Team(name: pipeline)
    }
}
