// The artifacts of a finished run, which are computed when a caller downloads them.
import FarmCore

/// One artifact of a run, which can be read in any range.
package struct ArtifactView: Sendable {
    package var name: String
    package var bytes: Int
    package var sha256: Digest
    /// Reads exactly the bytes of a range of the artifact.
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
    /// Returns the artifacts of a run that has ended.
    ///
    /// - Throws: `RunArtifactsError.open`, or another `ExplainedError` for an unknown run.
    func artifacts(of run: RunID) async throws -> [ArtifactView]
}

/// The artifacts of a coordinator that offers none.
struct NoArtifacts: RunArtifacts {
    func artifacts(of run: RunID) async throws -> [ArtifactView] { [] }
}

/// The reason why a run has nothing to download.
package enum RunArtifactsError: ExplainedError {
    /// The run has not ended.
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
