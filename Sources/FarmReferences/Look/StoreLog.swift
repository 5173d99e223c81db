// The history of a store, read from its journal: which sets there were, when, by whom, and what
// one picture went through. The journal's own trees are read, so that the history of a set that
// was pruned stays, as far as the journal kept it.
import FarmCore
import FarmGit
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

    /// For a terminal.
    package var line: String {
        let date = ISO8601DateFormatter.string(
            from: Date(timeIntervalSince1970: Double(seconds)),
            timeZone: .gmt,
            formatOptions: .withInternetDateTime
        )
        let name = set.map { String($0.hex.prefix(12)) } ?? "-"
        let who = trailers["Snapfarm-Recorder"].map { " (\($0))" } ?? ""
        return
            "\(name) \(date) \(title)\(who)\(visible || set == nil ? "" : " [not in this store]")"
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

    /// For a terminal.
    package var line: String {
        let origin = from.map { " from \($0)" } ?? ""
        return "\(change.rawValue)\(origin) · \(entry.line)"
    }
}

extension ReferenceStore {
    /// Entries that are read at most.
    package static let logEntriesMax = 100_000

    /// The newest entries of the journal, newest first.
    package func log(limit: Int = logEntriesMax) throws -> [LogEntry] {
        try openRepository().log(limit: limit)
    }

    /// The life of one picture, newest event first; followed through renames.
    ///
    /// Ends early where the journal's older trees are gone.
    package func life(of id: SnapshotID) throws -> [LifeEvent] {
        let repository = try openRepository()
        let log = try repository.log(limit: Self.logEntriesMax)
        var events: [LifeEvent] = []
        var id = id
        for (index, entry) in log.enumerated() {
            let older = index + 1 < log.count ? log[index + 1] : nil
            do {
                let after = try repository.picture(id, at: entry)
                let before = try older.flatMap { try repository.picture(id, at: $0) }
                guard before != after else { continue }
                var event = LifeEvent(entry: entry, change: .changed, id: id, objectID: after)
                if after == nil {
                    event.change = .removed
                } else if before == nil {
                    event.change = .added
                    if let from = try repository.origin(of: id, at: entry, after: older) {
                        event.change = .renamed
                        event.from = from
                        id = from
                    }
                }
                events.append(event)
            } catch GitError.objectMissing {
                break
            }
        }
        return events
    }
}

extension GitRepository {
    private static let messageBytesMax = 64 << 10

    /// Follows first parents from the newest entry.
    func log(limit: Int) throws -> [LogEntry] {
        var entries: [LogEntry] = []
        var next = try target(of: Journal.reference)
        while let object = next, entries.count < limit {
            let commit = try commit(object)
            let trailers = Journal.trailers(of: String(commit.message.prefix(Self.messageBytesMax)))
            let set = trailers["Snapfarm-Set"].flatMap { ObjectID($0) }
            entries.append(
                LogEntry(
                    entry: object,
                    set: set,
                    visible: try set.map { try target(of: Self.reference(ofSet: $0)) == $0 }
                        ?? false,
                    seconds: commit.seconds,
                    title: Journal.title(of: commit.message),
                    trailers: trailers
                )
            )
            next = older(than: commit)
        }
        return entries
    }

    /// The entry before this one: its first parent, unless that is the entry's set, as it is in
    /// a journal that was begun anew; or one that a shallow clone does not have.
    private func older(than commit: GitCommit) -> ObjectID? {
        guard let parent = commit.parents.first else { return nil }
        guard Journal.trailers(of: commit.message)["Snapfarm-Set"] != parent.hex, holds(parent)
        else { return nil }
        return parent
    }

    /// The blob of a picture in the tree of an entry.
    fileprivate func picture(_ id: SnapshotID, at entry: LogEntry) throws -> ObjectID? {
        var folder = try commit(entry.entry).tree
        let names = id.text.utf8.split(separator: UInt8(ascii: "/")).compactMap { String($0) }
        for name in names.dropLast() {
            let entries = try entries(of: folder, what: "the journal")
            guard let next = entries.first(where: { $0.name == name && $0.kind == .folder })
            else { return nil }
            folder = next.object
        }
        let file = "\(id.name).png"
        return try entries(of: folder, what: "the journal")
            .first { $0.name == file && $0.kind == .file }?.object
    }

    /// The name a new picture had in the entry before, where it was a rename.
    fileprivate func origin(
        of id: SnapshotID,
        at entry: LogEntry,
        after older: LogEntry?
    ) throws -> SnapshotID? {
        guard let older else { return nil }
        let difference = try diff(pin(ofEntry: older), pin(ofEntry: entry))
        return difference.renamed.first { $0.to == id }?.from
    }

    /// The subtrees that an entry shows; what is not a set's (README, catalogue) is left out.
    func pin(ofEntry entry: LogEntry) throws -> ReferencePin {
        var pin = ReferencePin()
        for cell in try entries(of: commit(entry.entry).tree, what: "the journal")
        where cell.kind == .folder {
            for folder in try entries(of: cell.object, what: cell.name)
            where folder.kind == .folder {
                guard let path = SubtreePath(cell: CellID(cell.name), folder: folder.name)
                else { continue }
                pin[path] = folder.object
            }
        }
        return pin
    }
}

extension Journal {
    static func title(of message: String) -> String {
        String(message.prefix { !$0.isNewline })
    }

    /// The last paragraph's `<name>: <value>` lines.
    static func trailers(of message: String) -> [String: String] {
        var trailers: [String: String] = [:]
        for line in message.split(whereSeparator: \.isNewline).dropFirst() {
            guard line.hasPrefix("Snapfarm-"), let colon = line.firstIndex(of: ":") else {
                continue
            }
            trailers[String(line[..<colon])] = String(line[line.index(after: colon)...])
                .trimmingSpaces()
        }
        return trailers
    }
}
