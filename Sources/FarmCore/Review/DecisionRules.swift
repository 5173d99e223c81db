// The rules that turn a form of the review page into decisions. A person's own machine and a
// coordinator use the same rules; the input is the run, the earlier decisions, the person and the
// time.

/// The rules that turn forms into decisions.
package enum DecisionRules {
    /// Returns the decisions that a form makes, in the order of its pictures; empty if all of them
    /// were already made.
    ///
    /// `book` has the decisions of the run's pipeline; `now` is in milliseconds since 1970.
    package static func decisions(
        _ form: DecisionForm,
        about summary: RunSummary,
        after book: DecisionBook,
        by person: String,
        now: Int64,
        atOnceMax: Int = FarmLimits.decisionsPerCallMax,
        keptMax: Int = FarmLimits.decisionsKept
    ) throws(DecisionRefusal) -> [Decision] {
        guard summary.run.mode == .verify else { throw .recorded(run: summary.run.id) }
        let pictures = try pictures(form, summary)
        let changed = try takes(form, pictures, book)
        guard changed.count <= atOnceMax else {
            throw .tooManyAtOnce(changed.count, most: atOnceMax)
        }
        if form.kind == .accepted || form.kind == .rejected {
            try checkKept(changed, summary, book, keptMax)
        }
        return changed.map { picture in
            Decision(
                kind: form.kind,
                pipeline: summary.run.pipeline,
                snapshot: picture.subject.snapshot,
                capture: picture.subject.capture,
                reference: picture.subject.reference,
                reason: form.reason,
                who: person,
                when: now,
                run: summary.run.id
            )
        }
    }

    /// Returns those of the form's pictures whose decision the form changes.
    private static func takes(
        _ form: DecisionForm,
        _ pictures: [DecidedPicture],
        _ book: DecisionBook
    ) throws(DecisionRefusal) -> [DecidedPicture] {
        // The first picture of a change represents the whole change.
        if form.kind == .commented { return Array(pictures.prefix(1)) }
        let changed = pictures.filter { picture in
            guard let standing = book.standing[picture.subject] else {
                return form.kind != .withdrawn
            }
            guard form.kind != .withdrawn else { return standing.kind != .published }
            // The form was sent twice, or its first answer was lost.
            return standing.kind != form.kind || standing.reason != form.reason
        }
        if form.kind == .withdrawn, changed.isEmpty,
            let published = pictures.first(where: { book.standing[$0.subject] != nil })
        {
            throw .published(published.subject.snapshot.text)
        }
        return changed
    }

    /// Checks that the ledger, which drops a pipeline's oldest decisions, can keep all decisions
    /// about this run.
    private static func checkKept(
        _ changed: [DecidedPicture],
        _ summary: RunSummary,
        _ book: DecisionBook,
        _ most: Int
    ) throws(DecisionRefusal) {
        guard book.standing.count + changed.count > most else { return }
        let subjects = summary.snapshots.lazy.compactMap(\.subject)
        let decided = Set(subjects.filter { book.standing[$0] != nil })
        let count = decided.union(changed.map(\.subject)).count
        guard count <= most else { throw .tooManyKept(count, most: most) }
    }

    // MARK: pictures

    /// Returns the pictures that the form names, each once: all single ones, and those of changes
    /// that can be decided about.
    private static func pictures(
        _ form: DecisionForm,
        _ summary: RunSummary
    ) throws(DecisionRefusal) -> [DecidedPicture] {
        let known = DecidedPictures(summary)
        var found: [DecidedPicture] = []
        var seen: Set<SnapshotID> = []
        for id in form.snapshots {
            let picture = try known.picture(id)
            if form.kind != .commented, let refusal = picture.refusal { throw refusal }
            if seen.insert(picture.subject.snapshot).inserted { found.append(picture) }
        }
        let changes = Dictionary((summary.changes ?? []).map { ($0.id, $0) }) { one, _ in one }
        for id in form.changes {
            guard let change = changes[id] else { throw .unknownChange(id) }
            var first: DecisionRefusal?
            var isDecidable = false
            for snapshot in change.snapshots {
                let picture = try known.picture(snapshot)
                if form.kind != .commented, let refusal = picture.refusal {
                    first = first ?? refusal
                    continue
                }
                isDecidable = true
                if seen.insert(picture.subject.snapshot).inserted { found.append(picture) }
            }
            if !isDecidable, let first { throw first }
        }
        for id in try ofCauses(form, summary) {
            let picture = try known.picture(id)
            guard picture.refusal == nil else { continue }
            if seen.insert(picture.subject.snapshot).inserted { found.append(picture) }
        }
        return found
    }

    /// Returns the ids of the pictures that the form's causes decide about.
    private static func ofCauses(
        _ form: DecisionForm,
        _ summary: RunSummary
    ) throws(DecisionRefusal) -> [String] {
        guard !form.causes.isEmpty else { return [] }
        let known = Set(summary.genuineCauses.map(\.id))
        if let unknown = form.causes.first(where: { !known.contains($0) }) {
            throw .unknownCause(unknown)
        }
        let causes = Set(form.causes)
        guard form.kind == .accepted else {
            return summary.snapshots.filter { !causes.isDisjoint(with: $0.causes ?? []) }.map(\.id)
        }
        let explained = summary.pictures(explainedBy: causes)
        guard !explained.isEmpty else { throw .nothingExplained }
        return explained
    }
}

/// A picture of a run, with the subject of its decisions.
package struct DecidedPicture: Hashable, Sendable {
    package var subject: Decision.Subject
    /// The reason why the picture can be neither accepted nor rejected, or `nil` if it can.
    package var refusal: DecisionRefusal?
}

/// The pictures of a run by their ids.
package struct DecidedPictures: Sendable {
    private let snapshots: [String: SnapshotSummary]
    /// The verdicts of tests that did not pass, by job, cell and name; `nil` if the test still
    /// runs.
    private let tests: [[String]: Verdict?]

    package init(_ summary: RunSummary) {
        snapshots = Dictionary(summary.snapshots.map { ($0.id, $0) }) { first, _ in first }
        var tests: [[String]: Verdict?] = [:]
        for test in summary.tests where test.verdict?.isAsExpected != true {
            tests[[test.job, test.cell, test.test]] = .some(test.verdict)
        }
        self.tests = tests
    }

    /// Returns the picture with this id.
    ///
    /// - Throws: `DecisionRefusal.unknownPicture`.
    package func picture(_ id: String) throws(DecisionRefusal) -> DecidedPicture {
        guard let snapshot = snapshots[id], let subject = snapshot.subject else {
            throw .unknownPicture(id)
        }
        return DecidedPicture(subject: subject, refusal: refusal(snapshot, subject))
    }

    /// Returns the pictures with a standing acceptance that still can be accepted, in the order of
    /// the run.
    package func accepted(in book: DecisionBook, of summary: RunSummary) -> [DecidedPicture] {
        summary.snapshots.filter { !$0.verdict.isAsExpected }.compactMap { snapshot in
            guard let subject = snapshot.subject, book.standing[subject]?.kind == .accepted,
                refusal(snapshot, subject) == nil
            else { return nil }
            return DecidedPicture(subject: subject, refusal: nil)
        }
    }

    private func refusal(
        _ snapshot: SnapshotSummary,
        _ subject: Decision.Subject
    ) -> DecisionRefusal? {
        let test = tests[[snapshot.job, snapshot.cell, snapshot.test]]
        if let test, test == nil { return .stillRunning(snapshot.id) }
        let picture = ReviewPicture(
            id: subject.snapshot,
            job: JobName(snapshot.job),
            test: snapshot.test.isEmpty ? nil : TestID(snapshot.test),
            verdict: snapshot.verdict,
            testVerdict: test ?? nil,
            capture: subject.capture
        )
        return ApprovalRules.permanentBar(picture).map { .neverDecided(snapshot.id, $0) }
    }
}
