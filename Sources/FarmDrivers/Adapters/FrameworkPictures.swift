// The seam of the framework adapters: each reads the names of the files in its folders and says
// which are pictures of what. No adapter opens a file.
import FarmCore

/// What an adapter recognised; all paths are relative to the folder it was given.
package struct AdapterReading: Equatable {
    package var captures: [CapturedFile] = []
    package var differences: [FrameworkDifference] = []
    /// Pictures of the framework that are neither, so that no glob takes them for captures.
    package var ignored: [String] = []

    /// Every path that is accounted for.
    package var taken: [String] {
        let pictures = differences.flatMap { [$0.reference, $0.failed, $0.diff] }
        return captures.map(\.path) + pictures.compactMap { $0 } + ignored
    }
}

/// One framework's way of leaving pictures.
struct FrameworkPictures: Sendable {
    /// The absolute folders it writes to.
    let folders: @Sendable (LeaseFolders) -> [String]
    /// Reads a sorted listing of relative paths.
    ///
    /// The Boolean of the table in CleanEnvironment.swift: the framework was told to record, so
    /// what it wrote is the capture, not a difference.
    let read: @Sendable ([String], Bool) -> AdapterReading

    /// In the order in which they claim files.
    static let all: [FrameworkPictures] = [
        FrameworkPictures(
            folders: { lease in ["_64", "_32", ""].map { lease.references + $0 } },
            read: { files, records in records ? FBPictures.recorded(files) : AdapterReading() }
        ),
        FrameworkPictures(
            folders: { [$0.failureDiffs] },
            read: { files, _ in FBPictures.failures(files) }
        ),
        FrameworkPictures(
            folders: { [$0.snapshotArtifacts] },
            read: { files, records in PointFreePictures.artifacts(files, areCaptures: records) }
        ),
        FrameworkPictures(
            folders: { [$0.lease] },
            read: { files, records in MatplotlibPictures.results(files, areCaptures: records) }
        ),
        FrameworkPictures(
            folders: { [$0.lease] },
            read: { files, records in PytestMPLPictures.results(files, areCaptures: records) }
        ),
    ]
}
