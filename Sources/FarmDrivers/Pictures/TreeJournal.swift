// The journal of folders borrowed from a work tree: it is on disk before anything moves, and undoes
// the borrowing.
import FarmCore
import FarmFiles
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The folders borrowed from a work tree; the n-th is kept as `n` in the folder of the journal.
struct TreeJournal: Codable, Sendable {
    /// The absolute path of the folder that the links lead into.
    var mirror: String
    /// The paths of the borrowed folders, relative to the tree.
    var paths: [String]

    private static let name = "journal.json"

    private static func kept(_ root: String) -> String { "\(root)/\(SourceTreeOverlay.keptName)" }

    private func target(_ path: String) -> String { "\(mirror)/\(path)" }

    /// Makes the folders that the links will lead to.
    ///
    /// Copies into them the tree's own files that are no references; with `withTexts` also texts,
    /// which frameworks then compare themselves.
    func prepareMirror(of root: String, withTexts: Bool) throws {
        let files = FileManager.default
        for path in paths {
            try unusable(target(path)) {
                try files.createDirectory(atPath: target(path), withIntermediateDirectories: true)
            }
            for file in try LeaseListing(of: "\(root)/\(path)").files
            where !file.hasSuffix(".png") && (withTexts || !SnapshotFile.isText(file)) {
                let copy = "\(target(path))/\(file)"
                try unusable(copy) {
                    try files.createDirectory(
                        atPath: splitPath(copy).folder,
                        withIntermediateDirectories: true
                    )
                    try files.copyItem(atPath: "\(root)/\(path)/\(file)", toPath: copy)
                    try files.setAttributes([.modificationDate: Self.copyDate], ofItemAtPath: copy)
                }
            }
        }
    }

    /// The date of the tree's own files in a mirror: no file that a test writes has it.
    static let copyDate = Date(timeIntervalSince1970: 0)

    /// Writes the journal to the disk, before any of its folders moves.
    func write(to root: String, checkpoint: () throws -> Void) throws {
        let kept = Self.kept(root)
        guard mkdir(kept, 0o700) == 0 else { throw systemError(kept) }
        try checkpoint()
        let path = "\(kept)/\(Self.name)"
        let draft = path + ".new"
        try unusable(draft) {
            try JSONEncoder().encode(self).write(to: URL(fileURLWithPath: draft))
        }
        try checkpoint()
        try unusable(draft) { try DurableFile.flush([draft], below: kept) }
        guard rename(draft, path) == 0 else { throw systemError(path) }
        try unusable(kept) { try DurableFile.flushFolder(kept) }
        try checkpoint()
    }

    /// Moves each folder to the journal, and puts a link in its place.
    func take(from root: String, checkpoint: () throws -> Void) throws {
        for (index, path) in paths.enumerated() {
            let place = "\(root)/\(path)"
            if fileKind(place) != .none {
                guard rename(place, "\(Self.kept(root))/\(index)") == 0 else {
                    throw systemError(place)
                }
                try checkpoint()
            }
            guard symlink(target(path), place) == 0 else { throw systemError(place) }
            try checkpoint()
        }
    }

    /// Undoes as much of a borrowing as happened; does nothing if there was none.
    static func putBack(_ root: String, checkpoint: () throws -> Void) throws {
        let kept = kept(root)
        guard fileKind(kept) == .folder else { return }
        let path = "\(kept)/\(name)"
        if let bytes = FileManager.default.contents(atPath: path) {
            let journal = try unusable(path) {
                try JSONDecoder().decode(TreeJournal.self, from: bytes)
            }
            for (index, path) in journal.paths.enumerated() {
                try journal.putBack(path, index, to: root, checkpoint: checkpoint)
            }
            // Flushes the folders that were put back, before the journal is removed.
            try unusable(root) { try DurableFile.flush([], below: root) }
            guard unlink(path) == 0 else { throw systemError(path) }
            try checkpoint()
        }
        // Removes a draft that never became a journal.
        unlink(path + ".new")
        try checkpoint()
        guard rmdir(kept) == 0 else { throw systemError(kept) }
    }

    private func putBack(
        _ path: String,
        _ index: Int,
        to root: String,
        checkpoint: () throws -> Void
    ) throws {
        let place = "\(root)/\(path)"
        let kept = "\(Self.kept(root))/\(index)"
        // A test may have put a link in the place of a folder around it.
        var around = root
        for part in path.pathParts.dropLast() {
            around += "/\(part)"
            guard fileKind(around) != .link else {
                throw BorrowError.occupied(path: around, kept: kept)
            }
        }
        if fileKind(place) == .link, linkTarget(place) == target(path) {
            guard unlink(place) == 0 else { throw systemError(place) }
            try checkpoint()
        }
        guard fileKind(kept) != .none else { return }
        guard fileKind(place) == .none else { throw BorrowError.occupied(path: place, kept: kept) }
        guard rename(kept, place) == 0 else { throw systemError(place) }
        try checkpoint()
    }
}

/// The kind of file at a path itself, not behind a link.
enum FileKind {
    case none, folder, link, other
}

func fileKind(_ path: String) -> FileKind {
    var status = stat()
    guard lstat(path, &status) == 0 else { return .none }
    return switch status.st_mode & 0o170_000 {
    case 0o040_000: .folder
    case 0o120_000: .link
    default: .other
    }
}

private func linkTarget(_ path: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: path)
}

private func systemError(_ path: String) -> BorrowError {
    .unusable(path: path, reason: String(cString: strerror(errno)))
}

private func unusable<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
    do {
        return try body()
    } catch {
        throw BorrowError.unusable(path: path, reason: error.inWords)
    }
}
