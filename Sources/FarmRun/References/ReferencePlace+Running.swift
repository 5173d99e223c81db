// The store of a pipeline for a run or a review: all references of the pin are on this machine
// before anything starts.
import FarmCore
import FarmGit
import FarmReferences
import Foundation

extension PipelineSource {
    /// Returns the store and the pin of the pipeline's references, or `nil` if it has none.
    func references(_ environment: [String: String]) throws -> ReferencePlace? {
        guard let settings = pipeline.references else { return nil }
        return ReferencePlace(
            pipeline: pipeline,
            pipelineFile: file,
            folder: folder,
            location: try StoreLocation(
                parsing: ReferencePlace.store(environment) ?? settings.store,
                relativeTo: folder
            ),
            pinPath: path(settings.pinPath),
            environment: environment
        )
    }
}

extension ReferencePlace {
    /// Returns the store's address for this machine, if it differs from the pipeline file's: jobs
    /// of a CI may use HTTPS where people use SSH.
    static func store(_ environment: [String: String]) -> String? {
        environment["SNAPFARM_STORE"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the store with the pinned references of `cells`.
    ///
    /// A record run creates a missing store, and gets the whole pin, because its new set keeps what
    /// it does not replace.
    func store(
        for mode: RunMode,
        pin: ReferencePin,
        cells: Set<CellID>
    ) throws -> ReferenceStore {
        if isRemote { return try clone(for: mode, pin: pin, cells: cells) }
        guard FileManager.default.fileExists(atPath: storePath) else {
            guard mode == .record, pin.isEmpty else {
                throw PipelineSourceError.noStore(storePath, hasPin: !pin.isEmpty)
            }
            return try ReferenceStore.create(at: storePath)
        }
        let store = try ReferenceStore(opening: storePath)
        return try reading(pin, of: store) {
            try store.check(pin)
            // Otherwise workers would find missing pictures one after the other. A record run may
            // restore them.
            if mode == .verify { try store.checkPictures(pin, cells: cells) }
            return store
        }
    }

    /// Returns the error that would stop a verify run from reading its references.
    ///
    /// Returns `nil` if there is none or nothing to read, and for a store on a host, which is not
    /// called.
    func obstacle(pin: ReferencePin, cells: Set<CellID>) throws -> (any ExplainedError)? {
        guard !isRemote, !pin.isEmpty, !cells.isEmpty else { return nil }
        do {
            _ = try store(for: .verify, pin: pin, cells: cells)
            return nil
        } catch let error as any ExplainedError {
            return error
        }
    }

    /// Reads references of a pin; if a prune removed them, the error says so.
    func reading<Value>(
        _ pin: ReferencePin,
        of store: ReferenceStore,
        _ read: () throws -> Value
    ) throws -> Value {
        do {
            return try read()
        } catch {
            throw pruned(pin, store) ?? error
        }
    }

    private func pruned(_ pin: ReferencePin, _ store: ReferenceStore) -> (any Error)? {
        let fact = try? store.prunedFact(for: pin)
        return fact.map { PrunedPinError(pinPath: pinPath, fact: $0) }
    }

    private func clone(
        for mode: RunMode,
        pin: ReferencePin,
        cells: Set<CellID>
    ) throws -> ReferenceStore {
        let remote = try remote(RemoteAccess.own(environment))
        guard !pin.isEmpty else { return remote.clone }
        let paths = Set(pin.entries.map(\.path).filter { cells.contains($0.cell) })
        let isWhole = mode == .record || paths.count == pin.entries.count
        do {
            _ = try remote.fetch(pin, paths: isWhole ? nil : paths)
        } catch let error as RemoteStoreError where error.isAboutPin {
            // The first error is the cause. It does not matter if the note about the prune cannot
            // be fetched.
            try? remote.fetchPrunedNote()
            throw pruned(pin, remote.clone) ?? error
        }
        return remote.clone
    }
}
