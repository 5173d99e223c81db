// The flow of `snapfarm init`: reads a repository, shows the files that it would write, and writes
// them if the user agrees. The rules are in `SetupRules`.
import FarmCore
import FarmFiles
import FarmPipeline
import Foundation

/// Sets up a repository for snapfarm.
package struct RepositorySetup {
    package let proposal: Proposal
    private let root: GuardedFolder

    /// The names of folders with generated or third-party files, which are not searched.
    private static let skipped: Set<String> = [
        "node_modules", "Pods", "Carthage", ".build", "DerivedData", ".gradle", ".venv", "venv",
        ".snapfarm", "snapfarm-out", ".tox", "bower_components",
    ]

    /// Reads the repository below `folder`; with a skill, proposes a file for agents, too.
    ///
    /// - Throws: `SetupError` if it is no folder, `GuardedFolderError` if reading fails.
    package init(folder: String, withSkill: Bool = false) throws {
        let root = URL(fileURLWithPath: folder).standardizedFileURL.path
        guard FileManager.default.fileExists(atPath: root + "/.") else {
            throw SetupError.noFolder(folder)
        }
        let guarded = GuardedFolder(root)
        self.root = guarded
        let listing = try FolderListing(
            of: guarded,
            skipping: { Self.skipped.contains($0.pathParts.last ?? "") }
        )
        let files = ProjectFiles(paths: listing.files) { path in
            (try? guarded.read(path, bytesMax: FarmLimits.setupFileBytesMax))
                .map { String(decoding: $0, as: UTF8.self) }
        }
        let name = URL(fileURLWithPath: root).lastPathComponent
        proposal = SetupRules.proposal(for: files, folder: name, withSkill: withSkill)
    }

    /// Returns the text for the user: the findings, the files as a diff, and the steps left to do.
    package func text() -> String {
        var lines = proposal.found.map { "found  \($0)" }
        for file in proposal.files {
            lines += ["", "--- \(file.appends ? file.path : "/dev/null")", "+++ \(file.path)"]
            lines += file.text.split(separator: "\n", omittingEmptySubsequences: false)
                .dropLast(file.text.hasSuffix("\n") ? 1 : 0).map { "+\($0)" }
        }
        if !proposal.open.isEmpty {
            lines += ["", "To look at yourself:"] + proposal.open.map { "  - \($0)" }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Writes the proposed files.
    ///
    /// - Throws: `SetupError.exists` if a file was created since it was proposed.
    package func write() throws {
        for file in proposal.files {
            let old = try root.status(file.path)
            guard file.appends || old == nil else { throw SetupError.exists(file.path) }
            let bytes =
                old == nil
                ? Data() : try root.read(file.path, bytesMax: FarmLimits.setupFileBytesMax)
            _ = try root.write(file.path, bytes + Data(file.text.utf8))
        }
    }
}

/// The errors of `snapfarm init`.
package enum SetupError: ExplainedError, Hashable {
    case noFolder(String)
    case exists(String)
    case nothing

    package var code: String {
        switch self {
        case .noFolder: "setup-no-folder"
        case .exists: "setup-file-exists"
        case .nothing: "setup-nothing"
        }
    }
    package var message: String {
        switch self {
        case .noFolder(let path): "\(path.prefix(200).debugDescription) is no folder."
        case .exists(let path): "\(path) is there already."
        case .nothing: "there is nothing that init can write here."
        }
    }
    package var remedy: String {
        switch self {
        case .noFolder: "Name the root of the repository: snapfarm init FOLDER"
        case .exists: "Somebody else wrote it. Run snapfarm init again."
        case .nothing: "Look at what it says above; docs/pipeline.md shows a file by hand."
        }
    }
    package var exit: ExitCode { .invalidInput }
}
