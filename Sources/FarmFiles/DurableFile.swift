// A file that survives a power cut and is never visible half-written: it is written under another
// name beside its place, flushed and renamed, and then its folder is flushed.
//
// The parts are separate functions, because a caller that writes many files flushes them together,
// and because each part is a step at which a prune may die. A process that dies leaves the file
// with its temporary name.
import CFarmShims
import FarmCore
import Foundation

/// A file under its temporary name, closed when this value is released.
package final class DurableFile {
    /// The treatment of an existing file at the path that a new file is to get.
    package enum Taken {
        case replaced
        /// The existing file stays; it has the same bytes.
        case kept
    }

    /// The users that may read a file that `write` creates.
    package enum Readers {
        /// Only the owner may read the file: its mode is 0600.
        case owner
        /// The file keeps the replaced file's mode. A new file gets 0666 without the umask's bits.
        case asBefore
    }

    /// The temporary path of the file, valid until `settle`.
    package let path: String
    private let descriptor: Int32

    /// Creates a new file for its owner only, named `prefix` and six characters.
    package init(prefix: String) throws(FileFailure) {
        var template = Array((prefix + "XXXXXX").utf8CString)
        descriptor = mkstemp(&template)
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard descriptor >= 0 else { throw .last("create", path) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    /// Creates a new file with a mode, less the bits of the umask.
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

    /// The largest number of tries to find a free name; with 64 random bits the first is free.
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

    /// Flushes the file to the disk: after the call, its bytes survive a power cut.
    package func flush() throws(FileFailure) {
        guard fsync(descriptor) == 0 else { throw .last("fsync", path) }
    }

    /// Renames the file to its final name; `flushFolder` makes the new name durable.
    package func settle(at path: String, _ taken: Taken = .replaced) throws(FileFailure) {
        try Self.settle(self.path, at: path, taken)
    }

    /// Removes the file; may be called only before `settle`.
    package func discard() { Self.remove(path) }
}

extension DurableFile {
    /// Writes a file whole or not at all; the file is durable when this returns.
    ///
    /// Bytes for a device or a pipe, such as `/dev/null`, go into it: a file in its place would take
    /// it away from every other program.
    package static func write(
        _ bytes: some ContiguousBytes,
        to path: String,
        readers: Readers = .asBefore
    ) throws(FileFailure) {
        var found = stat()
        if stat(path, &found) == 0 {
            switch found.st_mode & S_IFMT {
            case S_IFREG, S_IFDIR: break
            case S_IFCHR, S_IFIFO: return try put(bytes, into: path)
            // A disk would lose its first bytes.
            default: throw FileFailure("open", path, number: EINVAL)
            }
        }
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

    private static func put(
        _ bytes: some ContiguousBytes,
        into device: String
    ) throws(FileFailure) {
        // Without a reader, opening a pipe would not return.
        let output = open(device, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        guard output >= 0 else { throw .last("open", device) }
        defer { _ = close(output) }
        try FileDescriptors.write(bytes, to: output, path: device)
    }

    /// Renames a file that was written under another name to its final name.
    package static func settle(
        _ new: String,
        at path: String,
        _ taken: Taken = .replaced
    ) throws(FileFailure) {
        if taken == .kept, link(new, path) == 0 || errno == EEXIST { return remove(new) }
        // Reached with `kept` too, if the file system has no hard links: the bytes are the same.
        guard rename(new, path) == 0 else { throw .last("rename", path) }
        // Renaming a hard link onto the same file does nothing and leaves both names, so remove
        // one.
        remove(new)
    }

    /// Makes new and removed names in a folder durable.
    package static func flushFolder(_ path: String) throws(FileFailure) {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .last("open", path) }
        defer { _ = close(folder) }
        // Shared folders of virtual machines cannot be flushed; fsync returns EINVAL for them.
        guard fsync(folder) == 0 || errno == EINVAL else { throw .last("fsync", path) }
    }

    /// Makes the name of one file durable.
    package static func flushFolder(of path: String) throws(FileFailure) {
        let folder = path.parentFolder
        try flushFolder(folder.isEmpty ? "." : folder)
    }

    /// Makes the bytes of files below a folder durable, by one flush of the whole file system if
    /// that is possible.
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

    /// Removes a file that is no longer needed; ignores errors.
    package static func remove(_ path: String) { _ = unlink(path) }
}
