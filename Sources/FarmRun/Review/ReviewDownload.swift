// The zip of a run from a URL or a coordinator, as a local file.
import FarmAPI
import FarmCore
import Foundation

enum ReviewDownload {
    /// Returns the path of a local file or folder; downloads it into `scratch` first if `place` is
    /// a URL.
    static func local(
        _ place: String,
        _ environment: [String: String],
        _ scratch: String
    ) async throws -> String {
        guard place.hasPrefix("https://") || place.hasPrefix("http://") else { return place }
        let path = scratch + "/downloaded.zip"
        try await FileDownload(
            url: place,
            bytesMax: FarmLimits.archiveBytesMax,
            header: environment["SNAPFARM_ARTIFACT_HEADER"]
        ).save(toFileAt: path)
        return path
    }

    /// Downloads the zip of a coordinator's run into `scratch`, and returns its path.
    static func zip(
        of run: RunID,
        at coordinator: RemoteCoordinator,
        _ scratch: String
    ) async throws -> String {
        let download = ArtifactDownload(run: run, folder: scratch) { _, _ in }
        _ = try await coordinator.asked { try await download.fetch([FailureZip.name], from: $0) }
        return scratch + "/" + FailureZip.name
    }
}
