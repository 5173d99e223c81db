// `FailureDiffs.zip` as a view: the same run gives the same bytes, wherever it is asked for.
import FarmArtifacts
import FarmCore
import FarmReports
import FarmReview
import Foundation

/// The zip of one run, and the manifest in it.
struct FailureZip: Sendable {
    static let name = "FailureDiffs.zip"

    let archive: ZipArchive
    let manifest: Data
    /// Shows what the zip holds, without a network and without anything else.
    let page: Data

    /// `diffs` are paths in the zip and what lies there; `pin` is what the run compared with.
    init(
        _ diffs: [(path: String, digest: Digest)],
        _ summary: RunSummary,
        policies: [PortableManifest.JobPolicy],
        pin: ReferencePin,
        renderers: [RunRenderer]?,
        blobs: BlobStore
    ) throws {
        var entries: [ZipEntry] = []
        for (name, digest) in diffs {
            entries.append(
                ZipEntry(
                    path: name,
                    blob: digest,
                    size: blobs.size(of: digest) ?? 0,
                    crc32: try blobs.crc32(of: digest)
                )
            )
        }
        manifest = try PortableManifest(
            summary,
            policies: policies,
            pin,
            renderers: renderers
        ).json()
        entries.append(try ZipEntry(path: "manifest.json", text: manifest))
        page = Data(HTMLReport.render(summary, in: .zip).utf8)
        entries.append(try ZipEntry(path: HTMLReport.zipName, text: page))
        archive = try ZipArchive(entries)
    }
}
