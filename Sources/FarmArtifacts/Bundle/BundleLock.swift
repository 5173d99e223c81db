// The lock of an unpacked bundle: `<path>.lock`, which the system releases when its process ends.
// No call waits for the lock, because a lease may hold it for as long as its tests run.
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

/// The lock of one folder, which ends with this value.
final class BundleLock: Sendable {
    static let ending = ".lock"

    /// The path of the locked folder.
    let path: String
    private let descriptor: Int32
    /// Whether the folder and the lock's file are removed when this value goes away.
    private let isDraft: Bool

    /// Opens the lock of a folder without holding it; replaces any other kind of file in its place.
    convenience init(_ path: String) throws {
        let name = path + Self.ending
        if let kind = FileKind.of(name), kind != .file || access(name, R_OK | W_OK) != 0 {
            FolderTree.remove(name)
        }
        let file = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard file >= 0 else { throw Posix.failure("open", name) }
        // Marks the time of the last use.
        _ = futimens(file, nil)
        self.init(path, file, isDraft: false)
    }

    private init(_ path: String, _ descriptor: Int32, isDraft: Bool) {
        self.path = path
        self.descriptor = descriptor
        self.isDraft = isDraft
    }

    /// Makes a lock, held shared, for a folder beside `path` with a name that no other process has.
    ///
    /// The folder is removed with the lock.
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

    /// Removes the folder and the zip that a killed process left at `path`, unless their lock is
    /// held.
    static func removeLeft(_ path: String) {
        let file = open(path + ending, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return }
        defer { _ = close(file) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else { return }
        FolderTree.remove(path)
        FolderTree.remove(path + ".zip")
        _ = unlink(path + ending)
    }

    /// Takes the lock together with other sharers; returns `false` while another one holds it
    /// alone.
    func share() -> Bool { flock(descriptor, LOCK_SH | LOCK_NB) == 0 }

    /// Takes the lock alone; returns `false` while another one holds it.
    func takeAlone() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }
}
