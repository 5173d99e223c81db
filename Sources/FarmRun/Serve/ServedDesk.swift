// One run of a coordinator under review: its files, and what was decided about it.
import FarmArtifacts
import FarmCoordinator
import FarmCore
import FarmReferences
import FarmReview
import FarmServer
import Foundation

struct ServedDesk: ReviewDesk {
    let run: RunID
    let plan: Plan
    let desks: ServedDesks

    func summary() async throws -> RunSummary { try await desks.run(run, plan).summary }

    func file(_ path: String) async throws -> Data? {
        guard let digest = try await desks.run(run, plan).files[path],
            desks.coordinator.blobs.contains(digest)
        else { return nil }
        return try desks.coordinator.blobs.read(digest)
    }

    func decisions() async throws -> [Decision] {
        try await desks.coordinator.decisions(of: plan.pipeline)
    }

    func add(_ decisions: [Decision]) async throws {
        try await desks.coordinator.keep(decisions)
    }

    func cannotPublish() async throws -> String? {
        if let obstacle = try await summary().publishObstacle { return obstacle }
        guard desks.stores.place(of: plan.pipeline) != nil else {
            return "This coordinator has no reference store for the pipeline \(plan.pipeline). "
                + "Add it to `stores:` of its configuration."
        }
        return nil
    }
}
