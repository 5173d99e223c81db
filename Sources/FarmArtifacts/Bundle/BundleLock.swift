// The lock of an unpacked bundle: `<path>.lock`, which the system lets go of with its process. No call
// waits for it: a test may hold it as long as it likes.
import FarmCore
import FarmFiles
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The lock of one folder; let go of when the value goes away.
final class BundleLock: Sendable {
    static let ending = ".lock"

    /// The folder's.
    let path: String
    private let descriptor: Int32
    /// Whether folder and lock go with the value.
    private let isDraft: Bool

    /// Opens the lock of a folder, not held yet; what a test put in its place is removed.
    convenience init(_ path: String) throws {
        let name = path + Self.ending
        if let kind = FileKind.of(name), kind != .file || access(name, R_OK | W_OK) != 0 {
            FolderTree.remove(name)
        }
        let file = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard file >= 0 else { throw Posix.failure("open", name) }
        // When it was used last.
        _ = futimens(file, nil)
        self.init(path, file, isDraft: false)
    }

    private init(_ path: String, _ descriptor: Int32, isDraft: Bool) {
        self.path = path
        self.descriptor = descriptor
        self.isDraft = isDraft
    }

    /// A name beside `path` that no other process has, for a folder that goes with the lock.
    static func draft(beside path: String) throws -> BundleLock {
        let name = "\(path).\(String(UInt64.random(in: 0...UInt64.max), radix: 16))"
        let file = open(name + ending, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard file >= 0 else { throw Posix.failure("open", name + ending) }
        _ = flock(file, LOCK_SH | LOCK_NB)
        return BundleLock(name, file, isDraft: true)
    }

    deinit {
        if isDraft {
            FolderTree.remove(path)
            _ = unlink(path + Self.ending)
        }
        _ = close(descriptor)
    }

    /// Removes the draft of a process that was killed.
    static func removeLeft(_ path: String) {
        let file = open(path + ending, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return }
        defer { _ = close(file) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else { return }
        FolderTree.remove(path)
        FolderTree.remove(path + ".zip")
        _ = unlink(path + ending)
    }

    /// Holds it beside others; false while one holds it alone.
    func share() -> Bool { flock(descriptor, LOCK_SH | LOCK_NB) == 0 }

    /// Holds it alone; false while another one holds it.
    func takeAlone() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }
}
