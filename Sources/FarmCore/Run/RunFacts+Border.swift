// What is believed of the facts of a run: they come from whoever hands it in, or out of a row.

extension RunFacts {
    /// Whether what a submitter says, and nobody derives, is one short line each.
    package var areShort: Bool {
        [commit, branch, pullRequest, set, page ?? ""].allSatisfy { text in
            text.utf8.count <= FarmLimits.factBytesMax
                && text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
        }
    }

    /// Of a run of which nothing but its id can be read.
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
