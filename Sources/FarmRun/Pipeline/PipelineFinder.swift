// Which pipeline file a command is about. All commands ask here, so that the rule is one
// (docs/pipeline.md): the file that is named, by an option or in the environment; else the one that
// `refs init` remembered in this clone; else `snapfarm.yaml`; else the only one nearby.
import FarmCore
import FarmReferences
import Foundation

/// Looks for the pipeline file.
package struct PipelineFinder: Sendable {
    /// What the command line or the environment names; nil: it is looked for.
    package let named: String?
    /// Absolute.
    let workingFolder: String
    let environment: [String: String]

    /// Where `snapfarm init` writes.
    package static let usualNames = ["snapfarm.yaml", "snapfarm.yml"]
    /// A name in the clone's own Git configuration; a relative path starts at the root.
    package static let setting = "snapfarm.pipeline"
    /// Files that are looked into in one folder; more are not one project.
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

    /// The file that is named, or else the one that is meant.
    ///
    /// - Throws: `PipelineSearchError` where there is none, or more than one.
    package func file() throws -> String { try named ?? Self.choice(candidates(.any)).file }

    // MARK: what may be meant

    /// What a command needs of a pipeline file.
    enum Wanted {
        case any
        case references
    }

    /// Which of several files goes first.
    enum Rank: Int, Comparable {
        case remembered
        case usual
        case other

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    struct Candidate: Hashable {
        /// As people would write it in the working folder.
        let file: String
        let rank: Rank
    }

    /// The only one of the highest rank.
    static func choice(_ candidates: [Candidate]) throws(PipelineSearchError) -> Candidate {
        let best = candidates.map(\.rank).min()
        let files = candidates.filter { $0.rank == best }
        guard let only = files.first, files.count == 1 else {
            throw files.isEmpty ? .none(name: nil) : .several(files.map(\.file))
        }
        return only
    }

    /// Every pipeline file that may be meant: the remembered one, and those here and in
    /// `pipelines/`.
    ///
    /// They are recognised by their lines, so that one with mistakes is found and explained.
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

    /// Files of CI providers have jobs, too; `isSure`: the file's name says what it is.
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
