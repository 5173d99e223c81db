// The rule by which every command finds its pipeline file (docs/pipeline.md): the file named by an
// option or in the environment; else the one that `refs init` remembered in this clone; else
// `snapfarm.yaml`; else the only one nearby.
import FarmCore
import FarmReferences
import Foundation

/// Finds the pipeline file of a command.
package struct PipelineFinder: Sendable {
    /// The file that the command line or the environment names; if `nil`, the file is searched for.
    package let named: String?
    /// The absolute path of the working folder.
    let workingFolder: String
    let environment: [String: String]

    /// The names of pipeline files that are recognised by name; `snapfarm init` writes the first.
    package static let usualNames = ["snapfarm.yaml", "snapfarm.yml"]
    /// The key in the clone's Git configuration; a relative path there starts at the clone's root.
    package static let setting = "snapfarm.pipeline"
    /// The most YAML files that are read in one folder.
    private static let filesMax = 500

    package init(
        named: String?,
        environment: [String: String],
        workingFolder: String = FileManager.default.currentDirectoryPath
    ) {
        let known = environment["SNAPFARM_PIPELINE"]
        self.named = (named ?? known).flatMap { $0.isEmpty ? nil : $0 }
        self.workingFolder = workingFolder
        self.environment = environment
    }

    /// Returns the named file, or else the only one found.
    ///
    /// - Throws: `PipelineSearchError` if there is none, or more than one.
    package func file() throws -> String { try named ?? Self.choice(candidates(.any)).file }

    // MARK: candidates

    /// The content that a command needs of the pipeline file.
    enum Wanted {
        case any
        case references
    }

    /// The rank of a pipeline file among several; the lowest is preferred.
    enum Rank: Int, Comparable {
        case remembered
        case usual
        case other

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    struct Candidate: Hashable {
        /// The path of the pipeline file, as a user would write it in the working folder.
        let file: String
        let rank: Rank
    }

    /// Returns the only candidate of the best rank; throws if there are several.
    static func choice(_ candidates: [Candidate]) throws(PipelineSearchError) -> Candidate {
        let best = candidates.map(\.rank).min()
        let files = candidates.filter { $0.rank == best }
        guard let only = files.first, files.count == 1 else {
            throw files.isEmpty ? .none(name: nil) : .several(files.map(\.file))
        }
        return only
    }

    /// Returns every possible pipeline file: the remembered one, and those here and in
    /// `pipelines/`.
    ///
    /// A file is recognised by its lines, not by parsing, so that a file with mistakes is found and
    /// its mistakes are explained.
    func candidates(_ wanted: Wanted) -> [Candidate] {
        let remembered = remembered().flatMap { path in
            isWanted(path, wanted, isSure: true) ? PipelineSource.absolute(path) : nil
        }
        var found: [Candidate] = []
        for folder in ["", "pipelines/"] {
            let names = try? FileManager.default.contentsOfDirectory(
                atPath: "\(workingFolder)/\(folder)"
            )
            for name in (names ?? []).sorted().prefix(Self.filesMax)
            where name.hasSuffix(".yaml") || name.hasSuffix(".yml") {
                let isUsual = folder.isEmpty && Self.usualNames.contains(name)
                let path = "\(workingFolder)/\(folder)\(name)"
                guard isWanted(path, wanted, isSure: isUsual) else { continue }
                let rank: Rank =
                    path == remembered ? .remembered : isUsual ? .usual : .other
                found.append(Candidate(file: folder + name, rank: rank))
            }
        }
        if let remembered, !found.contains(where: { $0.rank == .remembered }) {
            found.insert(Candidate(file: remembered, rank: .remembered), at: 0)
        }
        return found
    }

    private func remembered() -> String? {
        guard let root = (try? WorkTreeGit(containing: workingFolder))?.workTree,
            let file = try? GitCommand(folder: workingFolder, environment: environment)
                .setting(Self.setting)
        else { return nil }
        return file.hasPrefix("/") ? file : "\(root)/\(file)"
    }

    /// Whether the file is a pipeline file.
    ///
    /// If `isSure`, its name says so already; other files are checked, because files of CI
    /// providers have `jobs:` too.
    private func isWanted(_ path: String, _ wanted: Wanted, isSure: Bool) -> Bool {
        guard let bytes = FileManager.default.contents(atPath: path),
            bytes.count <= FarmLimits.pipelineBytesMax
        else { return false }
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        func has(_ key: String) -> Bool { lines.contains { $0.hasPrefix(key + ":") } }
        let isPipeline = isSure || has("version") && has("jobs")
        return isPipeline && (wanted == .any || has("references"))
    }
}
