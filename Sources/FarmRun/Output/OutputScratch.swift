// Blobs beside an output folder while it is written, for a merge and a judgement.
import FarmArtifacts
import FarmCore
import FarmDrivers
import Foundation

/// A folder beside the output, so that files can be linked instead of copied; it is removed at the
/// end, or by the next command that writes there.
struct OutputScratch {
    let folder: OwnedFolder
    let blobs: BlobStore

    init(beside output: String) throws {
        let place = URL(fileURLWithPath: output)
        let parent = place.deletingLastPathComponent().path
        let prefix = place.lastPathComponent + ".scratch-"
        try FileManager.default.createDirectory(
            atPath: parent,
            withIntermediateDirectories: true
        )
        Leftovers.removeFolders(in: parent, prefix)
        folder = try OwnedFolder(in: parent, prefix)
        blobs = try BlobStore(folder: folder.path + "/blobs")
    }

    func remove() { folder.remove() }
}
