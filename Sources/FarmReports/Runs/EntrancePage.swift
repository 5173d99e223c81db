// The pages in front of the runs: login, invitation, and messages about a refusal.
import FarmCore

/// Renders the pages before a login, and those about a refusal.
package enum EntrancePage {
    /// The reason why a login did not succeed.
    package enum LoginFailure: Sendable {
        case wrongToken
        case linkOver
    }

    /// Returns the login page; `back` is the path of the page to show after the login.
    package static func login(
        _ mistake: LoginFailure? = nil,
        back: String,
        in frame: RunsFrame
    ) -> String {
        let text = frame.text
        return frame.page(
            title: text.logIn,
            """
            \(alert(mistake, text))
            <form class="enter" method="post" action="\(RunsFrame.loginPath)">
            <label for="key">\(text.token)</label>
            <input id="key" name="key" type="password" autocomplete="current-password" required
              autofocus>
            <input type="hidden" name="back" value="\(back)">
            <button>\(text.logIn)</button>
            <p class="quiet">\(text.tokenHint)</p>
            </form>
            """
        )
    }

    /// Returns the page of a one-time link.
    ///
    /// Only its button uses the link up, since programs that show previews open links.
    package static func invitation(_ person: String, path: String, in frame: RunsFrame) -> String {
        let text = frame.text
        return frame.page(
            title: text.logIn,
            """
            <p>\(text.welcome(LegalText.line(person)))</p>
            <form class="enter" method="post" action="\(path)">
            <button>\(text.logIn)</button>
            </form>
            """
        )
    }

    /// Returns a page with the message of one mistake.
    package static func mistake(_ mistake: LoginFailure, in frame: RunsFrame) -> String {
        frame.page(title: frame.text.logIn, alert(mistake, frame.text))
    }

    /// Returns a page that loads `path` by itself, because the browser sends its cookie only then.
    package static func again(_ path: String, in frame: RunsFrame) -> String {
        frame.page(
            title: frame.text.runList,
            """
            <meta http-equiv="refresh" content="0; url=\(path)">
            <p><a href="\(path)">\(frame.text.goOn)</a></p>
            """
        )
    }

    /// Returns the page about a refusal; `back` is the path that leads back, or `nil` for no link.
    package static func refusal(
        _ refusal: TranslatedProblem,
        back: String?,
        in frame: RunsFrame
    ) -> String {
        let text = frame.text
        let link: HTML = back.map { "<p><a href=\"\($0)\">\(text.back)</a></p>" } ?? ""
        return frame.page(
            title: text.refusal,
            """
            <div role="alert"><p><bdi>\(LegalText.line(refusal.message))</bdi></p>
            <p><bdi>\(LegalText.line(refusal.remedy))</bdi></p></div>
            \(refusal.details(frame.language))\(link)
            """
        )
    }

    private static func alert(_ mistake: LoginFailure?, _ text: PageText) -> HTML {
        let words: String? =
            switch mistake {
            case .wrongToken: text.wrongToken
            case .linkOver: text.linkOver
            case nil: nil
            }
        return words.map { "<p role=\"alert\">\($0)</p>" } ?? ""
    }
}
