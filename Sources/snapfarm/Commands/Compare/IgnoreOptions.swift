// What is not looked at, under any policy: boxes and a painted mask, in the pipeline's own forms.
import ArgumentParser
import FarmCore
import FarmImaging

/// Why nothing can be ignored as asked.
enum IgnoreError: ExplainedError {
    case box(String)
    case tooMany(Int)
    case mask(String, any ExplainedError)

    var code: String {
        switch self {
        case .box, .tooMany: "ignore-invalid"
        case .mask(_, let error): error.code
        }
    }
    var message: String {
        switch self {
        case .box(let text): "\(String(text.prefix(80)).debugDescription) is no box."
        case .tooMany(let count): "\(count.grouped) boxes are to be ignored."
        case .mask(let path, let error): "\(path): \(error.message)"
        }
    }
    var remedy: String {
        switch self {
        case .box:
            "Write X,Y-RIGHT,BOTTOM, such as 10,20-300,40: pixels, of which the last column and "
                + "row are ignored too."
        case .tooMany:
            "At most \(FarmLimits.ignoredBoxesMax.grouped); draw larger ones, or paint a mask."
        case .mask(_, let error): error.remedy
        }
    }
    var exit: ExitCode {
        switch self {
        case .box, .tooMany: .usage
        case .mask(_, let error): error.exit
        }
    }
}

/// What is not looked at.
struct IgnoreOptions: ParsableArguments {
    @Option(
        help: "A box of pixels that never count, as X,Y-RIGHT,BOTTOM; may be repeated."
    )
    var ignore: [String] = []
    @Option(help: "A PNG: what is white in it never counts.") var mask: String?

    func boxes() throws -> [PixelBox] {
        var boxes = try Self.boxes(of: ignore)
        if let mask { boxes += try Self.boxes(ofMask: mask) }
        return boxes
    }

    /// The boxes of texts, each with its last column and row.
    static func boxes(of texts: [String]) throws(IgnoreError) -> [PixelBox] {
        guard texts.count <= FarmLimits.ignoredBoxesMax else { throw .tooMany(texts.count) }
        var boxes: [PixelBox] = []
        for text in texts {
            guard let box = PixelBox(inclusive: text) else { throw .box(text) }
            boxes.append(box)
        }
        return boxes
    }

    /// The boxes painted in the mask of this path.
    static func boxes(ofMask path: String) throws(IgnoreError) -> [PixelBox] {
        var file = FileBuffer()
        do {
            try file.read([], PathBytes(path))
            let mask = try file.withBytes { try PNGDecoder.decode($0) }
            return try IgnoreMask.boxes(of: mask)
        } catch let error as any ExplainedError {
            throw .mask(path, error)
        } catch {
            // Reading, decoding and painting explain all their errors.
            throw .mask(path, PictureFileError.unreadable(reason: "\(error)"))
        }
    }
}
