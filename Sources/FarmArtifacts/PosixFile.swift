// The few system calls that stores need beside those of `DurableFile`, with errors that people can
// act on. Foundation's file functions do not distinguish a full disk.
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

/// An open file, closed when the value goes away.
struct PosixFile: ~Copyable {
    let path: String
    private let descriptor: Int32

    /// Opens an existing file for reading, or returns `nil` if there is none.
    static func reading(_ path: String) throws(ArtifactError) -> PosixFile? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor >= 0 { return PosixFile(path: path, descriptor: descriptor) }
        if errno == ENOENT || errno == ENOTDIR { return nil }
        throw Posix.failure("open", path)
    }

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { _ = close(descriptor) }

    /// Reads bytes from an offset until `buffer` is full or the file ends; returns the number of
    /// bytes read.
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

    /// Returns the size of the file in bytes.
    func size() throws(ArtifactError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Posix.failure("stat", path) }
        return Int(status.st_size)
    }
}

/// Makes system calls on paths.
enum Posix {
    /// Returns the error of a failed system call, by `errno`, in words that people can act on.
    static func failure(_ operation: String, _ path: String) -> ArtifactError {
        ArtifactError(.last(operation, path))
    }

    /// Runs calls of `DurableFile`, and converts their failures to errors that people can act on.
    static func durably<Value: ~Copyable>(
        _ body: () throws(FileFailure) -> Value
    ) throws(ArtifactError) -> Value {
        do {
            return try body()
        } catch {
            throw ArtifactError(error)
        }
    }

    /// Makes a file with a new name: `prefix` and six characters.
    static func newFile(_ prefix: String) throws(ArtifactError) -> DurableFile {
        try durably { () throws(FileFailure) in try DurableFile(prefix: prefix) }
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
            throw .system(operation: "mkdir", path: path, text: error.inWords)
        }
    }

    /// Returns the size of a regular file in bytes, or `nil` if there is none.
    static func size(_ path: String) -> Int? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    static func remove(_ path: String) { DurableFile.remove(path) }
}

extension ArtifactError {
    init(_ failure: FileFailure) {
        self =
            failure.isDiskFull
            ? .diskFull(path: failure.path)
            : .system(
                operation: failure.operation,
                path: failure.path,
                text: failure.reason
            )
    }
}
