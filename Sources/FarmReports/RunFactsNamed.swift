// The facts of a run, with the names that all documents use.
import FarmCore

extension RunFacts {
    /// The known facts of the run, in the order in which people ask for them.
    var named: [(name: String, value: String)] {
        [
            ("run", id), ("commit", commit), ("branch", branch), ("pull request", pullRequest),
            ("CI job", page ?? ""), ("references", set), ("mode", mode.rawValue),
            ("part", partName ?? ""), ("started", started), ("started by", startedBy ?? ""),
        ].filter { !$0.1.isEmpty }
    }
}
