// Why a test case is not as expected, first the cause: every output says it in these words.

/// The open pictures and the words of a run's test cases.
package struct TestCauses {
    private struct Owner: Hashable {
        let job: String
        let cell: String
        let test: String
    }

    private let open: [Owner: [SnapshotSummary]]
    /// Pictures that are not as expected and that no test of the run makes, in the summary's order.
    package let orphans: [SnapshotSummary]

    package init(_ summary: RunSummary) {
        var open: [Owner: [SnapshotSummary]] = [:]
        for picture in summary.snapshots where picture.verdict != .passed {
            let owner = Owner(job: picture.job, cell: picture.cell, test: picture.test)
            open[owner, default: []].append(picture)
        }
        self.open = open
        let tests =
            open.isEmpty
            ? [] : Set(summary.tests.map { Owner(job: $0.job, cell: $0.cell, test: $0.test) })
        orphans = summary.snapshots.filter { picture in
            picture.verdict != .passed
                && !tests.contains(
                    Owner(job: picture.job, cell: picture.cell, test: picture.test)
                )
        }
    }

    /// The pictures of a test that are not as expected, in the summary's order.
    package func pictures(of test: TestSummary) -> [SnapshotSummary] {
        guard !open.isEmpty else { return [] }
        return open[Owner(job: test.job, cell: test.cell, test: test.test)] ?? []
    }

    /// One line: what a picture shows where the verdict is that of a picture, else what the test
    /// said; empty where there is nothing to say.
    package func cause(of test: TestSummary) -> String {
        let pictures = pictures(of: test)
        let said = test.message.split(separator: "\n").first.map(String.init) ?? ""
        guard test.isAboutPictures || said.isEmpty, let worst = pictures.worst else {
            return said.isEmpty ? test.verdict.unsaid : said
        }
        let rest = pictures.count - 1
        let others = rest == 0 ? "" : rest == 1 ? " 1 more picture." : " \(rest) more pictures."
        return "\(worst.title): \(worst.words)\(others)"
    }

    /// The cause, then all else that is known: the other pictures and the test's own words.
    package func lines(of test: TestSummary) -> [String] {
        let cause = cause(of: test)
        let pictures = pictures(of: test).map { "\($0.verdict.rawValue): \($0.id): \($0.words)" }
        let said = test.message.split(separator: "\n").map(String.init).filter { $0 != cause }
        return ([cause] + pictures + said).filter { !$0.isEmpty }
    }
}

extension Verdict? {
    /// The cause where neither the test nor a picture of its last attempt has a word.
    fileprivate var unsaid: String {
        switch self {
        case nil: "the test got no verdict."
        case .flaky: "not every attempt made the same pictures."
        default: ""
        }
    }
}

extension [SnapshotSummary] {
    /// The first of the worst verdict.
    fileprivate var worst: SnapshotSummary? {
        self.min { $0.verdict.severity > $1.verdict.severity }
    }
}

extension SnapshotSummary {
    /// What people call the picture, within its suite.
    package var title: String { identifier.isEmpty ? name : identifier }
}

extension TestSummary {
    /// Its verdict is that of its pictures.
    package var isAboutPictures: Bool {
        switch verdict {
        case .changed, .moved, .new, .missing: true
        case nil, .failed, .errored, .unreached, .flaky, .passed: false
        }
    }
}
