// What `approve` and `reject` change. Set, journal, pin, notes, in this order: each step can be
// repeated, so that a crash is mended by the same command.
import FarmCore
import FarmReferences
import FarmReview
import Foundation

extension ReviewSession {
    /// Makes what was accepted the references of the work tree; a dry run only says what it would do.
    ///
    /// - Throws: `ReviewRefusal`; nothing has changed then.
    package func approve(_ options: ApprovalOptions, now: Date) throws -> ApprovalDocument {
        let approval = Approval(of: review, over: pin, in: store)
        let plan = try approval.plan(options, rejected: try file.read().rejected)
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
            try publish(recorded, as: approval.note(by: reviewer), in: &document, now: now)
            return recorded
        }
        try file.add(
            reviewer.notes(plan.choice.accepted.map(\.id), .approved)
                + reviewer.notes(plan.choice.removed.map(\.id), .removed)
        )
        document.set = recorded.set.hex
        return document
    }

    /// Notes that what is selected is wrong; nothing else changes.
    ///
    /// - Throws: `ReviewRefusal.neverApproved`.
    package func reject(now: Date) throws -> RejectionDocument {
        let ids = try review.rejected()
        if !request.isDryRun, !ids.isEmpty {
            try file.add(reviewer(now: now).notes(ids, .rejected))
        }
        return RejectionDocument(
            run: review.run.manifest.run.id,
            dryRun: request.isDryRun,
            rejected: ids,
            review: file.paths[0]
        )
    }
}
