// Recorders share one lock and prune takes it alone: without it a recorder could keep a picture
// that exists only as garbage while prune deletes it. The kernel drops the lock with its process.
import Foundation

/// The store's `snapfarm.lock`, held as long as this value lives.
final class StoreLock {
    private let descriptor: Int32

    /// Waits while the store is being pruned.
    convenience init(sharing store: String) throws(ReferenceStoreError) {
        try self.init(of: store, mode: LOCK_SH)
    }

    /// Waits until no recorder is at work; recorders then wait for this value to go away.
    convenience init(alone store: String) throws(ReferenceStoreError) {
        try self.init(of: store, mode: LOCK_EX)
    }

    private init(of store: String, mode: Int32) throws(ReferenceStoreError) {
        let path = store + "/snapfarm.lock"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            throw .system(doing: "open \(path)", reason: String(cString: strerror(errno)))
        }
        while flock(descriptor, mode) != 0 {
            guard errno == EINTR else {
                let reason = String(cString: strerror(errno))
                close(descriptor)
                throw .system(doing: "lock \(path)", reason: reason)
            }
        }
    }

    deinit { close(descriptor) }
}
