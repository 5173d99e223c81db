// The search for a project's references: by the pipeline file, with the rule of all commands, or by
// the store and the pin that the command line names or `refs init` remembered in this clone.
import FarmCore
import FarmReferences
import Foundation

/// Finds the references of a project.
package struct ReferencePlaceFinder {
    /// The absolute path of the working folder.
    let workingFolder: String
    let environment: [String: String]

    package init(workingFolder: String, environment: [String: String]) {
        self.workingFolder = workingFolder
        self.environment = environment
    }

    /// The keys in the clone's Git configuration; relative paths there start at the clone's root.
    package static let storeSetting = "snapfarm.store"
    package static let pinSetting = "snapfarm.pin"

    /// Returns the references' place that the arguments name, or else the only one found.
    ///
    /// - Throws: `PipelineSearchError` if there is none or more than one.
    package func find(pipeline: String?, store: String?, pinPath: String?) throws -> ReferencePlace
    {
        let finder = PipelineFinder(
            named: pipeline,
            environment: environment,
            workingFolder: workingFolder
        )
        if let file = finder.named { return try place(file: file, store: store, pinPath: pinPath) }
        if let store, pinPath != nil { return try place(store: store, pinPath: pinPath) }
        let choice = Result { try PipelineFinder.choice(finder.candidates(.references)) }
        if let found = try? choice.get() {
            return try place(file: found.file, store: store, pinPath: pinPath)
        }
        if let store { return try place(store: store, pinPath: pinPath) }
        let git = GitCommand(folder: workingFolder, environment: environment)
        if let root = (try? WorkTreeGit(containing: workingFolder))?.workTree,
            let store = try git.setting(Self.storeSetting)
        {
            let remembered = try git.setting(Self.pinSetting) ?? "snapfarm.refs"
            return try place(store: store, pinPath: pinPath ?? "\(root)/\(remembered)")
        }
        if case .failure(PipelineSearchError.none) = choice { throw RefsError.noPipeline }
        return try place(file: choice.get().file, store: store, pinPath: pinPath)
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
            pipelineFile: source.file,
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
            pipelineFile: nil,
            folder: path.parentFolder,
            location: try StoreLocation(parsing: store, relativeTo: workingFolder),
            pinPath: path,
            environment: environment
        )
    }
}
