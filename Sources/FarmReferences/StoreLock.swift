// The lock of a store, shared by recorders and exclusive for a prune. Without it, a recorder could
// rely on a picture that exists only as garbage while a prune deletes it. The kernel releases the
// lock when its process ends.
import FarmCore
import FarmGit
import Foundation

/// The lock of a store (`snapfarm.lock`), held while this value lives.
package final class StoreLock {
    let descriptor: Int32

    /// The number of microseconds between two attempts to take a lock that another process holds.
    private static let pauseMicroseconds: useconds_t = 5_000

    /// Takes the shared lock; waits while the store is being pruned.
    ///
    /// First removes Git's locks that dead processes left.
    ///
    /// - Throws: `GitError.locked` after `seconds`.
    convenience init(
        shared store: String,
        seconds: Double = FarmLimits.storeLockWaitSeconds
    ) throws(GitError) {
        PruneLeftovers.clearAbandonedLocks(in: store)
        try self.init(of: store, mode: LOCK_SH, seconds: seconds)
    }

    /// Takes the shared lock for reading.
    ///
    /// Returns `nil` if the store is read-only and has no lock file.
    convenience init?(reading store: String) throws(GitError) {
        let path = Self.path(of: store)
        let seconds = FarmLimits.storeLockSeconds
        guard access(store, W_OK) != 0 || (access(path, F_OK) == 0 && access(path, W_OK) != 0)
        else {
            try self.init(of: store, mode: LOCK_SH, seconds: seconds)
            return
        }
        guard access(path, F_OK) == 0 else { return nil }
        try self.init(of: store, mode: LOCK_SH, seconds: seconds, flags: O_RDONLY)
    }

    /// Takes the exclusive lock: waits until no process records.
    ///
    /// Recorders then wait until this value is gone.
    ///
    /// - Throws: `GitError.locked` after `seconds`.
    convenience init(
        exclusive store: String,
        seconds: Double = FarmLimits.storeLockWaitSeconds
    ) throws(GitError) {
        try self.init(of: store, mode: LOCK_EX, seconds: seconds)
    }

    private convenience init(
        of store: String,
        mode: Int32,
        seconds: Double,
        flags: Int32 = O_RDWR | O_CREAT
    ) throws(GitError) {
        let file = try Self.open(store, flags)
        let end = ContinuousClock.now + .seconds(seconds)
        while flock(file, mode | LOCK_NB) != 0 {
            let error = errno
            guard error == EINTR || error == EWOULDBLOCK && ContinuousClock.now < end else {
                close(file)
                guard error == EWOULDBLOCK else {
                    throw .system(
                        doing: "lock \(Self.path(of: store))",
                        reason: String(cString: strerror(error))
                    )
                }
                throw .locked(file: Self.path(of: store))
            }
            // Polls: `flock` has no wait with a time limit.
            usleep(Self.pauseMicroseconds)
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

    deinit {
        // A child between `fork` and `exec` has a copy of the descriptor, which would keep the lock.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
