// The keys below `comparison:`: a policy with its numbers, ignored regions, and overrides.
import FarmCore

enum PolicyKeys {
    /// Returns the keys of the numbers that a policy has.
    static func numbers(of policy: ComparisonPolicy.Name) -> [String] {
        switch policy {
        case .visible: ["noise", "antiAliasing", "share", "cluster"]
        case .exact: []
        case .fb: ["perPixelTolerance", "overallTolerance"]
        case .pointFree: ["precision", "perceptualPrecision"]
        case .pixelmatch: ["threshold", "includeAntiAliasing", "maxDifferingPixels", "version"]
        case .paparazzi: ["maxPercentDifference"]
        case .roborazzi: ["maxDistance", "threshold"]
        }
    }

    /// The policies' names, sorted.
    static let names = ComparisonPolicy.Name.allCases.map(\.rawValue).sorted()

    /// The key `policy` and the keys of all policies' numbers, each once.
    static let policy: [String] = ["policy"] + numbers.names

    /// The keys below a job's `comparison:`.
    static let comparison = override + subjects

    /// The keys of an override, which has no overrides itself.
    static let override = [name] + numbers + ignoring

    private static let name = FileKey(
        "policy",
        .words(names),
        "The rule by which two pictures are equal. The other numbers here are those of the policy.",
        example: "policy: visible",
        defaultValue: "visible"
    )

    private static let numbers = [
        FileKey(
            "perPixelTolerance",
            .number(to: 1),
            "Policy fb: a pixel counts if a channel differs by more than this times 256.",
            example: "policy: fb\nperPixelTolerance: 0.02",
            defaultValue: "0"
        ),
        FileKey(
            "overallTolerance",
            .number(to: 1),
            "Policy fb: the share of pixels that may count.",
            example: "policy: fb\noverallTolerance: 0.001",
            defaultValue: "0"
        ),
        FileKey(
            "maxPercentDifference",
            .number(to: 100),
            "Policy paparazzi: the most percent of difference.",
            example: "policy: paparazzi\nmaxPercentDifference: 0.1",
            defaultValue: "0.01"
        ),
        FileKey(
            "threshold",
            .number(to: 1),
            "Policy pixelmatch: from which colour distance a pixel counts. Policy roborazzi: the share of "
                + "pixels that may be over `maxDistance`.",
            example: "policy: pixelmatch\nthreshold: 0.2",
            defaultValue: "0.1 for pixelmatch, 0 for roborazzi"
        ),
        FileKey(
            "includeAntiAliasing",
            .boolean,
            "Policy pixelmatch: pixels of anti-aliasing count, too.",
            example: "policy: pixelmatch\nincludeAntiAliasing: true",
            defaultValue: "false"
        ),
        FileKey(
            "maxDifferingPixels",
            .integer(),
            "Policy pixelmatch: how many pixels may count.",
            example: "policy: pixelmatch\nmaxDifferingPixels: 10",
            defaultValue: "0"
        ),
        FileKey(
            "version",
            .words(PixelmatchVersion.allCases.map(\.rawValue)),
            "Policy pixelmatch: whose arithmetic counts.",
            example: "policy: pixelmatch\nversion: \"5.3.0\"",
            defaultValue: "7.2.0"
        ),
        FileKey(
            "precision",
            .number(to: 1),
            "Policy point-free: the share of bytes that must be equal.",
            example: "policy: point-free\nprecision: 0.99",
            defaultValue: "1"
        ),
        FileKey(
            "perceptualPrecision",
            .number(to: 1),
            "Policy point-free: how near a pixel's colour must be. Below 1 the result is approximate.",
            example: "policy: point-free\nperceptualPrecision: 0.98",
            defaultValue: "1"
        ),
        FileKey(
            "maxDistance",
            .number(to: 2),
            "Policy roborazzi: from which distance of colours a pixel counts.",
            example: "policy: roborazzi\nmaxDistance: 0.01",
            defaultValue: "0.007"
        ),
        FileKey(
            "noise",
            .integer(to: 255),
            "Policy visible: by how much a channel may differ before a pixel counts.",
            example: "noise: 2",
            defaultValue: "1"
        ),
        FileKey(
            "antiAliasing",
            .words(VisibleLimits.AntiAliasing.allCases.map(\.rawValue)),
            "Policy visible: whether pixels of the edge of a shape that did not move count.",
            example: "antiAliasing: counted",
            defaultValue: "ignored"
        ),
        FileKey(
            "share",
            .number(to: 1),
            "Policy visible: the share of pixels that may count.",
            example: "share: 0.0001",
            defaultValue: "0"
        ),
        FileKey(
            "cluster",
            .integer(to: VisibleLimits.window * VisibleLimits.window),
            "Policy visible: how many pixels may count in any window of 16 × 16 pixels.",
            example: "cluster: 4",
            defaultValue: "8"
        ),
    ]

    private static let ignoring = [
        FileKey(
            "ignore",
            .either([ignoredPart, .list(of: ignoredPart)]),
            "What does not count: boxes (left,top-right,bottom in pixels of the picture, both ends included), and in texts values of JSON (`$.date`) and what a `/regular expression/` matches.",
            example: "ignore: [\"0,0-749,39\", \"$.created\", \"/[0-9]+ ms/\"]"
        ),
        FileKey(
            "mask",
            "A PNG relative to this file: what is white in it does not count.",
            example: "mask: masks/profile.png"
        ),
    ]

    private static let ignoredPart = SchemaValue.either([
        box, .pattern("^\\$[.\\[]"), .pattern("^/.+/$"),
    ])
    private static let box = SchemaValue.pattern("^ *[0-9]+, *[0-9]+- *[0-9]+, *[0-9]+$")

    private static let subjects = [
        FileKey(
            "cells",
            .map(of: .closed(override)),
            "What is different for some cells: patterns, each with a policy, numbers or regions.",
            example: "cells: {\"*_12.2_*\": {policy: fb, perPixelTolerance: 0.02}}"
        ),
        FileKey(
            "suites",
            .map(of: .closed(override)),
            "What is different for some suites.",
            example: "suites: {\"Charts*\": {noise: 2}}"
        ),
        FileKey(
            "snapshots",
            .map(of: .closed(override)),
            "What is different for some pictures: patterns of the suite and the name, with a slash between.",
            example: "snapshots: {\"Profile/*\": {ignore: \"24,80-151,207\"}}"
        ),
    ]
}
