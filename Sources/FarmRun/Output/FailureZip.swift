// `FailureDiffs.zip` as a view: the same run gives the same bytes, wherever it is asked for.
import FarmArtifacts
import FarmCore
import FarmReports
import FarmReview
import Foundation

/// The zip of one run, and what is in it beside pictures.
struct FailureZip: Sendable {
    static let name = "FailureDiffs.zip"

    let archive: ZipArchive
    /// What lies beside the pictures: what a program reads, and a page that shows them without
    /// anything else.
    let documents: [(path: String, bytes: Data)]

    /// `diffs` are paths in the zip and what lies there; `pin` is what the run compared with.
    init(
        _ diffs: [(path: String, digest: Digest)],
        _ summary: RunSummary,
        policies: [PortableManifest.JobPolicy],
        pin: ReferencePin,
        renderers: [RunRenderer]?,
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
        // The zip is one of them.
        inside.artifacts = []
        documents = [
            (KeptFiles.manifest, try manifest.json()),
            (KeptFiles.summary, try SummaryJSON.encode(inside)),
            (HTMLReport.zipName, Data(HTMLReport.render(summary, in: .zip).utf8)),
        ]
        for (path, bytes) in documents { entries.append(try ZipEntry(path: path, text: bytes)) }
        archive = try ZipArchive(entries)
    }
}
