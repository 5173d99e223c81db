// Recorders share one lock and prune takes it alone: without it a recorder could keep a picture
// that exists only as garbage while prune deletes it. The kernel drops the lock with its process.
import Foundation

/// The store's `snapfarm.lock`, held as long as this value lives.
final class StoreLock {
    private let descriptor: Int32

    /// Waits while the store is being pruned.
    init(sharing store: String) throws(ReferenceStoreError) {
        let path = store + "/snapfarm.lock"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            throw .system(doing: "open \(path)", reason: String(cString: strerror(errno)))
        }
        while flock(descriptor, LOCK_SH) != 0 {
            guard errno == EINTR else {
                let reason = String(cString: strerror(errno))
                close(descriptor)
                throw .system(doing: "lock \(path)", reason: reason)
            }
        }
    }

    deinit { close(descriptor) }
}
