// The reference stores of a coordinator, by pipeline. Only the configuration names stores: a caller
// names its pipeline, never the repository to open.
import FarmCore
import FarmReferences
import FarmServer
import Foundation
import Logging
import Synchronization

/// Finds the store of a plan, with all references of the plan's pin.
final class ServedStores: Sendable {
    private let places: [String: ReferencePlace]
    /// The open stores, by pipeline, mode, pin and day, so that each is prepared and its use noted
    /// once a day.
    private let ready = Mutex(BoundedCache<String, ReferenceStore>(max: 64))
    private let logger: Logger
    /// The path of the pin in the patches for a repository that the configuration does not name.
    static let pinPath = "snapfarm.refs"

    /// Parses the locations of the stores.
    ///
    /// - Throws: `StoreLocationError` for a store that is neither a folder nor a Git URL.
    init(
        _ configuration: CoordinatorConfiguration,
        _ environment: [String: String],
        _ logger: Logger
    ) throws {
        var places: [String: ReferencePlace] = [:]
        for (pipeline, text) in configuration.settings.stores {
            places[pipeline] = ReferencePlace(
                pipeline: nil,
                pipelineFile: nil,
                folder: configuration.data,
                location: try StoreLocation(parsing: text, relativeTo: configuration.folder),
                pinPath: "the run's pin",
                environment: environment
            )
        }
        self.places = places
        self.logger = logger
    }

    /// Returns the stores of a configuration that are folders of this machine, by pipeline.
    static func folders(of configuration: CoordinatorConfiguration) throws -> [String: String] {
        var folders: [String: String] = [:]
        for (pipeline, text) in configuration.settings.stores {
            let place = try StoreLocation(parsing: text, relativeTo: configuration.folder)
            if [.path, .file].contains(place.kind) { folders[pipeline] = place.path }
        }
        return folders
    }

    /// Returns the place of a pipeline's store, or `nil` if the configuration does not name it.
    func place(of pipeline: String) -> ReferencePlace? { places[pipeline] }

    /// Publishes a set that a run recorded; a store on a host gets the set first.
    ///
    /// - Throws: `SetNotPushed`; the run is then not recorded, and tried again.
    func publish(_ set: NewSet) throws {
        guard let place = places[set.pipeline] else { return try set.appendJournal() }
        guard set.pin != set.base else { return }
        try place.publish(
            set.pin,
            since: set.base,
            note: set.note,
            cells: set.cells,
            in: set.store,
            now: set.now
        )
    }

    /// Returns the store of a plan, or `nil` for a plan without pictures and for a pipeline that
    /// the configuration does not name; may wait for a fetch.
    func store(for plan: Plan) throws -> ReferenceStore? {
        guard plan.jobs.contains(where: { $0.job.kind == .snapshot }),
            let place = places[plan.pipeline]
        else { return nil }
        let day = PruneDay(secondsSince1970: Date().timeIntervalSince1970)
        let key = "\(plan.pipeline)\n\(plan.mode.rawValue)\n\(day)\n\(plan.pin.text)"
        if let store = ready.withLock({ $0[key] }) { return store }
        let noted = Result { try noteUse(of: plan.pin, at: place) }
        let store = try Self.prepare(place, plan)
        if case .failure(let error) = noted {
            logger.warning(
                "a prune may take the references of runs: their use cannot be noted in the store",
                metadata: ["store": "\(place.storePath)", "reason": "\(error.inWords)"]
            )
            // The store is not cached, so that the next call tries again.
            return store
        }
        ready.withLock { $0[key] = store }
        return store
    }

    /// Notes in a store that is a folder that a run uses a pin today, so that a prune keeps its
    /// set.
    ///
    /// The clone of a remote store keeps what was fetched into it, whatever is pruned at the host.
    private func noteUse(of pin: ReferencePin, at place: ReferencePlace) throws {
        guard !pin.isEmpty, !place.isRemote,
            FileManager.default.isWritableFile(atPath: place.storePath)
        else { return }
        try ReferenceStore(opening: place.storePath).noteUse(of: pin, now: Date())
    }

    private static func prepare(_ place: ReferencePlace, _ plan: Plan) throws -> ReferenceStore {
        let pin = plan.pin
        let cells = Set(plan.jobs.flatMap { $0.job.cells.map(\.id) })
        let succession = SuccessionRules(cells: plan.matrix, renames: [])
        let needed = cells.union(cells.flatMap(succession.predecessors))
        return try place.store(for: plan.mode, pin: pin, cells: needed)
    }
}
