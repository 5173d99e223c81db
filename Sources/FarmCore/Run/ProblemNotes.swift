// The problems of a run that are notes: they are worth knowing, and do not make it red.

extension Problem {
    /// Whether the problem is only a note: the run's result is the same without it.
    package var isNote: Bool { Self.notes.contains(code) }

    private static let notes: Set = [
        "axis-without-effect", "colour-tags-differ", "draws-otherwise", "empty-shard",
        "inherited",
        "inherited-unchanged", "judged-again", "no-worker-draws-alike",
        "pages-go-on",
        "pictures-not-placed", "pictures-not-read", "quarantine-expired",
        "quarantine-left",
        "references-of-other-pipeline", "renderer-mismatch", "retries-used-up",
        "screens-without-pictures", "storage-fails", "suspicious-picture", "tests-gone",
        "tests-vanished-accepted",
        "texts-not-compared", "unchanged", "worker-lost", "worker-suspended", "worker-unfit",
        "worker-unfitting",
    ]
}

extension RunSummary {
    /// The problems that affect the run's result, then the notes; each in the order of the summary.
    package var problemsByWeight: [Problem] {
        problems.filter { !$0.isNote } + problems.filter(\.isNote)
    }

    /// The pictures that are not as expected.
    ///
    /// New and changed pictures of a record run are expected.
    package var openPictures: [SnapshotSummary] {
        let expected: Set<Verdict> =
            run.mode == .record ? [.passed, .new, .changed] : [.passed, .inherited]
        return snapshots.filter { !expected.contains($0.verdict) }
    }
}
