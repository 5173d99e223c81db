// The clean runs of a quarantine: a run counts for an entry if it is whole and everything that the
// entry names passed at its first attempt. A bad or flaky verdict begins the count anew. An entry
// that has left does not come back: its count stays.

/// The number of clean runs in a row of a quarantine entry, after a run.
package struct CleanRuns: Hashable, Sendable, Codable {
    /// The entry's ``QuarantineEntry/key``.
    package var key: String
    /// The entry's name, such as `test Map/* on *_13.1_*`.
    package var entry: String
    package var count: Int
    /// The number of clean runs after which the entry leaves.
    package var needed: Int
}

extension Plan {
    /// The quarantine entries that end after some clean runs.
    package var countedEntries: [QuarantineEntry] {
        (rules?.quarantine ?? []).filter { $0.cleanRuns != nil }
    }
}

extension Judging {
    /// Returns the counts after this run, in the order of the entries, or `nil` if there are none
    /// or the run is only a part.
    func cleanRuns() -> [CleanRuns]? {
        let plan = evidence.plan
        guard plan.mode == .verify, !plan.filtered, plan.share == nil else { return nil }
        let rows = quarantine.counted.map { rule -> CleanRuns in
            let needed = rule.entry.cleanRuns ?? 0
            let before = plan.cleanRuns?[rule.entry.key] ?? 0
            return CleanRuns(
                key: rule.entry.key,
                entry: rule.entry.name,
                count: before >= needed ? before : count(verdicts(of: rule), after: before),
                needed: needed
            )
        }
        return rows.isEmpty ? nil : rows
    }

    /// Returns the verdicts of the tests or pictures that an entry names; skipped tests are left
    /// out.
    private func verdicts(of rule: Quarantine.Rule) -> [Verdict?] {
        guard rule.entry.test != nil else {
            return pictures.snapshots.filter { rule.names(picture: $0.key) }.map(\.value.verdict)
        }
        return evidence.tests.filter {
            !$0.skipped && rule.names(test: $0.key.test, on: $0.key.cell)
        }.map { verdict($0) }
    }

    private func count(_ verdicts: [Verdict?], after before: Int) -> Int {
        if verdicts.contains(where: { $0.map(Self.isDirty) ?? false }) { return 0 }
        let isClean = !verdicts.isEmpty && verdicts.allSatisfy { $0 == .passed }
        return isClean ? before + 1 : before
    }

    private static func isDirty(_ verdict: Verdict) -> Bool {
        switch verdict {
        case .failed, .errored, .changed, .flaky, .missing: true
        case .passed, .inherited, .new, .moved, .unreached: false
        }
    }
}
