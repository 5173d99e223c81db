// The history of a store, read from its journal: the sets, their times and their authors. The
// journal keeps its own trees, so it can also show sets that were pruned, as far as the journal
// itself still has them.
import FarmCore
import FarmGit

extension ReferenceStore {
    /// The largest number of journal entries that are read.
    package static let logEntriesMax = 100_000

    /// Returns the newest entries of the journal, newest first.
    package func log(limit: Int = logEntriesMax) throws -> [LogEntry] {
        try openRepository().log(limit: limit)
    }
}

extension GitRepository {
    private static let messageBytesMax = 64 << 10

    /// Returns at most `limit` journal entries, from the newest one along first parents.
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

    /// Returns the id of the entry before `commit`, that is, of its first parent.
    ///
    /// Returns `nil` if that parent is the entry's own set, as in a journal that was begun anew, or
    /// if a shallow clone lacks it.
    private func older(than commit: GitCommit) -> ObjectID? {
        guard let parent = commit.parents.first else { return nil }
        guard Journal.trailers(of: commit.message)["Snapfarm-Set"] != parent.hex, holds(parent)
        else { return nil }
        return parent
    }

    /// Returns the subtrees of the set that an entry shows, without the README and the catalogue.
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

    /// Returns the `Snapfarm-…: <value>` lines of a message, by name.
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
