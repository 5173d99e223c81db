// The bundle of a job, for workers without the work tree: the files that the job's `bundle:` names,
// and those that its driver needs. A bundle is sent as one zip, named by its digest.

/// The index in a bundle's zip: the facts that the files themselves do not show.
package struct BundleIndex: Hashable, Sendable, Codable {
    /// The index's file name in the zip; no other file of a bundle may have it.
    package static let name = "snapfarm-bundle.json"
    package static let versionNow = 2

    package var version = Self.versionNow
    /// The paths of the bundle's executable files, sorted.
    package var executables: [String]
    /// The target of each symbolic link, by the link's path; see ``BundleRules/isInside(_:from:)``.
    package var links: [String: String]
    /// Whether the job's driver writes into the folders of the unpacked bundle.
    package var isWritable: Bool
    /// The platform of the programs in the bundle, such as `linux-x86_64`, or `nil` if none is
    /// built for one platform.
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

/// The files of a work tree that a job's bundle holds; paths are relative to the work tree.
package struct BundleSelection: Hashable, Sendable {
    /// The patterns of files to bundle, from the job's `bundle:` in the pipeline file.
    package var globs: [String]
    /// The folders that the bundle holds completely.
    package var folders: [String]
    /// Single files that the bundle holds; each must exist.
    package var files: [String]
    /// Whether the bundle holds programs that are built for this machine's platform.
    package var isBuilt: Bool
    /// Whether the job's driver writes into the folders of the unpacked bundle.
    package var isWritable = false
    /// The references that a framework keeps beside the tests' sources; the bundle then holds these
    /// sources.
    ///
    /// `nil` if it keeps them elsewhere.
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

/// The keys by which a lease names its job's bundle.
///
/// They are part of a plan's `prepared`, beside the driver's own keys: keys in `prepared` differ
/// from machine to machine and are no part of the plan's identity.
package enum BundleRules {
    /// The key in `prepared` of the bundle's digest (64 hex digits).
    package static let key = "bundle"
    /// The key in `prepared` of the platform that the bundle's programs are built for.
    package static let platformKey = "platform"
    /// The key in `prepared` of the path where the bundle must lie, because its programs contain
    /// that path.
    package static let placeKey = "place"
    /// The prefix of a value in `prepared` that is a path in the bundle.
    package static let pathPrefix = "bundle:"

    /// The folders that no bundle's pattern matches: histories, state and build products.
    package static let hidden: Set<String> = [".git", ".snapfarm", ".build"]

    /// Returns the `prepared` values of a job for workers that have its files in a bundle.
    ///
    /// `platform` is that of the programs in the bundle, or `nil` if there are none. With
    /// `needsPlace`, the bundle must lie at the path of the work tree.
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

    /// Returns the driver's selection of files with those that the job's framework needs.
    ///
    /// If the framework keeps references beside the sources, the bundle holds these sources, and
    /// their folders are made in it.
    package static func completed(_ selection: BundleSelection, for job: Job) -> BundleSelection {
        guard job.kind == .snapshot, let references = job.framework?.references,
            references.layout == .besideSources
        else { return selection }
        var selection = selection
        selection.isWritable = true
        selection.sources = references
        return selection
    }

    /// Whether a bundle holds the file at `path` as a source beside a framework's references.
    ///
    /// Pictures are left out, because each lease adds its own.
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

    /// Whether a link at the path `link` of a bundle, with this target, stays inside the bundle
    /// wherever that lies.
    ///
    /// A target may have `..` only at its beginning: behind another link, `..` is the parent of
    /// another folder.
    package static func isInside(_ target: String, from link: String) -> Bool {
        let parts = target.pathParts
        let up = parts.prefix { $0 == ".." }.count
        return up < link.pathParts.count
            && parts.dropFirst(up).allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
            && target.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
    }

    /// Returns what a worker must offer to run the programs of a job's bundle.
    package static func needs(of prepared: [String: String]) -> [Need] {
        guard bundle(of: prepared) != nil, let platform = prepared[platformKey] else { return [] }
        let parts = platform.split(separator: "-", maxSplits: 1)
        return zip(["os", "arch"], parts).map { name, value in
            Need(name: name, bounds: [Need.Bound(relation: .equal, value: String(value))])
        }
    }

    /// Returns the digest of a shard's or job's bundle, or `nil` if its files are in the work tree.
    package static func bundle(of prepared: [String: String]) -> Digest? {
        prepared[key].flatMap { Digest($0) }
    }

    /// Returns the absolute path where a shard's bundle must lie, or `nil` if any path will do.
    package static func place(of prepared: [String: String]) -> String? { prepared[placeKey] }

    /// Returns the paths of the bundle that the `prepared` values name, relative to the bundle,
    /// sorted.
    package static func paths(of prepared: [String: String]) -> [String] {
        prepared.values.filter { $0.hasPrefix(pathPrefix) }
            .map { String($0.dropFirst(pathPrefix.count)) }.sorted()
    }

    /// Returns the shard of a bundle that was unpacked in `folder`, with its paths made absolute.
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

    /// Returns `path` relative to `folder`, empty for the folder itself, or `nil` if it is outside
    /// the folder.
    package static func relative(_ path: String, to folder: String) -> String? {
        if path == folder { return "" }
        return path.path(below: folder)
    }
}

/// The reason why a job's files cannot be bundled.
package enum BundleRefusal: ExplainedError, Hashable {
    case nothing(JobName)
    case outside(JobName, String)
    /// The job shows this page, and does not name the files beside the pipeline file that it loads.
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
