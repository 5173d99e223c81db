// The paths that snapfarm itself writes, and its pin and store: no code of the tests.
import FarmCore
import FarmReferences

extension RunRequest {
    /// Returns the absolute paths of the files and folders that a run writes.
    func written(in prepared: PreparedRun) -> [String] {
        let folder = prepared.source.folder
        return [
            folder + "/.snapfarm", folder + "/snapfarm-out", prepared.data.path,
            PipelineSource.absolute(output), history?.path,
        ].compactMap(\.self)
    }

    /// Returns whether the work tree has changes that its commit lacks, or `nil` if it is unknown.
    ///
    /// Files that Git or `pathsIgnore` ignores are no changes, and neither is the pin.
    func isModified(in prepared: PreparedRun) -> Bool? {
        let source = prepared.source
        guard !prepared.place.commit.isEmpty,
            let root = CheckedOut(around: source.folder, environment).root
        else { return nil }
        let kept = redOf.flatMap { $0.isPlace ? PipelineSource.absolute($0.name) : nil }
        let inputs = RunInputs(
            root: root,
            own: written(in: prepared) + prepared.ownPaths + [kept].compactMap(\.self),
            pipelineFile: source.file,
            ignored: source.pipeline.pathsIgnore,
            environment: environment
        )
        return GitRepositoryFiles(root: root, environment: environment)
            .areModified(but: inputs.leavesOut)
    }
}

extension PreparedRun {
    /// The paths of the pin and of a store on this machine.
    var ownPaths: [String] {
        [references?.pinPath, references?.location.localPath].compactMap(\.self)
    }
}
