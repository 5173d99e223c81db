// Exports a set as files, byte for byte as they were recorded, at the paths of a layout.
import FarmCore
import FarmFiles
import Foundation

/// The plan of an export; nothing has been written yet.
package struct ExportPlan: Sendable, Codable {
    /// The files to write, sorted by path.
    package var files: [PlacedReference]
    /// References without a place in the layout.
    package var unplaced: [SnapshotID]
    /// Existing files with other bytes; the export does not begin while there are any.
    package var taken: [String]
}

/// Writes references into a folder that has no checkout.
package struct ReferenceExport: Sendable {
    private let target: GuardedFolder

    package init(into folder: String) { target = GuardedFolder(folder) }

    /// Plans which files to write; changes nothing.
    package func plan(
        _ references: [Reference],
        layout: ReferenceLayout,
        force: Bool
    ) throws -> ExportPlan {
        let (placed, unplaced) = try layout.place(references)
        var plan = ExportPlan(files: placed, unplaced: unplaced, taken: [])
        guard !force else { return plan }
        for file in placed {
            guard let status = try target.status(file.path) else { continue }
            if status.kind == .file, status.bytes <= FarmLimits.pictureBytesMax {
                let bytes = try target.read(file.path, bytesMax: FarmLimits.pictureBytesMax)
                if ObjectID(ofBlob: bytes) == file.objectID { continue }
            }
            plan.taken.append(file.path)
        }
        return plan
    }

    /// Writes the files; returns their size in bytes.
    ///
    /// - Throws: `ExportError.taken` if the plan has existing files.
    @discardableResult
    package func apply(_ plan: ExportPlan, read: (ObjectID) throws -> Data) throws -> Int {
        if let first = plan.taken.first {
            throw ExportError.taken(count: plan.taken.count, first: first)
        }
        try FileManager.default.createDirectory(
            atPath: target.path,
            withIntermediateDirectories: true
        )
        var folders = RecentFolder(in: target)
        var written = 0
        for file in plan.files {
            let bytes = try read(file.objectID)
            let actual = ObjectID(ofBlob: bytes)
            guard actual == file.objectID else {
                throw CheckoutError.bytesDiffer(file.id, actual: actual)
            }
            let (folder, name) = GuardedFolder.split(file.path)
            try folders.at(folder).write(name, bytes, mode: 0o644)
            written += bytes.count
        }
        return written
    }
}

/// The error of an export that does not begin.
package enum ExportError: ExplainedError, Equatable {
    case taken(count: Int, first: String)

    package var code: String { "export-path-taken" }
    package var message: String {
        switch self {
        case .taken(let count, let first):
            "\(count) other files are in the way, first \(first)."
        }
    }
    package var remedy: String { "Export into an empty folder, or overwrite with `--force`." }
    package var exit: ExitCode { .invalidInput }
}
