// The folders of one lease on disk.
import FarmCore
import FarmDrivers
import FarmFiles
import Foundation

extension LeaseFolders {
    /// Makes the empty folders of a lease below `scratch`, in place of anything there.
    ///
    /// - Throws: `WorkerError.scratch`.
    static func made(in scratch: String, for kind: JobKind) throws -> LeaseFolders {
        let files = FileManager.default
        let folders = LeaseFolders(in: scratch)
        do {
            FolderTree.remove(scratch)
            // A unit job has no pictures, and each folder slows quick leases down.
            let forPictures =
                kind == .unit
                ? []
                : [
                    folders.captures, folders.failureDiffs, folders.snapshotArtifacts,
                    folders.references, folders.references + "_64",
                ]
            for path in [folders.lease] + forPictures {
                try files.createDirectory(atPath: path, withIntermediateDirectories: true)
            }
        } catch {
            throw WorkerError.scratch(path: scratch, reason: error.inWords)
        }
        return folders
    }
}
