// The bundles of a machine, shared by its workers:
//
//     <folder>/<hex>.zip           the bundle as it came
//     <folder>/<hex>/              unpacked, read-only
//     <folder>/<hex>.lock          held shared while a lease uses the folder, alone for a change
//     <folder>/<hex>.<random>/     unpacked for one lease; its own `.lock` goes with that lease
//
// Tests run as their worker's user. A test can change any file here, and later leases of other runs
// must not trust it.
//
// Invariants
//   - When a lease begins, the cache compares every name, mode, link and byte of the folder with
//     the bundle's digest (BundleZip). It unpacks a folder that differs again from the zip, and
//     fetches a zip that differs again.
//   - No file of a zip is unpacked before the zip's digest was checked; no entry leaves the folder.
//   - A bundle in use is not changed: if it differs, or if its driver writes beside its files, the
//     lease gets a folder of its own.
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

/// An unpacked bundle that stays in its place while this value lives.
package final class BundleUse: Sendable {
    /// The absolute path of the unpacked bundle.
    package let folder: String
    /// Whether other leases may use the folder at the same time.
    package let isShared: Bool
    private let lock: BundleLock

    init(folder: String, isShared: Bool, lock: BundleLock) {
        self.folder = folder
        self.isShared = isShared
        self.lock = lock
    }
}

/// The unpacked bundles of one machine, and their zips.
package struct BundleCache: Sendable {
    let folder: String
    private let platform: String
    private let bytesMax: Int
    private let log: @Sendable (String) -> Void

    /// Makes a cache of bundles in a folder.
    ///
    /// `platform` is this machine's, as ``BundleIndex/platform`` spells it; `log` takes a sentence
    /// about each kept bundle that has changed.
    package init(
        folder: String,
        platform: String,
        bytesMax: Int = FarmLimits.bundleCacheBytesMax,
        log: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.folder = folder
        self.platform = platform
        self.bytesMax = bytesMax
        self.log = log
    }

    /// Returns the unpacked bundle, compared with its digest; `fetch` downloads its zip to a path
    /// if none is kept.
    ///
    /// - Throws: ``BundleError``, `ZipReadError` and `ArtifactError` for a zip that does not match
    ///   its name or the limits; any error of `fetch`.
    package func use(
        _ digest: Digest,
        fetch: (String) async throws -> Void
    ) async throws -> BundleUse {
        do {
            try FolderTree.make(folder)
        } catch {
            throw ArtifactError.system(
                operation: "mkdir",
                path: folder,
                text: error.inWords
            )
        }
        let kept = kept(digest)
        if let kept, let use = try shared(kept) { return use }
        let isWhole = try kept?.isWhole() == true
        if !isWhole, FileKind.of(zipPath(digest)) != nil {
            log("the kept zip of bundle \(digest) is not what it was; it is fetched again.")
        }
        let zip: BundleZip
        if let kept, isWhole { zip = kept } else { zip = try await fetched(digest, fetch) }
        try zip.check(platform: platform)
        do {
            let use = try renewed(zip) ?? shared(zip) ?? own(zip)
            if !isWhole { evict(except: digest) }
            return use
        } catch {
            FolderTree.remove(zipPath(digest))
            throw error
        }
    }

    /// Returns the bundle's zip in the cache with only its form checked, or `nil` if there is none.
    private func kept(_ digest: Digest) -> BundleZip? {
        // Opening a pipe in its place would block.
        guard FileKind.of(zipPath(digest)) == .file else { return nil }
        return try? BundleZip(fileAt: zipPath(digest), digest: digest)
    }

    private func place(_ digest: Digest) -> String { folder + "/" + digest.hex }
    private func zipPath(_ digest: Digest) -> String { place(digest) + ".zip" }

    // MARK: zips

    private func fetched(
        _ digest: Digest,
        _ fetch: (String) async throws -> Void
    ) async throws -> BundleZip {
        let draft = try BundleLock.draft(beside: place(digest))
        defer { withExtendedLifetime(draft) {} }
        let path = draft.path + ".zip"
        defer { FolderTree.remove(path) }
        try await fetch(path)
        let found = try Self.digest(ofFileAt: path)
        guard found == digest else {
            throw ArtifactError.mismatch(expected: digest, actual: found)
        }
        let zip = try BundleZip(fileAt: path, digest: digest)
        if FileKind.of(zipPath(digest)) == .folder { FolderTree.remove(zipPath(digest)) }
        guard rename(path, zipPath(digest)) == 0 else { throw Posix.failure("rename", path) }
        return zip
    }

    private static func digest(ofFileAt path: String) throws -> Digest {
        var stream = DigestStream()
        try BlobStore.forEachChunk(of: path) { chunk throws(ArtifactError) in stream.append(chunk) }
        return stream.finish()
    }

    // MARK: folders

    /// Returns the bundle's folder that leases share, or `nil` if it is not the bundle, cannot be
    /// shared, or another lease is changing it.
    private func shared(_ zip: BundleZip) throws -> BundleUse? {
        let place = place(zip.digest)
        guard !zip.index.isWritable else { return nil }
        let lock = try BundleLock(place)
        guard lock.share() else { return nil }
        var state = try zip.state(of: place)
        if case .added(let paths) = state {
            // Tests may write beside the files of a bundle; the next lease begins without those.
            guard lock.takeAlone() else { return nil }
            for path in paths { FolderTree.remove("\(place)/\(path)") }
            guard lock.share() else { return nil }
            state = try zip.state(of: place)
        }
        switch state {
        case .same:
            try zip.check(platform: platform)
            return BundleUse(folder: place, isShared: true, lock: lock)
        case .changed(let path):
            let what = path.isEmpty ? "" : ": \(path.debugDescription)"
            log(
                "the kept files of bundle \(zip.digest) are not what they were\(what); "
                    + "they are unpacked again."
            )
            return nil
        case .absent, .added: return nil
        }
    }

    /// Unpacks the folder that leases share again, or returns `nil` while another lease uses it.
    private func renewed(_ zip: BundleZip) throws -> BundleUse? {
        let place = place(zip.digest)
        guard !zip.index.isWritable else { return nil }
        let lock = try BundleLock(place)
        guard lock.takeAlone() else { return nil }
        FolderTree.remove(place)
        let draft = try BundleLock.draft(beside: place)
        defer { withExtendedLifetime(draft) {} }
        try zip.unpack(into: draft.path)
        guard rename(draft.path, place) == 0 else { throw Posix.failure("rename", place) }
        return lock.share() ? BundleUse(folder: place, isShared: true, lock: lock) : nil
    }

    /// Unpacks a bundle into a folder that only one lease uses.
    private func own(_ zip: BundleZip) throws -> BundleUse {
        let draft = try BundleLock.draft(beside: place(zip.digest))
        try zip.unpack(into: draft.path)
        return BundleUse(folder: draft.path, isShared: false, lock: draft)
    }

    // MARK: eviction

    /// Removes the bundles used longest ago until the others fit the limit; bundles in use stay.
    ///
    /// Also removes the folders of killed leases.
    private func evict(except kept: Digest) {
        var known: [(digest: Digest, used: Date, bytes: Int)] = []
        for name in FileKind.names(in: folder) where name.hasSuffix(BundleLock.ending) {
            let stem = String(name.dropLast(BundleLock.ending.count))
            guard let digest = Digest(stem) else {
                BundleLock.removeLeft(folder + "/" + stem)
                continue
            }
            let lock = try? FileManager.default.attributesOfItem(atPath: folder + "/" + name)
            let used = lock?[.modificationDate] as? Date ?? .distantPast
            let zip = Posix.size(zipPath(digest)) ?? 0
            known.append((digest, used, zip + Self.bytes(below: place(digest))))
        }
        var total = known.reduce(0) { $0 + $1.bytes }
        for bundle in known.sorted(by: { $0.used < $1.used })
        where total > bytesMax && bundle.digest != kept {
            if remove(bundle.digest) { total -= bundle.bytes }
        }
    }

    private func remove(_ digest: Digest) -> Bool {
        guard let lock = try? BundleLock(place(digest)), lock.takeAlone() else { return false }
        defer { withExtendedLifetime(lock) {} }
        FolderTree.remove(place(digest))
        FolderTree.remove(zipPath(digest))
        return true
    }

    private static func bytes(below folder: String) -> Int {
        FileKind.names(below: folder).map { folder + "/" + $0 }
            .filter { FileKind.of($0) == .file }.reduce(0) { $0 + (Posix.size($1) ?? 0) }
    }
}

/// The platform for which this program was built.
package enum BundlePlatform {
    /// The system and architecture, such as `linux-x86_64` or `macos-arm64`.
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
