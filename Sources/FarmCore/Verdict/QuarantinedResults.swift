// The quarantined results of a run: listed with reason and date, so that they are never silently
// green.

extension Quarantine {
    /// Returns the entry that excuses a picture, by the picture's own name or by its test's, or
    /// `nil` if none does.
    func entry(of picture: SnapshotSummary) -> QuarantineEntry? {
        if isEmpty { return nil }
        if let id = try? SnapshotID(
            cell: CellID(picture.cell),
            suite: picture.suite,
            name: picture.name
        ), let entry = entry(ofPicture: id) {
            return entry
        }
        return picture.test.isEmpty
            ? nil : entry(ofTest: TestID(picture.test), cell: CellID(picture.cell))
    }

    /// Returns the bad results that a quarantine excuses: test cases in plan order, then pictures
    /// whose test is good or unknown; `nil` if there are none.
    func list(
        tests: some Sequence<(key: TestKey, verdict: Verdict?)>,
        excused: [TestKey: QuarantineEntry],
        pictures: [SnapshotID: SnapshotSummary]
    ) -> [QuarantinedSummary]? {
        if isEmpty { return nil }
        var list = tests.compactMap { test in
            excused[test.key].map {
                QuarantinedSummary(test.key, verdict: test.verdict ?? .errored, entry: $0)
            }
        }
        for (id, picture) in pictures.sorted(by: { $0.key < $1.key })
        where !picture.verdict.isAsExpected {
            let key = TestKey(
                job: JobName(picture.job),
                cell: CellID(picture.cell),
                test: TestID(picture.test)
            )
            guard excused[key] == nil, let entry = entry(of: picture) else { continue }
            list.append(QuarantinedSummary(id, picture, entry: entry))
        }
        return list.isEmpty ? nil : list
    }
}

/// A bad verdict that a quarantine excuses.
package struct QuarantinedSummary: Hashable, Sendable, Codable {
    package var job: String
    package var cell: String
    /// The name of the test case, or empty for a picture of an unknown test.
    package var test: String
    /// The picture's id, or empty for a whole test case.
    package var snapshot: String
    package var verdict: Verdict
    /// The last day on which the quarantine excuses the verdict, `yyyy-mm-dd`.
    package var until: String
    package var reason: String

    package init(_ key: TestKey, verdict: Verdict, entry: QuarantineEntry) {
        job = key.job.text
        cell = key.cell.text
        test = key.test.text
        snapshot = ""
        self.verdict = verdict
        until = entry.until
        reason = entry.reason
    }

    package init(_ id: SnapshotID, _ picture: SnapshotSummary, entry: QuarantineEntry) {
        job = picture.job
        cell = picture.cell
        test = picture.test
        snapshot = id.text
        verdict = picture.verdict
        until = entry.until
        reason = entry.reason
    }

    /// The words beside the quarantined verdict: `quarantined until 2026-12-31: flickers since
    /// #512`.
    package var words: String { "quarantined until \(until): \(reason)" }
}
