// The pipelines that a token reaches. A pipeline that it does not reach is to the token's caller as
// if it did not exist.

/// The pipelines that a token reaches: all, or those whose names match one of its patterns.
package struct PipelineReach: Hashable, Sendable {
    /// The patterns of names (`pay-*`), or `nil` for every pipeline.
    package let patterns: [String]?
    private let globs: [Glob]

    /// The reach of a token without patterns.
    package static let everything = PipelineReach(patterns: nil)

    /// Makes the reach of a token with these patterns; `*` among them reaches every pipeline.
    package init(patterns: [String]?) {
        let all = patterns?.contains("*") ?? true
        self.patterns = all ? nil : patterns
        globs = all ? [] : (patterns ?? []).map { Glob($0, mode: .text) }
    }

    package var isEverything: Bool { patterns == nil }

    /// Returns whether the token reaches the pipeline with a name.
    package func reaches(_ pipeline: String) -> Bool {
        isEverything || globs.contains { $0.matches(pipeline) }
    }

    /// The patterns for people: `pay-*, web`; `*` for every pipeline.
    package var words: String { patterns?.joined(separator: ", ") ?? "*" }
}
