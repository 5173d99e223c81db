// The data that all sections of one page share: the run, the page's place and language, and numbers
// for cells and suites, because a page names each of them thousands of times.
import FarmCore

struct PageContext {
    let run: PageRun
    let text: PageText
    let links: PageLinks
    /// The place of the page's file on a disk, or `nil` if a host serves the page (`HostedPage`).
    let place: HTMLReport.Place?
    /// The data for decisions, or `nil` if the page takes no decisions.
    let review: PageReview?
    /// The part of the run that the page shows; a page on a disk shows all.
    let query: PageQuery
    /// The pictures that were rejected before the run ended; empty on a host's page, whose cards
    /// show them.
    var rejected = RejectedPictures()
    /// The two sides of a comparison, or `nil` for a run.
    let compared: ComparedSides?
    private let suiteNumbers: [String: Int]

    init(
        _ run: PageRun,
        _ language: PageLanguage,
        place: HTMLReport.Place?,
        review: PageReview?,
        query: PageQuery = PageQuery()
    ) {
        self.run = run
        self.query = query
        self.place = place
        self.review = review
        compared = nil
        text = language.text
        links = PageLinks(place, files: review?.addresses.files ?? "")
        suiteNumbers = Self.numbers(of: run.suites)
    }

    /// Makes the context of the page of a comparison.
    init(_ run: PageRun, _ language: PageLanguage, comparing sides: ComparedSides) {
        self.run = run
        query = PageQuery()
        place = .comparison
        review = nil
        compared = sides
        text = PageText(language: language, isComparison: true)
        links = PageLinks(.comparison, files: "")
        suiteNumbers = Self.numbers(of: run.suites)
    }

    private static func numbers(of suites: [String]) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: suites.enumerated().map { ($1, $0) })
    }

    var summary: RunSummary { run.summary }
    var findings: RunFindings { run.findings }
    var cells: CellDirectory { run.cells }
    var words: TestWords { run.words }
    var suites: [String] { run.suites }
    var titles: RunTitles { findings.titles }

    /// Whether the page has buttons that decide.
    var mayDecide: Bool { review?.mayDecide ?? false }

    /// Returns the attributes of an entry that the page's filter reads: verdict, cells and suite.
    func filterable(_ verdict: Verdict?, cells ids: some Sequence<String>, suite: String?) -> HTML {
        let place = suite.flatMap { suiteNumbers[$0] }.map { " data-s=\"\($0)\"" as HTML }
        return """
            data-v="\(PagePart.key(verdict))" data-c="\(numbers(of: ids))"\(place ?? "")
            """
    }

    /// Returns the numbers of cells in the matrix as ranges: `0-23 25`.
    private func numbers(of ids: some Sequence<String>) -> String {
        var ranges: [ClosedRange<Int>] = []
        for number in Set(ids.compactMap(cells.number)).sorted() {
            if let last = ranges.last, last.upperBound + 1 == number {
                ranges[ranges.count - 1] = last.lowerBound...number
            } else {
                ranges.append(number...number)
            }
        }
        return ranges.map { range in
            range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
        }.joined(separator: " ")
    }

    /// Returns the word of a verdict with its sign and colour, as markup.
    func badge(_ verdict: Verdict?) -> HTML {
        """
        <span class="badge \(PagePart.key(verdict))">\(Wording.sign(verdict)) \
        \(text.verdict(verdict))</span>
        """
    }

    /// Returns the value of the filter for a cell: its id on a host's page, its number on a disk.
    func filterValue(cell id: String) -> String { review == nil ? "\(cells.number(id) ?? 0)" : id }

    /// Returns a paragraph with the title of a cell: `iPhone 8 (13.1) dark · ja`.
    func configuration(_ cell: String) -> HTML {
        "<p class=\"on\"><bdi>\(LegalText.line(cells.title(cell)))</bdi></p>"
    }

    /// Returns the test that made a picture, or an empty text if the test is named like the
    /// picture.
    func test(of picture: SnapshotSummary) -> String {
        picture.test == "\(picture.suite)/\(picture.name)" ? "" : picture.test
    }

    /// Returns a sentence about the number of entries that a limit left out; empty if it is 0.
    func rest(_ count: Int, _ thing: PageThing) -> HTML {
        count <= 0 ? "" : "<p class=\"quiet\">\(text.rest(count, thing))</p>\n"
    }
}

extension String {
    /// Returns the text with `parts` in place of `{1}`, `{2}` and `{3}`.
    func with(_ parts: String...) -> String {
        // In one pass: a part may itself contain such a mark.
        var filled = ""
        var rest = self[...]
        while let brace = rest.firstIndex(of: "{") {
            filled += rest[..<brace]
            rest = rest[brace...]
            let digit = rest.dropFirst().first?.wholeNumberValue ?? 0
            guard parts.indices.contains(digit - 1) else { break }
            filled += parts[digit - 1]
            rest = rest.dropFirst(3)
        }
        return filled + rest
    }
}
