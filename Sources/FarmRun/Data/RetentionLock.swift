// The lock that keeps blobs in place during a backup: retention and backups take turns.
import FarmCore
import FarmFiles
import Foundation

/// A lock of `retention.lock` in a data folder, held for as long as the value lives.
final class RetentionLock: Sendable {
    enum Kind {
        /// The lock of a backup: any number of backups hold it at the same time.
        case backup
        case retention
    }

    private let file: Int32

    /// Takes the lock without waiting.
    ///
    /// - Throws: `DataFolderError.busy` while a conflicting lock is held.
    init(_ data: String, _ kind: Kind) throws {
        let path = data + "/retention.lock"
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else {
            throw DataFolderError.unusable(path, String(cString: strerror(errno)))
        }
        let lock = kind == .backup ? LOCK_SH : LOCK_EX
        guard flock(file, lock | LOCK_NB) == 0 else {
            throw DataFolderError.busy(
                data,
                owner: kind == .backup ? "retention" : "a backup"
            )
        }
    }

    deinit { close(file) }
}
