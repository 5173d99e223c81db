// report/index.html: the one page people look at. It is one file that opens from a disk: style
// and script are inside, pictures are its only links and lie beside its folder (`../<path>`),
// and a content security policy keeps everything else out. Without script it is a plain list.
// FailureDiffs.zip has the page too, with what it holds and without the catalogue.
import FarmCore

/// Renders `report/index.html`.
package enum HTMLReport {
    /// Where the page lies, and so which pictures are beside it.
    package enum Place: Sendable {
        /// `report/index.html` of the output folder.
        case outputFolder
        /// The top of `FailureDiffs.zip`.
        case zip
    }

    /// The page's name in `FailureDiffs.zip`.
    package static let zipName = "index.html"

    package static func render(_ summary: RunSummary, in place: Place = .outputFolder) -> String {
        let cells = CellDirectory(summary)
        let findings = RunFindings(summary)
        let titles = findings.titles
        let links = PageLinks(place)
        let changes = PageChanges(summary, findings, cells: cells, links: links)
        let tests = PageTests(summary, findings, cells: cells)
        let catalogue =
            place == .zip
            ? "" : PageCatalogue(summary, cells: cells, titles: titles, links: links).markup
        let name = LegalText.line(summary.run.pipeline)
        let page: HTML = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="referrer" content="no-referrer">
            <meta http-equiv="Content-Security-Policy" content="\(policy)">
            <title>\(name): \(summary.state.rawValue)</title>
            <style>
            \(HTML(trusted: PageStyle.text))</style>
            </head>
            <body>
            <a class="skip" href="#changes">Skip to the changes</a>
            \(PageOverview.header(summary))
            <main data-mode="side">
            \(PageOverview.problems(findings))\(PageOverview.quarantined(summary))\
            \(PageOverview.matrix(summary, cells: cells))
            \(PageToolbar(summary, cells: cells, titles: titles, in: place).markup)
            \(changes.markup)\(tests.markup)\(catalogue)
            <p id="nothing" class="quiet" hidden>Nothing matches this filter.</p>
            </main>
            <script>
            \(HTML(trusted: PageScript.text))</script>
            </body>
            </html>

            """
        return page.markup
    }

    /// Pictures from where the page lies, its own style and script, and no network.
    private static let policy =
        "default-src 'none'; img-src 'self' file:; style-src 'unsafe-inline'; "
        + "script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
}

/// How the page finds its pictures.
struct PageLinks {
    private let place: HTMLReport.Place
    private static let zipFolder = "FailureDiffs/"

    init(_ place: HTMLReport.Place) { self.place = place }

    /// A picture's URL from the page; nil where there is none.
    ///
    /// `path` is relative to the output folder.
    func url(_ path: String?) -> String? {
        guard let path else { return nil }
        switch place {
        case .outputFolder: return RelativePath.url(path).map { "../" + $0 }
        case .zip:
            guard path.hasPrefix(Self.zipFolder) else { return nil }
            return RelativePath.url(String(path.dropFirst(Self.zipFolder.count)))
        }
    }
}

/// Parts that several sections of the page share.
enum PagePart {
    /// The word of a verdict with its sign and colour.
    static func badge(_ verdict: Verdict?) -> HTML {
        """
        <span class="badge \(key(verdict))"><span aria-hidden="true">\(Wording.sign(verdict))\
        </span> \(Wording.word(verdict))</span>
        """
    }

    /// The verdict in attributes and style names.
    static func key(_ verdict: Verdict?) -> String { verdict?.rawValue ?? "none" }

    /// `iPhone 8`, `13.1`, `dark · ja` as chips.
    static func configuration(_ cell: String, cells: CellDirectory) -> HTML {
        let parts = [cells.device(cell), cells.os(cell), cells.variant(cell)]
            .filter { !$0.isEmpty }.map { "<li><bdi>\($0)</bdi></li>" as HTML }
        return "<ul class=\"chips\">\(parts)</ul>"
    }

    /// The attributes a filter reads.
    static func filterable(verdict: Verdict?, cell: String, suite: String) -> HTML {
        "data-verdict=\"\(key(verdict))\" data-cell=\"\(cell)\" data-suite=\"\(suite)\""
    }

    /// Says what a limit left out; empty for nothing.
    static func rest(_ count: Int, _ what: HTML) -> HTML {
        count <= 0
            ? ""
            : "<p class=\"quiet\">\(count) more \(what) are not shown; summary.json has them.</p>\n"
    }
}
