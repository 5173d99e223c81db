// What an entry of the journal says: a title that tells what changed and where, and trailers that
// machines read. Pure: the difference comes in.
import FarmCore

/// Who changed the references, and why.
package struct JournalNote: Sendable, Hashable {
    /// The pin's set before; nil for the first.
    package var base: ObjectID?
    /// `#123`, `!45`: the change the project's host knows it by.
    package var change: String?
    /// The project's commit that was run.
    package var mainCommit: String?
    package var run: String?
    /// A person or a job.
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

    /// Folders that a title names; with more it says how many there are.
    private static let foldersMax = 3

    /// `12 changed, 3 new — Checkout — #123`.
    package func title(of difference: ReferenceDiff) -> String {
        let folders = difference.folders
        let place =
            folders.count <= Self.foldersMax
            ? folders.joined(separator: ", ") : "\(folders.count) folders"
        return [difference.title, place, change ?? ""].filter { !$0.isEmpty }
            .joined(separator: " — ")
    }

    /// All but `Snapfarm-Set`, which the journal writes itself; what is not known is left out.
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
