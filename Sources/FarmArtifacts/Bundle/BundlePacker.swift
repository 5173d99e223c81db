// Packs files of a work tree into one zip. The same files give the same bytes on any machine: paths
// are sorted, times are fixed, and the executable bits are in the bundle's index.
import FarmCore
import Foundation

/// The file of a packed bundle's zip.
package struct PackedBundle: Sendable, Hashable {
    package var digest: Digest
    /// The size of the zip in bytes.
    package var bytes: Int
    package var files: Int
}

/// The list of a bundle's files, before they are packed.
package struct BundleContents: Sendable {
    struct Member: Sendable {
        var path: String
        var isExecutable: Bool
        /// The size of the file in bytes.
        var size: Int
        /// The target of a link, as the link spells it, or `nil` for a file.
        var link: String?
    }

    /// The files and links of the bundle, sorted by path.
    let members: [Member]
    /// Whether the bundle holds programs built for one platform.
    package let isBuilt: Bool
    let isWritable: Bool
    /// Whether tests look for the bundle's sources at the path where they were built.
    package let hasSources: Bool

    /// Checks the sum of the files' sizes against the limit of a bundle.
    ///
    /// Files are stored uncompressed, so their sum is nearly that of the zip.
    func check(bytes: Int) throws(BundleError) {
        guard bytes > FarmLimits.bundleBytesMax else { return }
        let largest = members.sorted { $0.size > $1.size }.prefix(3)
        throw .tooManyBytes(
            bytes,
            bytesMax: FarmLimits.bundleBytesMax,
            largest: largest.map { "\($0.path) (\($0.size.grouped))" }
        )
    }
}

/// Packs the files that a job needs on other machines.
package struct BundlePacker: Sendable {
    /// The absolute path of the work tree.
    private let workTree: String
    /// The absolute paths of folders that are never packed: those of state and results of runs.
    private let without: Set<String>

    package init(workTree: String, without: [String] = []) {
        self.workTree = workTree
        self.without = Set(without)
    }

    /// Packs the selected files into a zip at `target`, in place of any file there.
    ///
    /// `platform` is that of the programs in it, or `nil` if there are none.
    ///
    /// - Throws: the errors of ``contents(of:)``; `ArtifactError` if the disk fails.
    package func pack(
        _ selection: BundleSelection,
        platform: String?,
        toFileAt target: String
    ) throws -> PackedBundle {
        try pack(contents(of: selection), platform: platform, toFileAt: target)
    }

    /// Packs files that ``contents(of:)`` returned into a zip at `target`.
    package func pack(
        _ contents: BundleContents,
        platform: String?,
        toFileAt target: String
    ) throws -> PackedBundle {
        var files = SourceFiles()
        var entries: [ZipEntry] = []
        for member in contents.members where member.link == nil {
            entries.append(try files.entry(member.path, at: workTree + "/" + member.path))
        }
        let links = contents.members.compactMap { member in
            member.link.map { (member.path, $0) }
        }
        let index = BundleIndex(
            executables: contents.members.filter(\.isExecutable).map(\.path),
            links: Dictionary(links) { first, _ in first },
            isWritable: contents.isWritable,
            platform: contents.isBuilt ? platform : nil
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        entries.append(try ZipEntry(path: BundleIndex.name, text: encoder.encode(index)))
        let archive = try ZipArchive(entries)
        try contents.check(bytes: archive.size)
        let digest = try archive.write(toFileAt: target, from: files)
        return PackedBundle(
            digest: digest,
            bytes: archive.size,
            files: contents.members.count
        )
    }

    // MARK: choosing

    /// Returns the selected files of a bundle by their names and sizes, without reading their
    /// bytes.
    ///
    /// - Throws: ``BundleError`` for a pattern without a file, a link that leads out, too many
    ///   files or bytes.
    package func contents(of selection: BundleSelection) throws -> BundleContents {
        let paths = try chosen(by: selection)
        let links = BundleLinks(workTree: workTree, paths: paths)
        var members: [BundleContents.Member] = []
        for path in paths.sorted() { members.append(try member(path, links)) }
        let contents = BundleContents(
            members: members,
            isBuilt: selection.isBuilt,
            isWritable: selection.isWritable,
            hasSources: selection.sources != nil
        )
        try check("files", members.count, FarmLimits.bundleEntriesMax)
        try contents.check(bytes: members.reduce(0) { $0 + $1.size })
        return contents
    }

    private func chosen(by selection: BundleSelection) throws -> Set<String> {
        var matched: Set<String> = []
        let globs = selection.globs.map { (text: $0, glob: Glob($0, mode: .path)) }
        var chosen: Set<String> = []
        for path in try paths() {
            let fits = globs.filter { $0.glob.matches(path) }.map(\.text)
            matched.formUnion(fits)
            let isInside = selection.folders.contains { path.path(below: $0) != nil }
            if !fits.isEmpty || isInside || isSource(path, selection) { chosen.insert(path) }
        }
        for glob in globs where !matched.contains(glob.text) {
            throw BundleError.noMatch(glob.text)
        }
        chosen.formUnion(selection.files)
        chosen.formUnion(try resources(beside: selection.files))
        guard !chosen.contains(BundleIndex.name) else {
            throw BundleError.refused(path: BundleIndex.name, fact: "is a name of snapfarm's own")
        }
        return chosen
    }

    /// Returns whether a path is a regular file among the selection's sources.
    ///
    /// No pattern names sources, so links among them stay behind.
    private func isSource(_ path: String, _ selection: BundleSelection) -> Bool {
        guard let sources = selection.sources, BundleRules.isSource(path, of: sources) else {
            return false
        }
        return FileKind.of(workTree + "/" + path) == .file
    }

    /// Returns the path of every file below the work tree that a pattern may name.
    private func paths() throws -> [String] {
        var found: [String] = []
        var folders = [""]
        var visits = 0
        while let folder = folders.popLast() {
            let place = folder.isEmpty ? workTree : workTree + "/" + folder
            for name in try FileManager.default.contentsOfDirectory(atPath: place) {
                visits += 1
                try check("files to look at", visits, FarmLimits.bundleVisitsMax)
                let path = folder.isEmpty ? name : folder + "/" + name
                let full = workTree + "/" + path
                guard !BundleRules.hidden.contains(name), !without.contains(full) else { continue }
                switch FileKind.of(full) {
                case .folder: folders.append(path)
                case .file, .link: found.append(path)
                case .other, .none: continue
                }
            }
        }
        return found.sorted()
    }

    /// Returns the paths of the resources that SwiftPM puts beside the test programs in `files`.
    private func resources(beside files: [String]) throws -> [String] {
        var found: [String] = []
        for program in files where program.hasSuffix(".xctest") {
            let folder = program.parentFolder
            let place = workTree + "/" + folder
            for name in try FileManager.default.contentsOfDirectory(atPath: place)
            where name.hasSuffix(".resources") || name.hasSuffix(".bundle") {
                for path in FileKind.names(below: place + "/" + name) {
                    let relative = "\(folder)/\(name)/\(path)"
                    let kind = FileKind.of(workTree + "/" + relative)
                    if kind == .file || kind == .link { found.append(relative) }
                    try check("files", found.count, FarmLimits.bundleEntriesMax)
                }
            }
        }
        return found
    }

    /// Returns the entry of a regular file or a link for the bundle.
    ///
    /// A link stays a link if its target is in the bundle, too; else it is packed as the file of
    /// the work tree that it leads to.
    private func member(_ path: String, _ links: BundleLinks) throws -> BundleContents.Member {
        let full = workTree + "/" + path
        guard ZipPaths.isSafe(path) else {
            throw BundleError.refused(path: path, fact: "has a name that no zip can hold")
        }
        guard let kind = FileKind.of(full) else { throw BundleError.noMatch(path) }
        if kind == .link {
            if let target = links.target(of: path) {
                return BundleContents.Member(path: path, isExecutable: false, size: 0, link: target)
            }
            guard links.isFileOfWorkTree(path) else {
                throw BundleError.refused(
                    path: path,
                    fact:
                        "is a link that leads out of the bundle, and not to a file of the work tree"
                )
            }
        } else if kind != .file {
            throw BundleError.refused(path: path, fact: "is not a file")
        }
        return BundleContents.Member(
            path: path,
            isExecutable: FileManager.default.isExecutableFile(atPath: full)
                && FileKind.hasExecutableBit(full),
            size: Posix.size(full) ?? 0
        )
    }

    private func check(_ what: String, _ count: Int, _ countMax: Int) throws {
        guard count <= countMax else {
            throw BundleError.tooLarge(what: what, count: count, countMax: countMax)
        }
    }
}

/// The paths of a bundle's files, by the digests of their contents when they were read.
private struct SourceFiles: BlobReading {
    private var paths: [Digest: String] = [:]

    /// Reads a file for its digest and checksum, and returns its entry for the zip.
    mutating func entry(_ path: String, at full: String) throws(ArtifactError) -> ZipEntry {
        var digest = DigestStream()
        var sum: UInt32 = 0
        try BlobStore.forEachChunk(of: full) { chunk throws(ArtifactError) in
            digest.append(chunk)
            sum = Deflate.crc32(chunk, after: sum)
        }
        let name = digest.finish()
        paths[name] = full
        return ZipEntry(path: path, blob: name, size: digest.count, crc32: sum)
    }

    /// Returns a part of the file that had a digest.
    ///
    /// A file that shrank meanwhile is `damaged`; the worker finds a rewritten one by its checksum.
    func read(_ digest: Digest, in range: Range<Int>) throws(ArtifactError) -> [UInt8] {
        guard let path = paths[digest], let file = try PosixFile.reading(path) else {
            throw .missing(digest)
        }
        var failure: ArtifactError?
        let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            let room = UnsafeMutableRawBufferPointer(buffer)
            do throws(ArtifactError) {
                let wanted = UnsafeMutableRawBufferPointer(rebasing: room[..<range.count])
                count = try file.read(into: wanted, at: range.lowerBound)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        guard bytes.count == range.count else { throw .damaged(digest) }
        return bytes
    }
}

/// The kind of the file at a path; links are not followed.
enum FileKind {
    case file, folder, link, other

    /// Returns the kind of the file at a path, or `nil` if there is no file.
    static func of(_ path: String) -> FileKind? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return switch attributes?[.type] as? FileAttributeType {
        case nil: nil
        case .typeRegular: .file
        case .typeDirectory: .folder
        case .typeSymbolicLink: .link
        default: .other
        }
    }

    /// Returns the relative path of everything below a folder; folders come before their contents.
    static func names(below folder: String) -> [String] {
        FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    }

    /// Returns the names of the files in a folder; empty if it cannot be read.
    static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    /// Returns whether the mode of a file has an executable bit: root can execute files that no
    /// user can.
    static func hasExecutableBit(_ path: String) -> Bool {
        let mode = try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        return ((mode as? NSNumber)?.intValue ?? 0) & 0o111 != 0
    }
}
