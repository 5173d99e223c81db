// Minimal facts of a run, for tests that need only a run.
import FarmCore

extension RunFacts {
    /// Returns facts without a commit, branch or pin: enough for a ledger to open a run.
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
