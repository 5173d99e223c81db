// Locally recorded pictures become a set: only what was edited, over the pin as it is now.
import FarmCore
import FarmFiles
import Foundation

/// What a commit of local pictures will record; nothing has been written yet.
package struct CheckoutCommit: Sendable {
    package var base: ReferencePin
    package var recordings: [CellRecording]
    /// What becomes references, sorted by path; edits that the pin has already are left out.
    package var edits: [CheckoutEdit]
    /// What was edited here and the pin has already: an earlier commit was cut off, or somebody
    /// else made the same edit.
    var settled: [CheckoutEdit]
    /// Where the bytes of each picture are.
    var paths: [ObjectID: String]
}

extension ReferenceCheckout {
    /// Decides what to record; writes nothing.
    ///
    /// `pin` is the work tree's as it is now: the base of the new set. `deletions` also takes
    /// pictures that were deleted here out of the set. `job` is that of suites without a record,
    /// `renderer` what drew the pictures, as far as is known. `force` takes the local side where
    /// the pin's changed as well.
    ///
    /// - Throws: `CheckoutError.editedOnBothSides`, and what reading the store throws.
    package func commitPlan(
        _ status: CheckoutStatus,
        pin: ReferencePin,
        store: ReferenceStore,
        deletions: Bool,
        job: JobName,
        renderer: [String: String],
        force: Bool
    ) throws -> CheckoutCommit {
        var pinned: [CellID: [SnapshotID: ObjectID]] = [:]
        let edits = status.modified + status.added + (deletions ? status.deleted : [])
        for cell in Set(edits.map(\.id.cell)) {
            for reference in try store.references(pin, cell: cell) {
                pinned[cell, default: [:]][reference.id] = reference.objectID
            }
        }
        let open = edits.filter { pinned[$0.id.cell]?[$0.id] != $0.local }
        let settled = edits.filter { pinned[$0.id.cell]?[$0.id] == $0.local }
        let both = open.filter { pinned[$0.id.cell]?[$0.id] != $0.base }
        guard both.isEmpty || force else {
            throw CheckoutError.editedOnBothSides(paths: both.map(\.path).sorted())
        }
        var commit = CheckoutCommit(
            base: pin,
            recordings: [],
            edits: open.sorted { $0.path < $1.path },
            settled: settled,
            paths: [:]
        )
        for edit in open { if let local = edit.local { commit.paths[local] = edit.path } }
        for (cell, edits) in Dictionary(grouping: open, by: \.id.cell) {
            let recorder = LocalRecording(
                cell: cell,
                pinned: pinned[cell] ?? [:],
                records: try store.suiteRecords(pin, cell: cell),
                job: job,
                renderer: renderer
            )
            commit.recordings.append(
                try recorder.recording(of: edits) { edit in
                    try workTree.read(edit.path, bytesMax: FarmLimits.pictureBytesMax)
                }
            )
        }
        commit.recordings.sort { $0.cell < $1.cell }
        return commit
    }

    /// Records the plan's pictures.
    ///
    /// The caller writes the new pin to the work tree, and then calls `note`: in the other order
    /// a crash in between would make the edits look as if they had never been made.
    package func record(_ plan: CheckoutCommit, to store: ReferenceStore) throws -> RecordedSet {
        try store.record(base: plan.base, recordings: plan.recordings) { picture in
            guard let path = plan.paths[picture.objectID] else {
                return try store.read(picture.objectID)
            }
            let bytes = try workTree.read(path, bytesMax: FarmLimits.pictureBytesMax)
            guard ObjectID(ofBlob: bytes) == picture.objectID else {
                throw CheckoutError.changedMeanwhile(path: path)
            }
            return bytes
        }
    }

    /// Notes that the plan's pictures are checked out, once the pin names them.
    package func note(
        _ plan: CheckoutCommit,
        as set: RecordedSet,
        in store: ReferenceStore
    ) throws {
        let local = try LocalFiles(in: workTree)
        guard var manifest = local.manifest else { return }
        for edit in plan.edits + plan.settled {
            manifest.files[edit.path] = nil
            guard let object = edit.local,
                case .picture(object, let status) = try local.look(edit.path)
            else { continue }
            manifest.files[edit.path] = CheckoutManifest.File(
                id: edit.id,
                objectID: object,
                status: status
            )
        }
        // Only where the checkout was of the base, or is the set by now, does it hold the set.
        if try manifest.pin == plan.base.fingerprint || manifest.holds(set.pin, in: store) {
            manifest.pin = set.pin.fingerprint
        }
        try manifest.write(to: workTree)
    }
}

extension CheckoutManifest {
    /// Whether its files are all references of a pin in its cells.
    fileprivate func holds(_ pin: ReferencePin, in store: ReferenceStore) throws -> Bool {
        var pictures: [SnapshotID: ObjectID] = [:]
        for file in files.values { pictures[file.id] = file.objectID }
        var pinned: [SnapshotID: ObjectID] = [:]
        for cell in cells {
            for reference in try store.references(pin, cell: cell) {
                pinned[reference.id] = reference.objectID
            }
        }
        return pictures == pinned
    }
}

/// The recording that local edits of one cell add up to.
private struct LocalRecording {
    let cell: CellID
    let pinned: [SnapshotID: ObjectID]
    let records: [String: SuiteRecord]
    let job: JobName
    let renderer: [String: String]

    /// Without deletions only what was edited; with them the whole cell, because only a complete
    /// recording takes pictures away.
    func recording(
        of edits: [CheckoutEdit],
        bytes: (CheckoutEdit) throws -> Data
    ) throws -> CellRecording {
        var pictures: [SnapshotID: RecordedPicture] = [:]
        let complete = edits.contains { $0.local == nil }
        if complete {
            let edited = Set(edits.map(\.id))
            for (id, object) in pinned where !edited.contains(id) {
                pictures[id] = RecordedPicture(objectID: object)
            }
        }
        var suites = complete ? records : [:]
        for edit in edits {
            guard let local = edit.local else { continue }
            let data = try bytes(edit)
            guard ObjectID(ofBlob: data) == local else {
                throw CheckoutError.changedMeanwhile(path: edit.path)
            }
            pictures[edit.id] = RecordedPicture(objectID: local)
            let folder = edit.id.firstFolder
            suites[folder] = SuiteRecord(
                pipeline: records[folder]?.pipeline,
                job: records[folder]?.job ?? job,
                renderer: renderer,
                tests: records[folder]?.tests ?? [:]
            )
        }
        return CellRecording(
            cell: cell,
            replacesCell: complete,
            pictures: pictures,
            suites: suites
        )
    }
}
