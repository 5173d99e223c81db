// The errors of a reference store, each with a remedy.
import FarmCore

/// An error of the reference store.
package enum ReferenceStoreError: ExplainedError, Equatable {
    /// Nothing is at the path, or something that is not a store.
    case notAStore(path: String)
    /// The store was made by a later snapfarm.
    case unknownFormat(path: String, format: String)
    /// A store cannot be created at the path because something is there.
    case pathTaken(path: String)
    /// A subtree of the pin is not in the store. `line` is the pin's line, from 1.
    case pinNotInStore(path: SubtreePath, object: ObjectID, line: Int, store: String)
    case pictureTooLarge(ObjectID, bytes: Int)
    /// Two paths of one cell are the same file if case is ignored.
    case pathsCollide(String, String)
    case cellRecordedTwice(CellID)
    /// A recording names a picture of another cell.
    case foreignPicture(SnapshotID, cell: CellID)
    /// The bytes do not match the id in the recording.
    case bytesDiffer(SnapshotID, expected: ObjectID, actual: ObjectID)
    /// Other processes kept moving the journal.
    case journalMoving(store: String)

    package var code: String {
        switch self {
        case .notAStore: "store-not-found"
        case .unknownFormat: "store-format-unknown"
        case .pathTaken: "store-path-taken"
        case .pinNotInStore: "pin-not-in-store"
        case .pictureTooLarge: "picture-too-large"
        case .pathsCollide: "snapshot-paths-collide"
        case .cellRecordedTwice: "cell-recorded-twice"
        case .foreignPicture: "recording-foreign-picture"
        case .bytesDiffer: "recording-bytes-differ"
        case .journalMoving: "store-busy"
        }
    }

    package var exit: ExitCode {
        switch self {
        case .notAStore, .unknownFormat, .pathTaken, .pinNotInStore: .configuration
        case .pictureTooLarge, .pathsCollide: .invalidInput
        case .cellRecordedTwice, .foreignPicture, .bytesDiffer: .internal
        case .journalMoving: .busy
        }
    }
}

extension ReferenceStoreError {
    package var message: String {
        switch self {
        case .notAStore(let path): "\(path): no reference store is here."
        case .unknownFormat(let path, let format):
            "\(path): the reference store has the format \(format.debugDescription), not 1."
        case .pathTaken(let path): "\(path): something is already here."
        case .pinNotInStore(let path, let object, let line, let store):
            "snapfarm.refs:\(line): \"\(path)\" is \(object), which is not in the store \(store)."
        case .pictureTooLarge(let object, let bytes):
            "the picture \(object) has \(bytes) bytes, more than \(FarmLimits.pictureBytesMax)."
        case .pathsCollide(let one, let other):
            "\"\(one)\" and \"\(other)\" are one file where case does not count."
        case .cellRecordedTwice(let cell): "one recording names the cell \(cell) twice."
        case .foreignPicture(let id, let cell):
            "the recording of cell \(cell) has a picture of another cell: \(id)."
        case .bytesDiffer(let id, let expected, let actual):
            "\(id): the recorded bytes are \(actual), not \(expected)."
        case .journalMoving(let store): "\(store): another process keeps writing the journal."
        }
    }

    package var remedy: String {
        switch self {
        case .notAStore(let path):
            "Make one with `snapfarm refs init \(path)`, or correct `references.store`."
        case .unknownFormat: "Use the newer snapfarm that made the store."
        case .pathTaken:
            """
            Name a path that does not exist yet, an empty folder, or an empty bare repository \
            (`git init --bare`).
            """
        case .pinNotInStore(_, _, _, let store):
            """
            Fetch the missing sets (git -C \(store) fetch origin \
            'refs/snapfarm/*:refs/snapfarm/*'), or correct `references.store` if this is \
            another project's store.
            """
        case .journalMoving(let store):
            "Check the store (git -C \(store) fsck), then run the same command again."
        case .pictureTooLarge: "Capture a smaller part of the screen."
        case .pathsCollide: "Rename the suite or the snapshot in the test."
        case .cellRecordedTwice, .foreignPicture, .bytesDiffer:
            "This is a fault of snapfarm: please report it with the run's log."
        }
    }
}
