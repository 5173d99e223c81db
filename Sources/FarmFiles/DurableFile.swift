// A file that survives a power cut, and that nobody ever sees half-written: it is written under
// another name beside its place, flushed, given its name, and then its folder is flushed.
//
// The parts are separate, because who writes many files flushes them together, and because a prune
// counts each part as a step it may die at. A process that dies leaves the other name behind.
import CFarmShims
import FarmCore
import Foundation

/// A file on its way to its name, closed when the value goes away.
package final class DurableFile {
    /// What becomes of a file that has the name already.
    package enum Taken {
        case replaced
        /// It stays: both have the same bytes.
        case kept
    }

    /// Who may read a file that `write` makes.
    package enum Readers {
        /// Mode 0600.
        case owner
        /// As of the file that is replaced; of a new one, what the process's umask leaves of 0666.
        case asBefore
    }

    /// The name until the file has its own.
    package let path: String
    private let descriptor: Int32

    /// Makes a new file, for its owner only: `prefix` and six characters.
    package init(prefix: String) throws(FileFailure) {
        var template = Array((prefix + "XXXXXX").utf8CString)
        descriptor = mkstemp(&template)
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard descriptor >= 0 else { throw .last("create", path) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    /// Makes a new file with a mode that the umask has its say in.
    private init(prefix: String, mode: mode_t) throws(FileFailure) {
        for _ in 0..<Self.namesMax {
            let name = prefix + String(UInt64.random(in: 0...UInt64.max), radix: 36)
            let file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
            guard file < 0 else {
                (path, descriptor) = (name, file)
                return
            }
            guard errno == EEXIST else { throw .last("create", name) }
        }
        throw FileFailure("create", prefix, number: EEXIST)
    }

    /// Names that are tried; of 64 random bits the first is free.
    private static let namesMax = 10

    deinit { _ = close(descriptor) }

    package func append(_ bytes: UnsafeRawBufferPointer) throws(FileFailure) {
        try FileDescriptors.write(bytes, to: descriptor, path: path)
    }

    package func append(_ bytes: some ContiguousBytes) throws(FileFailure) {
        try FileDescriptors.write(bytes, to: descriptor, path: path)
    }

    package func setMode(_ mode: mode_t) throws(FileFailure) {
        guard fchmod(descriptor, mode) == 0 else { throw .last("chmod", path) }
    }

    /// Returns once the bytes would survive a power cut.
    package func flush() throws(FileFailure) {
        guard fsync(descriptor) == 0 else { throw .last("fsync", path) }
    }

    /// Gives the file its name; `flushFolder` makes that durable.
    package func settle(at path: String, _ taken: Taken = .replaced) throws(FileFailure) {
        try Self.settle(self.path, at: path, taken)
    }

    /// Removes the file; only before it has its name.
    package func discard() { Self.remove(path) }
}

extension DurableFile {
    /// Writes a file whole or not at all; durable when this returns.
    package static func write(
        _ bytes: some ContiguousBytes,
        to path: String,
        readers: Readers = .asBefore
    ) throws(FileFailure) {
        let file =
            switch readers {
            case .owner: try DurableFile(prefix: path + ".")
            case .asBefore: try DurableFile(prefix: path + ".", mode: 0o666)
            }
        do throws(FileFailure) {
            var old = stat()
            if readers == .asBefore, stat(path, &old) == 0 {
                try file.setMode(old.st_mode & 0o777)
            }
            try file.append(bytes)
            try file.flush()
            try file.settle(at: path)
        } catch {
            file.discard()
            throw error
        }
        try flushFolder(of: path)
    }

    /// Gives a file that was written before its name.
    package static func settle(
        _ new: String,
        at path: String,
        _ taken: Taken = .replaced
    ) throws(FileFailure) {
        if taken == .kept, link(new, path) == 0 || errno == EEXIST { return remove(new) }
        // Also for `kept`, where the file system has no hard links: the bytes are the same.
        guard rename(new, path) == 0 else { throw .last("rename", path) }
        // Renaming a hard link onto the same file does nothing and leaves both names.
        remove(new)
    }

    /// Makes names that were given or taken in a folder survive a power cut.
    package static func flushFolder(_ path: String) throws(FileFailure) {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .last("open", path) }
        defer { _ = close(folder) }
        // Shared folders of virtual machines cannot be flushed, and say so by EINVAL.
        guard fsync(folder) == 0 || errno == EINVAL else { throw .last("fsync", path) }
    }

    /// Makes the name of one file survive a power cut.
    package static func flushFolder(of path: String) throws(FileFailure) {
        let folder = path.parentFolder
        try flushFolder(folder.isEmpty ? "." : folder)
    }

    /// Makes the bytes of files below a folder survive a power cut, by one flush of the whole file
    /// system where that is possible.
    package static func flush(
        _ files: some Sequence<String>,
        below path: String
    ) throws(FileFailure) {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .last("open", path) }
        defer { _ = close(folder) }
        guard farm_flush_file_system(folder) == 0 else { throw .last("sync", path) }
        #if !os(Linux)
        for name in files {
            let file = open(name, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { throw .last("open", name) }
            defer { _ = close(file) }
            guard fsync(file) == 0 else { throw .last("fsync", name) }
        }
        #endif
    }

    /// Removes a file that nobody needs; one that is gone or stays is fine.
    package static func remove(_ path: String) { _ = unlink(path) }
}
