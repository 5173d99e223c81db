// What the store's journal tells: its entries, each about one set, and what each did to one picture.
// Plain values; `ReferenceStore` reads them.
import Foundation

/// One entry of the journal.
package struct LogEntry: Sendable, Hashable, Codable {
    /// The journal's commit.
    package var entry: ObjectID
    /// The set it shows; nil for the entry of an empty store.
    package var set: ObjectID?
    /// Whether the store still has the set under its reference.
    package var visible: Bool
    /// Seconds since 1970, UTC.
    package var seconds: Int64
    package var title: String
    /// `Snapfarm-…` by name; of several with one name the last.
    package var trailers: [String: String]

    package init(
        entry: ObjectID,
        set: ObjectID?,
        visible: Bool,
        seconds: Int64,
        title: String,
        trailers: [String: String]
    ) {
        self.entry = entry
        self.set = set
        self.visible = visible
        self.seconds = seconds
        self.title = title
        self.trailers = trailers
    }

    /// Who recorded or approved it; nil where it does not say.
    package var recorder: String? { trailers["Snapfarm-Recorder"] }
    /// Why; nil where it does not say.
    package var reason: String? { trailers["Snapfarm-Reason"] }
    /// The run whose pictures it took; nil where it does not say.
    package var run: String? { trailers["Snapfarm-Run"] }
    /// The set that it changed; nil for the first, and where it does not say.
    package var base: ObjectID? { trailers["Snapfarm-Base"].flatMap { ObjectID($0) } }

    /// `2026-11-21T08:00:00Z`.
    package var time: String {
        ISO8601DateFormatter.string(
            from: Date(timeIntervalSince1970: Double(seconds)),
            timeZone: .gmt,
            formatOptions: .withInternetDateTime
        )
    }

    /// For a terminal.
    package var line: String {
        let name = set.map { String($0.hex.prefix(12)) } ?? "-"
        let who = recorder.map { " (\($0))" } ?? ""
        return
            "\(name) \(time) \(title)\(who)\(visible || set == nil ? "" : " [not in this store]")"
    }
}

/// What one entry did to one picture.
package struct LifeEvent: Sendable, Hashable, Codable {
    package enum Change: String, Sendable, Hashable, Codable {
        case added
        case changed
        case removed
        /// Came from another name with the same bytes.
        case renamed
    }

    package var entry: LogEntry
    package var change: Change
    /// The name it has after the entry (before it, where it was removed).
    package var id: SnapshotID
    /// Its bytes after the entry; nil where it was removed.
    package var objectID: ObjectID?
    /// Where it came from, of a rename.
    package var from: SnapshotID?

    package init(
        entry: LogEntry,
        change: Change,
        id: SnapshotID,
        objectID: ObjectID?,
        from: SnapshotID? = nil
    ) {
        self.entry = entry
        self.change = change
        self.id = id
        self.objectID = objectID
        self.from = from
    }

    /// For a terminal.
    package var line: String {
        let origin = from.map { " from \($0)" } ?? ""
        return "\(change.rawValue)\(origin) · \(entry.line)"
    }
}
