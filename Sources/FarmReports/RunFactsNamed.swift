// What run a document is about, by the words that all documents use.
import FarmCore

extension RunFacts {
    /// What is known of the run, in the order people ask for it.
    var named: [(name: String, value: String)] {
        [
            ("run", id), ("commit", commit), ("branch", branch), ("pull request", pullRequest),
            ("CI job", page ?? ""), ("references", set), ("mode", mode.rawValue),
            ("part", partName ?? ""), ("started", started), ("started by", startedBy ?? ""),
        ].filter { !$0.1.isEmpty }
    }
}
