// The text of a journal entry: a title for people, which says what changed in which folders, and
// trailers for programs. Pure: the caller computes the difference.
import FarmCore

/// The author and the reason of a change of references.
package struct JournalNote: Sendable, Hashable {
    /// The set of the pin before the change, or `nil` if there was none.
    package var base: ObjectID?
    /// The change's name at the project's Git host, such as `#123` or `!45`.
    package var change: String?
    /// The commit of the project that the run tested.
    package var mainCommit: String?
    package var run: String?
    /// The person or the job that recorded the references.
    package var recorder: String?
    package var reason: String?

    package init(
        base: ObjectID? = nil,
        change: String? = nil,
        mainCommit: String? = nil,
        run: String? = nil,
        recorder: String? = nil,
        reason: String? = nil
    ) {
        self.base = base
        self.change = change
        self.mainCommit = mainCommit
        self.run = run
        self.recorder = recorder
        self.reason = reason
    }

    /// The largest number of folders that a title names; with more, it says how many there are.
    private static let foldersMax = 3

    /// Returns the title of a journal entry, such as `12 changed, 3 new — Checkout — #123`.
    package func title(of difference: ReferenceDiff) -> String {
        let folders = difference.folders
        let place =
            folders.count <= Self.foldersMax
            ? folders.joined(separator: ", ") : "\(folders.count) folders"
        return [difference.title, place, change ?? ""].filter { !$0.isEmpty }
            .joined(separator: " — ")
    }

    /// The entry's trailers except `Snapfarm-Set`, which the journal adds; omits unknown values.
    package var trailers: [JournalTrailer] {
        let all: [(String, String?)] = [
            ("Snapfarm-Base", base?.hex), ("Snapfarm-Main-Commit", mainCommit),
            ("Snapfarm-Run", run), ("Snapfarm-Recorder", recorder), ("Snapfarm-Reason", reason),
        ]
        return all.compactMap { name, value in
            value.flatMap { $0.isEmpty ? nil : JournalTrailer(name, $0) }
        }
    }
}
