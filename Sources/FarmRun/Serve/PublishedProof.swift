// The proof that pictures of a run were published: they are the references of a set. A claim alone
// is no proof, because any caller with the scope to decide can make it.
import FarmArtifacts
import FarmCore
import FarmReferences
import FarmReview
import FarmServer

extension ServedRunPages {
    func isPublished(
        _ pictures: [String],
        of run: RunID,
        in set: String
    ) async throws -> Bool {
        guard pictures.count <= FarmLimits.decisionsPerMessageMax, let set = ObjectID(set) else {
            return false
        }
        let plan = try await coordinator.plan(run)
        guard let place = stores.place(of: plan.pipeline),
            let judged = try await coordinator.judged(run)
        else { return false }
        let ids = pictures.compactMap { SnapshotID(exactly: $0) }
        guard ids.count == pictures.count else { return false }
        return try await coordinator.withStore(of: plan) { store in
            // A missing set proves nothing, nor does a host that does not answer.
            guard let store, let pin = try? place.pin(named: set.hex, in: store) else {
                return false
            }
            let review = try self.review(judged, of: plan, store)
            let approval = Approval(of: review, over: plan.pin, in: store)
            let known = try store.references(pin, of: Set(ids.map(\.cell)))
            return try ids.allSatisfy { id in
                let made = try approval.made(id)
                return made == known[id]?.objectID
                    || made.map { known[id]?.alternates.contains($0) == true } == true
            }
        }
    }

    /// Returns the review of all pictures of a judged run.
    func review(_ run: JudgedRun, of plan: Plan, _ store: ReferenceStore) throws -> Review {
        let blobs = coordinator.blobs.waiting
        let reviewed = ReviewedRun(run, of: plan, blobs: blobs) { try store.read($0) }
        return try Review(reviewed, of: ReviewedProject(plan))
    }
}
