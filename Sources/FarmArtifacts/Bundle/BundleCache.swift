// Unpacked bundles of a worker's machine: `<folder>/<hex>/`, shared by its workers, and read-only but
// for those whose driver writes beside their files.
//
// Invariants
//   - A folder of that name means the whole bundle is there: it is unpacked beside it and renamed.
//   - Nothing of a zip is written before its digest was checked; no entry leaves the folder. Links are
//     made last, lead to somewhere in the folder, and nothing is written through one.
//   - A bundle in use (a shared lock on `<hex>.lock`) is not removed.
import CFarmShims
import FarmCore
import FarmFiles
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A bundle that stays where it is while the value lives.
package final class BundleUse: Sendable {
    /// The unpacked bundle; absolute.
    package let folder: String
    private let lock: Int32

    init(folder: String, lock: Int32) {
        self.folder = folder
        self.lock = lock
    }

    deinit { _ = close(lock) }
}

/// The bundles of one machine.
package struct BundleCache: Sendable {
    let folder: String
    private let platform: String
    private let bytesMax: Int

    /// `platform` is this machine's, as ``BundleIndex/platform`` spells it.
    package init(
        folder: String,
        platform: String,
        bytesMax: Int = FarmLimits.bundleCacheBytesMax
    ) {
        self.folder = folder
        self.platform = platform
        self.bytesMax = bytesMax
    }

    /// The unpacked bundle; `fetch` puts its zip at a path where it is not there yet.
    ///
    /// - Throws: ``BundleError``, `ZipReadError` and `ArtifactError` for a zip that is not what
    ///   its name promises or does not fit the limits; what `fetch` throws.
    package func use(
        _ digest: Digest,
        fetch: (String) async throws -> Void
    ) async throws -> BundleUse {
        try Posix.makeFolders(folder)
        let lock = try lock(digest, LOCK_SH)
        do {
            if !FileManager.default.fileExists(atPath: place(digest)) {
                try await fill(digest, fetch)
                evict(except: digest)
            }
            try checkPlatform(digest)
        } catch {
            _ = close(lock)
            throw error
        }
        return BundleUse(folder: place(digest), lock: lock)
    }

    private func place(_ digest: Digest) -> String { folder + "/" + digest.hex }

    private func lock(_ digest: Digest, _ kind: Int32) throws -> Int32 {
        let path = place(digest) + ".lock"
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw Posix.failure("open", path) }
        guard flock(file, kind) == 0 else {
            defer { _ = close(file) }
            throw Posix.failure("lock", path)
        }
        // When it was used last.
        _ = futimens(file, nil)
        return file
    }

    private func fill(_ digest: Digest, _ fetch: (String) async throws -> Void) async throws {
        let fresh = try Posix.newFile(place(digest) + ".").path
        let zip = fresh + ".zip"
        Posix.remove(fresh)
        defer {
            Posix.remove(zip)
            Self.removeTree(fresh)
        }
        try await fetch(zip)
        let found = try Self.digest(ofFileAt: zip)
        guard found == digest else {
            throw ArtifactError.mismatch(expected: digest, actual: found)
        }
        try Posix.makeFolder(fresh)
        try Self.unpack(zip, digest, into: fresh)
        // Another worker may have been quicker; both are the same bytes.
        if rename(fresh, place(digest)) != 0, errno != EEXIST, errno != ENOTEMPTY {
            throw Posix.failure("rename", fresh)
        }
    }

    // MARK: unpacking

    static func unpack(_ zip: String, _ digest: Digest, into folder: String) throws {
        let reader = try ZipReader(fileAt: zip)
        guard reader.entries.count <= FarmLimits.bundleEntriesMax + 1 else {
            throw tooLarge("files", reader.entries.count, FarmLimits.bundleEntriesMax)
        }
        var bytes = 0
        for entry in reader.entries {
            // Sizes are the zip's own claims; each is held to when its file is unpacked.
            guard entry.size <= FarmLimits.bundleUnpackedBytesMax - bytes else {
                throw tooLarge("bytes", .max, FarmLimits.bundleUnpackedBytesMax)
            }
            bytes += entry.size
        }
        let index = try index(of: reader, digest)
        let executables = Set(index.executables)
        var folders: Set<String> = [folder]
        for entry in reader.entries {
            let target = folder + "/" + entry.path
            try makeFolder(of: target, &folders)
            try reader.extract(entry, toFileAt: target, bytesMax: entry.size)
            try setMode(target, isProgram: executables.contains(entry.path), index)
        }
        try makeLinks(index, digest, files: Set(reader.entries.map(\.path)), in: folder, &folders)
        guard !index.isWritable else { return }
        for path in folders.subtracting([folder]) { _ = chmod(path, 0o555) }
    }

    private static func makeFolder(of target: String, _ folders: inout Set<String>) throws {
        let parent = (target as NSString).deletingLastPathComponent
        if folders.insert(parent).inserted { try Posix.makeFolders(parent) }
    }

    private static func setMode(_ path: String, isProgram: Bool, _ index: BundleIndex) throws {
        let mode: mode_t = (index.isWritable ? 0o644 : 0o444) | (isProgram ? 0o111 : 0)
        guard chmod(path, mode) == 0 else { throw Posix.failure("chmod", path) }
    }

    /// Makes the links when everything else is there: nothing is written through one.
    private static func makeLinks(
        _ index: BundleIndex,
        _ digest: Digest,
        files: Set<String>,
        in folder: String,
        _ folders: inout Set<String>
    ) throws {
        guard files.count + index.links.count <= FarmLimits.bundleEntriesMax + 1 else {
            throw tooLarge(
                "files",
                files.count + index.links.count,
                FarmLimits.bundleEntriesMax
            )
        }
        let links = index.links.sorted { $0.key < $1.key }
        for (path, target) in links {
            guard ZipPaths.isSafe(path), !files.contains(path),
                BundleRules.isInside(target, from: path)
            else { throw BundleError.foreign(digest, fact: "has a link that leads out of it") }
            try makeFolder(of: folder + "/" + path, &folders)
        }
        for (path, target) in links {
            // Also where a path leads through another link, there is a folder in that link's place.
            guard symlink(target, folder + "/" + path) == 0 else {
                guard errno == EEXIST else { throw Posix.failure("link", folder + "/" + path) }
                throw BundleError.foreign(digest, fact: "has a link where a file or folder is")
            }
        }
    }

    private static func index(of reader: ZipReader, _ digest: Digest) throws -> BundleIndex {
        guard let entry = reader.entry(BundleIndex.name) else {
            throw BundleError.foreign(digest, fact: "has no index")
        }
        let bytes = try reader.read(entry, bytesMax: FarmLimits.messageBytesMax)
        guard let index = try? JSONDecoder().decode(BundleIndex.self, from: bytes),
            index.version == BundleIndex.versionNow
        else { throw BundleError.foreign(digest, fact: "has an index of another version") }
        return index
    }

    private static func tooLarge(_ what: String, _ count: Int, _ countMax: Int) -> BundleError {
        .tooLarge(what: what, count: count, countMax: countMax)
    }

    private static func digest(ofFileAt path: String) throws -> Digest {
        var stream = DigestStream()
        try BlobStore.forEachChunk(of: path) { chunk throws(ArtifactError) in stream.append(chunk) }
        return stream.finish()
    }

    private func checkPlatform(_ digest: Digest) throws {
        let path = place(digest) + "/" + BundleIndex.name
        guard let bytes = FileManager.default.contents(atPath: path),
            let index = try? JSONDecoder().decode(BundleIndex.self, from: bytes)
        else { throw BundleError.foreign(digest, fact: "lost its index") }
        guard let needed = index.platform, needed != platform else { return }
        throw BundleError.platform(needs: needed, has: platform)
    }

    // MARK: eviction

    /// Removes the bundles used longest ago until the rest fits; those in use stay.
    private func evict(except kept: Digest) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        var known: [(digest: Digest, used: Date, bytes: Int)] = []
        for digest in names.compactMap({ Digest($0) }) {
            let lock = try? FileManager.default.attributesOfItem(atPath: place(digest) + ".lock")
            let used = lock?[.modificationDate] as? Date ?? .distantPast
            known.append((digest, used, Self.bytes(below: place(digest))))
        }
        var total = known.reduce(0) { $0 + $1.bytes }
        for bundle in known.sorted(by: { $0.used < $1.used })
        where total > bytesMax && bundle.digest != kept {
            if remove(bundle.digest) { total -= bundle.bytes }
        }
    }

    private func remove(_ digest: Digest) -> Bool {
        let file = open(place(digest) + ".lock", O_RDWR | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { _ = close(file) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else { return false }
        Self.removeTree(place(digest))
        return true
    }

    private static func bytes(below folder: String) -> Int {
        FileKind.names(below: folder).map { folder + "/" + $0 }
            .filter { FileKind.of($0) == .file }.reduce(0) { $0 + (Posix.size($1) ?? 0) }
    }

    /// Folders of a bundle are read-only: they are opened before they are removed.
    private static func removeTree(_ path: String) {
        guard FileManager.default.fileExists(atPath: path) else { return }
        for name in FileKind.names(below: path) where FileKind.of(path + "/" + name) == .folder {
            _ = chmod(path + "/" + name, 0o755)
        }
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// The machine a program was built for.
package enum BundlePlatform {
    /// System and architecture, such as `linux-x86_64` or `macos-arm64`.
    package static var current: String {
        #if os(Linux)
        let system = "linux"
        #elseif os(macOS)
        let system = "macos"
        #else
        let system = "other"
        #endif
        #if arch(x86_64)
        return system + "-x86_64"
        #elseif arch(arm64)
        return system + "-arm64"
        #else
        return system + "-other"
        #endif
    }
}
