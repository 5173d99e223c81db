// The policies' numbers as flags. The names are the pipeline's keys in kebab-case; which policy has
// which of them, and what it may be, is the pipeline decoder's business.
import ArgumentParser
import FarmCore

/// How pictures are compared.
struct PolicyOptions: ParsableArguments {
    @Option(help: "How pictures are compared; the pipeline's policies.") var policy: String?
    @Option(help: "fb: largest share of a channel that is tolerated.")
    var perPixelTolerance: String?
    @Option(help: "fb: share of pixels that may differ.") var overallTolerance: String?
    @Option(help: "point-free: share of bytes that must be equal.") var precision: String?
    @Option(help: "pixelmatch: largest distance of colours, 0 to 1.") var threshold: String?
    @Flag(help: "pixelmatch: count anti-aliased pixels too.") var includeAntiAliasing = false
    @Option(help: "pixelmatch: pixels that may differ.") var maxDifferingPixels: String?

    /// Every key with its flag's value; a test holds this against the pipeline's keys.
    private var table: [(key: String, value: String?)] {
        [
            ("policy", policy),
            ("perPixelTolerance", perPixelTolerance),
            ("overallTolerance", overallTolerance),
            ("precision", precision),
            ("threshold", threshold),
            ("includeAntiAliasing", includeAntiAliasing ? "true" : nil),
            ("maxDifferingPixels", maxDifferingPixels),
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
