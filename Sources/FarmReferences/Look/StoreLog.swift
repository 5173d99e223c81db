// The history of a store, read from its journal: which sets there were, when, and by whom. The
// journal's own trees are read, so that the history of a set that was pruned stays, as far as the
// journal kept it.
import FarmCore
import FarmGit

extension ReferenceStore {
    /// Entries that are read at most.
    package static let logEntriesMax = 100_000

    /// The newest entries of the journal, newest first.
    package func log(limit: Int = logEntriesMax) throws -> [LogEntry] {
        try openRepository().log(limit: limit)
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
