// What a worker without the work tree needs of it: the files a job's `bundle:` names, and those
// that its driver cannot do without. A bundle travels as one zip named by its digest.

/// What travels with a job, besides its files.
package struct BundleIndex: Hashable, Sendable, Codable {
    /// Name of the index in the zip; no file of a bundle may have it.
    package static let name = "snapfarm-bundle.json"
    package static let versionNow = 2

    package var version = Self.versionNow
    /// Paths that get the executable bit, sorted.
    package var executables: [String]
    /// Links by their paths, with what they lead to: see ``BundleRules/isInside(_:from:)``.
    package var links: [String: String]
    /// The driver writes beside the files.
    package var isWritable: Bool
    /// `linux-x86_64`, where the bundle holds programs built for one platform.
    package var platform: String?

    package init(
        executables: [String],
        links: [String: String] = [:],
        isWritable: Bool = false,
        platform: String?
    ) {
        self.executables = executables
        self.links = links
        self.isWritable = isWritable
        self.platform = platform
    }
}

/// Which files of a work tree a job's bundle holds; paths are relative to the work tree.
package struct BundleSelection: Hashable, Sendable {
    /// Patterns of the pipeline file.
    package var globs: [String]
    /// Folders that are taken whole.
    package var folders: [String]
    /// Files that must be there.
    package var files: [String]
    /// The bundle holds programs built for this platform.
    package var isBuilt: Bool
    /// The driver writes beside the files.
    package var isWritable = false
    /// Whose sources must be there with the folders beside them; nil: nobody looks for them.
    package var sources: FrameworkReferences?

    package init(
        globs: [String],
        folders: [String] = [],
        files: [String] = [],
        isBuilt: Bool = false
    ) {
        self.globs = globs
        self.folders = folders
        self.files = files
        self.isBuilt = isBuilt
    }
}

/// How a lease says that its job's files came in a bundle.
///
/// In a plan's `prepared`, beside the driver's own keys: they are the keys that differ from
/// machine to machine and are no part of the plan's identity.
package enum BundleRules {
    /// Key of the bundle's digest (64 hex digits).
    package static let key = "bundle"
    /// Key of the platform that a bundle's programs were built for.
    package static let platformKey = "platform"
    /// Key of the path that the bundle must lie at, because its programs hold it.
    package static let placeKey = "place"
    /// What a value begins with that names a path in the bundle.
    package static let pathPrefix = "bundle:"

    /// Folders that no pattern reaches: histories, state and build products.
    package static let hidden: Set<String> = [".git", ".snapfarm", ".build"]

    /// What workers need to know when the files are in a bundle.
    ///
    /// `platform` is that of the programs in the bundle; nil: it holds none. With `needsPlace` the
    /// bundle must lie at the path of the work tree.
    package static func prepared(
        _ prepared: [String: String],
        bundle: Digest,
        platform: String? = nil,
        workTree: String,
        needsPlace: Bool = false
    ) -> [String: String] {
        var moved = prepared.mapValues { value in
            relative(value, to: workTree).map { pathPrefix + $0 } ?? value
        }
        moved[key] = bundle.hex
        moved[platformKey] = platform
        moved[placeKey] = needsPlace ? workTree : nil
        return moved
    }

    /// What a job needs besides what its driver says: where a framework keeps its references beside the
    /// sources, these folders are made in the bundle, and found by the sources in them.
    package static func completed(_ selection: BundleSelection, for job: Job) -> BundleSelection {
        guard job.kind == .snapshot, let references = job.framework?.references,
            references.layout == .besideSources
        else { return selection }
        var selection = selection
        selection.isWritable = true
        selection.sources = references
        return selection
    }

    /// Whether a file beside the sources travels.
    ///
    /// Pictures are laid there for each lease.
    package static func isSource(_ path: String, of references: FrameworkReferences) -> Bool {
        let folders = path.pathParts.dropLast()
        guard
            folders.allSatisfy({
                !$0.hasPrefix(".") && !FrameworkReferences.foreignFolders.contains($0)
            })
        else { return false }
        return path.hasSuffix(references.sources)
            || folders.contains(references.folder) && !path.hasSuffix(".png")
    }

    /// Whether a link at a path of a bundle leads to somewhere in it, wherever the bundle lies.
    ///
    /// `..` may only begin what it leads to: behind another link it is another folder's parent.
    package static func isInside(_ target: String, from link: String) -> Bool {
        let parts = target.pathParts
        let up = parts.prefix { $0 == ".." }.count
        return up < link.pathParts.count
            && parts.dropFirst(up).allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
            && target.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
    }

    /// What a worker must offer to run the programs of a job's bundle.
    package static func needs(of prepared: [String: String]) -> [Need] {
        guard bundle(of: prepared) != nil, let platform = prepared[platformKey] else { return [] }
        let parts = platform.split(separator: "-", maxSplits: 1)
        return zip(["os", "arch"], parts).map { name, value in
            Need(name: name, bounds: [Need.Bound(relation: .equal, value: String(value))])
        }
    }

    /// The bundle of a shard or job; nil where the work tree is at hand.
    package static func bundle(of prepared: [String: String]) -> Digest? {
        prepared[key].flatMap { Digest($0) }
    }

    /// The absolute path that a shard's bundle must lie at; nil: anywhere.
    package static func place(of prepared: [String: String]) -> String? { prepared[placeKey] }

    /// The paths in the bundle that a lease names, relative to it, sorted.
    package static func paths(of prepared: [String: String]) -> [String] {
        prepared.values.filter { $0.hasPrefix(pathPrefix) }
            .map { String($0.dropFirst(pathPrefix.count)) }.sorted()
    }

    /// A shard whose bundle was unpacked at `folder`.
    package static func unpacked(_ shard: Shard, at folder: String) -> Shard {
        var shard = shard
        shard.workTree = folder
        shard.prepared[key] = nil
        shard.prepared[platformKey] = nil
        shard.prepared[placeKey] = nil
        shard.prepared = shard.prepared.mapValues { value in
            guard value.hasPrefix(pathPrefix) else { return value }
            let path = value.dropFirst(pathPrefix.count)
            return path.isEmpty ? folder : "\(folder)/\(path)"
        }
        return shard
    }

    /// Nil where a path lies elsewhere; empty for the folder itself.
    package static func relative(_ path: String, to folder: String) -> String? {
        if path == folder { return "" }
        return path.path(below: folder)
    }
}

/// Why a job cannot travel.
package enum BundleRefusal: ExplainedError, Hashable {
    case nothing(JobName)
    case outside(JobName, String)
    /// A page in the pipeline file's own folder.
    case beside(JobName, String)

    package var code: String {
        switch self {
        case .nothing: "bundle-missing"
        case .outside: "bundle-outside"
        case .beside: "bundle-unknown"
        }
    }
    package var message: String {
        switch self {
        case .nothing(let job): "job \(job) does not say which files its commands need."
        case .outside(let job, let path):
            "job \(job) needs \(path), which is not below the pipeline file's folder."
        case .beside(let job, let page):
            "job \(job) shows \(page), which lies beside the pipeline file: nothing says which files "
                + "there it loads."
        }
    }
    package var remedy: String {
        switch self {
        case .nothing:
            "Workers elsewhere have no work tree: add `bundle: [\"tests/**\"]` to the job."
        case .outside: "Move it, or put the pipeline file into a folder that holds both."
        case .beside(_, let page):
            "Name them in the job, for example `bundle: [\"\(page)\", \"assets/**\"]`; or put the pages "
                + "and what they load into a folder, which is sent whole."
        }
    }
    package var exit: ExitCode { .invalidInput }
}
