// The short answer about one cause, change, picture or test of a run: its cause first, then its
// pictures, the history of their reference, and the commands that lead on.
import FarmCore

/// A change in a short answer; the document of `show RUN CHANGE --json`, version 1.
package struct ChangeBrief: Hashable, Sendable, Codable {
    /// A cause that a change shows.
    package struct Cause: Hashable, Sendable, Codable {
        package var id: String
        package var words: String
    }

    /// A picture, or a test on a cell.
    package struct Record: Hashable, Sendable, Codable {
        /// The id of the picture, or the name of the test.
        package var id: String
        package var cell: String
        package var verdict: Verdict?
        package var words: String
        /// The test that made the picture.
        package var test: String?
        /// Width and height in pixels, such as `390x844`.
        package var size: String?
        package var differingPixels: Int?
        /// The differing pixels divided by all pixels, 0…1.
        package var share: Double?
        /// The paths of `reference`, `failed`, `diff`, `capture` and `other`: relative to the run's
        /// output folder, or absolute if they were written for this answer.
        package var files: [String: String]?
        package var decided: String?
        /// The lines of a text that differ, as the hunks of a unified diff.
        package var hunks: String?
        /// The message and the end of the output of a failed test.
        package var message: String?
        package var output: String?
        package var attempts: Int?
    }

    package var schemaVersion = 1
    /// The run's id.
    package var run: String
    package var kind: RunBrief.Kind
    package var id: String
    /// The cause and the screen, on one line.
    package var says: String
    package var verdict: Verdict?
    package var cells: String?
    package var causes: [Cause]?
    package var elements: [String]?
    package var decided: String?
    package var comments: [String]?
    package var records: [Record]
    package var total: Int
    package var cursor: String?
    /// The origin of the first picture's reference, as lines; `nil` if it is unknown.
    package var baseline: [String]?
    package var next: [NextStep]
}

extension ChangeBrief {
    /// Makes the answer about something that ``AskedChange`` found; `words` name the run in commands.
    ///
    /// - Throws: ``BriefError/cursor(_:)``.
    package init(
        _ asked: AskedChange,
        of summary: RunSummary,
        decided book: DecisionBook,
        words: RunWords,
        from cursor: String? = nil
    ) throws(BriefError) {
        let titles = RunTitles(summary)
        let isTest = asked.kind == .test
        let all =
            isTest
            ? asked.tests.map { Record($0, titles) }
            : asked.pictures.map { Record($0, book) }
        let page = try BriefPage(of: all, from: cursor)
        let first = asked.pictures.first
        let causes = Self.causes(asked, summary)
        self.init(
            run: summary.run.id,
            kind: asked.kind,
            id: asked.id,
            says: BriefText.line(Self.says(asked, causes, titles)),
            verdict: isTest ? asked.tests.first?.verdict : first?.verdict,
            cells: BriefText.some(asked.cells),
            causes: causes.isEmpty ? nil : causes,
            elements: asked.elements.isEmpty ? nil : asked.elements.prefix(10).map(BriefText.line),
            decided: BriefText.decided(asked.pictures, book),
            comments: BriefText.comments(asked.pictures, book),
            records: page.records,
            total: all.count,
            cursor: page.cursor,
            next: []
        )
        if let cursor = page.cursor {
            let rest = all.count - (Int(cursor) ?? 0)
            let command = words.show(asked.id, "--cursor \(cursor)")
            next.append(NextStep(command, "shows \(rest) more"))
        }
        if page.records.contains(where: { $0.files != nil }) {
            let command = words.show(asked.id, "--pictures DIR")
            next.append(NextStep(command, "writes these pictures into a folder"))
        }
        let known = DecidedPictures(summary)
        let isOpen = asked.pictures.contains { picture in
            (try? known.picture(picture.id)).map { $0.refusal == nil } ?? false
        }
        if let selection = asked.selection, isOpen, summary.publishObstacle == nil {
            next.append(
                NextStep(words.decide("reject", selection), "notes that they are wrong")
            )
            next.append(
                NextStep(words.decide("approve", selection), "accepts them, which is for people")
            )
        }
    }

    private static func causes(_ asked: AskedChange, _ summary: RunSummary) -> [Cause] {
        guard asked.kind != .cause else { return [] }
        let ids = Set(asked.pictures.flatMap { $0.causes ?? [] })
        return summary.genuineCauses.filter { ids.contains($0.id) }
            .map { Cause(id: $0.id, words: BriefText.line($0.words)) }
    }

    private static func says(
        _ asked: AskedChange,
        _ causes: [Cause],
        _ titles: RunTitles
    ) -> String {
        guard let first = asked.pictures.first, asked.kind != .cause else { return asked.words }
        let isExplained = asked.pictures.allSatisfy(\.isExplained) && !causes.isEmpty
        let cause = isExplained ? causes.map(\.words).joined(separator: "; ") : asked.words
        return "\(titles.title(of: first)) \(first.verdict.rawValue): \(cause)"
    }
}

extension ChangeBrief.Record {
    /// The roles of files that show a picture.
    private static let roles: Set = ["reference", "failed", "diff", "capture", "other"]

    fileprivate init(_ picture: SnapshotSummary, _ book: DecisionBook) {
        let failed = picture.files["failed"]
        let files = picture.files.filter { role, path in
            // A picture that differs has two names for one file.
            Self.roles.contains(role) && (role != "capture" || path != failed)
        }
        self.init(
            id: picture.id,
            cell: picture.cell,
            verdict: picture.verdict,
            words: BriefText.line(picture.words),
            test: BriefText.some(picture.test),
            size: picture.width > 0 ? "\(picture.width)x\(picture.height)" : nil,
            differingPixels: picture.differingPixels > 0 ? picture.differingPixels : nil,
            share: picture.share > 0 ? picture.share : nil,
            files: files.isEmpty ? nil : files,
            decided: BriefText.decided([picture], book),
            hunks: picture.hunks
        )
    }

    fileprivate init(_ test: TestSummary, _ titles: RunTitles) {
        self.init(
            id: test.test,
            cell: test.cell,
            verdict: test.verdict,
            words: BriefText.line(titles.title(of: test)),
            message: BriefText.end(test.message),
            output: BriefText.end(test.output),
            attempts: test.attempts
        )
    }
}

/// A cause, change, picture or test of a run, found by its id.
package struct AskedChange: Sendable {
    package let kind: RunBrief.Kind
    package let id: String
    let words: String
    let cells: String
    let elements: [String]
    /// The pictures, those that show the most first; empty for a test.
    package let pictures: [SnapshotSummary]
    let tests: [TestSummary]

    /// The fewest digits that name a cause or change by the beginning of its id.
    private static let prefixMin = 4

    /// Finds what `name` names: the id of a cause or change or its beginning, the screen of a
    /// change as answers name it, a picture or a test.
    ///
    /// - Throws: ``BriefError`` if there is no such thing, or more than one.
    package init(_ name: String, in summary: RunSummary) throws(BriefError) {
        let causes = PictureCause.all(of: summary)
        let changes = RunFindings(summary).changes
        let ids = (causes.map(\.id) + changes.map(\.id)).filter {
            $0 == name || name.utf8.count >= Self.prefixMin && $0.hasPrefix(name)
        }
        let found = Set(ids)
        if found.count > 1, !found.contains(name) {
            throw .ambiguous(name, count: found.count)
        }
        let id = found.contains(name) ? name : found.first
        if let cause = causes.first(where: { $0.id == id }) {
            self.init(cause, summary)
        } else if let change = changes.first(where: { $0.id == id }) {
            self.init(change)
        } else if let change = changes.first(where: { $0.isNamed(name, RunTitles(summary)) }) {
            self.init(change)
        } else if let picture = summary.snapshots.first(where: { $0.id == name }) {
            self.init(
                kind: .picture,
                id: picture.id,
                words: picture.words,
                cells: "",
                elements: picture.elements.map(ElementChange.lines) ?? [],
                pictures: [picture],
                tests: []
            )
        } else {
            let tests = summary.tests.filter { $0.test == name }
            let open = tests.filter { $0.verdict?.isAsExpected != true }
            guard let first = (open + tests).first else {
                throw .unknown(name, run: summary.run.id)
            }
            self.init(
                kind: .test,
                id: name,
                words: RunFindings(summary).causes.cause(of: first),
                cells: "",
                elements: [],
                pictures: [],
                tests: open.isEmpty ? tests : open
            )
        }
    }

    private init(_ cause: PictureCause, _ summary: RunSummary) {
        let shown = Set(cause.shown.map(\.id))
        let others = (summary.picturesByCause[cause.id] ?? []).filter { !shown.contains($0.id) }
        self.init(
            kind: .cause,
            id: cause.id,
            words: "\(RunTitles(summary).name(of: cause)), \(cause.extent)",
            cells: cause.cells,
            elements: cause.elements,
            pictures: cause.shown + others,
            tests: []
        )
    }

    private init(_ change: ChangeFinding) {
        self.init(
            kind: .change,
            id: change.id,
            words: change.words,
            cells: change.cells,
            elements: change.shown.elements.map(ElementChange.lines) ?? [],
            pictures: change.pictures,
            tests: []
        )
    }

    private init(
        kind: RunBrief.Kind,
        id: String,
        words: String,
        cells: String,
        elements: [String],
        pictures: [SnapshotSummary],
        tests: [TestSummary]
    ) {
        self.kind = kind
        self.id = id
        self.words = words
        self.cells = cells
        self.elements = elements
        self.pictures = pictures
        self.tests = tests
    }

    /// The option of `approve` and `reject` that selects these pictures, or `nil` for a test and
    /// for a name that a pattern cannot spell.
    package var selection: String? {
        switch kind {
        case .cause: "--select cause=\(id)"
        case .change: "--change \(id)"
        case .picture where !id.contains(where: { "*?[]{}\\".contains($0) }):
            "--select \(RunWords.word("snapshot=\(id)"))"
        case .picture, .test, .problem, .note: nil
        }
    }
}

extension ChangeFinding {
    /// Whether a name is that of the change's screen, in full or as a title.
    fileprivate func isNamed(_ name: String, _ titles: RunTitles) -> Bool {
        name == "\(shown.suite)/\(shown.name)" || name == titles.title(of: shown)
    }
}
