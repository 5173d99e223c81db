// An open folder and operations on the files in it, each by a single name and never through a link.
// Files appear whole: they are written under another name, then renamed.
import FarmCore
import Foundation
import Synchronization

/// The status of a file, a folder or a link itself, not of a link's target.
package struct FileStatus: Hashable, Sendable, Codable {
    package enum Kind: Hashable, Sendable {
        case file
        case folder
        case link
        case special
    }

    package let kind: Kind
    /// The permission bits of the file's mode.
    package let mode: UInt16
    package let bytes: Int
    /// The time of the last change, in nanoseconds since 1970.
    package let modifiedNanoseconds: Int64
    package let inode: UInt64

    private enum CodingKeys: String, CodingKey {
        case bytes, modifiedNanoseconds, inode
    }

    package init(_ status: stat) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: kind = .file
        case S_IFDIR: kind = .folder
        case S_IFLNK: kind = .link
        default: kind = .special
        }
        mode = UInt16(truncatingIfNeeded: status.st_mode & 0o7777)
        bytes = Int(status.st_size)
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        modifiedNanoseconds = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
        inode = UInt64(status.st_ino)
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        kind = .file
        mode = 0
        bytes = try container.decode(Int.self, forKey: .bytes)
        modifiedNanoseconds = try container.decode(Int64.self, forKey: .modifiedNanoseconds)
        inode = try container.decode(UInt64.self, forKey: .inode)
    }

    /// Whether both statuses are of the same file, unchanged in between.
    package func isUntouched(since other: FileStatus) -> Bool {
        bytes == other.bytes && modifiedNanoseconds == other.modifiedNanoseconds
            && inode == other.inode
    }
}

/// A counter that makes names of temporary files unique in this process.
private let temporaryCount = Atomic<Int>(0)

/// An open folder, closed when this value is released.
package final class OpenFolder {
    /// The prefix of temporary files; a killed process may leave some.
    package static let temporaryPrefix = ".snapfarm-tmp-"
    private static let copyChunkBytes = 1 << 20

    package let descriptor: Int32
    /// The path of the folder, for errors.
    package let path: String

    /// Takes ownership of the descriptor of an open folder.
    init(_ descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    /// Returns the status of the entry with a name, or `nil` if it does not exist.
    package func status(_ name: String) throws(GuardedFolderError) -> FileStatus? {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            guard errno != ENOENT else { return nil }
            throw .system("look at \(path)/\(name)")
        }
        return FileStatus(status)
    }

    /// Reads the bytes of a regular file, with its status when it was read.
    package func read(
        _ name: String,
        bytesMax: Int
    ) throws(GuardedFolderError) -> (bytes: Data, status: FileStatus) {
        // Without O_NONBLOCK, opening a pipe would wait for a writer.
        let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else {
            guard errno != ELOOP else { throw .notAFile("\(path)/\(name)") }
            throw .system("read \(path)/\(name)")
        }
        defer { close(file) }
        var raw = stat()
        guard fstat(file, &raw) == 0 else { throw .system("look at \(path)/\(name)") }
        let status = FileStatus(raw)
        guard status.kind == .file else { throw .notAFile("\(path)/\(name)") }
        guard status.bytes <= bytesMax else {
            throw .tooLarge("\(path)/\(name)", bytes: status.bytes, bytesMax: bytesMax)
        }
        // One byte more than the size, to check that the file ends there.
        var bytes = Data(count: status.bytes + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { buffer in
                Foundation.read(file, buffer.baseAddress.map { $0 + count }, buffer.count - count)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw .system("read \(path)/\(name)") }
            guard got > 0 else { break }
            count += got
        }
        guard count == status.bytes else { throw .unstable("\(path)/\(name)") }
        bytes.removeLast()
        return (bytes, status)
    }

    /// Writes a file whole or not at all; replaces an existing file or link of the name.
    @discardableResult
    package func write(
        _ name: String,
        _ bytes: Data,
        mode: mode_t
    ) throws(GuardedFolderError) -> FileStatus {
        let (temporary, file) = try makeTemporary()
        defer { close(file) }
        do throws(GuardedFolderError) {
            try Self.write(bytes, to: file, path: "\(path)/\(name)")
            guard fchmod(file, mode) == 0 else { throw .system("write \(path)/\(name)") }
            try rename(temporary, to: name)
        } catch {
            unlinkat(descriptor, temporary, 0)
            throw error
        }
        var raw = stat()
        guard fstat(file, &raw) == 0 else { throw .system("look at \(path)/\(name)") }
        return FileStatus(raw)
    }

    /// Creates a hard link `name` to a file elsewhere on the same disk; returns 0, or `errno`.
    package func link(_ target: String, as name: String) -> Int32 {
        linkat(AT_FDCWD, target, descriptor, name, 0) == 0 ? 0 : errno
    }

    /// Copies the file at the path `target` into this folder.
    ///
    /// The copy shares no blocks, because this is for files on other disks.
    package func copy(_ target: String, as name: String, mode: mode_t) throws(GuardedFolderError) {
        let source = Foundation.open(target, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard source >= 0 else { throw .system("read \(target)") }
        defer { close(source) }
        let (temporary, file) = try makeTemporary()
        defer { close(file) }
        do throws(GuardedFolderError) {
            try Self.copy(from: source, to: file, path: "\(path)/\(name)")
            guard fchmod(file, mode) == 0 else { throw .system("write \(path)/\(name)") }
            try rename(temporary, to: name)
        } catch {
            unlinkat(descriptor, temporary, 0)
            throw error
        }
    }

    /// Removes a file or link; does nothing if it does not exist.
    package func remove(_ name: String) throws(GuardedFolderError) {
        guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else {
            throw .system("remove \(path)/\(name)")
        }
    }

    package func rename(_ name: String, to other: String) throws(GuardedFolderError) {
        guard renameat(descriptor, name, descriptor, other) == 0 else {
            throw .system("write \(path)/\(other)")
        }
    }

    /// Sets the time of a file's last change, in seconds and nanoseconds since 1970.
    package func stamp(_ name: String, seconds: Int, nanoseconds: Int) throws(GuardedFolderError) {
        let time = timespec(tv_sec: seconds, tv_nsec: nanoseconds)
        guard utimensat(descriptor, name, [time, time], AT_SYMLINK_NOFOLLOW) == 0 else {
            throw .system("set the time of \(path)/\(name)")
        }
    }

    private func makeTemporary() throws(GuardedFolderError) -> (name: String, file: Int32) {
        for _ in 0..<1_000 {
            let count = temporaryCount.add(1, ordering: .relaxed).newValue
            let name = "\(Self.temporaryPrefix)\(getpid())-\(count)"
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
            let file = openat(descriptor, name, flags, 0o600)
            if file >= 0 { return (name, file) }
            // Another host, or an earlier process with the same number, left a file with this name.
            guard errno == EEXIST else { throw .system("write to \(path)") }
        }
        throw .system(doing: "write to \(path)", reason: "its temporary names are all taken")
    }

    private static func write(
        _ bytes: Data,
        to file: Int32,
        path: String
    ) throws(GuardedFolderError) {
        do throws(FileFailure) {
            try FileDescriptors.write(bytes, to: file, path: path)
        } catch {
            throw .system(doing: "write \(path)", reason: error.reason)
        }
    }

    private static func copy(
        from source: Int32,
        to file: Int32,
        path: String
    ) throws(GuardedFolderError) {
        var chunk = Data(count: copyChunkBytes)
        while true {
            let got = chunk.withUnsafeMutableBytes {
                Foundation.read(source, $0.baseAddress, $0.count)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw .system("copy \(path)") }
            guard got > 0 else { return }
            try write(chunk.prefix(got), to: file, path: path)
        }
    }
}
