// The views of a run, the same on the machine that ran it and on a coordinator: pictures with their
// paths, the zip, and documents that are pure functions of the summary.
import FarmArtifacts
import FarmCore
import FarmReports
import FarmReview
import Foundation

/// What the views of a run are made of.
struct OutputSources: Sendable {
    let blobs: any Blobs
    /// How each snapshot job of the pipeline compares.
    let policies: [PortableManifest.JobPolicy]
    /// What the run compared against.
    let pin: ReferencePin
    /// The bytes of a reference; nil where they cannot be had.
    let reference: @Sendable (ObjectID) throws -> Data?
}

/// A run with its pictures named.
struct NamedRun: Sendable {
    /// Names the files of every picture.
    let summary: RunSummary
    /// The bytes of each of these files, by path in the output folder.
    let files: [String: Digest]
    /// What lies in the zip, by path there.
    let diffs: [(path: String, digest: Digest)]

    /// Places the pictures in an output folder, or only names them where there is none.
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

/// A run with its pictures named, and the zip of what is not as expected.
struct RunViews: Sendable {
    /// The zip is none of its artifacts yet.
    private let named: RunSummary
    let zip: FailureZip

    /// Places the pictures in an output folder, or only names them where there is none.
    init(_ judged: JudgedRun, of sources: OutputSources, in folder: String?) throws {
        let run = try NamedRun(judged, of: sources, in: folder)
        zip = try FailureZip(
            run.diffs,
            run.summary,
            policies: sources.policies,
            pin: sources.pin,
            renderers: judged.renderers,
            blobs: sources.blobs
        )
        named = run.summary
    }

    /// The summary, whose artifact is the zip; its digest is known once it was written.
    func summary(zip digest: Digest) -> RunSummary {
        var summary = named
        summary.artifacts = [
            ArtifactSummary(name: FailureZip.name, bytes: zip.archive.size, sha256: digest.hex)
        ]
        return summary
    }
}

/// A document of a run and its place in the output folder.
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

    /// The report for places where paths lead nowhere.
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

    /// A job summary of GitHub takes 1 MiB.
    private static let reportBytesMax = 900_000

    private static func text(
        _ name: String,
        _ render: @escaping @Sendable (RunSummary) throws -> String
    ) -> RunDocument {
        RunDocument(name: name) { Data(try render($0).utf8) }
    }
}
