// A scene: which page to open, what to do on it, and what of it to capture.
import FarmCore

/// One page to capture.
package struct Scene: Hashable, Sendable {
    package var suite: String
    package var name: String
    package var page: ScenePage
    package var wait: SceneWait?
    /// A CSS selector of what is captured alone; nil: the screen.
    package var element: String?
    /// CSS selectors of what is painted over.
    package var mask: [String] = []
    /// The whole page instead of the screen; nil: as the job says.
    package var fullPage: Bool?
    /// What is done on the page before its capture, in order.
    package var steps: [SceneStep] = []
    /// By their names; set before the page is opened.
    package var cookies: [String: String] = [:]
    /// By its keys; there before the page's first script runs.
    package var localStorage: [String: String] = [:]
    package var animations: SceneAnimations = .finish

    /// `suite/name`.
    package var test: TestID { TestID("\(suite)/\(name)") }
}

extension Scene {
    /// What it asks the job's server for; nil where its page is elsewhere.
    var servedPath: String? { if case .served(let path) = page { path } else { nil } }
}

/// Where a scene's page is.
package enum ScenePage: Hashable, Sendable {
    /// An `http` or `https` address.
    case url(String)
    /// Path and query at the server of the job's `serve`; begins with `/`.
    case served(String)
    /// Relative to the pipeline file's folder, `/` between folders, nothing percent-encoded.
    /// `suffix` is the query and fragment with their `?` and `#`, or empty.
    case file(path: String, suffix: String)
    /// A story of the job's Storybook, by its id.
    case story(String)

    /// The page's name in messages: its address without a password, its path, or its story.
    var words: String {
        switch self {
        case .url(let address): SecretMask().mask(address)
        case .served(let path): path
        case .file(let path, let suffix): path + suffix
        case .story(let id): "the story \(id)"
        }
    }
}

/// The treatment of transitions, animations and videos.
package enum SceneAnimations: String, Hashable, Sendable, CaseIterable {
    /// They are brought to their end, and stopped.
    case finish
    /// They are left alone.
    case run
}

/// What a page must do after it has loaded and before it is captured.
package enum SceneWait: Hashable, Sendable {
    /// An element that must be there.
    case selector(String)
    /// A JavaScript expression, or a function, that must become true; promises are awaited.
    case function(String)
    /// A fixed time; for pages that say nothing of themselves.
    case milliseconds(Int)
    /// So long no request may be open, and none have ended.
    case network(milliseconds: Int)
    /// Storybook says that the story is drawn and its `play` has ended. No scenes file says this.
    case story

    /// The condition, for messages.
    var words: String {
        switch self {
        case .selector(let selector): "no element \"\(selector)\""
        case .function(let source): "not true: \(source.prefix(200))"
        case .milliseconds(let time): "a wait of \(time) ms"
        case .network(let time): "the network was never silent for \(time) ms"
        case .story: "Storybook did not say that the story is drawn"
        }
    }
}

/// One thing done on a page, as a person would do it.
package enum SceneStep: Hashable, Sendable {
    case click(String)
    case hover(String)
    /// `into` is focused first; nil: what has the focus.
    case type(into: String?, text: String)
    case key(SceneKey)
    /// Until the element is in view.
    case scroll(to: String)
    /// So many points from the top of the page.
    case scrollDown(points: Int)
    case wait(SceneWait)

    /// The step, for messages.
    var words: String {
        switch self {
        case .click(let selector): "click \"\(selector)\""
        case .hover(let selector): "hover \"\(selector)\""
        case .type(let selector, _): "type" + (selector.map { " into \"\($0)\"" } ?? "")
        case .key(let key): "key \(key.name)"
        case .scroll(let selector): "scroll \"\(selector)\""
        case .scrollDown(let points): "scroll \(points)"
        case .wait: "wait"
        }
    }
}

/// A key of the keyboard.
package struct SceneKey: Hashable, Sendable {
    /// As browsers call it (`KeyboardEvent.key`).
    package let name: String
    /// What systems call its virtual key code.
    let code: Int
    /// What it writes; empty for nothing.
    let text: String

    private static let named: [(name: String, code: Int, text: String)] = [
        ("Enter", 13, "\r"), ("Tab", 9, ""), ("Escape", 27, ""), ("Backspace", 8, ""),
        ("Delete", 46, ""), ("ArrowLeft", 37, ""), ("ArrowUp", 38, ""), ("ArrowRight", 39, ""),
        ("ArrowDown", 40, ""), ("Home", 36, ""), ("End", 35, ""), ("PageUp", 33, ""),
        ("PageDown", 34, ""), ("Space", 32, " "),
    ]

    static var names: [String] { named.map(\.name) }

    /// - Returns: nil for what is no key: several letters that name none.
    init?(_ word: String) {
        if let known = Self.named.first(where: { $0.name == word }) {
            name = word
            code = known.code
            text = known.text
            return
        }
        guard word.count == 1, let letter = word.uppercased().unicodeScalars.first else {
            return nil
        }
        name = word
        code = letter.isASCII ? Int(letter.value) : 0
        text = word
    }
}
