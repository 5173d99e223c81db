// The keys of a scenes file. The decoder rejects any other key; the JSON Schema and docs/keys.md
// are made from this list.
import FarmPipeline

/// The schema and the documented keys of scenes files.
package enum ScenesSchema {
    /// The JSON Schema of scenes files, as text.
    package static var text: String { SchemaValue.document("snapfarm scenes", ScenesKeys.top) }

    /// The documented keys, a section for each map that has some, in the order of docs/keys.md.
    package static var sections: [KeySection] {
        [
            KeySection("The scenes file", place: "At the top of the file.", ScenesKeys.top),
            KeySection("A scene", place: "In the list `scenes`.", ScenesKeys.scene),
            KeySection(
                "`wait`",
                place: "Below `wait` of a scene; exactly one of them.",
                ScenesKeys.wait
            ),
            KeySection(
                "A step",
                place: "In the list `steps` of a scene; exactly one of them in each item.",
                ScenesKeys.step
            ),
            KeySection("`type`", place: "Below `type` of a step.", ScenesKeys.typing),
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
            "An http or https address, in place of a file; or a path that begins with `/`, at the server of the "
                + "job's `serve`; or `snapfarm:probe`, a page for the job's `probes`. `{axis}` stands for the cell's "
                + "value of that axis, here and in `file`'s query.",
            example: "url: \"http://127.0.0.1:8080/chart\""
        ),
        FileKey(
            "wait",
            .closed(wait),
            "What the page must do after it has loaded, and before it is captured.",
            example: "wait: {selector: \"#ready\"}",
            defaultValue: "the page has loaded, and its fonts"
        ),
        FileKey(
            "element",
            "A CSS selector: this element alone is captured.",
            example: "element: \"#chart\"",
            defaultValue: "the whole screen"
        ),
        FileKey(
            "fullPage",
            .boolean,
            "Whether the whole page is captured, from its top to its end, instead of the screen.",
            example: "fullPage: true",
            defaultValue: "as `fullPage` of the job says"
        ),
        FileKey(
            "accessibility",
            .boolean,
            "Whether what a screen reader is given of the page is a text beside the picture.",
            example: "accessibility: true",
            defaultValue: "as `accessibility` of the job says"
        ),
        FileKey(
            "mask",
            .list(of: .string),
            "CSS selectors of what is painted over, also in shadow roots and in frames of the page's "
                + "origin. Each must match something.",
            example: "mask: [\".clock\"]"
        ),
        FileKey(
            "animations",
            .words(SceneAnimations.allCases.map(\.rawValue)),
            "What becomes of transitions, animations and videos: `finish` brings them to their end, as if "
                + "their time were over, and stops them; `run` leaves them alone.",
            example: "animations: run",
            defaultValue: "`finish`"
        ),
        FileKey(
            "steps",
            .list(of: .closed(step)),
            "What is done on the page before its capture, in order, after `wait`.",
            example: "steps: [{click: \"#menu\"}, {type: {into: \"#name\", text: Ann}}]"
        ),
        FileKey(
            "cookies",
            .map(of: .scalar),
            "Cookies that the page's address gets before it is opened. Values may hold `{axis}`.",
            example: "url: /account\ncookies: {session: demo}"
        ),
        FileKey(
            "localStorage",
            .map(of: .scalar),
            "What the page finds in `localStorage`. Values may hold `{axis}`.",
            example: "localStorage: {tour: done}"
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
        FileKey(
            "network",
            .duration,
            "A time in which no request may be open, and none have ended.",
            example: "network: 500ms"
        ),
    ]

    static let step = [
        FileKey(
            "click",
            "A CSS selector: this element is clicked. It is waited for, and brought into view.",
            example: "click: \"#menu\""
        ),
        FileKey(
            "hover",
            "A CSS selector: the pointer rests on this element. After any other last step no pointer is on the page.",
            example: "hover: \".card\""
        ),
        FileKey(
            "type",
            .closed(typing),
            "Text that is written into an element.",
            example: "type: {into: \"#name\", text: Ann}"
        ),
        FileKey(
            "key",
            "A key that is pressed: a single letter, or one of \(SceneKey.names.joined(separator: ", ")).",
            example: "key: Enter"
        ),
        FileKey(
            "scroll",
            .scalar,
            "A CSS selector: this element is brought into view; or a number of points from the page's top.",
            example: "scroll: \"#prices\""
        ),
        FileKey(
            "wait",
            .closed(wait),
            "As `wait` of a scene, between two steps.",
            example: "wait: {selector: \".dialog\"}"
        ),
    ]

    static let typing = [
        FileKey(
            "into",
            "A CSS selector: this element is focused first.",
            example: "into: \"#name\"\ntext: Ann",
            defaultValue: "what has the focus"
        ),
        FileKey(
            "text",
            "The text.",
            example: "text: Ann",
            isRequired: true
        ),
    ]

    static let millisecondsMax = 60_000
    /// The most steps of a scene; a longer scene should be several scenes.
    static let stepsMax = 50
}
