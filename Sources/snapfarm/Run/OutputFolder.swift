// `--output`: views of a run, made anew each time. Bytes are linked out of the blob store, so an
// output folder costs next to nothing. Only names this file knows are ever removed.
import FarmArtifacts
import FarmCore
import FarmFiles
import FarmReferences
import FarmReports
import Foundation

/// Why the output folder cannot be written.
enum OutputError: ExplainedError {
    case full(reason: String)
    case unwritable(path: String, reason: String)

    var code: String {
        switch self {
        case .full: "disk-full"
        case .unwritable: "output-unwritable"
        }
    }
    var message: String {
        switch self {
        case .full(let reason): "no space left: \(reason)."
        case .unwritable(let path, let reason): "cannot write \(path): \(reason)."
        }
    }
    var remedy: String {
        "Free space, or choose another folder with --output; the results are kept in the data folder."
    }
    var exit: ExitCode { .inputOutput }
}

/// What the views of a run are made of.
struct OutputSources: Sendable {
    let blobs: BlobStore
    /// How each snapshot job of the pipeline compares.
    let policies: [PortableManifest.JobPolicy]
    /// What the run compared against.
    let pin: ReferencePin
    /// The bytes of a reference; nil where they cannot be had.
    let reference: @Sendable (ObjectID) throws -> Data?
}

struct OutputFolder: Sendable {
    /// Absolute.
    let path: String
    let sources: OutputSources
    private var tree: OutputTree { OutputTree(path) }

    private static let names = [
        "summary.json", "junit.xml", "report.md", "catalogue.md", "report", "captures",
        "FailureDiffs", "FailureDiffs.zip", "timeline.json", "logs", ReviewFile.name,
        ShardOutput.folderName,
    ]
    /// A job summary of GitHub takes 1 MiB.
    private static let reportBytesMax = 900_000

    /// Writes everything; returns the summary with its files and artifacts named.
    func write(_ outcome: RunOutcome) async throws -> RunSummary {
        do {
            return try await writeAll(outcome)
        } catch let error as CocoaError {
            throw error.code == .fileWriteOutOfSpace
                ? OutputError.full(reason: error.localizedDescription)
                : OutputError.unwritable(path: path, reason: error.localizedDescription)
        } catch let error as FileFailure {
            throw error.isDiskFull
                ? OutputError.full(reason: error.localizedDescription)
                : OutputError.unwritable(path: error.path, reason: error.localizedDescription)
        }
    }

    private func writeAll(_ outcome: RunOutcome) async throws -> RunSummary {
        let files = FileManager.default
        try files.createDirectory(atPath: path, withIntermediateDirectories: true)
        for name in Self.names where files.fileExists(atPath: path + "/" + name) {
            try files.removeItem(atPath: path + "/" + name)
        }
        var summary = outcome.judged.summary
        var pictures = PictureFiles(folder: path, sources: sources, mode: summary.run.mode)
        for index in summary.snapshots.indices {
            let id = summary.snapshots[index].id
            guard let found = outcome.judged.pictures[id] else { continue }
            summary.snapshots[index].files = try pictures.place(summary.snapshots[index], found)
        }
        summary.problems += [pictures.problem].compactMap(\.self)
        for (name, digest) in outcome.judged.logs.sorted(by: { $0.key < $1.key }) {
            try sources.blobs.link(digest, to: tree.place("logs/" + name))
        }
        summary.artifacts = [
            try zip(pictures.diffs, summary, outcome.judged.renderers)
        ]
        let json = try await writeDocuments(summary)
        // Last: who finds a summary finds everything it names.
        try bytes(json, "summary.json")
        return summary
    }

    /// Writes all but `summary.json`, whose bytes it returns; documents are pure functions of the
    /// summary, so they are rendered side by side.
    private func writeDocuments(_ summary: RunSummary) async throws -> Data {
        let limit = Self.reportBytesMax
        async let json = SummaryJSON.encode(summary)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try text(JUnitReport.render(summary), "junit.xml") }
            group.addTask { try text(Timeline.render(summary), "timeline.json") }
            group.addTask { try text(HTMLReport.render(summary), "report/index.html") }
            group.addTask {
                try text(MarkdownReport.render(summary, limitBytes: limit), "report.md")
                try text(CatalogueReport.render(summary), "catalogue.md")
            }
            try await group.waitForAll()
        }
        return try await json
    }

    /// The report for places where paths lead nowhere.
    static func plainReport(_ summary: RunSummary) -> String {
        MarkdownReport.render(summary, limitBytes: reportBytesMax, pictures: .omitted)
    }

    private func zip(
        _ diffs: [(path: String, digest: Digest)],
        _ summary: RunSummary,
        _ renderers: [RunRenderer]?
    ) throws -> ArtifactSummary {
        let zip = try FailureZip(
            diffs,
            summary,
            policies: sources.policies,
            pin: sources.pin,
            renderers: renderers,
            blobs: sources.blobs
        )
        let digest = try zip.archive.write(
            toFileAt: path + "/" + FailureZip.name,
            from: sources.blobs
        )
        try bytes(zip.manifest, "FailureDiffs/manifest.json")
        try bytes(zip.page, "FailureDiffs/" + HTMLReport.zipName)
        return ArtifactSummary(
            name: FailureZip.name,
            bytes: zip.archive.size,
            sha256: digest.hex
        )
    }

    private func text(_ text: String, _ name: String) throws {
        try bytes(Data(text.utf8), name)
    }

    private func bytes(_ bytes: Data, _ name: String) throws {
        let target = try tree.place(name)
        do throws(ArtifactError) {
            try PassingFile.write(bytes, to: target)
        } catch .diskFull {
            throw OutputError.full(reason: target)
        } catch .system(_, _, let text) {
            throw OutputError.unwritable(path: path, reason: text)
        }
    }
}
