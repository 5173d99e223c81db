// File access for packs: reads at an offset, writes with a hash, makes files durable. No step holds
// more than one buffer of a pack in memory.
import CFarmShims
import Crypto
import FarmCore
import FarmFiles
import Foundation

/// A file that is open for reading, closed when this value is released.
package final class InputFile {
    package let path: String
    package let bytes: Int
    private let descriptor: Int32

    init(_ path: String) throws(GitError) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw GitError.system("open \(path)") }
        var status = stat()
        guard fstat(file, &status) == 0 else {
            let error = GitError.system("look at \(path)")
            close(file)
            throw error
        }
        self.path = path
        bytes = Int(status.st_size)
        descriptor = file
    }

    deinit { close(descriptor) }

    /// Fills the buffer from an offset.
    ///
    /// - Throws: `GitError.damaged` if the file ends before the buffer is full.
    package func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw GitError.system("read \(path)") }
            guard count > 0 else {
                throw GitError.damaged(file: path, fact: "it ends at \(offset + done) bytes")
            }
            done += count
        }
    }
}

/// A file that is being written, with the SHA-1 of all its bytes; closed when this value is
/// released.
package final class HashedFile {
    /// The number of bytes written so far.
    package private(set) var position = 0
    private let file: DurableFile
    private var hash = Insecure.SHA1()

    /// The temporary path of the file, valid until `settle`.
    package var path: String { file.path }

    /// Creates a new file named `prefix` and six characters, never `*.idx`.
    init(prefix: String) throws(GitError) {
        do {
            file = try DurableFile(prefix: prefix)
        } catch {
            throw GitError(error, "make a file \(prefix)XXXXXX")
        }
    }

    package func append(_ bytes: UnsafeRawBufferPointer) throws(GitError) {
        hash.update(bufferPointer: bytes)
        try write(bytes)
    }

    package func append(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try append($0) }
    }

    /// Appends the SHA-1, makes the file read-only and flushes it to the disk; returns the SHA-1.
    package func finish() throws -> [UInt8] {
        let digest = Array(hash.finalize())
        try digest.withUnsafeBytes { try write($0) }
        do {
            try file.setMode(0o444)
            try file.flush()
        } catch {
            throw GitError(error, "write \(path)")
        }
        return digest
    }

    /// Gives the file its final name; `doing` names the operation in errors.
    package func settle(at name: String, doing: String) throws(GitError) {
        do {
            try file.settle(at: name)
        } catch {
            throw GitError(error, doing)
        }
    }

    /// Removes the file; may be called only before `settle`.
    package func discard() { file.discard() }

    private func write(_ bytes: UnsafeRawBufferPointer) throws(GitError) {
        do {
            try file.append(bytes)
        } catch {
            throw GitError(error, "write \(path)")
        }
        position += bytes.count
    }
}

/// Access to a repository's files and folders without libgit2.
package enum RepositoryFiles {
    /// The prefix of unfinished packs.
    ///
    /// They never end in `.idx`, because Git would read them half-written.
    package static let packPrefix = "tmp_snapfarm_pack_"
    package static let indexPrefix = "tmp_snapfarm_index_"

    /// Makes renames and deletions in a folder durable.
    package static func flushFolder(_ path: String) throws(GitError) {
        do {
            try DurableFile.flushFolder(path)
        } catch {
            throw GitError(error, error.operation == "open" ? "open \(path)" : "write \(path)")
        }
    }

    /// Writes a small file whole or not at all, durably.
    package static func write(_ text: String, to path: String) throws(GitError) {
        do {
            try DurableFile.write(Data(text.utf8), to: path)
        } catch {
            throw GitError(error, "write \(path)")
        }
    }

    /// Deletes a file; does nothing if it does not exist.
    package static func remove(_ path: String) throws(GitError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw GitError.system("delete \(path)") }
    }

    /// Returns the names in a folder, sorted, or none if the folder does not exist.
    package static func names(in folder: String) throws(GitError) -> [String] {
        guard let stream = opendir(folder) else {
            guard errno == ENOENT || errno == ENOTDIR else {
                throw GitError.system("list \(folder)")
            }
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

    /// Returns the status of a file or link, or `nil` if it does not exist.
    ///
    /// The time is that of the last change, in seconds and in nanoseconds since 1970.
    package static func status(
        _ path: String
    ) -> (bytes: Int, changed: Double, nanoseconds: Int64)? {
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

    /// Restores the time of a file's last change, in nanoseconds since 1970.
    ///
    /// Does nothing if that fails.
    package static func setChanged(_ path: String, _ nanoseconds: Int64) {
        _ = farm_pack_set_changed(path, nanoseconds)
    }
}
