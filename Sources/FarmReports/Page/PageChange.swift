// One change of a run for the page, with its pictures and the decisions about them. If the
// summary's program did not group pictures into changes, each picture is one change.
import FarmCore

struct PageChange {
    /// The id of the change's element in the page.
    let id: String
    /// The form's field that stands for the whole change: `change` with its id, or `snapshot` with
    /// the id of its only picture if the run does not know the change.
    let field: FormField
    let words: String
    /// The cells of the change, in words for people.
    let place: String
    /// The pictures of the change, in the order of the matrix; never empty.
    let pictures: [SnapshotSummary]
    /// The pictures of the change that people can decide about.
    let decidable: [SnapshotSummary]
    /// The subject of a decision about each picture of `decidable`, in the same order.
    private let subjects: [Decision.Subject?]
    /// Whether all pictures are missing for a reason that the page gives above, so that there is
    /// nothing to compare.
    let isTold: Bool

    enum FormField: String {
        case change, snapshot
    }

    /// The value that forms and ticks send in ``field``.
    var value: String { field == .change ? id : first.id }

    /// The picture that the card shows for all pictures of the change.
    var first: SnapshotSummary { pictures[0] }

    private init(
        _ summary: ChangeSummary,
        _ field: FormField,
        _ pictures: [SnapshotSummary],
        _ rule: Rule,
        _ findings: RunFindings
    ) {
        id = summary.id
        self.field = field
        words = summary.words
        place = summary.cells
        self.pictures = pictures
        let own = pictures.filter(rule.isDecidable)
        // Usually equal; then both share one array in memory.
        decidable = own.count == pictures.count ? pictures : own
        subjects = own.map(\.subject)
        isTold = pictures.allSatisfy { $0.verdict == .missing && findings.isExplained($0) }
    }

    /// Returns all changes of a run in the order of the page; those with a reason given above come
    /// last.
    static func all(
        of summary: RunSummary,
        _ findings: RunFindings,
        _ cells: CellDirectory
    ) -> [PageChange] {
        let rule = Rule(summary)
        var open: [String: SnapshotSummary] = [:]
        for picture in summary.snapshots where !picture.verdict.isAsExpected {
            open[picture.id] = picture
        }
        var changes: [PageChange] = []
        for change in summary.changes ?? [] {
            // Each picture is shown once, whatever a file from elsewhere says.
            let pictures = change.snapshots.compactMap { open.removeValue(forKey: $0) }
            guard !pictures.isEmpty else { continue }
            changes.append(PageChange(change, .change, pictures, rule, findings))
        }
        let others = summary.snapshots.filter { open[$0.id] != nil }
        for suite in PictureSuite.grouped(others, cells: cells, titles: findings.titles) {
            for picture in suite.groups.flatMap(\.pictures) {
                let alone = ChangeSummary(
                    id: "p\(changes.count + 1)",
                    words: picture.words,
                    cells: cells.title(picture.cell),
                    snapshots: [picture.id]
                )
                changes.append(PageChange(alone, .snapshot, [picture], rule, findings))
            }
        }
        return changes.filter { !$0.isTold } + changes.filter(\.isTold)
    }

    /// The rule that decides whether people can decide about a picture.
    private struct Rule {
        private struct Owner: Hashable {
            let job: String
            let cell: String
            let test: String
        }
        private let failed: Set<Owner>
        private let isRecord: Bool

        init(_ summary: RunSummary) {
            isRecord = summary.run.mode == .record
            failed = Set(
                summary.tests.lazy.filter { $0.verdict == .failed || $0.verdict == .errored }
                    .map { Owner(job: $0.job, cell: $0.cell, test: $0.test) }
            )
        }

        func isDecidable(_ picture: SnapshotSummary) -> Bool {
            let owner = Owner(job: picture.job, cell: picture.cell, test: picture.test)
            guard !isRecord else { return false }
            guard picture.test.isEmpty || !failed.contains(owner) else { return false }
            switch picture.verdict {
            case .changed, .new, .moved: return !picture.capture.isEmpty
            case .missing: return true
            case .passed, .inherited, .unreached, .flaky, .failed, .errored: return false
            }
        }
    }
}

// MARK: what is decided

extension PageChange {
    /// Returns the standing decision about each picture of `decidable`, in the same order, or `nil`
    /// for a picture without one.
    func standing(_ book: DecisionBook) -> [Decision?] {
        subjects.map { subject in subject.flatMap { book.standing[$0] } }
    }

    /// Returns the newest standing decision about a picture of the change, or `nil` if there is
    /// none.
    func newest(_ book: DecisionBook) -> Decision? {
        standing(book).compactMap(\.self).max { $0.when < $1.when }
    }

    /// Returns the newest comments about the change's pictures, at most
    /// ``ReportLimits/commentsMax``.
    func comments(_ book: DecisionBook) -> [Decision] {
        guard !book.comments.isEmpty else { return [] }
        // A comment on a change is stored with each of its pictures.
        var seen: Set<[String]> = []
        let all = pictures.flatMap { picture in
            picture.subject.flatMap { book.comments[$0] } ?? []
        }
        .filter { seen.insert([$0.who, $0.reason, String($0.when)]).inserted }
        .sorted { $0.when < $1.when }
        return Array(all.suffix(ReportLimits.commentsMax))
    }
}

extension Decision? {
    var state: PageDecision {
        switch self?.kind {
        case .accepted: .accepted
        case .rejected: .rejected
        case .published: .published
        case .withdrawn, .commented, nil: .open
        }
    }
}

extension [Decision?] {
    /// The state that all decisions share, or `mixed`; `open` for an empty list.
    var state: PageDecision {
        guard let first = first?.state else { return .open }
        return allSatisfy { $0.state == first } ? first : .mixed
    }
}
