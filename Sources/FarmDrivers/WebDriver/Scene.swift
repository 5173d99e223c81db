// A scene: the page to open, the steps on it, and the part of it to capture.
import FarmCore
import Foundation

/// A page to capture.
package struct Scene: Hashable, Sendable {
    package var suite: String
    package var name: String
    package var page: ScenePage
    package var wait: SceneWait?
    /// A CSS selector of the element that is captured alone, or `nil` for the screen.
    package var element: String?
    /// CSS selectors of the elements that are painted over.
    package var mask: [String] = []
    /// Whether the whole page is captured instead of the screen, or `nil` for the job's setting.
    package var fullPage: Bool?
    /// Whether the page's accessibility tree is kept as a text, or `nil` for the job's setting.
    package var accessibility: Bool?
    /// The steps on the page before its capture, in order.
    package var steps: [SceneStep] = []
    /// The cookies by name, which are set before the page is opened.
    package var cookies: [String: String] = [:]
    /// The entries of the page's `localStorage` by key, which are stored before its first script
    /// runs.
    package var localStorage: [String: String] = [:]
    package var animations: SceneAnimations = .finish

    /// The id of the scene: `suite/name`.
    package var test: TestID { TestID("\(suite)/\(name)") }
}

extension Scene {
    /// The digest of the scene's entry, the same in each process of this program.
    var digest: Digest {
        var plain = self
        (plain.cookies, plain.localStorage) = ([:], [:])
        // A dictionary has another order in each process.
        let maps = [cookies, localStorage].map { $0.sorted { $0.key < $1.key } }
        return Digest(of: Data("\(plain) \(maps)".utf8))
    }

    /// The path that the scene asks the job's server for, or `nil` if its page is elsewhere.
    var servedPath: String? { if case .served(let path) = page { path } else { nil } }
}

/// The address, the file or the story of a scene's page.
package enum ScenePage: Hashable, Sendable {
    /// An `http` or `https` address.
    case url(String)
    /// A path and query at the server of the job's `serve`; begins with `/`.
    case served(String)
    /// A path relative to the pipeline file's folder, with `/` between folders and nothing
    /// percent-encoded.
    ///
    /// `suffix` is the query and fragment with their `?` and `#`, or empty.
    case file(path: String, suffix: String)
    /// A story of the job's Storybook, by its id.
    case story(String)
    /// The built-in page that shows how the browser draws (``ProbePage``).
    case probe

    /// The page's name in messages: its address without a password, its path, or its story.
    var words: String {
        switch self {
        case .url(let address): SecretMask().mask(address)
        case .served(let path): path
        case .file(let path, let suffix): path + suffix
        case .story(let id): "the story \(id)"
        case .probe: ProbePage.name
        }
    }
}

/// The treatment of transitions, animations and videos.
package enum SceneAnimations: String, Hashable, Sendable, CaseIterable {
    /// Animations are brought to their end, and stopped.
    case finish
    /// Animations are left alone.
    case run
}

/// The condition that a page must meet after it has loaded and before it is captured.
package enum SceneWait: Hashable, Sendable {
    /// A CSS selector of an element that must exist.
    case selector(String)
    /// A JavaScript expression, or a function, that must become true; promises are awaited.
    case function(String)
    /// A fixed time in milliseconds, for pages that give no sign of being ready.
    case milliseconds(Int)
    /// A time in milliseconds in which no request is open and none ends.
    case network(milliseconds: Int)
    /// Storybook reports that the story is drawn and its `play` has ended.
    ///
    /// Scenes files cannot ask for this.
    case story

    /// The condition in words, for messages.
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

/// One action on a page, as a person would do it.
package enum SceneStep: Hashable, Sendable {
    case click(String)
    case hover(String)
    /// Types text: into the element `into`, which is focused first, or if that is `nil` into the
    /// focused one.
    case type(into: String?, text: String)
    case key(SceneKey)
    /// Scrolls until the element is in view.
    case scroll(to: String)
    /// Scrolls to a place this many points below the top of the page.
    case scrollDown(points: Int)
    case wait(SceneWait)

    /// The step in words, for messages.
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
    /// The name, as in `KeyboardEvent.key`.
    package let name: String
    /// The virtual key code that the browser reports for the key.
    let code: Int
    /// The text that the key writes; empty for none.
    let text: String

    private static let named: [(name: String, code: Int, text: String)] = [
        ("Enter", 13, "\r"), ("Tab", 9, ""), ("Escape", 27, ""), ("Backspace", 8, ""),
        ("Delete", 46, ""), ("ArrowLeft", 37, ""), ("ArrowUp", 38, ""), ("ArrowRight", 39, ""),
        ("ArrowDown", 40, ""), ("Home", 36, ""), ("End", 35, ""), ("PageUp", 33, ""),
        ("PageDown", 34, ""), ("Space", 32, " "),
    ]

    static var names: [String] { named.map(\.name) }

    /// Creates the key that a name or a single character means, or `nil` for several letters that
    /// name no key.
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
