// One run of a coordinator under review: its files and its decisions.
import FarmArtifacts
import FarmCore
import FarmReferences
import FarmReports
import FarmReview
import FarmServer
import Foundation

struct ServedRunPage: RunPageSource {
    let id: RunID
    let plan: Plan
    let desks: ServedRunPages

    var thumbnails: Thumbnails { desks.thumbnails }

    func run() async throws -> RunPageContent { try await desks.run(id, plan) }

    func file(_ path: String) async throws -> Data? {
        guard let digest = try await run().files[path] else { return nil }
        return try await desks.coordinator.blobs.bytes(of: digest)
    }

    func references() throws -> RunPageReferences? {
        guard let place = desks.stores.place(of: plan.pipeline),
            let store = try desks.stores.store(for: plan)
        else { return nil }
        return RunPageReferences(
            name: plan.pipeline,
            place: place,
            store: store,
            pin: plan.pin,
            cells: plan.matrix,
            renames: plan.renames,
            screens: plan.screens,
            thumbnails: thumbnails,
            journals: desks.journals
        )
    }

    func apart<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await desks.coordinator.forPages(of: plan.pipeline, work)
    }

    func decided() async throws -> DecidedSoFar {
        try await desks.decided(of: plan.pipeline)
    }

    func add(_ decisions: [Decision]) async throws {
        try await desks.coordinator.keep(decisions)
    }

    func noStore() -> Problem? {
        let isKnown = desks.stores.place(of: plan.pipeline) != nil
        return isKnown ? nil : Problem(PublishingError.noStore(plan.pipeline))
    }

    func inTurn(
        _ publish: @Sendable () async throws -> Publication
    ) async throws -> Publication {
        try await desks.publishing.run(plan.pipeline, publish)
    }
}
