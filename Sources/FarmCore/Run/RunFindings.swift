// The findings of a run, for people. Problems that differ only in what they are about are one line.
// Tests and pictures that follow from a problem are counted there and not listed. Tests with one
// cause are one line. Terminal, page, report, comment and annotations use these findings;
// summary.json and JUnit list each test and picture by itself.

/// A problem for people, with the number of equal problems.
package struct ProblemFinding: Hashable, Sendable {
    /// The first of the equal problems, with titles of pictures in place of ids in its message.
    package let problem: Problem
    /// The names of the tests or pictures that the problems are about, the first problem's first;
    /// may be empty.
    fileprivate let names: [String]
    /// The number of equal problems, which are shown as this one.
    package let count: Int
    /// The number of tests that follow from the problem; `pictures` is that of the pictures.
    package fileprivate(set) var tests = 0
    package fileprivate(set) var pictures = 0

    /// The most tests or pictures that a line names.
    private static let namesMax = 5

    /// The first problem's message, followed by the names that the other problems are about.
    package var message: String {
        guard count > 1 else { return problem.message }
        let others = names.dropFirst()
        guard !others.isEmpty else { return "\(problem.message) (\(count) times)" }
        let rest = others.count > Self.namesMax ? "" : "."
        return "\(problem.message) The same of \(others.count) more: \(Self.list(others))\(rest)"
    }

    /// The names of the tests or pictures that the problems are about, as a list in one line; may
    /// be empty.
    package var named: String { Self.list(names[...]) }

    private static func list(_ names: ArraySlice<String>) -> String {
        names.prefix(namesMax).joined(separator: ", ") + (names.count > namesMax ? ", …" : "")
    }

    /// The sentence about the tests and pictures that follow from the problem, `1 test and 12
    /// pictures follow from it.`; empty if none does.
    package var follows: String {
        let parts = [(tests, "test"), (pictures, "picture")].filter { $0.0 > 0 }
            .map { $0.0 == 1 ? "1 \($0.1)" : "\($0.0) \($0.1)s" }
        guard !parts.isEmpty else { return "" }
        let verb = tests + pictures == 1 ? "follows" : "follow"
        return "\(parts.joined(separator: " and ")) \(verb) from it."
    }
}

/// The tests of a run with one verdict and one cause.
package struct CauseFinding: Hashable, Sendable {
    /// The tests in the summary's order; never empty.
    package let tests: [TestSummary]
    /// The tests' cause in words, on one line.
    package let cause: String
    package var verdict: Verdict? { tests.first?.verdict }
}

/// The pictures of a run with one verdict and equal words.
package struct PictureFinding: Hashable, Sendable {
    /// The pictures in the summary's order; never empty.
    package let pictures: [SnapshotSummary]
    package let words: String
    package var verdict: Verdict? { pictures.first?.verdict }
}

/// The findings of one run for people: its problems, changes and causes.
package struct RunFindings: Sendable {
    package let titles: RunTitles
    package let causes: TestCauses
    /// The problems that affect the run's result, then those that are only notes.
    package let problems: [ProblemFinding]
    /// The changes of the run, with all pictures that are not as expected.
    package let changes: [ChangeFinding]
    private let followingTests: Set<TestCauses.PictureOwner>
    private let followingPictures: Set<String>
    private let openPictures: Set<String>

    package init(_ summary: RunSummary) {
        titles = RunTitles(summary)
        causes = TestCauses(summary, titles: titles)
        var groups = ProblemGroups(summary, titles)
        var pictures: Set<String> = []
        let open = summary.openPictures
        for picture in open where groups.take(picture) {
            pictures.insert(picture.id)
        }
        let ids = Set(open.lazy.map(\.id))
        openPictures = ids
        changes = ChangeFinding.all(of: summary) { ids.contains($0.id) }
        var tests: Set<TestCauses.PictureOwner> = []
        for test in summary.tests where test.verdict?.isAsExpected != true {
            if groups.take(test, pictures: causes.pictures(of: test), following: pictures) {
                tests.insert(TestCauses.PictureOwner(test))
            }
        }
        problems = groups.findings
        followingTests = tests
        followingPictures = pictures
    }

    /// Whether the picture is not as expected in this run.
    package func isOpen(_ picture: SnapshotSummary) -> Bool { openPictures.contains(picture.id) }

    /// Whether the run misses pictures that no problem of the run explains.
    ///
    /// No test makes these pictures any more; an approval with `--remove-missing` removes them.
    package func hasRemovals(_ summary: RunSummary) -> Bool {
        summary.openPictures.contains { $0.verdict == .missing && !isExplained($0) }
    }

    /// Whether a problem of the run already explains the verdict of this picture.
    package func isExplained(_ picture: SnapshotSummary) -> Bool {
        followingPictures.contains(picture.id)
    }

    /// Whether a problem of the run already explains the verdict of this test.
    package func isExplained(_ test: TestSummary) -> Bool {
        !followingTests.isEmpty && followingTests.contains(TestCauses.PictureOwner(test))
    }

    /// Returns the tests grouped by verdict and cause, in the order of each group's first test.
    package func grouped(_ tests: [TestSummary]) -> [CauseFinding] {
        struct Cause: Hashable {
            let verdict: Verdict?
            let words: String
        }
        let groups = Self.alike(tests) {
            Cause(verdict: $0.verdict, words: causes.words(of: $0))
        }
        return groups.map { group in
            let only = group.items.count == 1 ? group.items.first : nil
            let cause = only.map { causes.cause(of: $0) } ?? group.key.words
            return CauseFinding(tests: group.items, cause: cause)
        }
    }

    /// Returns the pictures grouped by verdict and words, in the order of each group's first
    /// picture.
    package func grouped(_ pictures: [SnapshotSummary]) -> [PictureFinding] {
        struct Look: Hashable {
            let verdict: Verdict
            let words: String
        }
        return Self.alike(pictures) { Look(verdict: $0.verdict, words: $0.words) }
            .map { PictureFinding(pictures: $0.items, words: $0.key.words) }
    }

    private static func alike<Item, Key: Hashable>(
        _ items: [Item],
        by key: (Item) -> Key
    ) -> [(key: Key, items: [Item])] {
        var places: [Key: Int] = [:]
        var groups: [(key: Key, items: [Item])] = []
        for item in items {
            let own = key(item)
            if let place = places[own] {
                groups[place].items.append(item)
            } else {
                places[own] = groups.count
                groups.append((own, [item]))
            }
        }
        return groups
    }
}

/// The problems by kind, with the tests and pictures that follow from each.
private struct ProblemGroups {
    private(set) var findings: [ProblemFinding] = []
    /// Indices in `findings` by the problem's code; `named` has them by code and name.
    private var places: [String: Int] = [:]
    private var named: [Name: Int] = [:]

    private struct Name: Hashable {
        let code: String
        let about: String
    }

    /// The codes of problems that leave tests without a verdict.
    private static let endings = ["stopped-early", Problem.abandonedCode]

    init(_ summary: RunSummary, _ titles: RunTitles) {
        var kinds: [Problem: [Problem]] = [:]
        var order: [Problem] = []
        for problem in summary.problemsByWeight {
            let kind = problem.kind
            if kinds[kind] == nil { order.append(kind) }
            kinds[kind, default: []].append(problem)
        }
        let known = Self.titles(of: summary, titles)
        for kind in order {
            let alike = kinds[kind] ?? []
            guard let first = alike.first else { continue }
            for problem in alike {
                named[Name(code: problem.code, about: problem.about ?? "")] = findings.count
            }
            if places[first.code] == nil { places[first.code] = findings.count }
            let names = alike.compactMap { problem in problem.about.map { known[$0] ?? $0 } }
            findings.append(
                ProblemFinding(
                    problem: first.called(first.about.flatMap { known[$0] }),
                    names: names,
                    count: alike.count
                )
            )
        }
    }

    /// Returns the titles of the pictures that problems are about, by their ids.
    private static func titles(
        of summary: RunSummary,
        _ titles: RunTitles
    ) -> [String: String] {
        let ids = Set(summary.problems.compactMap(\.about))
        guard !ids.isEmpty else { return [:] }
        let pictures = summary.snapshots.filter { ids.contains($0.id) }
        return Dictionary(pictures.map { ($0.id, titles.place(of: $0)) }) { first, _ in first }
    }

    /// Counts a picture under the problem that the picture follows from; returns whether there is
    /// one.
    mutating func take(_ picture: SnapshotSummary) -> Bool {
        let folder = picture.suite.prefix { $0 != "/" }
        let causes: [Name] =
            switch picture.verdict {
            case .flaky: [Name(code: "unstable-picture", about: picture.id)]
            case .missing where picture.test.isEmpty:
                [
                    Name(code: "references-without-owner", about: "\(picture.cell)/\(folder)"),
                    Name(code: "no-pictures", about: picture.job),
                ]
            case .missing: [Name(code: "no-pictures", about: picture.job)]
            default: []
            }
        guard let place = causes.compactMap({ named[$0] }).first else { return false }
        findings[place].pictures += 1
        return true
    }

    /// Counts a test under the problem that the test follows from; returns whether there is one.
    ///
    /// A test follows from a problem if only its pictures are wrong and they follow from the
    /// problem, or if the run ended before the test ran.
    mutating func take(
        _ test: TestSummary,
        pictures: [SnapshotSummary],
        following: Set<String>
    ) -> Bool {
        if test.verdict == nil {
            guard let place = Self.endings.compactMap({ places[$0] }).first else { return false }
            findings[place].tests += 1
            return true
        }
        guard test.verdict == .missing || test.verdict == .flaky, let first = pictures.first,
            pictures.allSatisfy({ following.contains($0.id) })
        else { return false }
        let code = first.verdict == .flaky ? "unstable-picture" : "no-pictures"
        let about = first.verdict == .flaky ? first.id : first.job
        guard let place = named[Name(code: code, about: about)] else { return false }
        findings[place].tests += 1
        return true
    }
}

extension Problem {
    /// The problem with a placeholder for the name that it is about; equal for problems that differ
    /// only in the name.
    fileprivate var kind: Problem {
        guard let about, !about.isEmpty else { return self }
        let sign = "\u{FFFC}"
        return Problem(
            code: code,
            message: message.replacing(about, with: sign),
            remedy: remedy.replacing(about, with: sign),
            about: sign
        )
    }

    /// Returns the problem with `name` in place of the id in its message.
    ///
    /// The remedy keeps the id, so that it can be copied.
    fileprivate func called(_ name: String?) -> Problem {
        guard let name, let about, !about.isEmpty else { return self }
        var problem = self
        problem.message = message.replacing(about, with: name)
        return problem
    }
}
