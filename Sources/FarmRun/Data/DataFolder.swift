// `--data`: all state of a coordinator on this machine, owned by one process at a time.
import FarmCore
import Foundation

/// The data folder, locked for as long as the value lives.
final class DataFolder: Sendable {
    let path: String
    private let lock: Int32

    /// Makes and locks the folder; what it makes only this user may open.
    ///
    /// It holds logs of tests and the key of leases. A folder that is there keeps its permissions:
    /// somebody may have let others in.
    /// - Throws: `busy` naming the process that has it.
    init(_ path: String) throws {
        self.path = path
        do {
            for folder in ["", "/blobs", "/logs", "/scratch"] {
                try FileManager.default.createDirectory(
                    atPath: path + folder,
                    withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700]
                )
            }
        } catch let error as CocoaError {
            throw DataFolderError.unusable(path, error.localizedDescription)
        }
        let file = path + "/lock"
        // Through a link, another file would be emptied.
        lock = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else {
            throw DataFolderError.unusable(file, String(cString: strerror(errno)))
        }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let owner = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            throw DataFolderError.busy(path, owner: owner.trimmingSpaces())
        }
        let owner = Array("process \(getpid())\n".utf8)
        ftruncate(lock, 0)
        _ = owner.withUnsafeBytes { write(lock, $0.baseAddress, $0.count) }
    }

    deinit { close(lock) }

    var ledger: String { path + "/ledger.sqlite" }
    /// What `snapfarm serve` seals leases with.
    var leaseKey: String { path + "/lease.key" }
    var blobs: String { path + "/blobs" }
    var logs: String { path + "/logs" }
    /// Leases work here; emptied when a run starts, since nothing in it outlives its process.
    var scratch: String { path + "/scratch" }
    /// Copies of a shared ledger on their way from or to its database.
    var snapshots: String { path + "/snapshots" }
    /// References as files, by Git blob id: what output folders link to.
    var pictures: String { path + "/pictures" }

    /// References as files, which leases of tests that compare themselves link to.
    var references: String { path + "/references" }

    func emptyScratch() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: scratch)) ?? [] {
            try? FileManager.default.removeItem(atPath: scratch + "/" + name)
        }
    }
}

/// Why a data folder cannot be had.
package enum DataFolderError: ExplainedError {
    case busy(String, owner: String)
    case unusable(String, String)

    package var code: String {
        switch self {
        case .busy: "data-folder-busy"
        case .unusable: "data-folder-unusable"
        }
    }
    package var message: String {
        switch self {
        case .busy(let path, let owner):
            "the data folder \(path) is in use by \(owner.isEmpty ? "another process" : owner)."
        case .unusable(let path, let reason): "the data folder \(path): \(reason)."
        }
    }
    package var remedy: String {
        switch self {
        case .busy: "Wait for it, or choose another folder with --data."
        case .unusable: "Choose a folder you may write to with --data."
        }
    }
    package var exit: ExitCode {
        switch self {
        case .busy: .busy
        case .unusable: .inputOutput
        }
    }
}
