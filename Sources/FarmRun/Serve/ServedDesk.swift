// One run of a coordinator under review: its files, and what was decided about it.
import FarmArtifacts
import FarmCoordinator
import FarmCore
import FarmReferences
import FarmReports
import FarmReview
import FarmServer
import Foundation

struct ServedDesk: ReviewDesk {
    let id: RunID
    let plan: Plan
    let desks: ServedDesks

    func run() async throws -> PageRun { try await desks.run(id, plan).page }

    func file(_ path: String) async throws -> Data? {
        guard let digest = try await desks.run(id, plan).files[path] else { return nil }
        return try await desks.coordinator.blobs.bytes(of: digest)
    }

    func thumbnail(ofFile path: String) async throws -> Data? {
        guard let bytes = try await file(path) else { return nil }
        let thumbnails = desks.thumbnails
        return try await desks.coordinator.forPages(of: plan.pipeline) {
            DeskReferences.small(bytes, thumbnails)
        }
    }

    func baseline(of picture: SnapshotID) async throws -> Baseline? {
        let decisions = try await decided().book
        return try await reading { try $0.baseline(of: picture, decisions) }
    }

    func catalogue(ofSet set: String?) async throws -> SetCatalogue? {
        try await reading { try $0.catalogue(ofSet: set) }
    }

    func reference(_ object: ObjectID, as form: PictureForm) async throws -> Data? {
        try await reading { try $0.picture(object, as: form) } ?? nil
    }

    /// Reads the references of the run on a thread that may wait; nil where there is no store.
    private func reading<Value: Sendable>(
        _ read: @escaping @Sendable (DeskReferences) throws -> Value
    ) async throws -> Value? {
        let (plan, desks) = (plan, desks)
        guard let place = desks.stores.place(of: plan.pipeline) else { return nil }
        return try await desks.coordinator.forPages(of: plan.pipeline) {
            guard let store = try desks.stores.store(for: plan) else { return nil }
            return try read(
                DeskReferences(
                    name: plan.pipeline,
                    place: place,
                    store: store,
                    pin: plan.pin,
                    cells: plan.matrix,
                    renames: plan.renames,
                    screens: plan.screens,
                    thumbnails: desks.thumbnails,
                    journals: desks.journals
                )
            )
        }
    }

    func decided() async throws -> DecidedSoFar {
        try await desks.decided(of: plan.pipeline)
    }

    func add(_ decisions: [Decision]) async throws {
        try await desks.coordinator.keep(decisions)
    }

    func cannotPublish() async throws -> Problem? {
        if let obstacle = try await summary().publishObstacle { return obstacle }
        guard desks.stores.place(of: plan.pipeline) != nil else {
            return Problem(DeskRefusal.noStore(plan.pipeline))
        }
        return nil
    }
}
