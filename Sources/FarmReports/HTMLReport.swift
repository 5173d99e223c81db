// report/index.html: the page that people look at. It is one file that opens from a disk: style and
// script are inside, its only links are pictures beside its folder (`../<path>`), and a content
// security policy keeps everything else out. Without script it is a plain list. FailureDiffs.zip
// has the page too, with the zip's pictures and without the catalogue.
import FarmCore

/// Renders `report/index.html`, the page of a run.
package enum HTMLReport {
    /// The place of the page's file, which decides the paths of its pictures.
    package enum Place: Sendable {
        /// The file is `report/index.html` of the output folder.
        case outputFolder
        /// The file is at the top of `FailureDiffs.zip`.
        case zip
        /// The file is at the top of a comparison's folder.
        case comparison
    }

    /// The name of the page's file in `FailureDiffs.zip`.
    package static let zipName = "index.html"

    package static func render(
        _ summary: RunSummary,
        rejected: RejectedPictures = RejectedPictures(),
        in place: Place = .outputFolder,
        language: PageLanguage = .english
    ) -> String {
        var context = PageContext(PageRun(summary), language, place: place, review: nil)
        context.rejected = rejected
        let from: HTML =
            place == .zip
            ? " data-from=\"FailureDiffs.zip\"" : " data-run=\"\(summary.run.id)\""
        return page(
            context,
            context.run.changes,
            PageParts(
                head: diskHead,
                body: from,
                bar: PageBar.ticks(context),
                foot: """
                    <script>
                    \(HTML(trusted: PageAssets.staticScript))</script>

                    """
            )
        ).markup
    }

    /// The head of a page on a disk, with its style.
    static var diskHead: HTML {
        """
        <meta name="referrer" content="no-referrer">
        <meta http-equiv="Content-Security-Policy" content="\(policy)">
        <style>
        \(HTML(trusted: PageAssets.style))</style>
        """
    }

    /// The parts that differ between a page on a disk and a host's page.
    struct PageParts {
        let head: HTML
        /// The attributes of the page's `body` element.
        let body: HTML
        let bar: HTML
        let foot: HTML
    }

    /// Returns the whole page of a run; `changes` are those that pass the filter.
    static func page(_ context: PageContext, _ changes: [PageChange], _ parts: PageParts) -> HTML {
        let summary = context.summary
        let text = context.text
        let rest: HTML =
            context.query.change == nil
            ? "\(PageTests(context).markup)\(PageCatalogue(context).markup)" : ""
        let title =
            context.compared.map { PageCompared.title($0, text) }
            ?? "\(LegalText.line(summary.run.pipeline)): \(text.state(summary.state))"
        let isNothing = context.query.isFiltered && shownCount(context, changes) == 0
        return """
            <!doctype html>
            <html lang="\(HTML(trusted: text.language.rawValue))">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(title)</title>
            \(parts.head)
            </head>
            <body data-run-id="\(summary.run.id)"\(parts.body) data-texts="\(scriptTexts(text))">
            <a class="skip" href="#changes">\(text.skipToChanges)</a>
            \(PageOverview.header(context))
            <main data-mode="side">
            \(PageOverview.notice(context))<div id="found">\(PageOverview.problems(context))\
            \(PageRejected.markup(context))\(PageOverview.quarantined(context))</div>
            \(PageToolbar(context, shown: shownCount(context, changes)).markup)\
            <div id="entries">
            \(PageCauses.markup(context))\(PageChanges(context, changes).markup)\(rest)\
            <p id="nothing" class="quiet"\(isNothing ? "" : " hidden")>\(text.nothingMatches)</p>
            </div>
            </main>
            \(parts.bar)\(parts.foot)</body>
            </html>

            """
    }

    /// Returns the notice on the page after a decision about `pictures` pictures.
    ///
    /// `removed` of them leave the references.
    package static func decided(
        _ kind: Decision.Kind,
        _ pictures: Int,
        removed: Int = 0,
        in language: PageLanguage
    ) -> String {
        language.text.decided(kind, pictures, removed)
    }

    /// Returns the notice above a judgement that a person asked for.
    package static func judgedAgain(in language: PageLanguage) -> String {
        language.text.judgedAgain
    }

    /// Returns the number of changes and tests of the page that pass the filter.
    private static func shownCount(_ context: PageContext, _ changes: [PageChange]) -> Int {
        changes.count + context.query.tests(of: context.run).count
    }

    /// Returns the words of the page's script as a JSON object.
    private static func scriptTexts(_ text: PageText) -> String {
        let pairs = text.script.sorted { $0.key < $1.key }
            .map { "\(JSONText.quoted($0.key)):\(JSONText.quoted($0.value))" }
        return "{\(pairs.joined(separator: ","))}"
    }

    /// The content security policy of the page: pictures beside it, its own style and script, and
    /// no network.
    private static let policy =
        "default-src 'none'; img-src 'self' file:; style-src 'unsafe-inline'; "
        + "script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
}

/// Makes the URLs of the pictures on a page.
struct PageLinks {
    private let place: HTMLReport.Place?
    private let files: String
    private static let zipFolder = "FailureDiffs/"

    /// Makes the rule for a page at a place on a disk; on a host, `place` is `nil` and `files` is
    /// the address before each file's path.
    init(_ place: HTMLReport.Place?, files: String) {
        self.place = place
        self.files = files
    }

    /// Returns the URL of a picture as the page links it, or `nil` if the page has no such picture.
    ///
    /// `path` is relative to the output folder.
    func url(_ path: String?) -> String? {
        guard let path else { return nil }
        switch place {
        case nil: return RelativePath.url(path).map { files + $0 }
        case .comparison: return RelativePath.url(path)
        case .outputFolder: return RelativePath.url(path).map { "../" + $0 }
        case .zip:
            guard path.hasPrefix(Self.zipFolder) else { return nil }
            return RelativePath.url(String(path.dropFirst(Self.zipFolder.count)))
        }
    }
}

/// Small parts of markup that several sections of the page share.
enum PagePart {
    /// Returns the word for a verdict in attributes and style names.
    static func key(_ verdict: Verdict?) -> String { verdict?.rawValue ?? "none" }
}
