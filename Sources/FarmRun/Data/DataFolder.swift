// The data folder (`--data`): all state of a coordinator on this machine, owned by one process at a
// time.
import FarmCore
import Foundation

/// The data folder, locked for as long as the value lives.
final class DataFolder: Sendable {
    let path: String
    private let lock: Int32

    /// Creates and locks the folder.
    ///
    /// A folder that it creates is for this user only, because it holds logs of tests and the key
    /// of leases. An existing folder keeps its permissions: its owner may have let others in.
    ///
    /// - Throws: `busy`, with the name of the process that has the folder.
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
            throw DataFolderError.unusable(path, error.inWords)
        }
        let file = path + "/lock"
        // Through a link, the program would empty another file.
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
    /// The file with the key that `snapfarm serve` seals leases with.
    var leaseKey: String { path + "/lease.key" }
    var blobs: String { path + "/blobs" }
    var logs: String { path + "/logs" }
    /// The folder in which workers run their leases; a run empties it at its start, because nothing
    /// in it outlives its process.
    var scratch: String { path + "/scratch" }
    /// The folder for copies of a shared ledger on their way to or from its database.
    var snapshots: String { path + "/snapshots" }
    /// The folder of references as files, named by their Git blob ids.
    var pictures: String { path + "/pictures" }

    /// The cache of this machine's workers: references as files, as link targets for leases whose
    /// tests compare pictures themselves.
    var references: String { path + "/references" }

    func emptyScratch() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: scratch)) ?? [] {
            try? FileManager.default.removeItem(atPath: scratch + "/" + name)
        }
    }
}

/// The errors of opening a data folder.
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
