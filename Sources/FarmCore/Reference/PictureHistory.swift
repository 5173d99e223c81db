// The entries of the store's journal, each about one set, and their changes to one picture. Plain
// values; `ReferenceStore` reads them.
import Foundation

/// An entry of the store's journal.
package struct LogEntry: Sendable, Hashable, Codable {
    /// The id of the entry's commit in the journal.
    package var entry: ObjectID
    /// The reference set that the entry is about, or `nil` for an empty store.
    package var set: ObjectID?
    /// Whether the store still has a Git reference to the set.
    package var visible: Bool
    /// The time of the entry, in seconds since 1970, UTC.
    package var seconds: Int64
    package var title: String
    /// The commit's trailers `Snapfarm-…` by name; of several with one name, the last.
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

    /// The person or program that recorded or approved the set, or `nil` if the entry does not name
    /// it.
    package var recorder: String? { trailers["Snapfarm-Recorder"] }
    /// The reason that the entry gives for its set, or `nil` if it gives none.
    package var reason: String? { trailers["Snapfarm-Reason"] }
    /// The id of the run whose pictures were recorded, or `nil` if the entry names none.
    package var run: String? { trailers["Snapfarm-Run"] }
    /// The set that the entry changed, or `nil` if the entry names none, as the first one does.
    package var base: ObjectID? { trailers["Snapfarm-Base"].flatMap { ObjectID($0) } }

    /// The project's commit that the run tested, or `nil` if the entry names none.
    package var mainCommit: String? { trailers["Snapfarm-Main-Commit"] }

    /// The recorder of record runs, which take what they find without asking a person.
    package static let recordRun = "snapfarm run --mode record"

    /// Whether a person approved pictures of a run with the set.
    ///
    /// An import and an edited reference have no run, and a record run has no person.
    package var isApproval: Bool { run != nil && recorder != Self.recordRun }

    /// The pull request at the end of the title, such as `#123` or `!45`, or `nil` if there is none.
    package var pullRequest: String? {
        guard let last = title.components(separatedBy: " — ").dropFirst().last,
            last.wholeMatch(of: /[#!][0-9]+/) != nil
        else { return nil }
        return last
    }

    /// The time of the entry as `2026-11-21T08:00:00Z`.
    package var time: String { Self.time(seconds: seconds) }

    /// Returns a time in seconds since 1970 as `2026-11-21T08:00:00Z`.
    static func time(seconds: Int64) -> String {
        ISO8601DateFormatter.string(
            from: Date(timeIntervalSince1970: Double(seconds)),
            timeZone: .gmt,
            formatOptions: .withInternetDateTime
        )
    }

    /// The entry as one line for a terminal.
    package var line: String {
        let name = set.map { String($0.hex.prefix(12)) } ?? "-"
        let who = recorder.map { " (\($0))" } ?? ""
        return
            "\(name) \(time) \(title)\(who)\(visible || set == nil ? "" : " [not in this store]")"
    }
}

/// A change of one picture by one entry of the journal.
package struct LifeEvent: Sendable, Hashable, Codable {
    package enum Change: String, Sendable, Hashable, Codable {
        case added
        case changed
        case removed
        /// The picture got another name; its bytes stayed.
        case renamed
    }

    package var entry: LogEntry
    package var change: Change
    /// The picture's name after the entry; of a removed picture, the name before.
    package var id: SnapshotID
    /// The picture's Git id after the entry, or `nil` if it was removed.
    package var objectID: ObjectID?
    /// The former name of a renamed picture, or `nil` for other changes.
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

    /// The change as one line for a terminal.
    package var line: String {
        let origin = from.map { " from \($0)" } ?? ""
        return "\(change.rawValue)\(origin) · \(entry.line)"
    }
}
