// The numbers of the policies as options. Their names are the pipeline's keys in kebab-case; the
// pipeline decoder checks which policy has which of them, and their ranges. A new number needs a
// line here and one in the table. A test compares both with the pipeline's keys.
import ArgumentParser
import FarmCore
import FarmPipeline

/// The options of the comparison policy.
struct ComparisonOptions: ParsableArguments {
    @Option(help: "How pictures are compared: one of the pipeline's policies.")
    var policy: String?
    @Option(help: "visible: largest difference of a channel that never counts, 0 to 255.")
    var noise: String?
    @Option(help: "visible: whether anti-aliased pixels are ignored or counted.")
    var antiAliasing: String?
    @Option(help: "visible: largest share of pixels that may count, 0 to 1.")
    var share: String?
    @Option(help: "visible: most counted pixels in any window of 16 x 16.") var cluster: String?
    @Option(help: "fb: largest share of a channel that is tolerated, 0 to 1.")
    var perPixelTolerance: String?
    @Option(help: "fb: share of pixels that may differ, 0 to 1.") var overallTolerance: String?
    @Option(help: "point-free: share of bytes that must be equal, 0 to 1.")
    var precision: String?
    @Option(help: "point-free: how alike pixels must look, 0 to 1; approximate.")
    var perceptualPrecision: String?
    @Option(help: "pixelmatch: largest distance of colours; roborazzi: share of pixels; 0 to 1.")
    var threshold: String?
    @Flag(help: "pixelmatch: count anti-aliased pixels too.") var includeAntiAliasing = false
    @Option(help: "pixelmatch: pixels that may differ.") var maxDifferingPixels: String?
    @Option(help: "pixelmatch: the release to imitate, 7.2.0 or 5.3.0.")
    var pixelmatchVersion: String?
    @Option(help: "paparazzi: largest difference in percent, 0 to 100.")
    var maxPercentDifference: String?
    @Option(help: "roborazzi: largest distance of colours, 0 to 2.") var maxDistance: String?

    private var table: [(key: String, value: String?)] {
        [
            ("policy", policy),
            ("noise", noise),
            ("antiAliasing", antiAliasing),
            ("share", share),
            ("cluster", cluster),
            ("perPixelTolerance", perPixelTolerance),
            ("overallTolerance", overallTolerance),
            ("precision", precision),
            ("perceptualPrecision", perceptualPrecision),
            ("threshold", threshold),
            ("includeAntiAliasing", includeAntiAliasing ? "true" : nil),
            ("maxDifferingPixels", maxDifferingPixels),
            ("version", pixelmatchVersion),
            ("maxPercentDifference", maxPercentDifference),
            ("maxDistance", maxDistance),
        ]
    }

    var flags: PolicyFlags {
        PolicyFlags(
            Dictionary(
                table.compactMap { key, value in value.map { (key, $0) } },
                uniquingKeysWith: { first, _ in first }
            )
        )
    }
}
