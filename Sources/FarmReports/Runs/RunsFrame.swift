// The frame of the pages around a run: its head, the person, the languages. Style and script are
// files of their own, so that the content security policy can forbid everything inline.
import FarmCore

/// The data of the frame around a page: its head, the person, the languages.
package struct RunsFrame: Sendable {
    /// The icon of the pages as SVG: an equals sign.
    package static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">\
        <rect width="16" height="16" rx="3" fill="#1f5fbf"/>\
        <path d="M4 6h8M4 10h8" stroke="#fff" stroke-width="2"/></svg>
        """
    package static let stylePath = "/assets/runs.css"
    package static let scriptPath = "/assets/runs.js"
    package static let runsPath = "/runs"
    package static let flakyPath = "/runs/flaky"
    package static let farmPath = "/farm"
    package static let loginPath = "/login"
    package static let logoutPath = "/logout"

    package var language: PageLanguage
    /// The name of the logged-in person, or empty if there is none.
    package var person: String
    /// The token of the log-out form, or `nil` for a page without log-out.
    package var formToken: String?
    /// The query of the page's address without its language; links to other languages keep it.
    package var query: String
    /// Returns the file of the page in a language, for a page that is a file with everything in it;
    /// `nil` for a served page.
    package var file: (@Sendable (PageLanguage) -> String)?

    package init(
        language: PageLanguage,
        person: String = "",
        formToken: String? = nil,
        query: String = "",
        file: (@Sendable (PageLanguage) -> String)? = nil
    ) {
        self.language = language
        self.person = person
        self.formToken = formToken
        self.query = query
        self.file = file
    }

    var text: PageText { language.text }

    /// The text of the pages' style sheet, served at `stylePath` as `text/css`.
    package static var style: String { HTMLReport.style + RunsStyle.text }
    /// The text of the pages' script, served at `scriptPath` as `text/javascript`.
    package static var script: String { RunsScript.text }

    /// Returns a whole page with the frame around `body`.
    ///
    /// `events` is the path of its server-sent events, or `nil` if the page never changes.
    func page(title: String, events: String? = nil, _ body: HTML) -> String {
        let title = LegalText.line(title)
        let refresh: HTML =
            events == nil
            ? "" : "<noscript><meta http-equiv=\"refresh\" content=\"10\"></noscript>\n"
        let main: HTML = events.map { "<main data-events=\"\($0)\">" } ?? "<main>"
        let page: HTML = """
            <!doctype html>
            <html lang="\(language.rawValue)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            \(refresh)<title>\(title)</title>
            \(assets)
            </head>
            <body>
            <header class="top entrance">
            <h1><bdi>\(title)</bdi></h1>
            <nav>\(languages)\(account)</nav>
            </header>
            \(main)
            \(body)
            </main>
            </body>
            </html>

            """
        return page.markup
    }

    private var assets: HTML {
        guard file != nil else {
            return """
                <link rel="stylesheet" href="\(Self.stylePath)">
                <script src="\(Self.scriptPath)" defer></script>
                """
        }
        return "<style>\(HTML(trusted: Self.style))</style>"
    }

    private var languages: HTML {
        let others = PageLanguage.allCases.filter { $0 != language }
        let query = query.isEmpty ? "" : "&" + query
        return """
            \(others.map { other in
                let address = file?(other) ?? "?lang=\(other.rawValue)\(query)"
                return "<a href=\"\(address)\" lang=\"\(other.rawValue)\">\(other.name)</a> " as HTML
            })
            """
    }

    private var account: HTML {
        guard !person.isEmpty else { return "" }
        let who: HTML = "<bdi>\(PersonText.short(person))</bdi>"
        guard let formToken else { return who }
        return """
            \(who)
            <form method="post" action="\(Self.logoutPath)">
            <input type="hidden" name="token" value="\(formToken)">
            <button>\(text.logOut)</button>
            </form>
            """
    }

    /// Returns the state of a run as a badge.
    func badge(_ state: RunState) -> HTML {
        "<span class=\"badge \(state.rawValue)\">\(language.text.state(state))</span>"
    }

    /// Returns the markup of a time in ISO 8601; the script shows it in the reader's time zone.
    static func time(_ iso: String) -> HTML {
        let plain = String(iso.prefix(16)).replacing("T", with: " ")
        return "<time datetime=\"\(iso)\">\(plain) UTC</time>"
    }

    /// Returns a bar that shows `done` as a share of `planned`, without script and inline style.
    static func bar(_ done: Int, of planned: Int) -> HTML {
        "<progress value=\"\(done)\" max=\"\(max(1, planned))\"></progress>"
    }
}

extension PageLanguage {
    /// The name of the language in the language itself.
    fileprivate var name: String {
        switch self {
        case .english: "English"
        case .japanese: "日本語"
        }
    }
}
