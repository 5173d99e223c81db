// The faults of a picture file. The kind of file is named, because "not a PNG" misleads: an LFS
// pointer needs `git lfs pull`, a JPEG another encoder.
import FarmCore

/// The reason why a file is not a picture that snapfarm can compare.
package enum PictureError: ExplainedError, Hashable {
    case empty
    /// The file is of another kind, recognised by its first bytes.
    case notPNG(FileKind)
    /// The file is a PNG in Apple's private variant (CgBI), which Xcode makes for app bundles.
    case appleOptimised
    /// The file is an animated PNG (APNG), and decoders read only its first frame.
    case animated
    /// The file ends after this many bytes, before its last chunk.
    case truncated(atByte: Int)
    /// The checksum of this chunk does not match its bytes.
    case checksum(chunk: String)
    case tooManyPixels(PixelSize)
    case tooManyBytes(Int)
    /// The decoded samples would take this many bytes, more than the limit.
    case tooMuchMemory(PixelSize, bytes: Int)
    /// The decoder refuses the file for any other reason, which it gives in these words.
    case invalid(String)
    case noMemory(PixelSize)

    /// The kind of a file that is not a PNG.
    package enum FileKind: String, Hashable, Sendable, CaseIterable {
        case jpeg = "a JPEG picture"
        case gif = "a GIF picture"
        case webp = "a WebP picture"
        case lfsPointer = "a Git LFS pointer"
        case markup = "a text in HTML or XML"
        case unknown = "something else"
    }

    package var code: String {
        switch self {
        case .empty: "picture-empty"
        case .notPNG(.lfsPointer): "picture-lfs-pointer"
        case .notPNG: "picture-not-png"
        case .appleOptimised: "picture-apple-optimised"
        case .animated: "picture-animated"
        case .truncated: "picture-truncated"
        case .checksum: "picture-checksum"
        case .tooManyPixels, .tooManyBytes, .tooMuchMemory: "picture-too-large"
        case .invalid: "picture-invalid"
        case .noMemory: "picture-no-memory"
        }
    }

    package var message: String {
        switch self {
        case .empty: "the picture file is empty."
        case .notPNG(let kind): "the file is \(kind.rawValue), not a PNG."
        case .appleOptimised: "the file is a PNG in Apple's private variant (CgBI)."
        case .animated: "the PNG is animated (APNG), and only one of its frames could be compared."
        case .truncated(let byte): "the PNG is truncated: it ends at byte \(byte)."
        case .checksum(let chunk): "the PNG is damaged: the checksum of chunk \(chunk) is wrong."
        case .tooManyPixels(let size):
            "the picture of \(size) pixels is over the limit of "
                + "\(FarmLimits.picturePixelsMax.grouped) pixels."
        case .tooManyBytes(let bytes):
            "the picture file of \(bytes.grouped) bytes is over the limit of "
                + "\(FarmLimits.pictureBytesMax.grouped) bytes."
        case .tooMuchMemory(let size, let bytes):
            "the picture of \(size) pixels takes \(bytes.grouped) bytes of memory, over the limit of "
                + "\(FarmLimits.pictureMemoryBytesMax.grouped) bytes."
        case .invalid(let text): "the PNG is invalid: \(text)."
        case .noMemory(let size): "there is no memory for a picture of \(size) pixels."
        }
    }

    package var remedy: String {
        switch self {
        case .empty: "See whether the test or the disk ended while the picture was written."
        case .notPNG(.lfsPointer): "Run `git lfs pull` where the references are checked out."
        case .notPNG(.markup): "See what the test wrote: this is often a server's error page."
        case .notPNG(.jpeg), .notPNG(.gif), .notPNG(.webp):
            "Let the test write PNG, or convert the file: `magick FILE FILE.png` (ImageMagick), on a "
                + "Mac `sips -s format png FILE --out FILE.png`. A new name converts nothing."
        case .notPNG: "Let the test write PNG; a new name does not convert a file."
        case .appleOptimised:
            "Convert it with `xcrun pngcrush -revert-iphone-optimizations`, "
                + "or set COMPRESS_PNG_FILES=NO."
        case .animated:
            "Let the test write one frame, or each frame as a picture of its own; ImageMagick keeps "
                + "the first frame: `magick FILE FILE.png`."
        case .truncated: "See whether the test ended while it wrote the picture, then run it again."
        case .checksum, .invalid: "Make the picture again; compare with what the test wrote."
        case .tooMuchMemory:
            "Save it with 8 bits a sample and not interlaced, or capture a smaller part."
        case .tooManyPixels, .tooManyBytes: "Capture a smaller part, or split the picture."
        case .noMemory: "Run fewer workers on this machine."
        }
    }

    package var exit: ExitCode {
        if case .noMemory = self { .busy } else { .invalidInput }
    }
}

/// The fault of one of two compared pictures.
package struct BrokenPicture: ExplainedError, Hashable {
    /// The side at fault.
    package enum Side: String, Hashable, Sendable, CaseIterable {
        case reference, capture
    }
    package var side: Side
    package var defect: PictureError

    package init(side: Side, defect: PictureError) {
        self.side = side
        self.defect = defect
    }

    package var code: String { defect.code }
    package var message: String { "\(side.rawValue): \(defect.message)" }
    package var remedy: String { defect.remedy }
    package var exit: ExitCode { defect.exit }
}
