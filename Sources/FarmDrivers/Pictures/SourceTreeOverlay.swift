// Borrows folders beside the tests' sources from a work tree. Some frameworks have the paths of
// their references built in (`__Snapshots__` beside each test), so the farm puts a link at every
// such path, which leads into the lease. The original folder is kept in `.snapfarm-borrowed` and
// comes back.
//
// Invariants
//   - One lease at a time has the tree: the lock is on its root and ends with the process.
//   - A folder is moved only when the journal that names it is on the disk, and nothing is removed
//     but links into the lease of the journal. So a process that finds a journal without a borrower
//     can put everything back, whenever the borrower was killed.
import FarmCore
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A work tree whose folders beside the sources lead into a lease until they are given back.
package final class SourceTreeOverlay: Sendable {
    /// The absolute path of the work tree.
    private let root: String
    private let lock: TreeLock
    private let journal: TreeJournal
    /// The folders of source files, by the files' names without ending; relative, "" for the root.
    private let foldersOfSources: [String: [String]]

    /// The name of the folder in the root of the tree that keeps the originals.
    static let keptName = ".snapfarm-borrowed"

    /// Borrows the folders called `name` beside all sources of a tree.
    ///
    /// Before that, puts back what an earlier borrower left.
    ///
    /// `sources` is the ending of source files. `mirror` is an absolute folder that need not exist:
    /// files that a test writes to `<folder>/<name>` lie in `<mirror>/<folder>/<name>`. Files that
    /// are no references are copied there, and `withTexts` also texts. `checkpoint` is called between any two changes of the tree.
    ///
    /// - Throws: ``BorrowError/busy(root:)`` if another lease has the tree.
    package init(
        _ root: String,
        folders name: String,
        besideSources sources: String,
        into mirror: String,
        withTexts: Bool = true,
        checkpoint: () throws -> Void = {}
    ) throws {
        self.root = root
        lock = try TreeLock(root)
        try TreeJournal.putBack(root, checkpoint: checkpoint)
        let found = try TreeSearch(root, name: name, ending: sources)
        foldersOfSources = found.foldersOfSources
        journal = TreeJournal(mirror: mirror, paths: found.borrowed)
        try journal.prepareMirror(of: root, withTexts: withTexts)
        try checkpoint()
        try journal.write(to: root, checkpoint: checkpoint)
        try journal.take(from: root, checkpoint: checkpoint)
    }

    /// Returns the folders of a source file, by its name without ending; relative, "" for the root.
    package func folders(ofSource name: String) -> [String] { foldersOfSources[name] ?? [] }

    /// Removes the links, and puts the original folders back in their places.
    ///
    /// - Throws: ``BorrowError/occupied(path:kept:)`` if a test put something in the place of a
    ///   link: nothing is lost, and a person must choose.
    package func giveBack(checkpoint: () throws -> Void = {}) throws {
        try TreeJournal.putBack(root, checkpoint: checkpoint)
    }

    /// Puts the folders back that a process borrowed and did not give back before it ended.
    ///
    /// Does nothing if there are none, or if the borrower still runs.
    package static func putBackLeft(in root: String) throws {
        guard fileKind(root + "/" + keptName) != .none else { return }
        do {
            let lock = try TreeLock(root)
            defer { withExtendedLifetime(lock) {} }
            try TreeJournal.putBack(root, checkpoint: {})
        } catch BorrowError.busy {
            return
        }
    }
}

/// The lock on a work tree, held while the value lives and lost with the process.
private final class TreeLock: Sendable {
    private let descriptor: Int32

    init(_ root: String) throws(BorrowError) {
        descriptor = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .unusable(path: root, reason: String(cString: strerror(errno)))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .busy(root: root) }
    }

    deinit { close(descriptor) }
}

/// The reason why a tree could not be borrowed or given back.
package enum BorrowError: ExplainedError, Equatable {
    case busy(root: String)
    case unusable(path: String, reason: String)
    case occupied(path: String, kept: String)
    case tooManyFolders(root: String)

    package var code: String {
        switch self {
        case .busy: "tree-busy"
        case .unusable: "tree-unusable"
        case .occupied: "tree-occupied"
        case .tooManyFolders: "tree-too-large"
        }
    }

    package var message: String {
        switch self {
        case .busy(let root): "another lease has the snapshot folders of \(root)."
        case .unusable(let path, let reason): "\(path) could not be borrowed: \(reason)."
        case .occupied(let path, let kept):
            "something stands at \(path), whose own content waits at \(kept)."
        case .tooManyFolders(let root):
            "\(root) has more than \(FarmLimits.borrowedFoldersMax) folders with sources."
        }
    }

    package var remedy: String {
        switch self {
        case .busy: "The job runs when that lease has ended."
        case .unusable: "Check the permissions and the space of the work tree."
        case .occupied: "Move away what stands there; the next run puts the other back."
        case .tooManyFolders: "Let the pipeline file lie nearer to the tests."
        }
    }

    package var exit: ExitCode {
        switch self {
        case .busy: .busy
        case .unusable, .occupied: .inputOutput
        case .tooManyFolders: .invalidInput
        }
    }
}
