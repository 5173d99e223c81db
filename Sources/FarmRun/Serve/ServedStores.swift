// The reference stores of a coordinator, by pipeline. Only what its configuration names: a caller
// says which pipeline it runs, never which repository is opened.
import FarmCore
import FarmReferences
import FarmServer
import Foundation
import Logging
import Synchronization

/// Finds the store of a plan, with all that the plan's pin names.
final class ServedStores: Sendable {
    private let places: [String: ReferencePlace]
    /// By pipeline, mode, pin and day: what was fetched once is at hand, and held once a day.
    private let ready = Mutex(BoundedCache<String, ReferenceStore>(max: 64))
    private let logger: Logger
    /// Of a repository that the configuration does not name.
    static let pinPath = "snapfarm.refs"

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

    /// The stores of a configuration that are folders of this machine, by pipeline.
    static func folders(of configuration: CoordinatorConfiguration) throws -> [String: String] {
        var folders: [String: String] = [:]
        for (pipeline, text) in configuration.settings.stores {
            let place = try StoreLocation(parsing: text, relativeTo: configuration.folder)
            if [.path, .file].contains(place.kind) { folders[pipeline] = place.path }
        }
        return folders
    }

    /// Where a pipeline's store is; nil for one that the configuration does not name.
    func place(of pipeline: String) -> ReferencePlace? { places[pipeline] }

    /// Shows a set that a run recorded; a store on a host gets it first.
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

    /// Nil for a plan without pictures, and for a pipeline that the configuration does not name.
    ///
    /// Takes as long as fetching does.
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
            // The next look tries again.
            return store
        }
        ready.withLock { $0[key] = store }
        return store
    }

    /// Notes in a store that is a folder that a run uses a pin today, so that a prune keeps its set.
    ///
    /// The copy of a store on a host keeps what was fetched into it, whatever is pruned there.
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
