// Finds the project whose references are meant: what the command line names, what `refs init`
// remembered in this clone, or the only pipeline file with references nearby.
import FarmCore
import FarmReferenceTools
import FarmReferences
import Foundation

/// Looks for the references of a project.
package struct ReferencePlaceFinder {
    /// Absolute.
    let workingFolder: String
    let environment: [String: String]

    package init(workingFolder: String, environment: [String: String]) {
        self.workingFolder = workingFolder
        self.environment = environment
    }

    /// Names in the clone's own Git configuration; relative paths start at the root.
    package static let pipelineSetting = "snapfarm.pipeline"
    package static let storeSetting = "snapfarm.store"
    package static let pinSetting = "snapfarm.pin"

    /// Pipeline files that are looked into for references; more are not one project.
    private static let filesMax = 500

    /// The place that is named, or the only one nearby.
    ///
    /// - Throws: `RefsError` where there is none or more than one.
    package func find(pipeline: String?, store: String?, pinPath: String?) throws -> ReferencePlace
    {
        if let file = pipeline
            ?? environment["SNAPFARM_PIPELINE"].flatMap({ $0.isEmpty ? nil : $0 })
        {
            return try place(file: file, store: store, pinPath: pinPath)
        }
        if let store, pinPath != nil { return try place(store: store, pinPath: pinPath) }
        let git = GitCommand(folder: workingFolder, environment: environment)
        let root = (try? WorkTreeGit(containing: workingFolder))?.workTree
        if let root, let file = try git.setting(Self.pipelineSetting) {
            let path = file.hasPrefix("/") ? file : "\(root)/\(file)"
            return try place(file: path, store: store, pinPath: pinPath)
        }
        let files = candidates()
        if files.count == 1, let file = files.first {
            return try place(file: file, store: store, pinPath: pinPath)
        }
        if let store { return try place(store: store, pinPath: pinPath) }
        if let root, let store = try git.setting(Self.storeSetting) {
            let remembered = try git.setting(Self.pinSetting) ?? "snapfarm.refs"
            return try place(store: store, pinPath: pinPath ?? "\(root)/\(remembered)")
        }
        throw files.isEmpty ? RefsError.noPipeline : RefsError.severalPipelines(files)
    }

    private func place(file: String, store: String?, pinPath: String?) throws -> ReferencePlace {
        let source = try PipelineSource(file: file)
        let settings = source.pipeline.references
        guard let text = store ?? ReferencePlace.store(environment) ?? settings?.store else {
            throw RefsError.noReferences(file)
        }
        let folder = store == nil ? source.folder : workingFolder
        return ReferencePlace(
            pipeline: source.pipeline,
            folder: source.folder,
            location: try StoreLocation(parsing: text, relativeTo: folder),
            pinPath: pinPath.map(PipelineSource.absolute)
                ?? source.path(settings?.pinPath ?? "snapfarm.refs"),
            environment: environment
        )
    }

    private func place(store: String, pinPath: String?) throws -> ReferencePlace {
        let path = PipelineSource.absolute(pinPath ?? "snapfarm.refs")
        return ReferencePlace(
            pipeline: nil,
            folder: (path as NSString).deletingLastPathComponent,
            location: try StoreLocation(parsing: store, relativeTo: workingFolder),
            pinPath: path,
            environment: environment
        )
    }

    /// Pipeline files with a `references:` of their own, relative to the working folder.
    private func candidates() -> [String] {
        let files = FileManager.default
        var found: [String] = []
        for folder in ["", "pipelines/"] {
            let names = try? files.contentsOfDirectory(atPath: "\(workingFolder)/\(folder)")
            for name in (names ?? []).sorted().prefix(Self.filesMax)
            where name.hasSuffix(".yaml") || name.hasSuffix(".yml") {
                guard let bytes = files.contents(atPath: "\(workingFolder)/\(folder)\(name)"),
                    bytes.count <= FarmLimits.pipelineBytesMax
                else { continue }
                let lines = String(decoding: bytes, as: UTF8.self).split(
                    whereSeparator: \.isNewline
                )
                if lines.contains(where: { $0.hasPrefix("references:") }) {
                    found.append(folder + name)
                }
            }
        }
        return found
    }
}
