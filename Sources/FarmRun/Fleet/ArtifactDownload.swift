// The download of a run's artifacts from a coordinator into a folder. An interrupted download
// continues where it stopped.
import FarmAPI
import FarmCore
import Foundation

/// A download of the artifacts of one run.
package struct ArtifactDownload {
    let run: RunID
    /// The absolute path of the target folder, which is created if it is missing.
    let folder: String
    /// Called with the path and the size in bytes of each finished file.
    let done: (String, Int) -> Void

    package init(run: RunID, folder: String, done: @escaping (String, Int) -> Void) {
        self.run = run
        self.folder = folder
        self.done = done
    }

    /// Downloads the artifacts with these names, or all if `names` is empty, and checks their
    /// digests.
    ///
    /// Returns the downloaded artifacts.
    package func fetch(
        _ names: [String],
        from client: CoordinatorClient
    ) async throws -> [ArtifactSummary] {
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true
        )
        let known = try await client.artifacts(run)
        for name in names where !known.contains(where: { $0.name == name }) {
            throw UnknownArtifact(name: name, known: known.map(\.name))
        }
        let wanted = known.filter { names.isEmpty || names.contains($0.name) }
        for artifact in wanted { try await fetch(artifact, from: client) }
        return wanted
    }

    private func fetch(
        _ artifact: ArtifactSummary,
        from client: CoordinatorClient
    ) async throws {
        guard let digest = Digest(artifact.sha256), !artifact.name.hasSlash,
            !artifact.name.isEmpty, artifact.name.utf8.first != UInt8(ascii: ".")
        else {
            throw APIError.malformed(
                url: client.url,
                reason: "an artifact has no name or digest that can be used"
            )
        }
        let target = folder + "/" + artifact.name
        // The name contains the digest, so that a part of another artifact is never continued.
        let part = "\(target).\(digest.hex.prefix(16)).part"
        try await client.download(artifact, of: run, digest, toFileAt: part)
        guard rename(part, target) == 0 else {
            throw OutputError.unwritable(path: target, reason: String(cString: strerror(errno)))
        }
        done(target, artifact.bytes)
    }
}

/// The error of a name that no artifact of the run has.
private struct UnknownArtifact: ExplainedError {
    let name: String
    let known: [String]

    var code: String { "artifact-unknown" }
    var message: String {
        "there is no artifact \(name.prefix(100)); there are \(known.joined(separator: ", "))."
    }
    var remedy: String { "Name one of them, or none for all." }
    var exit: ExitCode { .usage }
}
