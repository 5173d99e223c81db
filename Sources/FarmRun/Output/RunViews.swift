// The views of a run, the same on the machine that ran it and on a coordinator: pictures with their
// paths, the zip, and documents that are pure functions of the summary.
import FarmArtifacts
import FarmCore
import FarmReports
import FarmReview
import Foundation

/// The sources of a run's summary, pictures and documents.
struct OutputSources: Sendable {
    let blobs: any Blobs
    /// The comparison policy of each snapshot job.
    let policies: [PortableManifest.JobPolicy]
    /// The pin that the run compared with.
    let pin: ReferencePin
    /// Returns the bytes of a reference, or `nil` if they are not available.
    let reference: @Sendable (ObjectID) throws -> Data?
}

/// A run whose pictures have names for their files.
struct NamedRun: Sendable {
    /// The run's summary, with the files of every picture.
    let summary: RunSummary
    /// The digest of each picture's file, by path in the output folder.
    let files: [String: Digest]
    /// The pictures in the run's zip, with their paths there.
    let diffs: [(path: String, digest: Digest)]

    /// Places the run's pictures in an output folder, or only names them if `folder` is `nil`.
    init(_ judged: JudgedRun, of sources: OutputSources, in folder: String?) throws {
        var summary = judged.summary
        var pictures = PictureFiles(folder: folder, sources: sources, mode: summary.run.mode)
        try pictures.keepReferences(of: summary.snapshots, judged.pictures)
        for index in summary.snapshots.indices {
            let id = summary.snapshots[index].id
            guard let found = judged.pictures[id] else { continue }
            summary.snapshots[index].files = try pictures.place(summary.snapshots[index], found)
        }
        summary.problems += [pictures.problem].compactMap(\.self)
        self.summary = summary
        files = pictures.named
        diffs = pictures.diffs
    }
}

/// A run with names for its pictures' files, and the zip of the unexpected pictures.
struct RunViews: Sendable {
    /// The run's summary without the zip among its artifacts.
    private let named: RunSummary
    let zip: FailureZip

    /// Places the run's pictures in an output folder, or only names them if `folder` is `nil`.
    ///
    /// With `evidence`, the zip can be judged again; a share's evidence is in its own folder.
    init(
        _ judged: JudgedRun,
        evidence: RunEvidence?,
        of sources: OutputSources,
        in folder: String?
    ) throws {
        let run = try NamedRun(judged, of: sources, in: folder)
        zip = try FailureZip(
            run.diffs,
            run.summary,
            policies: sources.policies,
            pin: sources.pin,
            renderers: judged.renderers,
            evidence: run.summary.run.isJudgeable ? evidence : nil,
            blobs: sources.blobs
        )
        named = run.summary
    }

    /// Returns the run's summary with the zip as its artifact; the zip's digest is known after it
    /// was written.
    func summary(zip digest: Digest) -> RunSummary {
        var summary = named
        summary.artifacts = [
            ArtifactSummary(name: FailureZip.name, bytes: zip.archive.size, sha256: digest.hex)
        ]
        return summary
    }
}

/// A document about a run, and its place in the output folder.
struct RunDocument: Sendable {
    let name: String
    let render: @Sendable (RunSummary) throws -> Data

    static let summary = RunDocument(name: "summary.json") { try SummaryJSON.encode($0) }
    static let junit = text("junit.xml") { JUnitReport.render($0) }
    static let timeline = text("timeline.json") { Timeline.render($0) }
    static let catalogue = text("catalogue.md") { CatalogueReport.render($0) }
    static let plainReport = text("report.md") { plainText($0) }

    static let pageName = "report/index.html"

    static func page(_ rejected: RejectedPictures) -> RunDocument {
        text(pageName) { HTMLReport.render($0, rejected: rejected) }
    }

    static func report(_ rejected: RejectedPictures) -> RunDocument {
        text("report.md") {
            MarkdownReport.render($0, rejected: rejected, limitBytes: reportBytesMax)
        }
    }

    /// Returns the run's report without pictures, for places where their paths are dead links.
    static func plainText(
        _ summary: RunSummary,
        rejected: RejectedPictures = RejectedPictures()
    ) -> String {
        MarkdownReport.render(
            summary,
            rejected: rejected,
            limitBytes: reportBytesMax,
            pictures: .omitted
        )
    }

    /// The size limit of a report, in bytes; GitHub takes 1 MiB for a job summary.
    private static let reportBytesMax = 900_000

    private static func text(
        _ name: String,
        _ render: @escaping @Sendable (RunSummary) throws -> String
    ) -> RunDocument {
        RunDocument(name: name) { Data(try render($0).utf8) }
    }
}
