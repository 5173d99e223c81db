// The quarantine: known bad tests and pictures, each with a reason and a last day. They run and are
// shown, but do not make a run red. After the last day they do, so that they are not forgotten, and
// after as many clean runs in a row as the entry names. A run's plan holds the clean runs before it.
import Foundation

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
    /// The number of clean runs in a row after which the entry ends before its last day, or `nil`
    /// if only the day ends it.
    package var cleanRuns: Int?

    package init(
        test: String? = nil,
        snapshot: String? = nil,
        cell: String? = nil,
        until: String,
        reason: String,
        cleanRuns: Int? = nil
    ) {
        self.test = test
        self.snapshot = snapshot
        self.cell = cell
        self.until = until
        self.reason = reason
        self.cleanRuns = cleanRuns
    }

    /// The identity of the entry: its runs are counted anew when any part of it is changed.
    package var key: String {
        let parts = [test, snapshot, cell, until, reason, cleanRuns.map(String.init)]
        let text = parts.map { $0 ?? "" }.joined(separator: "\0")
        return String(Digest(of: Data(text.utf8)).hex.prefix(16))
    }

    /// The text beside a verdict that the entry excuses.
    package var words: String { "quarantined until \(until): \(reason)" }

    /// The name of the entry in messages.
    package var name: String {
        let about = test.map { "test \($0)" } ?? "snapshot \(snapshot ?? "")"
        return about + (cell.map { " on \($0)" } ?? "")
    }
}

/// The quarantine entries that apply to a run.
package struct Quarantine: Sendable {
    struct Rule {
        let entry: QuarantineEntry
        fileprivate let test: Glob?
        fileprivate let snapshot: Glob?
        private let cell: Glob?

        fileprivate init(_ entry: QuarantineEntry) {
            self.entry = entry
            test = entry.test.map { Glob($0, mode: .text) }
            snapshot = entry.snapshot.map { Glob($0, mode: .text) }
            cell = entry.cell.map { Glob($0, mode: .text) }
        }

        fileprivate func matches(
            _ pattern: KeyPath<Rule, Glob?>,
            _ name: [Character],
            _ cell: CellID
        ) -> Bool {
            self[keyPath: pattern]?.matchesName(name) == true
                && self.cell?.matches(cell.text) != false
        }

        func names(test: TestID, on cell: CellID) -> Bool {
            matches(\.test, Array(test.text), cell)
        }

        func names(picture id: SnapshotID) -> Bool {
            matches(\.snapshot, Array(id.text), id.cell)
        }
    }
    private let rules: [Rule]
    /// The quarantine entries whose last day has passed.
    package let expired: [QuarantineEntry]
    /// The quarantine entries that ended before their last day, after enough clean runs.
    package let left: [QuarantineEntry]
    /// The entries that end after some clean runs and whose last day has not passed.
    let counted: [Rule]

    /// Makes the quarantine of a run that started at `startedAt`, in milliseconds since 1970.
    ///
    /// `cleanRuns` has the clean runs in a row before this one, by the entries' keys.
    package init(_ entries: [QuarantineEntry], cleanRuns: [String: Int] = [:], startedAt: Int64) {
        let today = PruneDay(secondsSince1970: Double(startedAt) / 1000).text
        func hasLeft(_ entry: QuarantineEntry) -> Bool {
            guard let needed = entry.cleanRuns else { return false }
            return cleanRuns[entry.key, default: 0] >= needed
        }
        expired = entries.filter { $0.until < today }
        let dated = entries.filter { $0.until >= today }
        left = dated.filter(hasLeft)
        counted = dated.filter { $0.cleanRuns != nil }.map { Rule($0) }
        rules = dated.filter { !hasLeft($0) }.map { Rule($0) }
    }

    /// Makes the quarantine of a plan whose run started at `startedAt`.
    package init(of plan: Plan, startedAt: Int64) {
        self.init(
            plan.rules?.quarantine ?? [],
            cleanRuns: plan.cleanRuns ?? [:],
            startedAt: startedAt
        )
    }

    package var isEmpty: Bool { rules.isEmpty }

    package func entry(ofTest test: TestID, cell: CellID) -> QuarantineEntry? {
        entry(\.test, test.text, cell)
    }

    package func entry(ofPicture id: SnapshotID) -> QuarantineEntry? {
        entry(\.snapshot, id.text, id.cell)
    }

    private func entry(
        _ pattern: KeyPath<Rule, Glob?>,
        _ name: String,
        _ cell: CellID
    ) -> QuarantineEntry? {
        let letters = Array(name)
        return rules.first { $0.matches(pattern, letters, cell) }?.entry
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
