// Files of a work tree → one zip. The same files give the same bytes on any machine: paths are
// sorted, times are fixed, the executable bits stand in the bundle's index.
import FarmCore
import Foundation

/// A zip that was packed and lies in a file.
package struct PackedBundle: Sendable, Hashable {
    package var digest: Digest
    /// Bytes of the zip.
    package var bytes: Int
    package var files: Int
}

/// Packs the files that a job needs elsewhere.
package struct BundlePacker: Sendable {
    /// Absolute.
    private let workTree: String
    /// Absolute folders that are never packed: where runs keep state and results.
    private let without: Set<String>

    package init(workTree: String, without: [String] = []) {
        self.workTree = workTree
        self.without = Set(without)
    }

    private struct Member {
        var path: String
        var isExecutable: Bool
        var size: Int
    }

    /// Packs into a file, replacing what is there.
    ///
    /// `platform` names what programs in it were built for.
    ///
    /// - Throws: ``BundleError`` for a pattern without a file, a link out of the work tree, too
    ///   much; `ArtifactError` where the disk fails.
    package func pack(
        _ selection: BundleSelection,
        platform: String?,
        toFileAt target: String
    ) throws -> PackedBundle {
        let members = try members(of: selection)
        var files = SourceFiles()
        var entries: [ZipEntry] = []
        for member in members {
            entries.append(try files.entry(member.path, at: workTree + "/" + member.path))
        }
        let index = BundleIndex(
            executables: members.filter(\.isExecutable).map(\.path),
            platform: selection.isBuilt ? platform : nil
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        entries.append(try ZipEntry(path: BundleIndex.name, text: encoder.encode(index)))
        let archive = try ZipArchive(entries)
        guard archive.size <= FarmLimits.bundleBytesMax else {
            throw BundleError.tooLarge(
                what: "bytes",
                count: archive.size,
                countMax: FarmLimits.bundleBytesMax
            )
        }
        let digest = try archive.write(toFileAt: target, from: files)
        return PackedBundle(digest: digest, bytes: archive.size, files: members.count)
    }

    // MARK: choosing

    private func members(of selection: BundleSelection) throws -> [Member] {
        var matched: Set<String> = []
        let globs = selection.globs.map { (text: $0, glob: Glob($0, mode: .path)) }
        var chosen: [String: Member] = [:]
        for path in try paths() {
            let fits = globs.filter { $0.glob.matches(path) }.map(\.text)
            matched.formUnion(fits)
            let isInside = selection.folders.contains { path.path(below: $0) != nil }
            if !fits.isEmpty || isInside { chosen[path] = try member(path) }
        }
        for glob in globs where !matched.contains(glob.text) {
            throw BundleError.noMatch(glob.text)
        }
        for path in try selection.files + resources(beside: selection.files)
        where chosen[path] == nil {
            chosen[path] = try member(path)
        }
        guard chosen[BundleIndex.name] == nil else {
            throw BundleError.refused(path: BundleIndex.name, fact: "is a name of snapfarm's own")
        }
        let members = chosen.values.sorted { $0.path < $1.path }
        try check("files", members.count, FarmLimits.bundleEntriesMax)
        let bytes = members.reduce(0) { $0 + $1.size }
        try check("bytes", bytes, FarmLimits.bundleUnpackedBytesMax)
        return members
    }

    /// Every file below the work tree that a pattern may name.
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

    /// Resources that SwiftPM puts beside a test program.
    private func resources(beside files: [String]) throws -> [String] {
        var found: [String] = []
        for program in files where program.hasSuffix(".xctest") {
            let folder = (program as NSString).deletingLastPathComponent
            let place = workTree + "/" + folder
            for name in try FileManager.default.contentsOfDirectory(atPath: place)
            where name.hasSuffix(".resources") || name.hasSuffix(".bundle") {
                for path in FileKind.names(below: place + "/" + name) {
                    let relative = "\(folder)/\(name)/\(path)"
                    if FileKind.of(workTree + "/" + relative) == .file { found.append(relative) }
                    try check("files", found.count, FarmLimits.bundleEntriesMax)
                }
            }
        }
        return found
    }

    /// A regular file, or a link to one that lies in the work tree as well.
    private func member(_ path: String) throws -> Member {
        let full = workTree + "/" + path
        guard ZipPaths.isSafe(path) else {
            throw BundleError.refused(path: path, fact: "has a name that no zip can hold")
        }
        guard let kind = FileKind.of(full) else { throw BundleError.noMatch(path) }
        if kind == .link {
            let real = URL(fileURLWithPath: full).resolvingSymlinksInPath().path
            let root = URL(fileURLWithPath: workTree).resolvingSymlinksInPath().path
            guard real.path(below: root) != nil, FileKind.of(real) == .file else {
                throw BundleError.refused(
                    path: path,
                    fact: "is a link that does not lead to a file of the work tree"
                )
            }
        } else if kind != .file {
            throw BundleError.refused(path: path, fact: "is not a file")
        }
        return Member(
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

/// Files by the digest of what they held when they were looked at.
private struct SourceFiles: BlobReading {
    private var paths: [Digest: String] = [:]

    /// Reads a file once for its digest and checksum.
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

    /// A file that shrank meanwhile is `damaged`; one that was rewritten is found when its
    /// checksum is compared on the worker.
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

/// What lies at a path, without following a link.
enum FileKind {
    case file, folder, link, other

    /// Nil where there is nothing.
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

    /// Everything below a folder, relative to it, folders before what they hold.
    static func names(below folder: String) -> [String] {
        FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    }

    /// Root may execute what nobody may: only the bit says that a file is a program.
    static func hasExecutableBit(_ path: String) -> Bool {
        let mode = try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        return ((mode as? NSNumber)?.intValue ?? 0) & 0o111 != 0
    }
}
