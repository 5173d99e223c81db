// One change of a run as the page shows it, with its pictures and what is decided about them. Where
// the program that wrote the summary did not say what is one change, each picture is one.
import FarmCore

struct PageChange {
    /// Of its place in the page.
    let id: String
    /// What forms and ticks send for all of it: its id, or that of its only picture where the run
    /// does not know the change.
    let field: Field
    let words: String
    /// Where it happened.
    let place: String
    /// In the order of the matrix; never empty.
    let pictures: [SnapshotSummary]
    /// Those that people can decide about.
    let decidable: [SnapshotSummary]
    /// What a decision about each of them is about.
    private let subjects: [Decision.Subject?]
    /// Missing for a reason that is told above: there is nothing to compare.
    let isTold: Bool

    enum Field: String {
        case change, snapshot
    }

    /// What goes with ``field``.
    var value: String { field == .change ? id : first.id }

    /// The picture that stands for all of them.
    var first: SnapshotSummary { pictures[0] }

    private init(
        _ summary: ChangeSummary,
        _ field: Field,
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
        // Mostly the same: once in memory.
        decidable = own.count == pictures.count ? pictures : own
        subjects = own.map(\.subject)
        isTold = pictures.allSatisfy { $0.verdict == .missing && findings.follows($0) }
    }

    /// All changes, in the order of the page: what is told above comes last.
    static func all(
        of summary: RunSummary,
        _ findings: RunFindings,
        _ cells: CellDirectory
    ) -> [PageChange] {
        let rule = Rule(summary)
        var open: [String: SnapshotSummary] = [:]
        for picture in summary.snapshots where picture.verdict != .passed {
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

    /// Whether people can decide about a picture at all; as approving it would be decided.
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
            case .passed, .unreached, .flaky, .failed, .errored: return false
            }
        }
    }
}

// MARK: what is decided

extension PageChange {
    /// What stands about each picture that can be decided about, in their order.
    func standing(_ book: DecisionBook) -> [Decision?] {
        subjects.map { subject in subject.flatMap { book.standing[$0] } }
    }

    /// The newest decision that stands about one of its pictures.
    func newest(_ book: DecisionBook) -> Decision? {
        standing(book).compactMap(\.self).max { $0.when < $1.when }
    }

    /// The newest comments about its pictures, at most ``ReportLimits/commentsMax``.
    func comments(_ book: DecisionBook) -> [Decision] {
        guard !book.comments.isEmpty else { return [] }
        // One comment on a change is one on each of its pictures.
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
    /// What all of them come to.
    var state: PageDecision {
        guard let first = first?.state else { return .open }
        return allSatisfy { $0.state == first } ? first : .mixed
    }
}
