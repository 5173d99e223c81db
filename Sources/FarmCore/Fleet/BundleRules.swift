// What a worker without the work tree needs of it: the files a job's `bundle:` names, and those
// that its driver cannot do without. A bundle travels as one zip named by its digest.

/// What travels with a job, besides its files.
package struct BundleIndex: Hashable, Sendable, Codable {
    /// Name of the index in the zip; no file of a bundle may have it.
    package static let name = "snapfarm-bundle.json"

    package var version = 1
    /// Paths that get the executable bit, sorted.
    package var executables: [String]
    /// `linux-x86_64`, where the bundle holds programs built for one platform.
    package var platform: String?

    package init(executables: [String], platform: String?) {
        self.executables = executables
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
    /// What a value begins with that names a path in the bundle.
    package static let pathPrefix = "bundle:"

    /// Folders that no pattern reaches: histories, state and build products.
    package static let hidden: Set<String> = [".git", ".snapfarm", ".build"]

    /// What workers need to know when the files are in a bundle.
    ///
    /// `platform` is that of the programs in the bundle; nil: it holds none.
    package static func prepared(
        _ prepared: [String: String],
        bundle: Digest,
        platform: String? = nil,
        workTree: String
    ) -> [String: String] {
        var moved = prepared.mapValues { value in
            relative(value, to: workTree).map { pathPrefix + $0 } ?? value
        }
        moved[key] = bundle.hex
        moved[platformKey] = platform
        return moved
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

    /// A shard whose bundle was unpacked at `folder`.
    package static func unpacked(_ shard: Shard, at folder: String) -> Shard {
        var shard = shard
        shard.workTree = folder
        shard.prepared[key] = nil
        shard.prepared[platformKey] = nil
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
