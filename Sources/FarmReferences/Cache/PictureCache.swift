// References on this machine's disk, by blob id, shared by all processes of this user:
//
//     <cache>/ab/<blob id>    a picture; mode 0444, never written again
//     <cache>/uses/<digest>   the blob ids of one shard; its time is when it was last used
//     <cache>/bytes           about how many bytes of pictures there are
//     <cache>/lock            held while `bytes` is written and while pictures are evicted
//
// Invariants
//   - A picture is linked, never copied, where the file system can; so nobody may write to it.
//   - A picture's time says what was put there: 1,000,000,000 s + its size, and its id's first
//     digits as nanoseconds. A write, a truncation or a crash changes one or the other, and the
//     picture is then hashed before it is used. `verify` finds what that cannot (a rotten disk, and a
//     test that gave a picture its old time): a worker hashes what it lays for tests.
//   - Reading takes no lock: what eviction takes away meanwhile is put back.
import FarmCore
import FarmFiles
import Foundation

/// What a shard's references took to put in place.
package struct MaterialisedPictures: Hashable, Sendable, Codable {
    /// Files that share the cache's bytes.
    package var linked = 0
    /// Files of their own: the cache is on another disk, or links are used up or not allowed.
    package var copied = 0
    /// Pictures that were not in the cache, and their bytes.
    package var readCount = 0
    package var readBytes = 0
    /// Pictures that were damaged in the cache and replaced.
    package var repaired: [ObjectID] = []
}

/// A content-addressed cache of pictures.
///
/// Every call may be made from any thread and any process, and blocks while it works.
package struct PictureCache: Sendable {
    /// Bytes of all pictures: a dozen working sets of the largest real one (339 MB).
    package static let bytesMax = 4 << 30
    /// Mode of a picture: a recorder that writes in place fails instead of changing the cache.
    private static let mode: mode_t = 0o444

    let root: GuardedFolder
    let bytesMax: Int
    /// As it was opened.
    package var path: String { root.path }

    /// Opens or makes a cache.
    package init(at path: String, bytesMax: Int = PictureCache.bytesMax) throws {
        root = GuardedFolder(path)
        self.bytesMax = bytesMax
        do {
            try FileManager.default.createDirectory(
                atPath: path + "/" + Self.usesFolder,
                withIntermediateDirectories: true
            )
        } catch {
            throw GuardedFolderError.system(doing: "make the cache \(path)", reason: error.inWords)
        }
    }

    static func place(of object: ObjectID) -> String { "\(object.hex.prefix(2))/\(object)" }

    /// Puts references into a folder as read-only files; `read` is asked for what the cache lacks.
    ///
    /// The folder belongs to snapfarm: files that are in the way are replaced. `layout` gives
    /// each reference's path relative to the folder.
    ///
    /// - Throws: `PictureCacheError` where `read` gives other bytes than asked for,
    ///   `GuardedFolderError`, and what `read` throws.
    @discardableResult
    package func materialise(
        references: [Reference],
        into folder: String,
        now: Date,
        layout: (SnapshotID) -> String,
        read: (ObjectID) throws -> Data
    ) throws -> MaterialisedPictures {
        var result = MaterialisedPictures()
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true
        )
        // First, so that no eviction takes these pictures for forgotten ones.
        try noteUse(of: references.map(\.objectID), now: now)
        var target = RecentFolder(in: GuardedFolder(folder))
        for reference in references {
            let relative = layout(reference.id)
            _ = try GuardedFolder.parts(of: relative)
            let (inner, name) = GuardedFolder.split(relative)
            let open = try target.at(inner)
            try ensure(reference.objectID, read: read, result: &result)
            try place(reference.objectID, in: open, as: name, read: read, result: &result)
        }
        if result.readBytes > 0 { try addBytes(result.readBytes, now: now) }
        return result
    }

    /// The bytes of one picture, from the cache or from `read`.
    package func bytes(
        of object: ObjectID,
        read: (ObjectID) throws -> Data
    ) throws -> Data {
        var result = MaterialisedPictures()
        try ensure(object, read: read, result: &result)
        return try root.read(Self.place(of: object), bytesMax: FarmLimits.pictureBytesMax)
    }

    /// Those pictures that the cache does not have, or not in a sound state.
    package func lacking(_ objects: some Sequence<ObjectID>) throws -> [ObjectID] {
        try objects.filter { object in
            var raw = stat()
            guard lstat(root.path + "/" + Self.place(of: object), &raw) == 0 else { return true }
            return try !Self.looksSound(FileStatus(raw), object) && !isSound(object)
        }
    }

    /// Adds a picture.
    ///
    /// - Throws: `PictureCacheError` where these are not its bytes.
    package func add(_ object: ObjectID, _ bytes: Data, now: Date) throws {
        var result = MaterialisedPictures()
        try ensure(object, read: { _ in bytes }, result: &result)
        if result.readBytes > 0 { try addBytes(result.readBytes, now: now) }
    }

    /// Removes pictures whose bytes were found to be wrong; their next use reads them from the store again.
    package func forget(_ objects: Set<ObjectID>) throws {
        for object in objects.sorted() {
            try root.open(String(object.hex.prefix(2)), making: false)?.remove(object.hex)
        }
    }

    // MARK: one picture

    /// Sees to it that the cache holds a picture that is sound as far as its status tells.
    private func ensure(
        _ object: ObjectID,
        read: (ObjectID) throws -> Data,
        result: inout MaterialisedPictures
    ) throws {
        var raw = stat()
        if lstat(root.path + "/" + Self.place(of: object), &raw) == 0 {
            if Self.looksSound(FileStatus(raw), object) { return }
            if try isSound(object) { return }
            result.repaired.append(object)
        }
        let bytes = try read(object)
        guard ObjectID(ofBlob: bytes) == object else {
            throw PictureCacheError.bytesDiffer(object, actual: ObjectID(ofBlob: bytes))
        }
        try insert(object, bytes)
        result.readCount += 1
        result.readBytes += bytes.count
    }

    private func insert(_ object: ObjectID, _ bytes: Data) throws {
        guard let open = try root.open(String(object.hex.prefix(2)), making: true) else { return }
        // Not flushed: file systems write a file's size after its bytes, and a size that does not
        // fit the stamp is a picture that will be hashed.
        try open.write(object.hex, bytes, mode: Self.mode)
        let (seconds, nanoseconds) = Self.stamp(of: object, bytes: bytes.count)
        try open.stamp(object.hex, seconds: seconds, nanoseconds: nanoseconds)
    }

    private func place(
        _ object: ObjectID,
        in folder: OpenFolder,
        as name: String,
        read: (ObjectID) throws -> Data,
        result: inout MaterialisedPictures
    ) throws {
        let source = root.path + "/" + Self.place(of: object)
        for _ in 0..<10 {
            switch folder.link(source, as: name) {
            case 0:
                result.linked += 1
                return
            case EEXIST: try folder.remove(name)
            case ENOENT: try ensure(object, read: read, result: &result)  // Evicted meanwhile.
            case EXDEV, EMLINK, EPERM, EACCES, EOPNOTSUPP, ENOSYS:
                try folder.copy(source, as: name, mode: Self.mode)
                result.copied += 1
                return
            case let code:
                throw GuardedFolderError.system(
                    doing: "link \(folder.path)/\(name)",
                    reason: String(cString: strerror(code))
                )
            }
        }
        throw GuardedFolderError.unstable("\(folder.path)/\(name)")
    }

    // MARK: soundness

    private static func stamp(
        of object: ObjectID,
        bytes: Int
    ) -> (seconds: Int, nanoseconds: Int) {
        (1_000_000_000 + bytes, Int(object.hex.prefix(7), radix: 16) ?? 0)
    }

    private static func looksSound(_ status: FileStatus, _ object: ObjectID) -> Bool {
        let (seconds, nanoseconds) = stamp(of: object, bytes: status.bytes)
        let (whole, rest) = status.modifiedNanoseconds
            .quotientAndRemainder(dividingBy: 1_000_000_000)
        // Some file systems keep whole seconds only.
        return status.kind == .file && status.mode == UInt16(mode)
            && whole == Int64(seconds) && (rest == Int64(nanoseconds) || rest == 0)
    }

    /// Hashes a picture; a sound one gets its mode and stamp back.
    func isSound(_ object: ObjectID) throws -> Bool {
        guard let open = try root.open(String(object.hex.prefix(2)), making: true) else {
            return false
        }
        let (bytes, status): (Data, FileStatus)
        do {
            (bytes, status) = try open.read(object.hex, bytesMax: FarmLimits.pictureBytesMax)
        } catch {
            switch error {
            case .notAFile, .tooLarge, .unstable, .system: return false
            default: throw error
            }
        }
        guard ObjectID(ofBlob: bytes) == object else { return false }
        guard !Self.looksSound(status, object) else { return true }
        // A new file: whoever could write to the old one may still have it open.
        try insert(object, bytes)
        return true
    }
}

/// Why the cache did not take a picture.
package enum PictureCacheError: ExplainedError, Equatable {
    /// What was read for a picture is something else.
    case bytesDiffer(ObjectID, actual: ObjectID)

    package var code: String { "cache-bytes-differ" }
    package var message: String {
        switch self {
        case .bytesDiffer(let object, let actual):
            "the picture \(object) arrived as other bytes (\(actual))."
        }
    }
    package var remedy: String {
        "Check the store with `snapfarm refs verify`, then run the same command again."
    }
    package var exit: ExitCode { .inputOutput }
}
