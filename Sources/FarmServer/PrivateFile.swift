// Small files that only their owner may read: secrets of a coordinator.
import FarmCore
import Foundation

/// What the system said of a file.
struct FileRefusal: Error {
    let reason: String

    /// By `errno`.
    static var last: FileRefusal { FileRefusal(reason: String(cString: strerror(errno))) }
}

enum PrivateFile {
    /// Replaces the file as a whole, for its owner only (mode 0600); durable when this returns.
    static func replace(_ path: String, with bytes: Data) throws(FileRefusal) {
        var template = Array((path + ".XXXXXX").utf8CString)
        // Made with mode 0600.
        let file = mkstemp(&template)
        guard file >= 0 else { throw .last }
        defer { _ = close(file) }
        let fresh = String(
            decoding: template.dropLast().map(UInt8.init(bitPattern:)),
            as: UTF8.self
        )
        let written = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        guard written == bytes.count, fsync(file) == 0, rename(fresh, path) == 0 else {
            let refusal = FileRefusal.last
            _ = unlink(fresh)
            throw refusal
        }
    }
}
