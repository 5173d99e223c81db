// What a finished run offers for download: views that are computed when somebody asks.
import FarmCore

/// One artifact, ready to be read in any range.
package struct ArtifactView: Sendable {
    package var name: String
    package var bytes: Int
    package var sha256: Digest
    /// Exactly the bytes of a range.
    package var read: @Sendable (Range<Int>) async throws -> [UInt8]

    package init(
        name: String,
        bytes: Int,
        sha256: Digest,
        read: @escaping @Sendable (Range<Int>) async throws -> [UInt8]
    ) {
        self.name = name
        self.bytes = bytes
        self.sha256 = sha256
        self.read = read
    }
}

/// Finds the artifacts of runs.
package protocol RunArtifacts: Sendable {
    /// The artifacts of a run that has ended.
    ///
    /// - Throws: `RunArtifactsError.open`, and an `ExplainedError` for a run that is not there.
    func artifacts(of run: RunID) async throws -> [ArtifactView]
}

/// A coordinator that offers none.
struct NoArtifacts: RunArtifacts {
    func artifacts(of run: RunID) async throws -> [ArtifactView] { [] }
}

/// Why a run has nothing to download.
package enum RunArtifactsError: ExplainedError {
    /// It has not ended.
    case open(RunID)

    package var code: String { "run-open" }
    package var message: String {
        switch self {
        case .open(let run): "run \(run) has not ended."
        }
    }
    package var remedy: String {
        switch self {
        case .open(let run): "Ask `snapfarm why \(run)` what it waits for."
        }
    }
    package var exit: ExitCode { .busy }
}
