// `FailureDiffs.zip`, computed from a run: the same run gives the same bytes on every machine.
import FarmArtifacts
import FarmCore
import FarmReports
import FarmReview
import Foundation

/// The zip of one run, and its documents.
struct FailureZip: Sendable {
    static let name = "FailureDiffs.zip"

    let archive: ZipArchive
    /// The files beside the pictures: documents for programs, and a page that shows the pictures
    /// without any other file.
    let documents: [(path: String, bytes: Data)]

    /// Creates the zip.
    ///
    /// `diffs` are the digests of pictures with their paths in the zip; `pin` is the one that the
    /// run compared with. With `evidence`, the zip can be judged again.
    init(
        _ diffs: [(path: String, digest: Digest)],
        _ summary: RunSummary,
        policies: [PortableManifest.JobPolicy],
        pin: ReferencePin,
        renderers: [RunRenderer]?,
        evidence: RunEvidence?,
        blobs: any Blobs
    ) throws {
        var entries: [ZipEntry] = []
        for (name, digest) in diffs {
            entries.append(
                ZipEntry(
                    path: name,
                    blob: digest,
                    size: try blobs.size(of: digest) ?? 0,
                    crc32: try blobs.crc32(of: digest)
                )
            )
        }
        let manifest = PortableManifest(
            summary,
            policies: policies,
            pin,
            renderers: renderers
        )
        var inside = summary
        // The zip is itself one of the artifacts.
        inside.artifacts = []
        var documents = [
            (KeptFiles.manifest, try manifest.json()),
            (KeptFiles.summary, try SummaryJSON.encode(inside)),
            (HTMLReport.zipName, Data(HTMLReport.render(summary, in: .zip).utf8)),
        ]
        if let evidence {
            let whole = PortableEvidence(whole: evidence, facts: summary.run)
            documents.append((KeptFiles.evidence, try ShardManifest.encoder.encode(whole)))
        }
        self.documents = documents
        for (path, bytes) in documents { entries.append(try ZipEntry(path: path, text: bytes)) }
        archive = try ZipArchive(entries)
    }
}
