// The checks of a run's facts, which come from a submitter or from a row of the ledger.

extension RunFacts {
    /// Whether each fact that the submitter states about its run is one short line.
    package var areShort: Bool {
        let parts = (inputs ?? [:]).keys
        return parts.count <= FarmLimits.shardsMax
            && ([commit, branch, pullRequest, set, page ?? ""] + parts).allSatisfy { text in
                text.utf8.count <= FarmLimits.factBytesMax
                    && text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
            }
    }

    /// Returns the facts of a run whose stored facts cannot be read: only its id, and empty texts.
    package static func unknown(_ id: RunID) -> RunFacts {
        RunFacts(
            id: id.text,
            key: "",
            pipeline: "",
            mode: .verify,
            filtered: false,
            commit: "",
            branch: "",
            pullRequest: "",
            set: "",
            planDigest: "",
            started: "",
            finished: ""
        )
    }
}
