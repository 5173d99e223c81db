// The page of `refs log PICTURE --report`: the history of one reference as a strip of its pictures.
// It is the fold of a run's page, as a page of its own on a disk.
import FarmCore

extension HTMLReport {
    /// The pictures that the page of a history shows, in its order, each once.
    package static func pictures(of baseline: Baseline) -> [ObjectID] {
        guard !baseline.id.isText else { return [] }
        var seen: Set<ObjectID> = []
        return baseline.events.prefix(PageBaseline.eventsMax).compactMap(\.objectID)
            .filter { seen.insert($0).inserted }
    }

    /// Renders the page of a reference's history.
    ///
    /// `files` are the pictures that lie beside the page as `pictures/<object id>.png`.
    package static func history(
        _ baseline: Baseline,
        files: Set<ObjectID>,
        language: PageLanguage = .english
    ) -> String {
        let words = language.text
        let title = LegalText.line(baseline.id.text)
        let page: HTML = """
            \(baselineHead(of: title, language))\
            \(diskHead)
            </head>
            <body>
            <header class="top">
            <p class="kicker">snapfarm · \(words.whyReference)</p>
            <h1><bdi>\(title)</bdi></h1>
            </header>
            <main>
            <div id="why" class="history">
            \(PageBaseline(baseline: baseline, files: files, words: words).markup)</div>
            </main>
            </body>
            </html>

            """
        return page.markup
    }
}
