// Delivers outputs to the places where a CI shows them: first a plan from pure values, then its
// steps. For all providers but Bitrise and GitHub Actions the plan is empty: their own
// configuration names the files to take from the output folder.
import FarmCore
import FarmFiles
import Foundation

/// A step that delivers outputs of a run to the CI.
package enum CIDelivery: Hashable, Sendable {
    case copyFile(from: String, to: String)
    /// Copies a folder with all files, in place of the old one.
    case copyFolder(from: String, to: String)
    case writeFile(path: String, text: String)
    case appendText(path: String, text: String)
    case printLine(String)
}

/// The outputs of a run that are delivered to a CI.
package struct CIOutputs: Sendable {
    /// The absolute path of the output folder.
    package var folder: String
    /// The run's report in Markdown, best without pictures, because their paths are dead links at a
    /// CI.
    package var report: String
}

extension CIEnvironment {
    /// Returns the steps that deliver a run's outputs to this CI; none for a CI that takes all
    /// files from the output folder itself.
    package func deliveries(of summary: RunSummary, _ outputs: CIOutputs) -> [CIDelivery] {
        switch provider {
        case .bitrise: BitriseDelivery.plan(summary, outputs, sinks: sinks)
        case .gitHub: GitHubDelivery.plan(summary, outputs, sinks: sinks)
        case .circleCI, .gitLab, .buildkite, .bitbucket, .semaphore, .jenkins, .generic: []
        }
    }
}

/// The error of a delivery step that failed.
package enum CIDeliveryError: ExplainedError, Equatable {
    case failed(path: String, reason: String)

    package var code: String { "delivery-failed" }
    package var message: String {
        switch self {
        case .failed(let path, let reason): "\(path): cannot deliver to the CI: \(reason)."
        }
    }
    package var remedy: String {
        "The verdict stands, and all outputs are in the output folder. Check the folder's rights."
    }
    package var exit: ExitCode { .inputOutput }
}

extension CIDelivery {
    /// Performs the delivery step; a repeated copy or write replaces the old file.
    package func perform(print: (String) -> Void) throws(CIDeliveryError) {
        switch self {
        case .copyFile(let from, let to), .copyFolder(let from, let to):
            try Self.attempt(to) {
                try Self.makeFolder(of: to)
                // The old file is removed only after the copy is complete.
                let part = to + ".part"
                try? FileManager.default.removeItem(atPath: part)
                try FileManager.default.copyItem(atPath: from, toPath: part)
                try? FileManager.default.removeItem(atPath: to)
                try FileManager.default.moveItem(atPath: part, toPath: to)
            }
        case .writeFile(let path, let text):
            try Self.attempt(path) {
                try Self.makeFolder(of: path)
                try DurableFile.write(Data(text.utf8), to: path)
            }
        case .appendText(let path, let text):
            try Self.attempt(path) {
                if !FileManager.default.fileExists(atPath: path) {
                    try Self.makeFolder(of: path)
                    try Data().write(to: URL(fileURLWithPath: path))
                }
                let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
                defer { try? file.close() }
                try file.seekToEnd()
                try file.write(contentsOf: Data(text.utf8))
            }
        case .printLine(let line): print(line)
        }
    }

    private static func makeFolder(of path: String) throws {
        try FileManager.default.createDirectory(
            atPath: path.parentFolder,
            withIntermediateDirectories: true
        )
    }

    private static func attempt(_ path: String, _ step: () throws -> Void) throws(CIDeliveryError) {
        do {
            try step()
        } catch {
            throw .failed(path: path, reason: error.inWords)
        }
    }
}
