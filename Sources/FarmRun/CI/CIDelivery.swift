// Bringing outputs to where a provider shows them: first a plan, made from values alone, then
// its steps. All providers but Bitrise and GitHub Actions take what they want from the output folder by
// their own configuration, so for them the plan is empty.
import FarmCore
import FarmFiles
import Foundation

/// One step of a delivery.
package enum CIDelivery: Hashable, Sendable {
    case copyFile(from: String, to: String)
    /// With all that is in it, in place of what was there.
    case copyFolder(from: String, to: String)
    case writeFile(path: String, text: String)
    case appendText(path: String, text: String)
    case printLine(String)
}

/// What there is to deliver.
package struct CIOutputs: Sendable {
    /// The output folder, absolute.
    package var folder: String
    /// The report in Markdown, best without pictures: paths lead nowhere at a provider.
    package var report: String
}

extension CIEnvironment {
    /// What to bring where.
    package func deliveries(of summary: RunSummary, _ outputs: CIOutputs) -> [CIDelivery] {
        switch provider {
        case .bitrise: BitriseDelivery.plan(summary, outputs, sinks: sinks)
        case .gitHub: GitHubDelivery.plan(summary, outputs, sinks: sinks)
        case .circleCI, .gitLab, .buildkite, .bitbucket, .semaphore, .jenkins, .generic: []
        }
    }
}

/// A step that could not be done.
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
    /// Does the step; a second time, copies and writes replace what is there.
    package func perform(print: (String) -> Void) throws(CIDeliveryError) {
        switch self {
        case .copyFile(let from, let to), .copyFolder(let from, let to):
            try Self.attempt(to) {
                try Self.makeFolder(of: to)
                // Copied whole before the old file goes.
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
            throw .failed(path: path, reason: error.localizedDescription)
        }
    }
}
