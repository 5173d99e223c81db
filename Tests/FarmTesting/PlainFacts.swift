// The facts of a run that nobody asks for its commit, for tests that need only a run.
import FarmCore

extension RunFacts {
    /// Of no commit, branch or pin; what a ledger needs to open a run.
    package static func plain(
        _ id: String,
        key: String? = nil,
        mode: RunMode = .verify,
        planDigest: String? = nil
    ) -> RunFacts {
        RunFacts(
            id: id,
            key: key ?? id,
            pipeline: "p",
            mode: mode,
            filtered: false,
            commit: "",
            branch: "",
            pullRequest: "",
            set: "",
            planDigest: planDigest ?? id,
            started: "",
            finished: ""
        )
    }
}
