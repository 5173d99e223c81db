// The pages about flaky tests: one that ranks them, and one for each. Pure functions of what a
// ledger or a history recorded; the host says where runs and pictures are.
import FarmCore

/// The pages of some flaky tests.
package struct FlakyPages: Sendable {
    /// The addresses of what the pages link.
    package struct Links: Sendable {
        /// The list of flaky tests.
        package var list: String
        /// Returns the page of a test by ``FlakyTest/id``.
        package var test: @Sendable (String) -> String
        /// Returns the page of a run, or `nil` if there is none.
        package var run: @Sendable (RunID) -> String?
        /// Returns the address of a capture by its digest, or `nil` if it was not kept.
        package var picture: @Sendable (String) -> String?

        package init(
            list: String,
            test: @escaping @Sendable (String) -> String,
            run: @escaping @Sendable (RunID) -> String?,
            picture: @escaping @Sendable (String) -> String?
        ) {
            self.list = list
            self.test = test
            self.run = run
            self.picture = picture
        }
    }

    /// The most tests of the list.
    package static let testsMax = 200

    let found: FlakyTests
    let links: Links
    /// The tests of the list, those that take most time first.
    package let tests: [FlakyTest]

    package init(_ found: FlakyTests, links: Links) {
        self.found = found
        self.links = links
        tests = Array(found.byCost.prefix(Self.testsMax))
    }

    /// The captures that the page of a test shows, newest first, by their digests.
    package static func pictures(of test: FlakyTest) -> [String] {
        var seen: Set<String> = []
        let captures = test.evidence.flatMap(\.attempts).flatMap { $0.pictures ?? [] }
            .compactMap(\.capture)
        return Array(captures.filter { seen.insert($0).inserted }.prefix(FlakyTestPage.picturesMax))
    }

    // MARK: the list

    /// Returns the page that ranks the tests.
    package func list(in frame: RunsFrame) -> String {
        let text = frame.text
        guard !tests.isEmpty else {
            return frame.page(
                title: text.flakyTests,
                "<p class=\"quiet\">\(text.noFlakyTests(found.runs))</p>"
            )
        }
        let rest = found.tests.count - tests.count
        return frame.page(
            title: text.flakyTests,
            """
            <p class="quiet standing">\(text.flakyOrder(found.runs))</p>
            <div class="scroll list" tabindex="0" role="group" aria-label="\(text.flakyTests)">
            <table class="runs">
            <thead><tr><th scope="col">\(text.flakyRate)</th><th scope="col">\(text.test)</th>\
            <th scope="col">\(text.lastRuns)</th><th scope="col">\(text.cost)</th></tr></thead>
            <tbody>
            \(tests.map { row($0, frame) })</tbody>
            </table></div>
            \(rest > 0 ? "<p class=\"quiet\">\(text.moreTests(rest))</p>" : "" as HTML)\
            <p class="quiet">\(text.quarantineHint) <code>snapfarm quarantine</code></p>
            """
        )
    }

    private func row(_ test: FlakyTest, _ frame: RunsFrame) -> HTML {
        let text = frame.text
        return """
            <tr><td><span class="badge flaky">\(test.doubtfulRuns) / \(test.runs)</span></td>\
            <td><a href="\(links.test(test.id))"><bdi>\(Self.name(test))</bdi></a>\
            <small><bdi>\(Self.place(test))</bdi></small>\(Self.since(test, text))</td>\
            <td>\(Self.strip(test, text))</td>\
            <td>\(text.failedRuns(test.failedRuns))\
            <small>\(text.retries(test.retrySeconds))</small></td></tr>

            """
    }

    // MARK: parts of both pages

    static func name(_ test: FlakyTest) -> String {
        LegalText.clipped(LegalText.line(test.test.text), to: 200)
    }

    static func place(_ test: FlakyTest) -> String {
        test.cell == .host
            ? LegalText.line(test.job.text)
            : LegalText.line("\(test.cell.text) · \(test.job.text)")
    }

    static func since(_ test: FlakyTest, _ text: PageText) -> HTML {
        guard let first = test.since else { return "" }
        let commit = LegalText.line(String(first.commit.prefix(12)))
        return """
            <small>\(text.sinceCommit) <code>\(commit)</code> \(RunsFrame.time(first.started))</small>
            """
    }

    /// Returns the strip of a test's last results, the newest at the right.
    ///
    /// Heights tell good, flaky and bad apart without colours.
    static func strip(_ test: FlakyTest, _ text: PageText) -> HTML {
        let marks = test.recent.reversed().map { mark -> HTML in
            let run = LegalText.clipped(LegalText.line(mark.run.text), to: 60)
            let words = "\(text.verdict(mark.verdict)) · \(run)"
            return "<i class=\"\(mark.verdict.rawValue)\" title=\"\(words)\"></i>"
        }
        let words = text.stripWords(test)
        return "<span class=\"strip\" role=\"img\" aria-label=\"\(words)\">\(marks)</span>"
    }
}
