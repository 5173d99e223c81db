// The cause of an unexpected test case in words, which every output uses: first the cause, last the
// host's load.

/// The causes of a run's unexpected test cases, with their unexpected pictures.
package struct TestCauses: Sendable {
    /// The key of the test case that a picture belongs to.
    package struct PictureOwner: Hashable, Sendable {
        let job: String
        let cell: String
        let test: String

        package init(of picture: SnapshotSummary) {
            job = picture.job
            cell = picture.cell
            test = picture.test
        }

        package init(_ test: TestSummary) {
            job = test.job
            cell = test.cell
            self.test = test.test
        }
    }

    private let titles: RunTitles
    private let open: [PictureOwner: [SnapshotSummary]]
    /// The unexpected pictures that no test of the run makes, in the summary's order.
    package let orphans: [SnapshotSummary]

    package init(_ summary: RunSummary, titles: RunTitles) {
        self.titles = titles
        var open: [PictureOwner: [SnapshotSummary]] = [:]
        for picture in summary.snapshots where !picture.verdict.isAsExpected {
            open[PictureOwner(of: picture), default: []].append(picture)
        }
        self.open = open
        let tests = open.isEmpty ? [] : Set(summary.tests.map { PictureOwner($0) })
        orphans = summary.snapshots.filter {
            !$0.verdict.isAsExpected && !tests.contains(PictureOwner(of: $0))
        }
    }

    /// Returns the unexpected pictures of a test, in the summary's order; empty if there are none.
    package func pictures(of test: TestSummary) -> [SnapshotSummary] {
        open.isEmpty ? [] : open[PictureOwner(test)] ?? []
    }

    /// Returns the cause of a test's verdict without the names of pictures: tests with equal words
    /// have one cause.
    ///
    /// If the verdict is about pictures or the test has no message, returns the words of the worst
    /// picture. Otherwise, or if there are none, returns the first line of the test's message;
    /// without a message, fixed words for the verdict.
    package func words(of test: TestSummary) -> String {
        if let picture = speaker(of: test), !picture.words.isEmpty { return picture.words }
        return messageParts(of: test).words.first ?? test.verdict.unsaid
    }

    /// Returns the cause of a test's verdict on one line, with the picture's name if the test's
    /// name differs from it.
    package func cause(of test: TestSummary) -> String {
        let words = words(of: test)
        guard let picture = speaker(of: test) else { return words }
        let rest = pictures(of: test).count - 1
        let name = titles.name(of: picture)
        if rest == 0, RunTitles.method(of: test).elementsEqual(name) { return words }
        let others = rest == 0 ? "" : rest == 1 ? " and 1 more" : " and \(rest) more"
        return "\(words.hasSuffix(".") ? String(words.dropLast()) : words) (\(name)\(others))"
    }

    /// Returns all lines about a test: the cause, the pictures, the test's own words, and the
    /// host's load.
    ///
    /// `line` returns a picture's line in the document.
    package func lines(
        of test: TestSummary,
        picture line: (SnapshotSummary) -> String
    ) -> [String] {
        let cause = cause(of: test)
        let said = messageParts(of: test)
        let isSaid = said.words.first == words(of: test)
        let rest = isSaid ? Array(said.words.dropFirst()) : said.words
        let pictures = pictures(of: test).map(line)
        let parts = test.isAboutPictures ? pictures + rest : rest + pictures
        return (cause.isEmpty ? [] : [cause]) + parts + said.load
    }

    /// Returns the first picture with the worst verdict, whose words are the cause, or `nil` if the
    /// cause is the test's own message.
    private func speaker(of test: TestSummary) -> SnapshotSummary? {
        guard test.isAboutPictures || messageParts(of: test).words.isEmpty else { return nil }
        return pictures(of: test).min { $0.verdict.severity > $1.verdict.severity }
    }

    /// Splits the test's message into the test's own lines and the remark on the host's load.
    private func messageParts(of test: TestSummary) -> (words: [String], load: [String]) {
        let lines = test.message.split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
        let remark = test.load?.remark
        let words = lines.filter { $0 != remark }.drop { $0.allSatisfy(\.isWhitespace) }
        return (Array(words), lines.filter { $0 == remark })
    }
}

extension Verdict? {
    /// The words for the cause if neither the test nor a picture of its last attempt has a message.
    fileprivate var unsaid: String {
        switch self {
        case nil: "the test got no verdict."
        case .flaky: "not every attempt made the same pictures."
        case .failed: "the test failed and said nothing."
        case .errored: "the test did not come to its end and said nothing."
        case .some(let verdict) where !verdict.isAsExpected:
            "a picture of it is \(verdict.rawValue)."
        case .some: ""
        }
    }
}

extension TestSummary {
    /// Whether the test's verdict is that of its pictures.
    package var isAboutPictures: Bool {
        switch verdict {
        case .changed, .moved, .new, .missing: true
        case nil, .failed, .errored, .unreached, .flaky, .passed, .inherited: false
        }
    }
}
