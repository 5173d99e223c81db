// Approves and rejects pictures: set, journal, pin, decisions, in this order. Each step can be
// repeated, so the same command completes an interrupted one. Nothing else in the work tree
// changes.
import FarmCore
import FarmReferences
import FarmReview
import Foundation

extension ReviewSession {
    /// Makes the accepted pictures the next references, and puts their pin into the request's
    /// target; a dry run only reports the changes.
    ///
    /// Calls `before` before each step.
    ///
    /// - Throws: `ReviewRefusal`, before anything has changed.
    package func approve(
        _ options: ApprovalOptions,
        now: Date,
        before: @escaping (PublishStep) -> Void = { _ in }
    ) async throws -> ApprovalDocument {
        let reviewer = reviewer(now: now)
        let publisher = Publisher(
            review: review,
            references: references,
            reviewer: reviewer,
            before: before
        )
        let rejected = review.rejected(in: try await decided())
        let plan = try publisher.approval.plan(options, rejected: rejected)
        var document = ApprovalDocument(
            plan,
            run: review.run.manifest.run.id,
            pinFile: references.place.pinPath,
            isDryRun: request.isDryRun
        )
        guard !request.isDryRun, !plan.recordings.isEmpty else { return document }
        try await decisions.checkMayDecide()
        let set: ObjectID
        if case .proposal(let number) = request.target {
            let proposed = try publisher.propose(plan, pullRequest: number)
            (set, document.pushedTo) = (proposed.recorded.set, proposed.host)
        } else {
            set = try publisher.publish(plan) { recorded, host in
                document.pushedTo = host ?? ""
                try put(recorded, with: publisher, in: &document)
                return recorded.set
            }
        }
        before(.decisions)
        if let decision = request.target.decision {
            let choice = plan.choice
            // A publication does not say which pictures became alternates.
            var made = review.decisions(.alternate, choice.alternates, by: reviewer)
            let published = decision == .published ? choice.alternates : []
            made += review.decisions(
                decision,
                choice.accepted + published + choice.removed,
                by: reviewer
            )
            try await decisions.add(made, publishedIn: set)
        }
        document.set = set.hex
        return document
    }

    /// Puts the pin of a set into the request's target: a branch, a patch or the work tree.
    private func put(
        _ recorded: RecordedSet,
        with publisher: Publisher,
        in document: inout ApprovalDocument
    ) throws {
        let place = references.place
        if let branch = references.branch {
            let commit = try publisher.commit(
                recorded.pin,
                to: branch,
                approving: document.counts
            )
            document.branch = branch.branch.name
            document.branchCommit = commit.commit.hex
        } else if request.target == .patch {
            document.patch = try place.patch(from: references.pin, to: recorded.pin)
        } else if recorded.pin != references.pin {
            try place.write(recorded.pin, set: recorded.set)
            document.pinMoved = true
            document.stale = place.outdatedCheckouts()
            // A submodule's new set is staged already; `git add` would stage the old one again.
            document.commit = GitWords.commit(
                place.pinPath,
                "Approve \(document.counts)",
                isStaged: (try? place.gitlink()) != nil
            )
        }
    }

    /// Withdraws the decisions about the selected pictures, except published ones.
    ///
    /// - Throws: `ReviewRefusal.neverApproved`.
    package func withdraw(now: Date) async throws -> RejectionDocument {
        let book = try await decided()
        return try await decide(.withdrawn, now: now) { picture in
            book.standing[picture.subject].map { $0.kind != .published } ?? false
        }
    }

    /// Notes that the selected pictures are rejected; nothing else changes.
    ///
    /// - Throws: `ReviewRefusal.neverApproved`.
    package func reject(now: Date) async throws -> RejectionDocument {
        try await decide(.rejected, now: now) { _ in true }
    }

    private func decide(
        _ kind: Decision.Kind,
        now: Date,
        about isMeant: (ReviewPicture) -> Bool
    ) async throws -> RejectionDocument {
        let pictures = try review.decidable().filter(isMeant)
        if !request.isDryRun {
            try await decisions.add(review.decisions(kind, pictures, by: reviewer(now: now)))
        }
        let ids = pictures.map(\.id)
        return RejectionDocument(
            run: review.run.manifest.run.id,
            dryRun: request.isDryRun,
            rejected: kind == .rejected ? ids : [],
            withdrawn: kind == .withdrawn ? ids : nil,
            keptIn: decisions.name
        )
    }
}
