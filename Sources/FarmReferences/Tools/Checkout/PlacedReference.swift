// References with the paths that a layout gives them. Two references with the same path would
// overwrite each other, so they are refused before anything is written.
import FarmCore
import FarmFiles
import FarmGit

/// A reference with its path, relative to the root of a work tree.
package struct PlacedReference: Hashable, Sendable, Codable {
    package var path: String
    package var id: SnapshotID
    package var objectID: ObjectID
}

extension ReferenceLayout {
    /// Returns the references with their paths, and those for which the layout has no path, sorted.
    ///
    /// - Throws: `CheckoutError.samePlace` for two references at one path, `GuardedFolderError`
    ///   for a path that leaves the work tree, and `ReferenceStoreError.pathsCollide`.
    package func place(
        _ references: [Reference]
    ) throws -> (placed: [PlacedReference], unplaced: [SnapshotID]) {
        var byPath: [String: PlacedReference] = [:]
        var unplaced: [SnapshotID] = []
        var collisions = PathCollisions()
        for reference in references {
            guard let path = path(of: reference.id) else {
                unplaced.append(reference.id)
                continue
            }
            _ = try GuardedFolder.parts(of: path)
            let placed = PlacedReference(
                path: path,
                id: reference.id,
                objectID: reference.objectID
            )
            if let other = byPath.updateValue(placed, forKey: path) {
                throw CheckoutError.samePlace(path: path, other.id, reference.id)
            }
            try collisions.add(path)
        }
        return (byPath.values.sorted { $0.path < $1.path }, unplaced.sorted())
    }
}

/// The errors of a checkout and of committing its pictures.
package enum CheckoutError: ExplainedError, Equatable {
    case samePlace(path: String, SnapshotID, SnapshotID)
    /// The manifest cannot be read.
    case manifestBroken(path: String, reason: String)
    /// The work tree has no checkout.
    case nothingCheckedOut(path: String)
    /// A file changed between the plan and its execution.
    case changedMeanwhile(path: String)
    /// The bytes that were read are not those of the reference.
    case bytesDiffer(SnapshotID, actual: ObjectID)
    /// Pictures were changed in the checkout, and the present pin names other pictures too.
    case editedOnBothSides(paths: [String])
    /// A hook that snapfarm did not install is at the path.
    case foreignHook(path: String)
    case notAWorkTree(path: String, reason: String)

    package var code: String {
        switch self {
        case .samePlace: "checkout-same-place"
        case .manifestBroken: "checkout-manifest-invalid"
        case .nothingCheckedOut: "checkout-missing"
        case .changedMeanwhile: "checkout-changing"
        case .bytesDiffer: "checkout-bytes-differ"
        case .editedOnBothSides: "checkout-conflict"
        case .foreignHook: "hook-foreign"
        case .notAWorkTree: "work-tree-not-found"
        }
    }

    package var exit: ExitCode {
        switch self {
        case .samePlace, .manifestBroken, .nothingCheckedOut, .foreignHook, .notAWorkTree:
            .configuration
        case .changedMeanwhile: .busy
        case .bytesDiffer: .inputOutput
        case .editedOnBothSides: .differences
        }
    }

    package var message: String {
        switch self {
        case .samePlace(let path, let one, let other):
            "\(path): \(one) and \(other) have the same place."
        case .manifestBroken(let path, let reason):
            "\(path): the list of checked-out references cannot be read (\(reason))."
        case .nothingCheckedOut(let path): "\(path): no references are checked out here."
        case .changedMeanwhile(let path): "\(path): the file changed meanwhile."
        case .bytesDiffer(let id, let actual): "\(id): other bytes arrived (\(actual))."
        case .editedOnBothSides(let paths):
            """
            \(paths.count) pictures were changed here and in the pin: \
            \(paths.prefix(5).joined(separator: ", "))\(paths.count > 5 ? ", …" : "").
            """
        case .foreignHook(let path): "\(path): another hook is here."
        case .notAWorkTree(let path, let reason): "\(path): no Git work tree (\(reason))."
        }
    }

    package var remedy: String {
        switch self {
        case .samePlace:
            "Check out one cell (`snapfarm refs checkout --cell CELL`), or use the plain layout."
        case .manifestBroken(let path, _):
            "Remove \(path) and check out again: files that are equal already are kept."
        case .nothingCheckedOut: "Run `snapfarm refs checkout` first."
        case .changedMeanwhile: "Let the tests finish, then run the same command again."
        case .bytesDiffer: "Check the store with `snapfarm refs verify`."
        case .editedOnBothSides:
            """
            Look at both (`snapfarm refs diff`), then take yours with `--force`, or theirs with \
            `snapfarm refs checkout --force`.
            """
        case .foreignHook(let path):
            "Add the line `snapfarm refs checkout` to \(WorkTreeGit.lastingHook(path)) by hand."
        case .notAWorkTree: "Run the command inside a clone of the main repository."
        }
    }
}
