// The place of a project's references: its store, its pin, its main repository. The pin is a text
// file, or a submodule entry in the main repository's index.
import FarmCore
import FarmFiles
import FarmGit
import FarmReferences
import Foundation

/// The store and the pin of one project.
package struct ReferencePlace: Sendable {
    package let pipeline: Pipeline?
    /// The absolute path of the pipeline file, or `nil` if store and pin were named without one.
    package let pipelineFile: String?
    /// The absolute folder of the pipeline file or of the pin, which contains `.snapfarm/`.
    package let folder: String
    package let location: StoreLocation
    /// The absolute path of the pin.
    package let pinPath: String
    package let environment: [String: String]

    /// The path of the store's folder, or of the clone of a remote store.
    ///
    /// A clone is not a cache: it may hold sets that were not pushed yet.
    package var storePath: String {
        if let path = location.localPath { return path }
        let name = Digest(of: Data(location.url.utf8)).hex.prefix(16)
        return "\(folder)/.snapfarm/store/\(name).git"
    }

    package var isRemote: Bool { location.localPath == nil }

    /// The cells of all snapshot jobs, in matrix order.
    package var cells: [Cell] {
        var seen: Set<CellID> = []
        return (pipeline?.jobs ?? []).filter { $0.kind == .snapshot }.flatMap(\.cells)
            .filter { seen.insert($0.id).inserted }
    }

    /// The name of the pipeline's first snapshot job, or `snapshots` if there is none.
    package var snapshotJob: JobName {
        pipeline?.jobs.first { $0.kind == .snapshot }?.name ?? JobName("snapshots")
    }

    // MARK: store

    /// Returns the store on this machine; for a remote store, its clone without a fetch.
    package func store() throws -> ReferenceStore {
        guard isRemote else { return try ReferenceStore(opening: storePath) }
        return try remote(RemoteAccess.own(environment)).clone
    }

    /// Returns the store with all references of a pin; fetches those that the clone of a remote
    /// lacks.
    package func store(holding pin: ReferencePin) throws -> ReferenceStore {
        guard isRemote else { return try ReferenceStore(opening: storePath) }
        let remote = try remote(RemoteAccess.own(environment))
        if !pin.isEmpty { _ = try remote.fetch(pin) }
        return remote.clone
    }

    func remote(_ access: RemoteAccess) throws -> RemoteStore {
        let parent = storePath.parentFolder
        try FileManager.default.createDirectory(
            atPath: parent,
            withIntermediateDirectories: true
        )
        return try RemoteStore(of: location, cloneAt: storePath, access: access)
    }

    /// Returns the remote side, or `nil` for a store that is a folder without a remote.
    ///
    /// `named` is the remote copy of a store that is a folder; if `nil`, the one that the folder
    /// remembers.
    package func remote(named: String?, _ access: RemoteAccess) throws -> RemoteStore? {
        if isRemote { return try remote(access) }
        guard let text = try named ?? rememberedRemote() else { return nil }
        let other = try StoreLocation(
            parsing: text,
            relativeTo: FileManager.default.currentDirectoryPath
        )
        return try RemoteStore(of: other, cloneAt: storePath, access: access)
    }

    /// Returns a second clone of a remote store, to become a mirror; `nil` for a store that is a
    /// folder.
    package func mirror(_ access: RemoteAccess) throws -> RemoteStore? {
        guard isRemote else { return nil }
        let path = storePath.replacing(".git", with: "-mirror.git")
        _ = try remote(access)
        return try RemoteStore(of: location, cloneAt: path, access: access)
    }

    /// Returns the remote side with the environment's credentials, or `nil` for a store that is a
    /// folder.
    package func remote() throws -> RemoteStore? {
        isRemote ? try remote(RemoteAccess.own(environment)) : nil
    }

    /// Returns the remote of an earlier push, or the one that the folder was cloned from.
    private func rememberedRemote() throws -> String? {
        guard FileManager.default.fileExists(atPath: storePath) else { return nil }
        let git = GitCommand(folder: storePath, environment: environment)
        return try git.setting("remote.snapfarm.url") ?? git.setting("remote.origin.url")
    }

    // MARK: main repository

    /// Returns the project's repository, or `nil` if the project is not in Git or libgit2 cannot
    /// read it.
    package func mainRepository() -> MainRepository? { try? openMainRepository() }

    /// Returns the project's repository with the root of its work tree.
    ///
    /// - Throws: `RefsError.noWorkTree`, `GitError.unsupported`.
    package func mainWorkTree() throws -> (main: MainRepository, root: String) {
        let main: MainRepository
        do {
            main = try openMainRepository()
        } catch is MergeError {
            throw RefsError.noWorkTree(folder)
        }
        guard let root = main.workTree else { throw RefsError.noWorkTree(folder) }
        return (main, root)
    }

    /// Opens the project's repository; git fetches a pin that a partial clone lacks, because git
    /// has the credentials.
    private func openMainRepository() throws -> MainRepository {
        let git = GitCommand(folder: folder, environment: environment)
        return try MainRepository(containing: folder) { object in
            _ = try git.run(["cat-file", "-s", object.hex])
        }
    }

    /// Returns the work tree around the project's folder.
    ///
    /// - Throws: `CheckoutError.notAWorkTree`.
    package func workTree() throws -> WorkTreeGit { try WorkTreeGit(containing: folder) }

    /// Returns the pin's path in the main repository, separated by `/`.
    package func pinInRepository(_ root: String) throws -> String {
        let folder = pinPath.parentFolder
        let real = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
        let top = URL(fileURLWithPath: root).resolvingSymlinksInPath().path
        let path = (real == "/" ? "" : real) + "/" + (pinPath as NSString).lastPathComponent
        guard let inside = path.path(below: top) else {
            throw RefsError.pinOutside(pinPath, repository: root)
        }
        return inside
    }

    // MARK: pin

    /// Returns the pin of the work tree, or `nil` if there is none yet.
    package func pinForm() throws -> PinForm? {
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: pinPath, isDirectory: &isFolder)
        if exists, !isFolder.boolValue {
            guard let bytes = FileManager.default.contents(atPath: pinPath) else {
                throw PipelineSourceError.unreadable(pinPath)
            }
            return .text(try ReferencePin(parsing: bytes, file: pinPath))
        }
        if let link = try gitlink() { return .gitlink(link.set) }
        if let (main, root) = try? mainWorkTree(), let path = try? pinInRepository(root),
            try main.isSkippedBySparseCheckout(path)
        {
            throw RefsError.pinNotCheckedOut(path)
        }
        return nil
    }

    /// Returns the message that the work tree has no pin, and what to do; `nil` if it has one.
    func missingPin() throws -> String? {
        guard try pinForm() == nil else { return nil }
        return "there is no pin at \(pinPath), so no picture has a reference. That is right before "
            + "the first record run; otherwise correct `references.pin` in the pipeline file."
    }

    /// Returns the submodule that is the pin, or `nil` if the pin is a text.
    package func gitlink() throws -> GitlinkPin? {
        guard let main = mainRepository(), let root = main.workTree,
            let path = try? pinInRepository(root)
        else { return nil }
        return try main.gitlink(at: path)
    }

    /// Returns the references that the work tree's pin names; none if there is no pin yet.
    package func pin() throws -> ReferencePin {
        try pin(of: try pinForm())
    }

    /// Returns the references that a pin of either form names; for a submodule, fetches the folders
    /// of its set.
    func pin(of form: PinForm?) throws -> ReferencePin {
        switch form {
        case nil: return ReferencePin()
        case .text(let pin): return pin
        case .gitlink(let set):
            if isRemote { try remote(RemoteAccess.own(environment)).fetchFolders(ofSet: set) }
            return try store().pin(ofSet: set)
        }
    }

    /// Returns the pin that `text` names: a set's id or its beginning, a file, or a commit of the
    /// main repository; if `nil`, the work tree's pin.
    package func pin(named text: String?, in store: ReferenceStore) throws -> ReferencePin {
        guard let text else { return try pin() }
        if let set = ObjectID(text) {
            // A coordinator or another machine may have published it since the clone was made.
            if isRemote { try remote(RemoteAccess.own(environment)).fetchFolders(ofSet: set) }
            return try store.pin(ofSet: set)
        }
        if text.count >= Self.prefixMin, text.allSatisfy(\.isHexDigit) {
            let found = try store.sets().filter { $0.hex.hasPrefix(text.lowercased()) }
            if found.count == 1, let set = found.first { return try store.pin(ofSet: set) }
            if found.count > 1 { throw RefsError.ambiguousSet(text, count: found.count) }
        }
        if let bytes = FileManager.default.contents(atPath: PipelineSource.absolute(text)) {
            return try ReferencePin(parsing: bytes, file: text)
        }
        let (main, root): (MainRepository, String)
        do {
            (main, root) = try mainWorkTree()
        } catch is RefsError {
            throw RefsError.unknownSet(text)
        }
        let path = try pinInRepository(root)
        let commit = try main.commit(text)
        guard let form = try main.pin(path, at: commit) else {
            throw MergeError.pinMissing(path: path, revision: text)
        }
        return try store.pin(of: form)
    }

    /// The fewest characters that name a set by the beginning of its id.
    private static let prefixMin = 7

    /// Moves the work tree's pin to a published set; keeps the pin's form.
    package func write(_ pin: ReferencePin, set: ObjectID) throws {
        if let link = try gitlink(), let main = mainRepository() {
            try main.write(GitlinkPin(path: link.path, url: link.url, set: set))
            return
        }
        try FileManager.default.createDirectory(
            atPath: pinPath.parentFolder,
            withIntermediateDirectories: true
        )
        try DurableFile.write(Data(pin.text.utf8), to: pinPath)
    }
}
