// The journal, the part of a store for people: `refs/heads/main` shows the newest set with a
// README, and its history says what changed. Each entry has its set as a second parent, so that Git
// fetches only new objects. No pin refers to the journal, and a prune may rewrite it.
import FarmCore
import FarmGit
import Foundation

/// One line at the end of a journal entry, as `<name>: <value>`.
package struct JournalTrailer: Sendable, Hashable {
    /// The name of the trailer, of ASCII letters, digits and `-`.
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

extension ReferenceStore {
    /// The largest number of attempts to write the journal while other processes write it too.
    private static let journalAttemptsMax = 10

    /// Writes a journal entry about a set; returns the journal's newest commit.
    ///
    /// `files` by path are added beside the set (`catalogue/1.md`); a path that starts with the
    /// name of a cell is left out. `Snapfarm-Set` is the first trailer. If the newest entry already
    /// shows this set and these files, nothing is written.
    @discardableResult
    package func appendJournal(
        set: ObjectID,
        pin: ReferencePin,
        title: String,
        trailers: [JournalTrailer] = [],
        files: [String: Data] = [:],
        now: Date
    ) throws -> ObjectID {
        let lock = try StoreLock(shared: path)
        defer { withExtendedLifetime(lock) {} }
        let repository = try openRepository()
        let tree = try Journal.tree(of: pin, files: files, in: repository)
        let message = Journal.message(
            title: title,
            trailers: [JournalTrailer("Snapfarm-Set", set.hex)] + trailers
        )
        for _ in 0..<Self.journalAttemptsMax {
            let head = try repository.target(of: Journal.reference)
            if let head {
                let newest = try repository.commit(head)
                if newest.tree == tree, newest.parents.contains(set) { return head }
            }
            let commit = try repository.commit(
                tree: tree,
                parents: [head, set].compactMap(\.self),
                message: message,
                seconds: Int64(now.timeIntervalSince1970)
            )
            let change =
                if let head {
                    try repository.move(reference: Journal.reference, from: head, to: commit)
                } else {
                    try repository.create(reference: Journal.reference, to: commit)
                }
            if change == .done { return commit }
        }
        throw ReferenceStoreError.journalMoving(store: path)
    }
}

/// Builds the texts and the trees of journal entries.
enum Journal {
    static let reference = "refs/heads/main"
    private static let titleCharactersMax = 200

    /// Writes the root folder of an entry: the set, the README and the files.
    static func tree(
        of pin: ReferencePin,
        files: [String: Data],
        in repository: GitRepository
    ) throws -> ObjectID {
        var counts: [CellID: Int] = [:]
        for (path, subtree) in pin.entries {
            counts[path.cell, default: 0] += try repository.pictures(of: path, in: subtree).count
        }
        var all = files
        if all["README.md"] == nil {
            let links = Set(
                files.keys.compactMap { $0.split(separator: "/").first.map(String.init) }
            )
            all["README.md"] = Data(readme(counts: counts, links: links.sorted()).utf8)
        }
        var root = repository.rootFolder(of: pin)
        for (path, bytes) in all.sorted(by: { $0.key < $1.key }) {
            let parts = path.split(separator: "/", omittingEmptySubsequences: false)
                .map(String.init)
            guard parts.allSatisfy({ (try? PathComponent($0))?.text == $0 }) else {
                throw GitError.nameRefused(path, reason: "it is not a safe path")
            }
            guard !pin.cells.contains(where: { $0.text == parts[0] }) else { continue }
            try root.add(file: try repository.write(blob: bytes), at: parts[...])
        }
        return try repository.write(root, what: "journal")
    }

    static func message(title: String, trailers: [JournalTrailer]) -> String {
        let lines = trailers.map { "\($0.name): \(oneLine($0.value))" }
        let title = String(oneLine(title).prefix(titleCharactersMax))
        return "\(title)\n\n\(lines.joined(separator: "\n"))\n"
    }

    /// Returns the README of the journal, the first page that people see.
    static func readme(counts: [CellID: Int], links: [String]) -> String {
        var text = """
            # Reference pictures

            The expected pictures of snapshot tests, kept by snapfarm. A file `snapfarm.refs` in \
            the tested project names the pictures that each of its commits is compared with; this \
            branch shows the newest ones. Do not edit it: record or approve with snapfarm.

            """
        if !links.isEmpty {
            text += "\nSee " + links.map { "[\($0)](\($0))" }.joined(separator: ", ") + ".\n"
        }
        guard !counts.isEmpty else { return text + "\nNo pictures yet.\n" }
        text += "\n| cell | pictures |\n|---|--:|\n"
        for (cell, count) in counts.sorted(by: { $0.key < $1.key }) {
            let name = cell.text.replacing("`", with: "'").replacing("|", with: "\\|")
            text += "| `\(name)` | \(count) |\n"
        }
        return text + "| all | \(counts.values.reduce(0, +)) |\n"
    }

    /// Returns the text with spaces for control characters, so that a text from elsewhere cannot
    /// end a line of the message.
    private static func oneLine(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
            )
        )
    }
}
