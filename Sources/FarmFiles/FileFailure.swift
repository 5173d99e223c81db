// A failed system call on a file. Callers that know the file's purpose throw an error of their own;
// otherwise people see this one.
import FarmCore
import Foundation

/// A system call that failed.
package struct FileFailure: Error, Hashable {
    /// The name of the call, such as `write`, `rename` or `open`.
    package let operation: String
    package let path: String
    /// The error number (`errno`) of the call.
    package let number: Int32

    init(_ operation: String, _ path: String, number: Int32) {
        self.operation = operation
        self.path = path
        self.number = number
    }

    /// Returns the failure of the last system call.
    ///
    /// Use it before anything else can change `errno`.
    package static func last(_ operation: String, _ path: String) -> FileFailure {
        FileFailure(operation, path, number: errno)
    }

    /// Whether the call failed because the disk or this user's quota is full.
    package var isDiskFull: Bool { number == ENOSPC || number == EDQUOT }

    /// The system's text for the error number.
    package var reason: String { String(cString: strerror(number)) }
}

extension FileFailure: ExplainedError {
    package var code: String { isDiskFull ? "disk-full" : "file-io-failed" }
    package var message: String { "\(path): \(operation) failed: \(reason)." }
    package var remedy: String {
        isDiskFull
            ? "Free some space, then run the same command again."
            : "Check the disk and the permissions, then try again."
    }
    package var exit: ExitCode { .inputOutput }
}

extension FileFailure: LocalizedError {
    /// The text of the failure without the path, for messages that name the file themselves.
    package var errorDescription: String? { "\(operation) failed: \(reason)" }
}

/// Writes to open files.
package enum FileDescriptors {
    /// Writes all bytes to an open file; `path` names the file in the failure.
    package static func write(
        _ bytes: UnsafeRawBufferPointer,
        to descriptor: Int32,
        path: String
    ) throws(FileFailure) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            // Nothing was written and there is no error: repeating that would never end.
            guard count != 0 else { throw FileFailure("write", path, number: EIO) }
            guard count > 0 else { throw .last("write", path) }
            done += count
        }
    }

    /// Writes all bytes of a value to an open file.
    package static func write(
        _ bytes: some ContiguousBytes,
        to descriptor: Int32,
        path: String
    ) throws(FileFailure) {
        let result = bytes.withUnsafeBytes { raw in
            Result { () throws(FileFailure) in try write(raw, to: descriptor, path: path) }
        }
        try result.get()
    }
}
