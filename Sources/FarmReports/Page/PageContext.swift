// What all sections of one page share: the run, where the page lies, its language, and numbers that
// stand for cells and suites, because a page names each of them thousands of times.
import FarmCore

struct PageContext {
    let run: PageRun
    let text: PageText
    let links: PageLinks
    /// Nil on a host.
    let place: HTMLReport.Place?
    /// Nil where nobody decides.
    let review: PageReview?
    /// What of the run is shown; all of it on a disk.
    let query: PageQuery
    /// Pictures that were rejected before the run ended; empty on a host's page, whose cards show it.
    var rejected = RejectedPictures()
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
        text = language.text
        links = PageLinks(place, files: review?.addresses.files ?? "")
        suiteNumbers = Dictionary(
            uniqueKeysWithValues: run.suites.enumerated().map { ($1, $0) }
        )
    }

    var summary: RunSummary { run.summary }
    var findings: RunFindings { run.findings }
    var cells: CellDirectory { run.cells }
    var words: TestWords { run.words }
    var suites: [String] { run.suites }
    var titles: RunTitles { findings.titles }

    /// Whether the page has buttons.
    var mayDecide: Bool { review?.mayDecide ?? false }

    /// The attributes a filter reads.
    func filterable(_ verdict: Verdict?, cells ids: some Sequence<String>, suite: String?) -> HTML {
        let place = suite.flatMap { suiteNumbers[$0] }.map { " data-s=\"\($0)\"" as HTML }
        return """
            data-v="\(PagePart.key(verdict))" data-c="\(numbers(of: ids))"\(place ?? "")
            """
    }

    /// `0-23 25`.
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

    /// The word of a verdict with its sign and colour.
    func badge(_ verdict: Verdict?) -> HTML {
        """
        <span class="badge \(PagePart.key(verdict))">\(Wording.sign(verdict)) \
        \(text.verdict(verdict))</span>
        """
    }

    /// What the filter calls a cell: hosts get its id, a page on a disk has its number at each card.
    func filterValue(cell id: String) -> String { review == nil ? "\(cells.number(id) ?? 0)" : id }

    /// `iPhone 8 (13.1) dark · ja`.
    func configuration(_ cell: String) -> HTML {
        "<p class=\"on\"><bdi>\(LegalText.line(cells.title(cell)))</bdi></p>"
    }

    /// The test that made a picture; empty where it is called as the picture is.
    func test(of picture: SnapshotSummary) -> String {
        picture.test == "\(picture.suite)/\(picture.name)" ? "" : picture.test
    }

    /// Says what a limit left out; empty for nothing.
    func rest(_ count: Int, _ thing: PageThing) -> HTML {
        count <= 0 ? "" : "<p class=\"quiet\">\(text.rest(count, thing))</p>\n"
    }
}

extension String {
    /// A text of the page with what stands for `{1}`, `{2}` and `{3}`.
    func with(_ parts: String...) -> String {
        // In one pass: what is put in may itself hold a mark.
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
