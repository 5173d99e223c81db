// Recorders share one lock and prune takes it alone: without it a recorder could keep a picture
// that exists only as garbage while prune deletes it. The kernel drops the lock with its process.
import FarmGit
import Foundation

/// The store's `snapfarm.lock`, held as long as this value lives.
package final class StoreLock {
    private let descriptor: Int32

    /// Waits while the store is being pruned; first clears Git's locks that the dead left.
    package convenience init(sharing store: String) throws(GitError) {
        Leftovers.clearLocksOfTheDead(in: store)
        try self.init(of: store, mode: LOCK_SH)
    }

    /// For a look that writes nothing; nil where the store cannot be written and has no lock.
    convenience init?(reading store: String) throws(GitError) {
        let path = Self.path(of: store)
        guard access(store, W_OK) != 0 || (access(path, F_OK) == 0 && access(path, W_OK) != 0)
        else {
            try self.init(of: store, mode: LOCK_SH)
            return
        }
        guard access(path, F_OK) == 0 else { return nil }
        try self.init(of: store, mode: LOCK_SH, flags: O_RDONLY)
    }

    /// nil while anybody else holds the lock.
    convenience init?(aloneAtOnce store: String) {
        guard let file = try? Self.open(store, O_RDWR | O_CREAT) else { return nil }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            close(file)
            return nil
        }
        self.init(owning: file)
    }

    /// Waits until no recorder is at work; recorders then wait for this value to go away.
    convenience init(alone store: String) throws(GitError) {
        try self.init(of: store, mode: LOCK_EX)
    }

    private convenience init(
        of store: String,
        mode: Int32,
        flags: Int32 = O_RDWR | O_CREAT
    ) throws(GitError) {
        let file = try Self.open(store, flags)
        while flock(file, mode) != 0 {
            guard errno == EINTR else {
                let error = GitError.system("lock \(Self.path(of: store))")
                close(file)
                throw error
            }
        }
        self.init(owning: file)
    }

    private init(owning descriptor: Int32) { self.descriptor = descriptor }

    private static func path(of store: String) -> String { store + "/snapfarm.lock" }

    private static func open(_ store: String, _ flags: Int32) throws(GitError) -> Int32 {
        let path = path(of: store)
        #if os(Linux)
        let descriptor = Glibc.open(path, flags | O_CLOEXEC, 0o666)
        #else
        let descriptor = Darwin.open(path, flags | O_CLOEXEC, 0o666)
        #endif
        guard descriptor >= 0 else { throw GitError.system("open \(path)") }
        return descriptor
    }

    deinit { close(descriptor) }
}
