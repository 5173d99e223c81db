// The output folder of a share, as the merge reads it. It comes from another machine: every file
// has a size limit, no link is followed, and digests are checked before anything is written.
import FarmArtifacts
import FarmCore
import Foundation

/// The error of a folder that is no share's output.
struct NotAShard: ExplainedError {
    let folder: String
    let fact: String

    var code: String { "not-a-shard" }
    var message: String { "\(folder) is not the output of a shard: \(fact)." }
    var remedy: String {
        "Name the --output folders of `snapfarm run` with --shard INDEX/TOTAL or with --select; "
            + "nothing was written."
    }
    var exit: ExitCode { .invalidInput }
}

/// The error of a merge whose folders do not exist, because a CI's pattern found nothing.
struct NoParts: ExplainedError {
    let folders: [String]

    var code: String { "parts-missing" }
    var message: String {
        "no part arrived: there is no \(folders[0].prefix(200))"
            + (folders.count > 1 ? " and none of the \(folders.count - 1) others." : ".")
    }
    var remedy: String {
        "Every part was cancelled, or died before it left its output. Run them again; nothing was "
            + "written."
    }
    var exit: ExitCode { .incomplete }
}

struct ShardFolder {
    /// The path of the folder, as the command line names it.
    let name: String
    /// The absolute path of the folder.
    let path: String
    let manifest: ShardManifest

    private static let manifestBytesMax = 16 << 20

    /// Reads the manifest of the output folder `name`.
    ///
    /// - Throws: ``NotAShard``, and `ShareSetError` for a damaged manifest.
    init(_ name: String) throws {
        self.name = name
        path = PipelineSource.absolute(name)
        let file = "\(path)/\(ShardOutput.folderName)/\(ShardOutput.manifestName)"
        guard FileManager.default.fileExists(atPath: path) else {
            throw NotAShard(folder: name, fact: "there is nothing")
        }
        guard FileManager.default.fileExists(atPath: file) else {
            let isRun = FileManager.default.fileExists(atPath: "\(path)/summary.json")
            throw NotAShard(
                folder: name,
                fact: isRun
                    ? "it is that of a whole run, or not of this machine"
                    : "it holds no \(ShardOutput.folderName)/"
            )
        }
        struct Version: Decodable { var schemaVersion: Int }
        let decoder = JSONDecoder()
        guard let bytes = try BoundedFile.read(file, bytesMax: Self.manifestBytesMax),
            let version = try? decoder.decode(Version.self, from: bytes).schemaVersion
        else { throw Self.damaged(name, "its manifest cannot be read") }
        guard version == ShardManifest.currentVersion else {
            throw NotAShard(
                folder: name,
                fact: "its version is \(version), this snapfarm reads "
                    + "\(ShardManifest.currentVersion)"
            )
        }
        do {
            manifest = try decoder.decode(ShardManifest.self, from: bytes)
        } catch {
            throw Self.damaged(name, "its manifest cannot be read")
        }
        guard manifest.isWhole else { throw Self.damaged(name, "its manifest was changed") }
    }

    /// Returns the evidence, or `nil` for a share whose run never began.
    ///
    /// - Throws: `ShareSetError` for damaged evidence.
    func evidence() throws -> PortableEvidence? {
        guard let expected = manifest.evidence else { return nil }
        let file = "\(path)/\(ShardOutput.folderName)/\(ShardOutput.evidenceName)"
        guard
            let bytes = try BoundedFile.read(file, bytesMax: FarmLimits.shardEvidenceBytesMax),
            Digest(of: bytes) == expected
        else { throw Self.damaged(name, "its evidence is not what its manifest names") }
        let evidence: PortableEvidence
        do {
            evidence = try JSONDecoder().decode(PortableEvidence.self, from: bytes)
        } catch {
            throw Self.damaged(name, "its evidence cannot be read")
        }
        if let fault = evidence.fault() { throw Self.damaged(name, fault) }
        guard evidence.schemaVersion == PortableEvidence.currentVersion,
            evidence.facts.shareName == manifest.shard, evidence.facts.id == manifest.run
        else { throw Self.damaged(name, "its evidence is of another share than its manifest") }
        return evidence
    }

    /// Stores the share's pictures and logs as blobs; returns the digests of its references.
    ///
    /// - Throws: `ShareSetError` for a file that differs from its digest.
    func store(_ files: [PortableEvidence.File], in blobs: BlobStore) throws -> [ObjectID: Digest] {
        var references: [ObjectID: Digest] = [:]
        for file in files {
            guard ZipPaths.isSafe(file.path),
                let bytes = try BoundedFile.read("\(path)/\(file.path)", bytesMax: file.bytes),
                Digest(of: bytes) == file.digest
            else { throw Self.damaged(name, "\(file.path.prefix(200)) is not what it was") }
            if let object = file.object {
                guard ObjectID(ofBlob: bytes) == object else {
                    throw Self.damaged(name, "\(file.path) is another reference")
                }
                references[object] = file.digest
            }
            try blobs.put(bytes)
        }
        return references
    }

    private static func damaged(_ name: String, _ fact: String) -> ShareSetError {
        ShareSetError([.damaged(folder: name, fact: fact)])
    }
}
