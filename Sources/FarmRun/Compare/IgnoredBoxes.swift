// The areas that no comparison looks at: boxes and a painted mask, in the pipeline's own forms.
import FarmCore
import FarmImaging

/// The errors of the boxes and masks that a comparison ignores.
package enum IgnoreError: ExplainedError {
    case box(String)
    case tooMany(Int)
    case mask(String, any ExplainedError)

    package var code: String {
        switch self {
        case .box, .tooMany: "ignore-invalid"
        case .mask(_, let error): error.code
        }
    }
    package var message: String {
        switch self {
        case .box(let text): "\(String(text.prefix(80)).debugDescription) is no box."
        case .tooMany(let count): "\(count.grouped) boxes are to be ignored."
        case .mask(let path, let error): "\(path): \(error.message)"
        }
    }
    package var remedy: String {
        switch self {
        case .box:
            "Write X,Y-RIGHT,BOTTOM, such as 10,20-300,40: pixels, of which the last column and "
                + "row are ignored too."
        case .tooMany:
            "At most \(FarmLimits.ignoredBoxesMax.grouped); draw larger ones, or paint a mask."
        case .mask(_, let error): error.remedy
        }
    }
    package var exit: ExitCode {
        switch self {
        case .box, .tooMany: .usage
        case .mask(_, let error): error.exit
        }
    }
}

/// Reads the areas that a comparison ignores.
package enum IgnoredBoxes {
    /// Returns the boxes of texts such as `10,20-300,40`, which include the last column and row.
    package static func boxes(of texts: [String]) throws(IgnoreError) -> [PixelBox] {
        guard texts.count <= FarmLimits.ignoredBoxesMax else { throw .tooMany(texts.count) }
        var boxes: [PixelBox] = []
        for text in texts {
            guard let box = PixelBox(inclusive: text) else { throw .box(text) }
            boxes.append(box)
        }
        return boxes
    }

    /// Returns the boxes that are painted white in the mask at `path`.
    package static func boxes(ofMask path: String) throws(IgnoreError) -> [PixelBox] {
        var file = FileBuffer()
        do {
            try file.read([], PathBytes(path))
            let mask = try file.withBytes { try PNGDecoder.decode($0) }
            return try IgnoreMask.boxes(of: mask)
        } catch let error as any ExplainedError {
            throw .mask(path, error)
        } catch {
            // Not expected: reading, decoding and painting throw only explained errors.
            throw .mask(path, PictureFileError.unreadable(reason: error.inWords))
        }
    }
}
