// `--select` of a review: the keys of a run's selection, and four keys for pictures.

import FarmCore

/// The selection of the pictures that a review is about.
struct ReviewSelection: Hashable, Sendable {
    /// The keys of a review's selection that a run's selection does not have.
    static let ownKeys = ["suite", "snapshot", "verdict", "cause"]

    private let run: Selection
    private let own: [String: [Glob]]
    /// The words of `--select`, as the command line has them.
    let words: [String]

    /// Parses the words of `--select`; `axes` are the pipeline's axes.
    init(words: [String], axes: [String]) throws(Selection.Mistake) {
        var run = try Selection(words: words, axes: axes + Self.ownKeys)
        var own: [String: [Glob]] = [:]
        for key in Self.ownKeys {
            guard let patterns = run.patterns.removeValue(forKey: key) else { continue }
            own[key] = patterns.map { Glob($0, mode: .text) }
        }
        self.run = run
        self.own = own
        self.words = words
    }

    var isEmpty: Bool { words.isEmpty }

    /// Whether only pictures of some causes are selected.
    var namesCauses: Bool { own["cause"] != nil }

    /// Returns the ids of the pictures that the selected causes explain wholly.
    ///
    /// A cause is named by its id or its words.
    func explained(by summary: RunSummary?) -> Set<String> {
        let causes = summary?.genuineCauses ?? []
        let chosen = causes.filter { matches("cause", $0.id) || matches("cause", $0.words) }
        return Set(summary?.pictures(explainedBy: Set(chosen.map(\.id))) ?? [])
    }

    /// Whether the selection includes a picture on a cell, apart from its cause.
    func takes(_ picture: ReviewPicture, on cell: Cell) -> Bool {
        guard run.takes(picture.job), run.takes(cell) else { return false }
        if run.patterns["test"] != nil {
            guard let test = picture.test, run.takes(test, of: picture.job) else { return false }
        }
        return matches("suite", picture.id.suite) && matches("snapshot", picture.id.text)
            && matches("verdict", picture.verdict.rawValue)
    }

    private func matches(_ key: String, _ text: String) -> Bool {
        guard let patterns = own[key] else { return true }
        return patterns.contains { $0.matches(text) }
    }
}
