// Files as a prune needs them: read at an offset, written through a hash, made durable. No step
// holds more than one buffer of a pack.
import CFarmShims
import Crypto
import FarmCore
import Foundation

/// Bytes read or written at once.
let pruneBufferBytes = 1 << 20

/// What the operating system said about the last call.
func systemError(_ doing: String) -> ReferenceStoreError {
    .system(doing: doing, reason: String(cString: strerror(errno)))
}

/// A file open for reading, closed when the value goes away.
final class InputFile {
    let path: String
    let bytes: Int
    private let descriptor: Int32

    init(_ path: String) throws(ReferenceStoreError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw systemError("open \(path)") }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let error = systemError("look at \(path)")
            close(descriptor)
            throw error
        }
        bytes = Int(status.st_size)
    }

    deinit { close(descriptor) }

    /// Fills the buffer from an offset.
    ///
    /// - Throws: `PruneError.damaged` where the file ends before that.
    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw systemError("read \(path)") }
            guard count > 0 else {
                throw PruneError.damaged(file: path, fact: "it ends at \(offset + done) bytes")
            }
            done += count
        }
    }
}

/// A file being written, with the SHA-1 of all its bytes; closed when the value goes away.
final class HashedFile {
    let path: String
    /// Bytes written so far.
    private(set) var position = 0
    private let descriptor: Int32
    private var hash = Insecure.SHA1()

    /// Makes a new file beside others; `template` ends in `XXXXXX`, and never in `.idx`.
    init(template: String) throws(ReferenceStoreError) {
        var name = Array(template.utf8CString)
        descriptor = mkstemp(&name)
        path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard descriptor >= 0 else { throw systemError("make a file \(template)") }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit { close(descriptor) }

    func append(_ bytes: UnsafeRawBufferPointer) throws(ReferenceStoreError) {
        hash.update(bufferPointer: bytes)
        try write(bytes)
    }

    func append(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try append($0) }
    }

    /// Ends the file with its SHA-1, read-only and on the disk; returns the SHA-1.
    func finish() throws -> [UInt8] {
        let digest = Array(hash.finalize())
        try digest.withUnsafeBytes { try write($0) }
        guard fchmod(descriptor, 0o444) == 0, fsync(descriptor) == 0 else {
            throw systemError("write \(path)")
        }
        return digest
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws(ReferenceStoreError) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            #if os(Linux)
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            #else
            let count = Darwin.write(descriptor, rest.baseAddress, rest.count)
            #endif
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw systemError("write \(path)") }
            done += count
        }
        position += bytes.count
    }
}

/// Makes renames and deletions in a folder durable.
func flushFolder(_ path: String) throws(ReferenceStoreError) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw systemError("open \(path)") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw systemError("write \(path)") }
}

/// Deletes a file; one that is gone already is fine.
func removeFile(_ path: String) throws(ReferenceStoreError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw systemError("delete \(path)") }
}

/// Names in a folder, sorted; none where there is no folder.
func names(in folder: String) throws(ReferenceStoreError) -> [String] {
    guard let stream = opendir(folder) else {
        guard errno == ENOENT || errno == ENOTDIR else { throw systemError("list \(folder)") }
        return []
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
}

/// What the file system says of a file; nil where there is none.
func fileStatus(_ path: String) -> (bytes: Int, changed: Double, nanoseconds: Int64)? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    #if os(Linux)
    let time = status.st_mtim
    #else
    let time = status.st_mtimespec
    #endif
    return (
        Int(status.st_size), Double(time.tv_sec) + Double(time.tv_nsec) / 1e9,
        Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    )
}
