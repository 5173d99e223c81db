// The folders of one lease on disk.
import FarmCore
import FarmDrivers
import Foundation

extension LeaseFolders {
    /// Where the log of a lease is that has `scratch` for itself.
    static func log(in scratch: String) -> String { scratch + "/lease.log" }

    /// Makes the folders of a lease, empty; what `scratch` held is gone.
    ///
    /// - Throws: `WorkerError.scratch`.
    static func made(in scratch: String, for kind: JobKind) throws -> LeaseFolders {
        let files = FileManager.default
        let lease = scratch + "/lease"
        let folders = LeaseFolders(
            lease: lease,
            captures: lease + "/captures",
            failureDiffs: lease + "/FailureDiffs",
            snapshotArtifacts: lease + "/artifacts",
            references: lease + "/ReferenceImages",
            log: log(in: scratch)
        )
        do {
            try? files.removeItem(atPath: scratch)
            // A unit job has no pictures, and quick leases feel each folder.
            let forPictures =
                kind == .unit
                ? []
                : [
                    folders.captures, folders.failureDiffs, folders.snapshotArtifacts,
                    folders.references, folders.references + "_64",
                ]
            for path in [lease] + forPictures {
                try files.createDirectory(atPath: path, withIntermediateDirectories: true)
            }
        } catch {
            throw WorkerError.scratch(path: scratch, reason: error.localizedDescription)
        }
        return folders
    }
}
