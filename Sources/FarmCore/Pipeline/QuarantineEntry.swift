// The quarantine: known bad tests and pictures, each with a reason and a last day. They run and are
// shown, but do not make a run red. After the last day they do, so that they are not forgotten.

/// An entry of a pipeline's `quarantine`: a known bad test or picture.
package struct QuarantineEntry: Hashable, Sendable, Codable {
    /// The pattern of the quarantined test case ids, or `nil` if the entry names pictures.
    package var test: String?
    /// The pattern of the quarantined snapshot ids, or `nil` if the entry names whole tests.
    package var snapshot: String?
    /// The pattern of cell ids that limits the entry to some cells, or `nil` for all cells.
    package var cell: String?
    /// The last day on which the entry applies, `yyyy-mm-dd` in UTC.
    package var until: String
    package var reason: String

    package init(
        test: String? = nil,
        snapshot: String? = nil,
        cell: String? = nil,
        until: String,
        reason: String
    ) {
        self.test = test
        self.snapshot = snapshot
        self.cell = cell
        self.until = until
        self.reason = reason
    }

    /// The text beside a verdict that the entry excuses.
    package var words: String { "quarantined until \(until): \(reason)" }

    /// The name of the entry in messages.
    var name: String {
        let about = test.map { "test \($0)" } ?? "snapshot \(snapshot ?? "")"
        return about + (cell.map { " on \($0)" } ?? "")
    }
}

/// The quarantine entries that apply on the day of a run's start.
package struct Quarantine: Sendable {
    private struct Rule {
        var entry: QuarantineEntry
        var test: Glob?
        var snapshot: Glob?
        var cell: Glob?
    }
    private let rules: [Rule]
    /// The quarantine entries whose last day has passed.
    package let expired: [QuarantineEntry]

    /// Makes the quarantine of a run that started at `startedAt`, in milliseconds since 1970.
    package init(_ entries: [QuarantineEntry], startedAt: Int64) {
        let today = PruneDay(secondsSince1970: Double(startedAt) / 1000).text
        expired = entries.filter { $0.until < today }
        rules = entries.filter { $0.until >= today }.map { entry in
            Rule(
                entry: entry,
                test: entry.test.map { Glob($0, mode: .text) },
                snapshot: entry.snapshot.map { Glob($0, mode: .text) },
                cell: entry.cell.map { Glob($0, mode: .text) }
            )
        }
    }

    package var isEmpty: Bool { rules.isEmpty }

    package func entry(ofTest test: TestID, cell: CellID) -> QuarantineEntry? {
        entry(\.test, test.text, cell)
    }

    package func entry(ofPicture id: SnapshotID) -> QuarantineEntry? {
        entry(\.snapshot, id.text, id.cell)
    }

    private func entry(
        _ pattern: (Rule) -> Glob?,
        _ name: String,
        _ cell: CellID
    ) -> QuarantineEntry? {
        let letters = Array(name)
        return rules.first { rule in
            pattern(rule)?.matchesName(letters) == true && rule.cell?.matches(cell.text) != false
        }?.entry
    }

    /// Returns the entry that excuses a test case's verdict, or `nil` if the verdict counts.
    ///
    /// Quarantined pictures excuse a test only if it has no other fault.
    package func excuse(
        _ key: TestKey,
        report: TestReport?,
        job: Job,
        mode: RunMode
    ) -> QuarantineEntry? {
        if isEmpty { return nil }
        if let entry = entry(ofTest: key.test, cell: key.cell) { return entry }
        guard var rest = report else { return nil }
        var found: QuarantineEntry?
        func isFree(_ id: SnapshotID) -> Bool {
            guard let entry = entry(ofPicture: id) else { return true }
            found = found ?? entry
            return false
        }
        let differences = rest.pictures.differences.count
        rest.pictures.captures.removeAll { !isFree($0.capture.id) }
        rest.pictures.differences.removeAll { !isFree($0.id) }
        // If all differing pictures are excused, a framework's failure about pictures is excused,
        // too.
        let isOfPictures =
            switch rest.ending {
            case .changed, .new: true
            case .passed, .failed, .skipped, .errored: false
            }
        if isOfPictures, differences > 0, rest.pictures.differences.isEmpty {
            rest.ending = .passed
        }
        let verdict = AttemptRules.verdict(of: rest, job: job, mode: mode)
        return found.flatMap { job.isRed(verdict) ? nil : $0 }
    }
}
