// A buffer that is reused for one picture file after another: fresh memory pages cost more time
// than reading and comparing.
import FarmCore
import FarmImaging
import Foundation

/// A reused buffer for picture files that are read one after another.
struct FileBuffer {
    /// The step by which the buffer grows, large so that it grows rarely.
    private static let stepBytes = 256 << 10

    private var storage: [UInt8] = []
    /// The file's path with its final NUL, kept to reuse its memory.
    private var path: [UInt8] = []
    private var count = 0

    /// Reads a whole regular file, in place of the previous one.
    ///
    /// - Throws: `PictureFileError`, or `PictureError.tooManyBytes` before anything is read.
    mutating func read(_ root: [UInt8], _ relative: PathBytes) throws {
        try read(root, relative, bytesMax: nil)
    }

    /// Reads the first 64 bytes of a file, enough for a PNG's width and height.
    mutating func readHead(_ root: [UInt8], _ relative: PathBytes) throws {
        try read(root, relative, bytesMax: 64)
    }

    /// Takes bytes that were read elsewhere, in place of the previous file.
    mutating func take(_ bytes: Data) {
        storage = [UInt8](bytes)
        count = storage.count
    }

    func withBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
        try storage.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    private mutating func read(_ root: [UInt8], _ relative: PathBytes, bytesMax: Int?) throws {
        count = 0
        path.removeAll(keepingCapacity: true)
        if !root.isEmpty {
            path += root
            path.append(UInt8(ascii: "/"))
        }
        path += relative.bytes
        path.append(0)
        // Without O_NONBLOCK the open of a pipe would wait for a writer.
        let file = path.withUnsafeBufferPointer { path in
            path.withMemoryRebound(to: CChar.self) { path in
                path.baseAddress.map { open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY) }
                    ?? -1
            }
        }
        guard file >= 0 else { throw Self.openError(errno) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw Self.unreadable(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw PictureFileError.notAFile }
        let size = Int(status.st_size)
        guard size <= FarmLimits.pictureBytesMax else { throw PictureError.tooManyBytes(size) }
        try fill(from: file, bytes: min(size, bytesMax ?? size))
    }

    /// Reads up to `bytes` bytes of a file; if it shrinks meanwhile, the decoder reports the
    /// missing part.
    private mutating func fill(from file: Int32, bytes: Int) throws {
        if storage.count < bytes {
            let steps = (bytes + Self.stepBytes - 1) / Self.stepBytes
            storage = [UInt8](repeating: 0, count: steps * Self.stepBytes)
        }
        var done = 0
        while done < bytes {
            let got = storage.withUnsafeMutableBytes { buffer in
                Foundation.read(file, buffer.baseAddress.map { $0 + done }, bytes - done)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw Self.unreadable(errno) }
            guard got > 0 else { break }
            done += got
        }
        count = done
    }

    private static func openError(_ code: Int32) -> PictureFileError {
        switch code {
        case ENOENT, ENOTDIR: .missing
        // A socket, or a device without a driver.
        case ENXIO, ENODEV: .notAFile
        default: unreadable(code)
        }
    }

    private static func unreadable(_ code: Int32) -> PictureFileError {
        .unreadable(reason: String(cString: strerror(code)))
    }
}
