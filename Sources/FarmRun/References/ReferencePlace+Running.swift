// What a run and a review need: the store of a pipeline, with all that the pin names on this
// machine before anything starts.
import FarmCore
import FarmGit
import FarmReferences
import Foundation

extension PipelineSource {
    /// Where the pipeline's references are; nil for a pipeline without any.
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
    /// The store as a machine reaches it, where that is not as the pipeline file says: a CI's jobs
    /// come by HTTPS, people by SSH.
    static func store(_ environment: [String: String]) -> String? {
        environment["SNAPFARM_STORE"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The store, made where a record run needs one, with what the pin names of `cells`.
    ///
    /// A record run gets the whole pin: its new set keeps what it does not replace.
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
            // Workers would find what is gone one after the other. A record run may bring it back.
            if mode == .verify { try store.checkPictures(pin, cells: cells) }
            return store
        }
    }

    /// Why a verify run could not read its references; nil where it could, where there is nothing to
    /// read, and for a store on a host, which is not asked.
    func obstacle(pin: ReferencePin, cells: Set<CellID>) throws -> (any ExplainedError)? {
        guard !isRemote, !pin.isEmpty, !cells.isEmpty else { return nil }
        do {
            _ = try store(for: .verify, pin: pin, cells: cells)
            return nil
        } catch let error as any ExplainedError {
            return error
        }
    }

    /// Reads references of a pin; where a prune took them, the error says that.
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
            // What was lost first is why it failed; that the note cannot be had is no news.
            try? remote.fetchPrunedNote()
            throw pruned(pin, remote.clone) ?? error
        }
        return remote.clone
    }
}
