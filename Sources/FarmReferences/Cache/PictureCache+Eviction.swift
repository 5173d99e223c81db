// Eviction: the cache removes the pictures that no shard used for the longest time. Each shard's
// use is one small file. When a shard uses a thousand pictures again, the cache changes the time of
// one file, not of a thousand.
import FarmCore
import FarmFiles
import Foundation

/// The result of an eviction.
package struct CacheEviction: Hashable, Sendable, Codable {
    /// The size of all pictures before the eviction, in bytes.
    package var bytesBefore = 0
    package var bytesAfter = 0
    package var evictedCount = 0
}

/// The result of verifying a cache, which reads every byte.
package struct CacheVerification: Hashable, Sendable, Codable {
    package var soundCount = 0
    /// The damaged pictures; they were removed, and the next use reads them from the store again.
    package var damaged: [ObjectID] = []
}

extension PictureCache {
    static let usesFolder = "uses"
    /// The largest number of use files, one for each shard: a day's shards on a busy machine.
    private static let usesMax = 10_000
    /// The share of `bytesMax` that an eviction goes down to, so that not every later shard evicts.
    private static let keptShare = 0.9
    /// The age in seconds at which a temporary file counts as left by a process that died.
    private static let temporarySecondsMax = 3_600.0

    // MARK: uses

    /// Records that a shard uses these pictures now.
    func noteUse(of objects: [ObjectID], now: Date) throws {
        guard !objects.isEmpty else { return }
        let list = Data(Set(objects).sorted().map { "\($0)\n" }.joined().utf8)
        let name = Digest(of: list).hex
        guard let uses = try root.open(Self.usesFolder, making: true) else { return }
        if try uses.status(name)?.bytes != list.count {
            try uses.write(name, list, mode: 0o644)
        }
        let seconds = now.timeIntervalSince1970.rounded(.down)
        try uses.stamp(
            name,
            seconds: Int(seconds),
            nanoseconds: Int((now.timeIntervalSince1970 - seconds) * 1e9)
        )
    }

    // MARK: bytes

    /// Adds to the noted size of the cache; evicts pictures if the sum is over the limit.
    func addBytes(_ bytes: Int, now: Date) throws {
        let lock = try CacheLock(root.path)
        defer { withExtendedLifetime(lock) {} }
        let total = (bytesNoted() ?? 0) + bytes
        guard total > bytesMax else { return try note(bytes: total) }
        try evict(to: Int(Double(bytesMax) * Self.keptShare), now: now)
    }

    /// Removes pictures, least recently used first, until the cache is within its limit.
    ///
    /// Counts the bytes of all pictures anew.
    @discardableResult
    package func evict(now: Date) throws -> CacheEviction {
        let lock = try CacheLock(root.path)
        defer { withExtendedLifetime(lock) {} }
        return try evict(to: bytesMax, now: now)
    }

    /// Hashes every picture of the cache and removes the damaged ones.
    package func verify() throws -> CacheVerification {
        var result = CacheVerification()
        for object in try pictures().keys.sorted() {
            if try isSound(object) {
                result.soundCount += 1
            } else {
                result.damaged.append(object)
                try root.open(String(object.hex.prefix(2)), making: false)?.remove(object.hex)
            }
        }
        return result
    }

    @discardableResult
    private func evict(to limit: Int, now: Date) throws -> CacheEviction {
        var result = CacheEviction()
        let pictures = try pictures(removingTemporaryBefore: now)
        result.bytesBefore = pictures.values.reduce(0, +)
        result.bytesAfter = result.bytesBefore
        if result.bytesBefore > limit {
            var kept: Set<ObjectID> = []
            var keptBytes = 0
            var full = false
            for use in try uses() {
                // The first shard that does not fit is evicted, with all that were used before it.
                // Pictures that a later shard uses too are kept.
                if !full, let objects = try objects(of: use) {
                    let more = objects.filter { !kept.contains($0) && pictures[$0] != nil }
                    let bytes = more.reduce(0) { $0 + (pictures[$1] ?? 0) }
                    full = keptBytes + bytes > limit
                    if !full {
                        kept.formUnion(more)
                        keptBytes += bytes
                        continue
                    }
                }
                try root.open(Self.usesFolder, making: false)?.remove(use)
            }
            for (object, bytes) in pictures where !kept.contains(object) {
                try root.open(String(object.hex.prefix(2)), making: false)?.remove(object.hex)
                result.evictedCount += 1
                result.bytesAfter -= bytes
            }
        }
        try note(bytes: result.bytesAfter)
        return result
    }

    private func bytesNoted() -> Int? {
        guard let text = try? root.read("bytes", bytesMax: 64) else { return nil }
        return Int(String(decoding: text, as: UTF8.self))
    }

    private func note(bytes: Int) throws { try root.write("bytes", Data("\(bytes)".utf8)) }

    // MARK: contents

    /// Returns the size of each picture in bytes, by blob id.
    ///
    /// With `now`, also removes temporary files that dead processes left.
    private func pictures(removingTemporaryBefore now: Date? = nil) throws -> [ObjectID: Int] {
        var pictures: [ObjectID: Int] = [:]
        for path in try FolderListing(of: root).files {
            let (folder, name) = GuardedFolder.split(path)
            guard let status = try root.status(path) else { continue }
            if let object = ObjectID(name), folder == name.prefix(2) {
                pictures[object] = status.bytes
            } else if let now, name.hasPrefix(OpenFolder.temporaryPrefix) {
                let age = now.timeIntervalSince1970 - Double(status.modifiedNanoseconds) / 1e9
                guard age > Self.temporarySecondsMax else { continue }
                try root.open(folder, making: false)?.remove(name)
            }
        }
        return pictures
    }

    /// Returns the names of the use files, newest first; removes files beyond the limit.
    private func uses() throws -> [String] {
        var uses: [(name: String, time: Int64)] = []
        for path in try FolderListing(of: root, below: Self.usesFolder).files {
            let (_, name) = GuardedFolder.split(path)
            guard Digest(name) != nil, let status = try root.status(path) else { continue }
            uses.append((name, status.modifiedNanoseconds))
        }
        uses.sort { ($0.time, $0.name) > ($1.time, $1.name) }
        for use in uses.dropFirst(Self.usesMax) {
            try root.open(Self.usesFolder, making: false)?.remove(use.name)
        }
        return uses.prefix(Self.usesMax).map(\.name)
    }

    /// Returns the pictures that a use file names, or `nil` if the bytes do not match its name.
    private func objects(of use: String) throws -> [ObjectID]? {
        let bytesMax = 41 * FarmLimits.plannedTestsMax
        let bytes = try root.read("\(Self.usesFolder)/\(use)", bytesMax: bytesMax)
        guard Digest(of: bytes).hex == use else { return nil }
        return bytes.split(separator: UInt8(ascii: "\n"))
            .compactMap { ObjectID(String(decoding: $0, as: UTF8.self)) }
    }
}

/// The cache's lock, held while this value lives; the kernel releases it when the process ends.
private final class CacheLock {
    private let descriptor: Int32

    init(_ cache: String) throws(GuardedFolderError) {
        let path = cache + "/lock"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw .system("open \(path)") }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw .system("lock \(path)") }
        }
    }

    deinit { close(descriptor) }
}
