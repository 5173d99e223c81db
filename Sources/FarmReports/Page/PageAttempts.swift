// The attempts of a test: the message, worker, duration and log of each. The fold of a picture and
// the list of tests both show them.
import FarmCore

struct PageAttempts {
    /// The list of attempts, or empty if the attempts are unknown.
    let markup: HTML

    /// The most attempts that the list shows.
    ///
    /// Only a run with `--repeat` makes more attempts; the list shows the last ones.
    private static let shownMax = 20

    init(_ test: TestSummary, _ links: PageLinks, _ text: PageText) {
        let history = test.history ?? []
        guard !history.isEmpty else {
            markup = ""
            return
        }
        let shown = history.suffix(Self.shownMax)
        let items = shown.enumerated().map { place, attempt -> HTML in
            let sign: HTML =
                attempt.verdict.map {
                    """
                    <span class="badge \(PagePart.key($0))">\(Wording.sign($0)) \
                    \(text.verdict($0))</span>
                    """
                } ?? "<span class=\"badge none\">\(text.lost)</span>"
            let log: HTML =
                links.url(attempt.log.isEmpty ? nil : attempt.log).map {
                    " <a href=\"\($0)\">\(text.log)</a>"
                } ?? ""
            // The message of the last attempt is the test's own message, which the page shows
            // already.
            let message = place == shown.count - 1 ? "" : LegalText.line(attempt.message)
            let words: HTML = message.isEmpty ? "" : " <bdi>\(message)</bdi>"
            return """
                <li>\(sign) <span class="quiet"><bdi>\(LegalText.line(attempt.worker))</bdi> · \
                \(Wording.seconds(attempt.seconds)) s</span>\(log)\(words)</li>

                """
        }
        markup = """
            <ol class="tries">
            \(items)</ol>

            """
    }
}
