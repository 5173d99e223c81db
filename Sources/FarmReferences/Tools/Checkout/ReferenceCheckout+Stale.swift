// Finds checked-out references that are older than a new pin.
import FarmCore

extension ReferenceCheckout {
    /// Returns the checked-out files that differ from a pin's references, or none if the work tree
    /// has no checkout.
    ///
    /// A file that was edited into the pin's picture is not stale.
    package func stale(against pin: ReferencePin, in store: ReferenceStore) throws
        -> StaleReferences
    {
        let local = try LocalFiles(in: workTree)
        guard let manifest = local.manifest, manifest.pin != pin.fingerprint else {
            return StaleReferences()
        }
        var pinned: [SnapshotID: ObjectID] = [:]
        for cell in manifest.cells {
            for reference in try store.references(pin, cell: cell) {
                pinned[reference.id] = reference.objectID
            }
        }
        var stale = StaleReferences()
        var seen: Set<SnapshotID> = []
        for (path, file) in manifest.files.sorted(by: { $0.key < $1.key }) {
            seen.insert(file.id)
            guard let wanted = pinned[file.id] else {
                if case .missing = try local.look(path) { continue }
                stale.paths.append(path)
                continue
            }
            guard wanted != file.objectID else { continue }
            if case .picture(wanted, _) = try local.look(path) { continue }
            stale.paths.append(path)
        }
        for (id, wanted) in pinned where !seen.contains(id) {
            guard let path = manifest.layout.path(of: id) else { continue }
            if case .picture(wanted, _) = try local.look(path) { continue }
            stale.absentCount += 1
        }
        return stale
    }
}
