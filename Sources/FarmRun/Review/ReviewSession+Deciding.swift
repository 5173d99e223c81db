// What `approve` and `reject` change. Set, journal, pin, decisions, in this order: each step can be
// repeated, so that a crash is mended by the same command.
import FarmCore
import FarmReferences
import FarmReview
import Foundation

extension ReviewSession {
    /// Makes what was accepted the references of the work tree; a dry run only says what it would do.
    ///
    /// - Throws: `ReviewRefusal`; nothing has changed then.
    package func approve(_ options: ApprovalOptions, now: Date) async throws -> ApprovalDocument {
        let approval = Approval(of: review, over: pin, in: store)
        let book = DecisionBook(try await decisions.all(of: review.project.pipeline))
        let plan = try approval.plan(options, rejected: review.rejected(in: book))
        var document = ApprovalDocument(
            plan,
            run: review.run.manifest.run.id,
            pinFile: place.pinPath,
            isDryRun: request.isDryRun
        )
        guard !request.isDryRun, !plan.recordings.isEmpty else { return document }
        let reviewer = reviewer(now: now)
        let recorded = try store.holdingOffPrune {
            let recorded = try approval.record(plan)
            guard recorded.pin != pin else { return recorded }
            try store.appendJournal(
                of: recorded.pin,
                since: pin,
                note: approval.note(by: reviewer),
                cells: review.project.cells,
                now: now
            )
            try place.write(recorded.pin, set: recorded.set)
            return recorded
        }
        try await decisions.add(
            review.decisions(.published, plan.choice.accepted + plan.choice.removed, by: reviewer)
        )
        document.set = recorded.set.hex
        document.pinMoved = recorded.pin != pin
        if document.pinMoved { document.commit = commit(document.counts) }
        return document
    }

    /// What a person runs next, as a shell takes it.
    private func commit(_ counts: String) -> String {
        // A submodule's new set is staged already; `git add` would put the old one back.
        let isStaged = (try? place.gitlink()) != nil
        let commit = GitWords.commit(place.pinPath, "Approve \(counts)", isStaged: isStaged)
        // Others cannot use a pin before the remote has its set.
        return place.isRemote ? "snapfarm refs push && " + commit : commit
    }

    /// Notes that what is selected is wrong; nothing else changes.
    ///
    /// - Throws: `ReviewRefusal.neverApproved`.
    package func reject(now: Date) async throws -> RejectionDocument {
        let pictures = try review.decidable()
        if !request.isDryRun {
            try await decisions.add(
                review.decisions(.rejected, pictures, by: reviewer(now: now))
            )
        }
        return RejectionDocument(
            run: review.run.manifest.run.id,
            dryRun: request.isDryRun,
            rejected: pictures.map(\.id),
            keptIn: decisions.name
        )
    }
}
