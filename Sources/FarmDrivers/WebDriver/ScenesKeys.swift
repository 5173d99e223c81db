// Every key a scenes file may hold. The decoder refuses what is not here; the JSON Schema and
// docs/keys.md are made from here.
import FarmPipeline

/// What there is to say about scenes files.
package enum ScenesSchema {
    /// The JSON Schema.
    package static var text: String { SchemaValue.document("snapfarm scenes", ScenesKeys.top) }

    /// The keys by the map that they stand in, in the order of docs/keys.md.
    package static var sections: [KeySection] {
        [
            KeySection("The scenes file", place: "At the top of the file.", ScenesKeys.top),
            KeySection("A scene", place: "In the list `scenes`.", ScenesKeys.scene),
            KeySection(
                "`wait`",
                place: "Below `wait` of a scene; exactly one of them.",
                ScenesKeys.wait
            ),
        ]
    }
}

enum ScenesKeys {
    static let top = [
        FileKey(
            "scenes",
            .list(of: .closed(scene)),
            "The scenes: one for each picture.",
            example: "scenes: [{suite: Home, name: balance, file: home.html}]",
            isRequired: true
        )
    ]

    static let scene = [
        FileKey(
            "suite",
            "The first part of the picture's name.",
            example: "suite: Home",
            isRequired: true
        ),
        FileKey(
            "name",
            "The second part. Each name is used once, also without regard to case.",
            example: "name: balance",
            isRequired: true
        ),
        FileKey(
            "file",
            "The page: a file relative to the scenes file, inside the pipeline file's folder. A query and a "
                + "fragment may follow.",
            example: "file: \"home.html?user=1#top\""
        ),
        FileKey(
            "url",
            "An http or https address, in place of a file.",
            example: "url: \"http://127.0.0.1:8080/chart\""
        ),
        FileKey(
            "wait",
            .closed(wait),
            "What the page must do after it has loaded, and before it is captured.",
            example: "wait: {selector: \"#ready\"}",
            usual: "the page has loaded, and its fonts"
        ),
        FileKey(
            "element",
            "A CSS selector: this element alone is captured.",
            example: "element: \"#chart\"",
            usual: "the whole screen"
        ),
        FileKey(
            "mask",
            .list(of: .string),
            "CSS selectors of what is painted over.",
            example: "mask: [\".clock\"]"
        ),
    ]

    static let wait = [
        FileKey(
            "selector",
            "An element that must be there.",
            example: "selector: \"#ready\""
        ),
        FileKey(
            "function",
            "A JavaScript expression, or a function, that must become true. Promises are awaited.",
            example: "function: window.isReady"
        ),
        FileKey(
            "milliseconds",
            .integer(to: millisecondsMax),
            "A fixed time, for pages that say nothing of themselves.",
            example: "milliseconds: 500"
        ),
    ]

    static let millisecondsMax = 60_000
}
