// Why a picture is the reference of a test, for the fold on its card: the set of the pin, the time
// and author of the picture, the pictures that were refused in its place, its history, and the
// attempts of its test. It is a page of its own, so that a link works without script.
import FarmCore

extension HTMLReport {
    /// Returns the page at `PageReview.Addresses.baseline`; the script takes the content of `#why`.
    ///
    /// `baseline` is `nil` if the host knows no reference store.
    package static func baseline(
        _ baseline: Baseline?,
        of picture: SnapshotSummary,
        in summary: RunSummary,
        addresses: PageReview.Addresses,
        language: PageLanguage
    ) -> String {
        let words = language.text
        let run = LegalText.line(summary.run.pipeline)
        let links = PageLinks(nil, files: addresses.files)
        let known: HTML =
            baseline.map { found in
                PageBaseline(
                    baseline: found,
                    pinned: [summary.run.branch, String(summary.run.commit.prefix(12))],
                    catalogue: addresses.catalogue,
                    words: words
                ).markup
            }
            ?? "<p class=\"quiet\">\(words.noStoreHere)</p>\n"
        let page: HTML = """
            \(baselineHead(of: run, language))\
            <link rel="stylesheet" href="\(addresses.style)">
            </head>
            <body>
            <header class="top">
            <p class="kicker"><a href="./?lang=\(HTML(trusted: language.rawValue))">\
            <bdi>\(run)</bdi></a></p>
            <h1>\(words.whyReference)</h1>
            </header>
            <main>
            <div id="why" class="history">
            <p class="path"><bdi>\(picture.id)</bdi></p>
            \(known)\(attempts(of: picture, in: summary, links, language))</div>
            </main>
            </body>
            </html>

            """
        return page.markup
    }

    /// Returns the beginning of a page about a reference, up to its style.
    static func baselineHead(of title: String, _ language: PageLanguage) -> HTML {
        """
        <!doctype html>
        <html lang="\(HTML(trusted: language.rawValue))">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(language.text.whyReference): \(title)</title>

        """
    }

    /// Returns the attempts of a picture's test in this run; empty if the run has none on record.
    private static func attempts(
        of picture: SnapshotSummary,
        in summary: RunSummary,
        _ links: PageLinks,
        _ language: PageLanguage
    ) -> HTML {
        let test = summary.tests.first {
            $0.test == picture.test && $0.cell == picture.cell && $0.job == picture.job
        }
        guard let test, test.history != nil else { return "" }
        return """
            <p class="label">\(language.text.testAttempts)</p>
            \(PageAttempts(test, links, language.text).markup)
            """
    }
}

/// Renders the facts about one reference.
struct PageBaseline {
    let baseline: Baseline
    /// The branch and the commit whose pin names the set; empty if unknown.
    var pinned: [String] = []
    /// The address of the catalogue, or `nil` on a disk.
    var catalogue: String?
    /// The pictures with a file beside the page, below `pictures/`; empty on a host.
    var files: Set<ObjectID> = []
    let words: PageText

    /// The most events of the reference's history that are listed; the newest come first.
    static let eventsMax = 50

    var markup: HTML {
        let none: HTML = baseline.reference == nil ? "<p>\(words.notInSet)</p>\n" : ""
        let facts = facts.filter { !$0.value.isEmpty }.map { fact in
            "<div><dt>\(fact.name)</dt><dd><bdi>\(LegalText.line(fact.value))</bdi></dd></div>\n"
                as HTML
        }
        return """
            \(none)<dl class="facts">
            <div><dt>\(words.set)</dt><dd>\(link(baseline.set))</dd></div>
            \(facts)</dl>
            \(refused)\(events)
            """
    }

    private var facts: [(name: String, value: String)] {
        let since = baseline.since
        return [
            (words.pinnedBy, pinned.filter { !$0.isEmpty }.joined(separator: " · ")),
            (words.picture, baseline.reference?.short ?? ""),
            (words.predecessor, baseline.predecessor?.text ?? ""),
            (words.since, since.map(Self.time) ?? ""),
            (words.recordedBy, since?.recorder ?? ""),
            (words.recordedWhy, since?.reason ?? ""),
            (words.setChange, since?.title ?? ""),
            (words.recordedRun, since?.run ?? ""),
            (words.madeBy, baseline.test?.text ?? ""),
            (
                words.drawnBy,
                baseline.renderer.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
                    .joined(separator: ", ")
            ),
        ]
    }

    /// Returns the name of a reference set as a link to the set's catalogue.
    private func link(_ set: ObjectID) -> HTML {
        guard let catalogue else { return "\(set.short)" }
        return """
            <a href="\(catalogue)?set=\(set.hex)&amp;lang=\(words.language.rawValue)">\
            \(set.short)</a>
            """
    }

    private var refused: HTML {
        guard !baseline.refused.isEmpty else { return "" }
        let items = baseline.refused.map { decision in
            let reason: HTML =
                decision.reason.isEmpty
                ? "" : "<q><bdi>\(LegalText.line(decision.reason))</bdi></q> "
            return """
                <li>\(reason)<span class="quiet"><bdi>\(LegalText.line(decision.who))</bdi> \
                \(PageDecisions.time(decision.when))</span></li>

                """ as HTML
        }
        return """
            <p class="label">\(words.refusedInstead)</p>
            <ul class="said">
            \(items)</ul>

            """
    }

    private var events: HTML {
        let shown = baseline.events.prefix(Self.eventsMax)
        let left = baseline.events.count - shown.count
        let rest: HTML = left > 0 ? "<p class=\"quiet\">\(words.moreEvents(left))</p>\n" : ""
        let isCut = baseline.isCut || (shown.isEmpty && baseline.reference != nil)
        let cut: HTML = isCut ? "<p class=\"quiet\">\(words.journalEnds)</p>\n" : ""
        guard !shown.isEmpty else { return cut }
        return """
            <p class="label">\(words.history)</p>
            <ol class="events">
            \(shown.map(event))</ol>
            \(rest)\(cut)
            """
    }

    private func event(_ event: LifeEvent) -> HTML {
        let entry = event.entry
        let from: HTML = event.from.map { " <bdi>\(LegalText.line($0.text))</bdi>" } ?? ""
        let who: HTML = entry.recorder.map { " · <bdi>\(LegalText.line($0))</bdi>" } ?? ""
        let reason: HTML =
            entry.reason.map { " <q><bdi>\(LegalText.line($0))</bdi></q>" } ?? ""
        let set: HTML = entry.set.map { " · \(link($0))" } ?? ""
        let made = [
            entry.run.map { "\(words.recordedRun) \($0)" },
            entry.mainCommit.map { "\(words.fact("commit")) \($0.prefix(12))" },
        ].compactMap(\.self).map { " · <bdi>\(LegalText.line($0))</bdi>" as HTML }
        return """
            <li>\(picture(event.objectID))<span><b>\(words.change(event.change))</b>\(from) \
            \(Self.time(entry))\(who)\(made)\(set)\(reason)<br>\
            <span class="quiet"><bdi>\(LegalText.line(entry.title))</bdi></span></span></li>

            """
    }

    /// Returns a thumbnail of a stored picture as a link to the whole picture; empty without one.
    private func picture(_ object: ObjectID?) -> HTML {
        guard let object, !baseline.id.isText else { return "" }
        if files.contains(object) {
            let file: HTML = "pictures/\(object.hex).png"
            return "<a href=\"\(file)\"><img src=\"\(file)\" alt=\"\(object.short)\"></a>"
        }
        guard let catalogue else { return "" }
        return """
            <a href="\(catalogue)pictures/\(object.hex).png">\
            <img src="\(catalogue)thumbs/\(object.hex).png" alt="\(object.short)" loading="lazy">\
            </a>
            """
    }

    /// Returns the time of a journal's entry, such as `2026-11-25 10:12 UTC`.
    private static func time(_ entry: LogEntry) -> String {
        PageDecisions.time(entry.seconds.multipliedReportingOverflow(by: 1_000).partialValue)
    }
}
