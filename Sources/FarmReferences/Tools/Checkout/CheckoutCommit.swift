// Commits edited pictures of a checkout: makes a set of the present pin with the edits.
import FarmCore
import FarmFiles
import Foundation

/// The plan of a commit of edited pictures; nothing has been written yet.
package struct CheckoutCommit: Sendable {
    package var base: ReferencePin
    package var recordings: [CellRecording]
    /// The edits to record, sorted by path; leaves out edits that the pin contains already.
    package var edits: [CheckoutEdit]
    /// Edits that the pin contains already: an earlier commit was cut off, or another person made
    /// the same edit.
    var settled: [CheckoutEdit]
    /// The path of a work tree's file that has the bytes of each picture.
    var paths: [ObjectID: String]
}

extension ReferenceCheckout {
    /// Plans which edits to record; writes nothing.
    ///
    /// `pin` is the work tree's present pin, the base of the new set. With `deletions`, pictures
    /// that were deleted in the checkout also leave the set. `job` is for suites without a record,
    /// `renderer` is the known renderer of the pictures. With `force`, the local edit wins if the
    /// pin's picture has changed too.
    ///
    /// - Throws: `CheckoutError.editedOnBothSides`, and errors of reading the store.
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
    /// The caller then writes the new pin to the work tree, and after that calls `note`. In the
    /// other order, a crash in between would make the edits look as if they had never been made.
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

    /// Updates the manifest after the pin was written: marks the plan's pictures as checked out.
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
        // The manifest gets the new pin only if the checkout was of the base, or now has all of the
        // set.
        if try manifest.pin == plan.base.fingerprint || manifest.holds(set.pin, in: store) {
            manifest.pin = set.pin.fingerprint
        }
        try manifest.write(to: workTree)
    }
}

extension CheckoutManifest {
    /// Whether the manifest's files are exactly the references of a pin in the manifest's cells.
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

/// Makes the recording of the local edits in one cell.
private struct LocalRecording {
    let cell: CellID
    let pinned: [SnapshotID: ObjectID]
    let records: [String: SuiteRecord]
    let job: JobName
    let renderer: [String: String]

    /// Returns the recording of the edits.
    ///
    /// If a picture was deleted, it contains the whole cell, because only a complete recording
    /// removes pictures.
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
