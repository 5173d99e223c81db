// The index of a place's published reports: one page for people, which also carries the facts, so
// that the next publication need not read them all again.
import FarmCore
import Foundation

/// The reports of a place, the newest first.
package struct ReportIndex: Sendable {
    package static let name = "index.html"
    /// The most reports on the page; older ones keep their addresses.
    package static let reportsMax = 1_000

    /// The listed reports, by the names of their facts' files.
    package let reports: [String: PublishedReport]

    /// Keeps the newest reports; of two publications under one name, the newer.
    package init(_ reports: [String: PublishedReport]) {
        var names: Set<String> = []
        let newest = reports.sorted { $0.key > $1.key }.filter {
            names.insert($0.value.name).inserted
        }
        self.reports = Dictionary(uniqueKeysWithValues: newest.prefix(Self.reportsMax).map { $0 })
    }

    // MARK: the facts in the page

    private static let opening = "<script type=\"application/json\" id=\"reports\">"
    private static let closing = "</script>"

    /// Reads the reports of a rendered page; empty if it is no such page.
    package init(page: Data) {
        let text = String(decoding: page, as: UTF8.self)
        guard let start = text.range(of: Self.opening),
            let end = text[start.upperBound...].range(of: Self.closing),
            let known = try? JSONDecoder().decode(
                [String: PublishedReport].self,
                from: Data(text[start.upperBound..<end.lowerBound].utf8)
            )
        else {
            self.init([:])
            return
        }
        self.init(known.filter { $0.value.schemaVersion == PublishedReport.currentVersion })
    }

    private var facts: HTML {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let bytes = (try? encoder.encode(reports)) ?? Data("{}".utf8)
        // No text can then end the script element.
        let text = String(decoding: bytes, as: UTF8.self).replacing("<", with: "\\u003c")
        return HTML(trusted: Self.opening + text + Self.closing)
    }

    // MARK: the page

    /// Renders the page.
    package func render() -> String {
        let words = PageLanguage.english.text
        let newest = reports.sorted { $0.key > $1.key }.map(\.value)
        let page: HTML = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(words.publishedReports)</title>
            <style>\(HTML(trusted: RunsFrame.style))</style>
            </head>
            <body>
            <header class="top">
            <p class="kicker">snapfarm</p>
            <h1>\(words.publishedReports)</h1>
            </header>
            <main>
            \(table(words.publishedReleases, newest.filter(\.isComparison), words))\
            \(table(words.runList, newest.filter { !$0.isComparison }, words))</main>
            \(facts)
            </body>
            </html>

            """
        return page.markup
    }

    private func table(_ title: String, _ rows: [PublishedReport], _ words: PageText) -> HTML {
        guard !rows.isEmpty else { return "" }
        return """
            <section>
            <h2>\(title)</h2>
            <div class="scroll list" tabindex="0" role="group" aria-label="\(title)">
            <table class="runs">
            <thead><tr><th scope="col">\(words.stateHead)</th><th scope="col">\(words.reportHead)</th>\
            <th scope="col">\(words.pipeline)</th><th scope="col">\(words.resultHead)</th>\
            <th scope="col">\(words.commit)</th></tr></thead>
            <tbody>
            \(rows.map { row($0, words) })</tbody>
            </table></div>
            </section>

            """
    }

    private func row(_ report: PublishedReport, _ words: PageText) -> HTML {
        let from = [report.branch, report.pullRequest].filter { !$0.isEmpty }
            .map { LegalText.clipped(LegalText.line($0), to: 60) }.joined(separator: " · ")
        let address = RelativePath.url(report.name + "/" + HTMLReport.zipName) ?? "#"
        return """
            <tr><td><span class="badge \(report.state.rawValue)">\(words.state(report.state))</span></td>\
            <td><a href="\(address)"><bdi>\(LegalText.line(report.title))</bdi></a>\
            <small>\(RunsFrame.time(report.published))</small></td>\
            <td><bdi>\(LegalText.line(report.pipeline))</bdi></td>\
            <td>\(LegalText.line(report.headline))</td>\
            <td><code>\(LegalText.line(String(report.commit.prefix(12))))</code>\
            <small><bdi>\(from)</bdi></small></td></tr>

            """
    }
}
