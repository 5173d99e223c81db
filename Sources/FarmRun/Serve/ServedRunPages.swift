// The runs of a coordinator for their pages: open runs in their current state, ended runs as they
// were judged. The last ones are cached.
import FarmArtifacts
import FarmCore
import FarmReferences
import FarmReports
import FarmReview
import FarmServer
import Foundation
import Synchronization

final class ServedRunPages: ReviewSources {
    private struct Known {
        var run: RunPageContent
        /// The time at which the run was read; an open run is read again after a moment.
        var since: ContinuousClock.Instant
    }

    let coordinator: Coordinator
    private let settings: ServedSettings
    var stores: ServedStores { settings.now.stores }
    /// The repositories in which publications commit the pin, by pipeline.
    var repositories: [String: ServedRepository] { settings.now.repositories }
    let thumbnails: Thumbnails
    let journals = FetchedJournals()
    /// Called before each step of a publication.
    let before: @Sendable (PublishStep) -> Void
    /// The queues of publications, by pipeline: a second publication sees the result of the first.
    let publishing = SerialQueues<String>()
    private let known = Mutex(
        BoundedCache<RunID, Known>(max: FarmLimits.pagePicturesKeptMax)
    )
    /// The cached decisions, by pipeline.
    private let decisions = Mutex(
        BoundedCache<String, DecisionCache>(max: FarmLimits.pagePipelinesKeptMax)
    )
    /// The cached patches, by the set that they move the pin to.
    private let patches = Mutex(
        BoundedCache<ObjectID, String>(max: FarmLimits.pagePipelinesKeptMax)
    )

    /// The time for which an open run is cached: the interval at which its pages ask, so that one
    /// read serves them all.
    private static let openMoment = Duration.seconds(FarmLimits.pageLookSeconds)

    init(
        _ coordinator: Coordinator,
        _ settings: ServedSettings,
        _ thumbnails: Thumbnails,
        before: @escaping @Sendable (PublishStep) -> Void
    ) {
        self.thumbnails = thumbnails
        self.coordinator = coordinator
        self.settings = settings
        self.before = before
    }

    func desk(of run: RunID) async throws -> any ReviewSource {
        let plan = try await coordinator.plan(run)
        return RunPage(place: ServedRunPage(id: run, plan: plan, desks: self))
    }

    /// Returns the standing decisions of a pipeline.
    func decided(of pipeline: String) async throws -> DecidedSoFar {
        let known = decisions.withLock { all in
            let known = all[pipeline] ?? DecisionCache()
            all[pipeline] = known
            return known
        }
        return try await known.now { try await coordinator.decisions(of: pipeline, after: $0) }
    }

    /// Returns the patch that moves the pin of a plan to a set; empty if it is too long to show.
    func patch(to set: ObjectID, of plan: Plan) async throws -> String {
        if let known = patches.withLock({ $0[set] }) { return known }
        let path = repositories[plan.pipeline]?.pinPath ?? ServedStores.pinPath
        let place = stores.place(of: plan.pipeline)
        let made = try await coordinator.withStore(of: plan) { store in
            guard let store, let place else { return "" }
            let pin = try place.pin(named: set.hex, in: store)
            return try PinPatch.text(of: path, from: plan.pin, to: pin, place.environment)
        }
        let text = made.utf8.count <= FarmLimits.pinPatchBytesMax ? made : ""
        patches.withLock { $0[set] = text }
        return text
    }

    /// Returns the content of a run's page; that of an open run is at most `openMoment` old.
    func run(_ id: RunID, _ plan: Plan) async throws -> RunPageContent {
        let found = known.withLock { $0[id] }
        if let found, !found.run.isOpen || found.since + Self.openMoment > .now {
            return found.run
        }
        let ended = try await coordinator.judged(id)
        let judged: JudgedRun
        if let ended {
            judged = ended
        } else {
            judged = try await coordinator.judgeOpen(id, cancelled: false)
        }
        let blobs = coordinator.blobs.waiting
        let run = try await coordinator.withStore(of: plan) { store in
            let run = ReviewedRun(judged, of: plan, blobs: blobs) { try store?.read($0) }
            return try RunPageContent(run, isOpen: ended == nil, in: store)
        }
        known.withLock { $0.keep(Known(run: run, since: .now), for: id, weight: run.pictures) }
        return run
    }
}
