// The short answer about a run, for people and for programs with a small context: the verdict, then
// what makes the run red, causes first, and the commands that lead on. docs/schema/answers.schema.json
// is its schema.
import FarmCore

/// A run in a short answer; the document of `show RUN --json`, version 1.
package struct RunBrief: Hashable, Sendable, Codable {
    /// The facts that identify a run.
    package struct Run: Hashable, Sendable, Codable {
        package var id: String
        package var pipeline: String
        package var mode: RunMode
        package var state: RunState
        package var branch: String?
        package var commit: String?
        package var pullRequest: String?
        package var finished: String?
        /// The part of the pipeline that was run, or `nil` for a whole run.
        package var part: String?
    }

    /// The kind of a record.
    package enum Kind: String, Hashable, Sendable, Codable {
        /// A problem that makes the run red, or a note.
        case problem, note
        case cause, change, test
        /// One picture; only answers about it have this kind.
        case picture
    }

    /// Something that makes the run red, or a note.
    package struct Record: Hashable, Sendable, Codable {
        package var kind: Kind
        /// The id of a cause, change or test, or the code of a problem.
        package var id: String
        package var verdict: Verdict?
        /// The cause or the difference on one line.
        package var words: String
        /// The screen or test for people.
        package var title: String?
        /// The cells on one line, or `nil` if there is only one.
        package var cells: String?
        /// The numbers of pictures, screens and test cases, or `nil` where they say nothing.
        package var pictures: Int?
        package var screens: Int?
        package var tests: Int?
        /// The changes of elements that the pictures share.
        package var elements: [String]?
        /// The ids of the causes that explain a part of a change.
        package var causes: [String]?
        package var remedy: String?
        /// The decisions about the pictures in words, or `nil` if there are none.
        package var decided: String?
    }

    package var schemaVersion = 1
    package var run: Run
    /// The verdict and its reason, on one line.
    package var says: String
    /// The numbers of test cases by verdict, without zeros.
    package var counts: [String: Int]
    package var records: [Record]
    /// The number of all records.
    package var total: Int
    /// The cursor of the next records, or `nil` if these are the last.
    package var cursor: String?
    package var next: [NextStep]

    /// Makes the answer about a run; `words` name the run in commands.
    ///
    /// - Throws: ``BriefError/cursor(_:)``.
    package init(
        _ summary: RunSummary,
        decided book: DecisionBook,
        words: RunWords,
        from cursor: String? = nil
    ) throws(BriefError) {
        run = Run(summary)
        says = BriefText.line(
            "\(summary.state.rawValue): \(Wording.headline(summary))\(Self.cause(of: summary))"
        )
        counts = summary.counts.byName
        let all = RunRecords(summary, book).all
        let page = try BriefPage(of: all, from: cursor)
        records = page.records
        total = all.count
        self.cursor = page.cursor
        next = []
        if let first = page.records.first(where: { $0.isAskable }) {
            next.append(NextStep(words.show(first.id), "shows the first \(first.kind.rawValue)"))
        }
        if let cursor = page.cursor {
            let rest = all.count - (Int(cursor) ?? 0)
            next.append(NextStep(words.show(nil, "--cursor \(cursor)"), "shows \(rest) more"))
        }
        if let obstacle = summary.publishObstacle {
            if summary.exitCode != 0 {
                next.append(NextStep("snapfarm run", BriefText.line(obstacle.description)))
            }
        } else if all.contains(where: { $0.kind == .cause || $0.kind == .change }) {
            next.append(NextStep(words.review, "shows a person the pictures, to accept or reject"))
        }
    }
}

extension RunBrief {
    /// Returns how much the run's causes explain, and the first of them; empty without causes.
    private static func cause(of summary: RunSummary) -> String {
        let causes = PictureCause.all(of: summary)
        guard let first = causes.first else { return "" }
        let name = RunTitles(summary).name(of: first)
        let count = PictureCause.count(causes, of: summary)
        return " \(count)\(causes.count == 1 ? ": " : ", first: ")\(name)"
    }
}

extension RunBrief.Record {
    /// Whether `show RUN ID` tells more about the record.
    fileprivate var isAskable: Bool { kind != .problem && kind != .note }
}

extension RunBrief.Run {
    init(_ summary: RunSummary) {
        let facts = summary.run
        self.init(
            id: facts.id,
            pipeline: facts.pipeline,
            mode: facts.mode,
            state: summary.state,
            branch: BriefText.some(facts.branch),
            commit: BriefText.some(facts.commit),
            pullRequest: BriefText.some(facts.pullRequest),
            finished: BriefText.some(facts.finished),
            part: facts.partName.map(BriefText.line)
        )
    }
}

extension VerdictCounts {
    /// The counts by the names that they have in `summary.json`, without zeros.
    fileprivate var byName: [String: Int] {
        let all = [
            "planned": planned, "passed": passed, "skipped": skipped, "changed": changed,
            "moved": moved, "new": new, "missing": missing, "unreached": unreached, "flaky": flaky,
            "failed": failed, "errored": errored, "inherited": inherited,
            "withoutVerdict": withoutVerdict,
        ]
        return all.filter { $0.value > 0 }
    }
}

/// The records of a run: problems, causes, changes that no cause explains, failed tests, notes.
private struct RunRecords {
    let all: [RunBrief.Record]

    init(_ summary: RunSummary, _ book: DecisionBook) {
        let findings = RunFindings(summary)
        let causes = PictureCause.all(of: summary)
        let ofCause = summary.picturesByCause
        let known = Set(causes.map(\.id))
        let problems = findings.problems.map(Self.record)
        let changes = findings.changes.filter { change in
            !change.pictures.allSatisfy {
                $0.isExplained && known.isSuperset(of: $0.causes ?? [])
            }
        }
        all =
            problems.filter { $0.kind == .problem }
            + causes.map { Self.record($0, findings.titles, ofCause[$0.id] ?? [], book) }
            + changes.map { Self.record($0, findings.titles, book) }
            + Self.tests(summary, findings)
            + problems.filter { $0.kind == .note }
    }

    private static func record(_ finding: ProblemFinding) -> RunBrief.Record {
        var record = RunBrief.Record(
            kind: finding.problem.isNote ? .note : .problem,
            id: finding.problem.code,
            words: BriefText.line(finding.message)
        )
        record.remedy = BriefText.some(finding.problem.remedy)
        record.pictures = finding.pictures > 0 ? finding.pictures : nil
        record.tests = finding.tests > 0 ? finding.tests : nil
        return record
    }

    private static func record(
        _ cause: PictureCause,
        _ titles: RunTitles,
        _ pictures: [SnapshotSummary],
        _ book: DecisionBook
    ) -> RunBrief.Record {
        var record = RunBrief.Record(
            kind: .cause,
            id: cause.id,
            verdict: cause.shown.first?.verdict,
            words: BriefText.line(titles.name(of: cause))
        )
        record.cells = BriefText.line(cause.cells)
        record.pictures = cause.pictures
        record.screens = cause.screens
        record.elements =
            cause.elements.isEmpty ? nil : cause.elements.prefix(3).map(BriefText.line)
        record.decided = BriefText.decided(pictures, book)
        return record
    }

    private static func record(
        _ change: ChangeFinding,
        _ titles: RunTitles,
        _ book: DecisionBook
    ) -> RunBrief.Record {
        var record = RunBrief.Record(
            kind: .change,
            id: change.id,
            verdict: change.verdict,
            words: BriefText.line(change.words)
        )
        record.title = BriefText.line(titles.title(of: change.shown))
        record.cells = BriefText.line(change.cells)
        record.pictures = change.pictures.count
        record.causes = change.shown.causes
        record.decided = BriefText.decided(change.pictures, book)
        return record
    }

    /// Returns the tests that failed by themselves: those with bad pictures are among the changes.
    private static func tests(
        _ summary: RunSummary,
        _ findings: RunFindings
    ) -> [RunBrief.Record] {
        let tests = summary.tests.filter { test in
            test.verdict?.isAsExpected != true && !findings.isExplained(test)
                && !(test.isAboutPictures && !findings.causes.pictures(of: test).isEmpty)
        }
        let groups = findings.grouped(tests).sorted {
            ($0.verdict?.severity ?? .max) > ($1.verdict?.severity ?? .max)
        }
        return groups.map { group in
            let first = group.tests[0]
            var record = RunBrief.Record(
                kind: .test,
                id: first.test,
                verdict: group.verdict,
                words: BriefText.line(group.cause)
            )
            record.title = BriefText.line(findings.titles.title(of: first))
            record.tests = group.tests.count
            return record
        }
    }
}
