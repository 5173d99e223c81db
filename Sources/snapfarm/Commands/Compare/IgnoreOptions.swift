// The areas that no comparison looks at: boxes and a painted mask, in the pipeline's own forms.
import ArgumentParser
import FarmCore
import FarmRun

/// The options of the areas that a comparison ignores.
struct IgnoreOptions: ParsableArguments {
    @Option(
        help: "A box of pixels that never count, as X,Y-RIGHT,BOTTOM; may be repeated."
    )
    var ignore: [String] = []
    @Option(help: "A PNG: what is white in it never counts.") var mask: String?

    func boxes() throws -> [PixelBox] {
        var boxes = try IgnoredBoxes.boxes(of: ignore)
        if let mask { boxes += try IgnoredBoxes.boxes(ofMask: mask) }
        return boxes
    }
}
