// What `approve` and `reject` change. Set, journal, pin, decisions, in this order: each step can be
// repeated, so that a crash is mended by the same command.
import FarmCore
import FarmReferences
import FarmReview
import Foundation

extension ReviewSession {
    /// Makes what was accepted the references of the work tree; a dry run only says what it would do.
    ///
    /// `before` is called before each step.
    /// - Throws: `ReviewRefusal`; nothing has changed then.
    package func approve(
        _ options: ApprovalOptions,
        now: Date,
        before: (PublishStep) -> Void = { _ in }
    ) async throws -> ApprovalDocument {
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
        try await decisions.checkMayDecide()
        let reviewer = reviewer(now: now)
        let recorded = try store.holdingOffPrune {
            before(.set)
            let recorded = try approval.record(plan)
            try publish(
                recorded,
                as: approval.note(by: reviewer),
                in: &document,
                now: now,
                before: before
            )
            return recorded
        }
        before(.decisions)
        if let decision = request.target.decision {
            let pictures = plan.choice.accepted + plan.choice.removed
            try await decisions.add(
                review.decisions(decision, pictures, by: reviewer),
                publishedIn: recorded.set
            )
        }
        document.set = recorded.set.hex
        return document
    }

    /// Takes back what was decided about what is selected, but for what is published.
    ///
    /// - Throws: `ReviewRefusal.neverApproved`.
    package func withdraw(now: Date) async throws -> RejectionDocument {
        let book = DecisionBook(try await decisions.all(of: review.project.pipeline))
        let pictures = try review.decidable().filter { picture in
            book.standing[picture.subject].map { $0.kind != .published } ?? false
        }
        if !request.isDryRun {
            try await decisions.add(
                review.decisions(.withdrawn, pictures, by: reviewer(now: now))
            )
        }
        return RejectionDocument(
            run: review.run.manifest.run.id,
            dryRun: request.isDryRun,
            rejected: [],
            withdrawn: pictures.map(\.id),
            keptIn: decisions.name
        )
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
