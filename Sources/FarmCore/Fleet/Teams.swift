// The teams that share a coordinator's workers. A run belongs to the team of its pipeline; a
// coordinator without `teams:` has a team for each pipeline.

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

    package init(name: String, pipelines: [String] = [], weight: Int = 1) {
        self.name = name
        self.pipelines = pipelines
        self.weight = weight
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
