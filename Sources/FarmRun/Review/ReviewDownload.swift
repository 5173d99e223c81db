// The zip of a run behind a URL, as a file here.
import FarmAPI
import FarmCore
import Foundation

enum ReviewDownload {
    /// The path itself; for a URL the downloaded file in `scratch`.
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
}
