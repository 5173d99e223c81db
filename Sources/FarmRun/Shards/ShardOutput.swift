// The files of a share for `merge`, which needs nothing else of this machine: `shard/manifest.json`
// names `shard/evidence.json` by its digest, and the evidence names every picture and log of the
// output folder by theirs. References that no test of the plan makes are divided among the
// machines, because only the whole run can tell that they are missing.
import FarmCore
import FarmFiles
import FarmLedger
import FarmReview
import Foundation

/// The content of `shard/manifest.json`, version 1, which is written last.
struct ShardManifest: Codable {
    static let currentVersion = 1

    var schemaVersion = ShardManifest.currentVersion
    /// The share as `INDEX/TOTAL`, or the selection of `--select` for a part.
    var shard: String
    var run: String
    var state: RunState
    /// The digest of `evidence.json`, or `nil` for a share whose run never began.
    var evidence: Digest?
    var policies: [PortableManifest.JobPolicy]
    /// The digest of the manifest without this property; detects a damaged file.
    var check: Digest?

    /// Whether the manifest is unchanged since it was written.
    var isWhole: Bool { check != nil && check == (try? sum) }

    /// Returns the manifest as the bytes of its file.
    func json() throws -> Data {
        var checked = self
        checked.check = try sum
        return try Self.encoder.encode(checked) + Data("\n".utf8)
    }

    private var sum: Digest {
        get throws {
            var bare = self
            bare.check = nil
            return Digest(of: try Self.encoder.encode(bare))
        }
    }

    static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}

struct ShardOutput {
    static let folderName = "shard"
    static let manifestName = "manifest.json"
    static let evidenceName = "evidence.json"

    /// The absolute path of the output folder.
    let folder: String
    let sources: OutputSources

    /// Writes the files for the merge; `summary` is the written one, with its files named.
    func write(_ outcome: RunOutcome, _ summary: RunSummary) throws {
        do {
            try writeAll(outcome, summary)
        } catch let error as CocoaError {
            throw error.code == .fileWriteOutOfSpace
                ? OutputError.full(reason: error.inWords)
                : OutputError.unwritable(path: folder, reason: error.inWords)
        }
    }

    private func writeAll(_ outcome: RunOutcome, _ summary: RunSummary) throws {
        let place = folder + "/" + Self.folderName
        try FileManager.default.createDirectory(
            atPath: place,
            withIntermediateDirectories: true
        )
        var digest: Digest?
        if let found = outcome.evidence {
            let files =
                try pictures(summary, outcome.judged) + logs(outcome.judged)
                + orphans(found, summary)
            let evidence = PortableEvidence(found, facts: summary.run, files: Self.once(files))
            let bytes = try ShardManifest.encoder.encode(evidence)
            try DurableFile.write(bytes, to: "\(place)/\(Self.evidenceName)")
            digest = Digest(of: bytes)
        }
        let manifest = ShardManifest(
            shard: summary.run.shareName ?? "",
            run: summary.run.id,
            state: summary.state,
            evidence: digest,
            policies: sources.policies
        )
        // The manifest comes last: a program that finds it finds all other files.
        try DurableFile.write(try manifest.json(), to: "\(place)/\(Self.manifestName)")
    }

    // MARK: files

    /// Returns the pictures that the output folder shows, in the order of their ids.
    private func pictures(
        _ summary: RunSummary,
        _ judged: JudgedRun
    ) throws -> [PortableEvidence.File] {
        try summary.snapshots.flatMap { snapshot -> [PortableEvidence.File] in
            guard let found = judged.pictures[snapshot.id] else { return [] }
            var files: [PortableEvidence.File] = []
            if let path = snapshot.files["capture"], let digest = found.capture {
                files.append(file(path, digest, object: nil))
            }
            if let path = snapshot.files["other"], let digest = found.earlier {
                // The merge draws the difference of the two takes again, as this machine did.
                files.append(file(path, digest, object: nil))
            } else if let path = snapshot.files["diff"], let digest = found.diff {
                files.append(file(path, digest, object: nil))
            }
            for (kind, text) in snapshot.companions ?? [:] {
                if let path = snapshot.files[kind], let digest = Digest(text) {
                    files.append(file(path, digest, object: nil))
                }
            }
            guard let path = snapshot.files["reference"] else { return files }
            if let digest = found.referenceBlob {
                files.append(file(path, digest, object: nil))
            } else if let object = found.reference, let bytes = try sources.reference(object) {
                files.append(file(path, Digest(of: bytes), object: object))
            }
            return files
        }
    }

    private func logs(_ judged: JudgedRun) -> [PortableEvidence.File] {
        judged.logs.sorted { $0.key < $1.key }.map { file("logs/\($0)", $1, object: nil) }
    }

    /// Writes this machine's part of the references that only the merge can find missing, and
    /// returns the files.
    private func orphans(
        _ evidence: RunEvidence,
        _ summary: RunSummary
    ) throws -> [PortableEvidence.File] {
        let shown = Set(summary.snapshots.map(\.id))
        return try ShareRules.orphans(of: evidence).compactMap { reference in
            guard !shown.contains(reference.id.text),
                let bytes = try sources.reference(reference.objectID)
            else { return nil }
            let path = "\(Self.folderName)/references/\(reference.objectID.hex).png"
            let target = URL(fileURLWithPath: folder + "/" + path)
            try FileManager.default.createDirectory(
                at: target.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try bytes.write(to: target)
            return file(path, Digest(of: bytes), object: reference.objectID)
        }
    }

    private func file(_ path: String, _ digest: Digest, object: ObjectID?) -> PortableEvidence.File
    {
        let attributes = try? FileManager.default.attributesOfItem(atPath: folder + "/" + path)
        return PortableEvidence.File(
            path: path,
            digest: digest,
            bytes: attributes?[.size] as? Int ?? 0,
            object: object
        )
    }

    /// Returns each picture once; a picture known as a reference keeps its reference's id.
    private static func once(_ files: [PortableEvidence.File]) -> [PortableEvidence.File] {
        var places: [Digest: Int] = [:]
        var kept: [PortableEvidence.File] = []
        for file in files {
            if let place = places[file.digest] {
                kept[place].object = kept[place].object ?? file.object
            } else {
                places[file.digest] = kept.count
                kept.append(file)
            }
        }
        return kept
    }
}
