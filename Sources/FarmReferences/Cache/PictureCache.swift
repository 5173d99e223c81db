// The reference pictures on this machine's disk, by blob id, shared by all processes of this user:
//
//     <cache>/ab/<blob id>    a picture; mode 0444, never written again
//     <cache>/uses/<digest>   the blob ids of one shard; its time is when it was last used
//     <cache>/bytes           about how many bytes of pictures there are
//     <cache>/lock            held while `bytes` is written and while pictures are evicted
//
// Invariants
//   - A picture is linked, not copied, if the file system can link. No process may write to it.
//     For isolated tests it is copied: they may write to every file that they see.
//   - A picture's modification time encodes its content: 1,000,000,000 s + its size, with the
//     first digits of its id as nanoseconds. A write, a truncation or a crash changes the time or
//     the size, and the cache then hashes the picture before its next use. `verify` also finds what
//     this check misses: a failing disk, or a test that restored the old time. A worker hashes the
//     pictures that it lays out for tests.
//   - Reading takes no lock. If eviction removes a picture meanwhile, the reader puts it back.
import FarmCore
import FarmFiles
import Foundation

/// The numbers of files that were linked, copied and read to put a shard's references in place.
package struct MaterialisedPictures: Hashable, Sendable, Codable {
    /// The number of files that were linked to the cache's picture.
    package var linked = 0
    /// The number of files that were copied: the cache is on another disk, or links are exhausted
    /// or not allowed.
    package var copied = 0
    /// The number of pictures that were not in the cache and were read from elsewhere; `readBytes`
    /// is their size in bytes.
    package var readCount = 0
    package var readBytes = 0
    /// The pictures that were damaged in the cache and were replaced.
    package var repaired: [ObjectID] = []
}

/// A content-addressed cache of pictures.
///
/// Every call may be made from any thread and any process, and blocks while it works.
package struct PictureCache: Sendable {
    /// The largest size of all pictures in bytes: 12 times the largest real working set (339 MB).
    package static let bytesMax = 4 << 30
    /// The file mode of a picture: a recorder that writes in place fails, the cache stays intact.
    private static let mode: mode_t = 0o444

    /// The way in which pictures come into a folder.
    package enum Placing: Sendable {
        case linked
        /// For processes that must not reach the cache through a link.
        case copied
    }

    let root: GuardedFolder
    let bytesMax: Int
    private let placing: Placing
    /// The path of the cache's folder, as the caller gave it.
    package var path: String { root.path }

    /// Opens the cache at `path`, or creates it.
    package init(
        at path: String,
        bytesMax: Int = PictureCache.bytesMax,
        placing: Placing = .linked
    ) throws {
        root = GuardedFolder(path)
        self.bytesMax = bytesMax
        self.placing = placing
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

    /// Puts references into a folder as read-only files.
    ///
    /// Calls `read` for pictures that the cache lacks.
    ///
    /// The folder belongs to snapfarm: files that are in the way are replaced. `layout` gives each
    /// reference's path relative to the folder.
    ///
    /// - Throws: `PictureCacheError` if `read` returns other bytes than those of the picture,
    ///   `GuardedFolderError`, and the errors of `read`.
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
        // Recorded first, so that no eviction removes these pictures as unused.
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

    /// Returns the bytes of one picture, from the cache or from `read`.
    package func bytes(
        of object: ObjectID,
        read: (ObjectID) throws -> Data
    ) throws -> Data {
        var result = MaterialisedPictures()
        try ensure(object, read: read, result: &result)
        return try root.read(Self.place(of: object), bytesMax: FarmLimits.pictureBytesMax)
    }

    /// Returns those pictures of `objects` that are missing from the cache, or damaged there.
    package func lacking(_ objects: some Sequence<ObjectID>) throws -> [ObjectID] {
        try objects.filter { object in
            var raw = stat()
            guard lstat(root.path + "/" + Self.place(of: object), &raw) == 0 else { return true }
            return try !Self.hasSoundStatus(FileStatus(raw), object) && !isSound(object)
        }
    }

    /// Adds a picture.
    ///
    /// - Throws: `PictureCacheError` if `bytes` are not those of `object`.
    package func add(_ object: ObjectID, _ bytes: Data, now: Date) throws {
        var result = MaterialisedPictures()
        try ensure(object, read: { _ in bytes }, result: &result)
        if result.readBytes > 0 { try addBytes(result.readBytes, now: now) }
    }

    /// Removes pictures whose bytes were found wrong; the next use reads them from the store again.
    package func forget(_ objects: Set<ObjectID>) throws {
        for object in objects.sorted() {
            try root.open(String(object.hex.prefix(2)), making: false)?.remove(object.hex)
        }
    }

    // MARK: one picture

    /// Ensures that the cache has a picture that is sound by its status (type, mode, size and
    /// time).
    private func ensure(
        _ object: ObjectID,
        read: (ObjectID) throws -> Data,
        result: inout MaterialisedPictures
    ) throws {
        var raw = stat()
        if lstat(root.path + "/" + Self.place(of: object), &raw) == 0 {
            if Self.hasSoundStatus(FileStatus(raw), object) { return }
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
        // Not flushed to the disk: file systems write a file's size after its bytes, and a picture
        // whose size does not fit its time is hashed before use.
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
            switch placing == .copied ? EXDEV : folder.link(source, as: name) {
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

    private static func hasSoundStatus(_ status: FileStatus, _ object: ObjectID) -> Bool {
        let (seconds, nanoseconds) = stamp(of: object, bytes: status.bytes)
        let (whole, rest) = status.modifiedNanoseconds
            .quotientAndRemainder(dividingBy: 1_000_000_000)
        // Some file systems keep times in whole seconds.
        return status.kind == .file && status.mode == UInt16(mode)
            && whole == Int64(seconds) && (rest == Int64(nanoseconds) || rest == 0)
    }

    /// Whether a picture's bytes match its id; if only its mode or time is wrong, writes it anew.
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
        guard !Self.hasSoundStatus(status, object) else { return true }
        // Writes a new file: another process may still have the old one open for writing.
        try insert(object, bytes)
        return true
    }
}

/// An error for a picture that the cache did not accept.
package enum PictureCacheError: ExplainedError, Equatable {
    /// The bytes that were read for a picture have another blob id.
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
