// The output folder (`--output`): the views of a run, written anew each time. Files are linked from
// the blob store, so the folder costs little space. Only names in this file's list are ever
// removed.
import FarmArtifacts
import FarmCore
import FarmFiles
import FarmReferences
import FarmReports
import FarmReview
import Foundation

/// The errors of writing an output folder.
package enum OutputError: ExplainedError {
    case full(reason: String)
    case unwritable(path: String, reason: String)

    package var code: String {
        switch self {
        case .full: "disk-full"
        case .unwritable: "output-unwritable"
        }
    }
    package var message: String {
        switch self {
        case .full(let reason): "no space left: \(reason)."
        case .unwritable(let path, let reason): "cannot write \(path): \(reason)."
        }
    }
    package var remedy: String {
        "Free space, or choose another folder with --output; the results are kept in the data folder."
    }
    package var exit: ExitCode { .inputOutput }
}

struct OutputFolder: Sendable {
    /// The absolute path of the output folder.
    let path: String
    let sources: OutputSources
    private var tree: OutputTree { OutputTree(path) }

    private static let names = [
        "summary.json", "junit.xml", "report.md", "catalogue.md", "report", "captures",
        "FailureDiffs", "FailureDiffs.zip", "timeline.json", "logs", ShardOutput.folderName,
    ]

    /// Writes all files of the run, and returns the summary with the names of files and artifacts.
    ///
    /// `rejected` are open pictures that people rejected before, for the reports.
    func write(
        _ outcome: RunOutcome,
        rejected: RejectedPictures = RejectedPictures()
    ) async throws -> RunSummary {
        do {
            return try await writeAll(outcome, rejected)
        } catch let error as CocoaError {
            throw error.code == .fileWriteOutOfSpace
                ? OutputError.full(reason: error.inWords)
                : OutputError.unwritable(path: path, reason: error.inWords)
        } catch let error as FileFailure {
            throw error.isDiskFull
                ? OutputError.full(reason: error.inWords)
                : OutputError.unwritable(path: error.path, reason: error.inWords)
        }
    }

    private func writeAll(
        _ outcome: RunOutcome,
        _ rejected: RejectedPictures
    ) async throws -> RunSummary {
        let files = FileManager.default
        try files.createDirectory(atPath: path, withIntermediateDirectories: true)
        for name in Self.names where files.fileExists(atPath: path + "/" + name) {
            try files.removeItem(atPath: path + "/" + name)
        }
        let views = try RunViews(
            outcome.judged,
            evidence: outcome.evidence,
            of: sources,
            in: path
        )
        for (name, digest) in outcome.judged.logs.sorted(by: { $0.key < $1.key }) {
            try sources.blobs.link(digest, to: tree.place("logs/" + name))
        }
        let summary = views.summary(zip: try write(views.zip))
        let json = try await writeDocuments(summary, rejected)
        // The summary comes last: a program that finds it also finds all files that it names.
        try bytes(json, RunDocument.summary.name)
        return summary
    }

    /// Writes all documents but `summary.json`, whose bytes it returns.
    ///
    /// Documents are pure functions of the summary, so they are rendered at the same time.
    private func writeDocuments(
        _ summary: RunSummary,
        _ rejected: RejectedPictures
    ) async throws -> Data {
        async let json = RunDocument.summary.render(summary)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for document in [
                RunDocument.junit, .timeline, .page(rejected), .report(rejected), .catalogue,
            ] {
                group.addTask { try bytes(document.render(summary), document.name) }
            }
            try await group.waitForAll()
        }
        return try await json
    }

    /// Writes the zip, and its documents below `FailureDiffs/`; returns the zip's digest.
    private func write(_ zip: FailureZip) throws -> Digest {
        let digest = try zip.archive.write(
            toFileAt: path + "/" + FailureZip.name,
            from: sources.blobs
        )
        for document in zip.documents {
            try bytes(document.bytes, "\(KeptFiles.diffs)/\(document.path)")
        }
        return digest
    }

    private func bytes(_ bytes: Data, _ name: String) throws {
        let target = try tree.place(name)
        do throws(ArtifactError) {
            try UnsyncedFile.write(bytes, to: target)
        } catch .diskFull {
            throw OutputError.full(reason: target)
        } catch .system(_, _, let text) {
            throw OutputError.unwritable(path: path, reason: text)
        }
    }
}
