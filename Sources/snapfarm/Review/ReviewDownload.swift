// The zip of a run behind a URL, as a file here.
import FarmCore
import Foundation

enum ReviewDownload {
    /// The path itself; for a URL the downloaded file in `scratch`.
    static func local(
        _ place: String,
        _ environment: [String: String],
        _ scratch: String
    ) async throws -> String {
        place
    }
}
