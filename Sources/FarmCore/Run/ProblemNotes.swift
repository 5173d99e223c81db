// Which problems of a run are worth knowing and make nothing red by themselves.

extension Problem {
    /// Whether it only informs: the run's result is the same without it.
    package var isNote: Bool { Self.notes.contains(code) }

    private static let notes: Set = [
        "axis-without-effect", "colour-tags-differ", "empty-shard", "pages-go-on",
        "pictures-not-placed", "pictures-not-read", "quarantine-expired",
        "references-of-other-pipeline", "renderer-mismatch", "retries-used-up",
        "screens-without-pictures", "storage-fails", "suspicious-picture", "tests-gone",
        "tests-vanished-accepted",
        "texts-not-compared", "worker-lost", "worker-suspended", "worker-unfit", "worker-unfitting",
    ]
}

extension RunSummary {
    /// Problems that make the run what it is, then notes; each as they were found.
    package var problemsByWeight: [Problem] {
        problems.filter { !$0.isNote } + problems.filter(\.isNote)
    }

    /// Pictures that are not as they should be; a record run is meant to make new and changed ones.
    package var openPictures: [SnapshotSummary] {
        let expected: Set<Verdict> = run.mode == .record ? [.passed, .new, .changed] : [.passed]
        return snapshots.filter { !expected.contains($0.verdict) }
    }
}
