// `index.html` of a set's catalogue: every screen by suite and name, one thumbnail for each cell.
// Style and script are files of their own, and the page opens from a disk as well as from a server.
// Without script it is a plain list. A host shows it beside the page of a run. The search covers
// names, devices and variants.
import FarmCore

/// Renders the page of a set's catalogue.
package enum CataloguePage {
    /// Returns every file of the catalogue except the pictures: its path in the folder and its
    /// text.
    package static func files(
        of catalogue: SetCatalogue,
        language: PageLanguage = .english
    ) -> [(path: String, text: String)] {
        [
            ("style.css", style),
            ("catalogue.js", script),
            ("index.html", render(catalogue, language, nil)),
        ]
    }

    /// The text of the catalogue's style sheet, `style.css`.
    package static var style: String { PageAssets.style + CatalogueStyle.text }

    /// The text of the catalogue's script, `catalogue.js`.
    package static let script = CatalogueScript.text

    /// Returns the catalogue's page as a host serves it at `PageReview.Addresses.catalogue`; its
    /// other files are below it.
    package static func render(
        _ catalogue: SetCatalogue,
        addresses: PageReview.Addresses,
        language: PageLanguage
    ) -> String {
        render(catalogue, language, CatalogueHost(addresses))
    }

    private static func render(
        _ catalogue: SetCatalogue,
        _ language: PageLanguage,
        _ host: CatalogueHost?
    ) -> String {
        let words = language.text
        let summary = catalogue.summary
        let cells = CellDirectory(summary)
        let titles = RunTitles(summary)
        let shown = Array(summary.snapshots.prefix(ReportLimits.thumbnailsMax))
        let suites = PictureSuite.grouped(shown, cells: cells, titles: titles)
        let thumbnails = Dictionary(
            catalogue.pictures.map { ($0.id.text, $0.thumbnail?.size) }
        ) { first, _ in first }
        let folder = host?.folder ?? ""
        // A host sends a stricter policy in a header.
        let only: HTML =
            host == nil
            ? "<meta http-equiv=\"Content-Security-Policy\" content=\"\(policy)\">\n" : ""
        let screens = suites.map { suite in
            section(suite, cells: cells, thumbnails: thumbnails, words: words, folder: folder)
        }
        let count = suites.reduce(0) { $0 + $1.groups.count }
        let left = summary.snapshots.count - shown.count
        let rest: HTML =
            left > 0 ? "<p class=\"quiet\">\(words.morePictures(left))</p>\n" : ""
        let name = LegalText.line(catalogue.name)
        let page: HTML = """
            <!doctype html>
            <html lang="\(language.rawValue)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="referrer" content="no-referrer">
            \(only)<title>\(name): \(words.catalogue)</title>
            <link rel="stylesheet" href="\(folder)style.css">
            <script src="\(folder)catalogue.js" defer></script>
            </head>
            <body>
            <a class="skip" href="#screens">\(words.skipToScreens)</a>
            <header class="top">
            \(host?.links(language) ?? "")<p class="kicker">snapfarm · \(words.catalogue)</p>
            <h1><bdi>\(name)</bdi></h1>
            <p class="headline">\(words.screenCounts(summary.snapshots.count, count, suites.count))</p>
            <dl class="facts">
            \(facts(catalogue, words))</dl>
            \(host?.sets(catalogue, words, language) ?? "")</header>
            <main>
            \(without(catalogue.coverage, words))\(toolbar(summary, cells, words))
            <div id="screens" tabindex="-1">
            \(screens)\(rest)</div>
            <p id="nothing" class="quiet" hidden>\(words.noScreen)</p>
            </main>
            </body>
            </html>

            """
        return page.markup
    }

    /// The content security policy of the page: files beside it, from a disk or from a server, and
    /// nothing else.
    private static let policy =
        "default-src 'none'; img-src 'self' file:; style-src 'self' file:; "
        + "script-src 'self' file:; base-uri 'none'; form-action 'none'"

    private static func facts(_ catalogue: SetCatalogue, _ words: PageText) -> [HTML] {
        var facts = [(words.set, String(catalogue.set.hex.prefix(12)))]
        if let entry = catalogue.entry {
            facts.append((words.recorded, entry.time))
            facts.append((words.setChange, LegalText.line(entry.title)))
            if let who = entry.recorder { facts.append((words.recordedBy, LegalText.line(who))) }
        }
        return facts.map { "<div><dt>\($0.0)</dt><dd><bdi>\($0.1)</bdi></dd></div>\n" }
    }

    /// Returns the list of screens that have no picture; empty if the expected screens are unknown.
    private static func without(_ coverage: ScreenCoverage?, _ words: PageText) -> HTML {
        guard let coverage else { return "" }
        let counted = words.screensCovered(coverage.covered, coverage.wanted)
        guard !coverage.without.isEmpty else { return "<p class=\"covered\">\(counted)</p>\n" }
        let items = coverage.without.map { "<li><bdi>\(LegalText.line($0))</bdi></li>\n" as HTML }
        return """
            <details class="covered"><summary>\(counted)</summary>
            <p class="quiet">\(words.screensWithout)</p>
            <ul>
            \(items)</ul>
            </details>

            """
    }

    private static func toolbar(
        _ summary: RunSummary,
        _ cells: CellDirectory,
        _ words: PageText
    ) -> HTML {
        let used = Set(summary.snapshots.map(\.cell)).sorted(by: cells.precedes)
        var devices: [String] = []
        for cell in used where !devices.contains(cells.device(cell)) {
            devices.append(cells.device(cell))
        }
        var variants: [String] = []
        for cell in used where !variants.contains(cells.variant(cell)) {
            variants.append(cells.variant(cell))
        }
        func choice(_ id: HTML, _ label: String, _ all: String, _ values: [String]) -> HTML {
            guard values.count > 1 else { return "" }
            let options = values.map { value in
                "<option value=\"\(value)\">\(LegalText.line(value))</option>\n" as HTML
            }
            return """
                <select id="\(id)" aria-label="\(label)"><option value="">\(all)</option>
                \(options)</select>

                """
        }
        return """
            <form class="find" role="search" aria-label="\(words.findScreen)" hidden>
            <input id="text" type="search" placeholder="\(words.findScreen)" \
            aria-label="\(words.findScreen)" autocomplete="off">
            \(choice("device", words.cell, words.allCells, devices))\
            \(choice("variant", words.variant, words.allVariants, variants))\
            <output id="shown" aria-live="polite" data-words="\(words.shownPictures)"></output>
            </form>

            """
    }

    private static func section(
        _ suite: PictureSuite,
        cells: CellDirectory,
        thumbnails: [String: PixelSize?],
        words: PageText,
        folder: String
    ) -> HTML {
        let screens = suite.groups.map { group in
            let shots = group.pictures.map { picture in
                figure(
                    picture,
                    title: LegalText.line(group.name),
                    size: thumbnails[picture.id] ?? nil,
                    cells: cells,
                    words: words,
                    folder: folder
                )
            }
            return """
                <article class="place">
                <h3><bdi>\(LegalText.line(group.name))</bdi> \
                <small><bdi>\(LegalText.line(group.test))</bdi></small></h3>
                <div class="shots">
                \(shots)</div>
                </article>

                """ as HTML
        }
        return """
            <section class="folder">
            <h2><bdi>\(LegalText.line(suite.name))</bdi> <small>\(suite.groups.count)</small></h2>
            \(screens)</section>

            """
    }

    private static func figure(
        _ picture: SnapshotSummary,
        title: String,
        size: PixelSize?,
        cells: CellDirectory,
        words: PageText,
        folder: String
    ) -> HTML {
        guard let url = picture.currentPath.flatMap(RelativePath.url) else { return "" }
        let cell = LegalText.line(cells.title(picture.cell))
        let small = picture.files["thumb"].flatMap(RelativePath.url)
        let image: HTML =
            if let small {
                """
                <img src="\(folder)\(small)"\(sides(size)) \
                alt="\(title), \(cell)" loading="lazy" decoding="async">
                """
            } else {
                "<span class=\"quiet\">\(words.unreadable)</span>"
            }
        let details = [cells.os(picture.cell), cells.variant(picture.cell), picture.size]
            .filter { !$0.isEmpty }.joined(separator: " · ")
        return """
            <figure class="shot" data-device="\(cells.device(picture.cell))" \
            data-variant="\(cells.variant(picture.cell))" title="\(LegalText.line(picture.id))">\
            <a href="\(folder)\(url)">\(image)</a>\
            <figcaption><bdi>\(LegalText.line(cells.device(picture.cell)))</bdi> \
            <small><bdi>\(LegalText.line(details))</bdi></small>\
            \(alternates(picture, words, folder))</figcaption></figure>

            """
    }

    /// Returns links to the alternates of a picture; empty if it has none.
    private static func alternates(
        _ picture: SnapshotSummary,
        _ words: PageText,
        _ folder: String
    ) -> HTML {
        let paths = (picture.alternates ?? []).map { "pictures/\($0).png" }
        let urls = paths.compactMap(RelativePath.url)
        guard !urls.isEmpty else { return "" }
        let links = urls.enumerated().map { number, url in
            " <a href=\"\(folder)\(url)\">\(number + 1)</a>" as HTML
        }
        return " <small>\(words.alternates)\(links)</small>"
    }

    /// Returns the attributes with a thumbnail's width and height, or, if they are unknown, a class
    /// that the style sheet sizes.
    private static func sides(_ size: PixelSize?) -> HTML {
        size.map { " width=\"\($0.width)\" height=\"\($0.height)\"" } ?? " class=\"unmade\""
    }
}
