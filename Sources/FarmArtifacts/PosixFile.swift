// The few system calls the stores need, with the errors people can act on. Foundation's file
// functions neither flush nor tell a full disk apart.
import CFarmShims
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// An open file, closed when the value goes away.
struct PosixFile: ~Copyable {
    let path: String
    private let descriptor: Int32

    /// Opens an existing file for reading; nil when there is none.
    static func reading(_ path: String) throws(ArtifactError) -> PosixFile? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor >= 0 { return PosixFile(path: path, descriptor: descriptor) }
        if errno == ENOENT || errno == ENOTDIR { return nil }
        throw Posix.failure("open", path)
    }

    /// Makes a new file of a name nobody else has, `prefix` and six characters.
    static func temporary(_ prefix: String) throws(ArtifactError) -> PosixFile {
        var template = Array((prefix + "XXXXXX").utf8CString)
        let descriptor = mkstemp(&template)
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard descriptor >= 0 else { throw Posix.failure("create", path) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return PosixFile(path: path, descriptor: descriptor)
    }

    /// Makes a file, or empties the one that is there; a link is not followed.
    static func replacing(_ path: String) throws(ArtifactError) -> PosixFile {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Posix.failure("create", path) }
        return PosixFile(path: path, descriptor: descriptor)
    }

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { _ = close(descriptor) }

    func write(_ bytes: UnsafeRawBufferPointer) throws(ArtifactError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let written = Posix.write(descriptor, piece.baseAddress, piece.count)
            if written < 0 {
                if errno == EINTR { continue }
                throw Posix.failure("write", path)
            }
            rest = rest.dropFirst(written)
        }
    }

    /// Reads until `buffer` is full or the file ends; returns the bytes read.
    func read(
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int
    ) throws(ArtifactError) -> Int {
        var done = 0
        while done < buffer.count {
            let count = pread(
                descriptor,
                buffer.baseAddress?.advanced(by: done),
                buffer.count - done,
                off_t(offset + done)
            )
            if count < 0 {
                if errno == EINTR { continue }
                throw Posix.failure("read", path)
            }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Bytes of the file.
    func size() throws(ArtifactError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Posix.failure("stat", path) }
        return Int(status.st_size)
    }

    func setMode(_ mode: mode_t) throws(ArtifactError) {
        guard fchmod(descriptor, mode) == 0 else { throw Posix.failure("chmod", path) }
    }

    /// Returns once the bytes would survive a power cut.
    func flush() throws(ArtifactError) {
        guard fsync(descriptor) == 0 else { throw Posix.failure("fsync", path) }
    }

    /// Returns once all bytes of the whole file system would survive a power cut; off Linux only
    /// this file's.
    func flushFileSystem() throws(ArtifactError) {
        guard farm_flush_file_system(descriptor) == 0 else { throw Posix.failure("sync", path) }
    }
}

/// System calls on paths.
enum Posix {
    static func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Darwin)
        Darwin.write(descriptor, bytes, count)
        #elseif canImport(Musl)
        Musl.write(descriptor, bytes, count)
        #else
        Glibc.write(descriptor, bytes, count)
        #endif
    }

    /// What `errno` says, as an error people can act on.
    static func failure(_ operation: String, _ path: String) -> ArtifactError {
        let number = errno
        if number == ENOSPC || number == EDQUOT { return .diskFull(path: path) }
        return .system(
            operation: operation,
            path: path,
            text: String(cString: strerror(number))
        )
    }

    static func makeFolder(_ path: String) throws(ArtifactError) {
        if mkdir(path, 0o777) != 0, errno != EEXIST { throw failure("mkdir", path) }
    }

    static func makeFolders(_ path: String) throws(ArtifactError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true
            )
        } catch {
            throw .system(operation: "mkdir", path: path, text: error.localizedDescription)
        }
    }

    /// Makes new names in a folder survive a power cut.
    static func flushFolder(_ path: String) throws(ArtifactError) {
        guard let folder = try PosixFile.reading(path) else {
            throw .system(operation: "open", path: path, text: "the folder is gone")
        }
        try folder.flush()
    }

    /// Bytes of a regular file; nil when there is none.
    static func size(_ path: String) -> Int? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    static func replace(_ path: String, with new: String) throws(ArtifactError) {
        guard rename(new, path) == 0 else { throw failure("rename", path) }
        // Renaming a hard link onto the same file does nothing and leaves both names.
        remove(new)
    }

    /// Gives a file its final name unless something has it already; the old name is gone after.
    static func settle(_ new: String, at path: String) throws(ArtifactError) {
        if link(new, path) == 0 || errno == EEXIST {
            remove(new)
            return
        }
        // File systems without hard links; both files would have the same bytes.
        try replace(path, with: new)
    }

    static func remove(_ path: String) { _ = unlink(path) }
}
