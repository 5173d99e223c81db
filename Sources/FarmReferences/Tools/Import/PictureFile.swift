// Checks a file that is to become a reference: it must begin as a PNG. Git LFS pointers are
// recognised, because a repository whose pictures were never fetched contains them.
import FarmCore
import Foundation

/// The reason why a file is not a picture.
package enum PictureFileError: ExplainedError, Equatable {
    case empty
    /// A Git LFS pointer. `bytes` is the size of its picture, if the pointer states it.
    case pointer(bytes: Int?)
    case notPNG
    /// A side is zero, or there are more pixels than allowed.
    case size(width: Int, height: Int)

    package var code: String {
        switch self {
        case .empty: "picture-empty"
        case .pointer: "picture-lfs-pointer"
        case .notPNG: "picture-not-png"
        case .size: "picture-size-refused"
        }
    }
    package var exit: ExitCode { .invalidInput }

    package var message: String {
        switch self {
        case .empty: "the file is empty."
        case .pointer(let bytes):
            "the file is a Git LFS pointer, not the picture"
                + (bytes.map { " of \($0) bytes." } ?? ".")
        case .notPNG: "the file is not a PNG."
        case .size(let width, let height):
            "the picture has \(width)×\(height) pixels; from 1 to \(FarmLimits.picturePixelsMax) "
                + "are allowed."
        }
    }

    package var remedy: String {
        switch self {
        case .empty: "Record the picture again, or remove the file."
        case .pointer: "Fetch the pictures with `git lfs pull`, then run the same command again."
        case .notPNG: "Leave it where it is, or convert it; the store keeps PNG pictures only."
        case .size: "Capture a smaller part of the screen."
        }
    }
}

enum PictureFile {
    private static let signature = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    private static let pointerStart = Data("version https://git-lfs.github.com/spec/v1\n".utf8)
    /// The largest size of a pointer file in bytes (Git LFS specification, version 1).
    private static let pointerBytesMax = 1_024

    /// Checks signature and header; decodes nothing.
    static func check(_ bytes: Data) throws(PictureFileError) {
        guard !bytes.isEmpty else { throw .empty }
        if bytes.starts(with: pointerStart), bytes.count <= pointerBytesMax {
            let size = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
                .first { $0.hasPrefix("size ") }
            throw .pointer(bytes: size.flatMap { Int($0.dropFirst(5)) })
        }
        let head = Array(bytes.prefix(24))
        guard head.count == 24, bytes.starts(with: signature), head[12..<16] == [73, 72, 68, 82]
        else { throw .notPNG }
        let width = head[16..<20].reduce(0) { $0 << 8 | Int($1) }
        let height = head[20..<24].reduce(0) { $0 << 8 | Int($1) }
        let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
        guard !overflow, pixels > 0, pixels <= FarmLimits.picturePixelsMax else {
            throw .size(width: width, height: height)
        }
    }
}
