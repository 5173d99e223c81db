// The plan of an import, before anything is written: every picture with its id, and every file that
// is left out, with the reason.
import FarmCore
import FarmGit

/// The settings of an import from a main repository.
package struct ImportSettings: Sendable {
    package var source: ImportSource
    /// The folder of the main repository that is imported, or empty for the whole repository.
    package var folder: String
    package var choice: CellChoice
    /// The job that makes the pictures from now on; with `nil`, the suites get no record.
    package var job: JobName?
    /// Whether pictures of the base that are not in the import leave their cells.
    package var replacesCells: Bool

    package init(
        source: ImportSource = .frameworks(nil),
        folder: String = "",
        choice: CellChoice,
        job: JobName? = nil,
        replacesCells: Bool = false
    ) {
        self.source = source
        self.folder = folder
        self.choice = choice
        self.job = job
        self.replacesCells = replacesCells
    }

    /// Returns the id of the picture at a path, or `nil` if the file is not of the source.
    func id(of path: String) throws -> SnapshotID? {
        guard folder.isEmpty || below(folder, path) != nil else { return nil }
        switch source.place(of: path) {
        case .elsewhere: return nil
        case .unusable(let fault): throw fault
        case .picture(let place, let namesDevice):
            let cell =
                try place.cell ?? choice.cell(path: path, name: namesDevice ? place.name : nil)
            // The cell becomes a folder of the set and a line of the pin.
            guard SubtreePath(cell: cell, folder: "x") != nil else {
                throw GitError.nameRefused(cell.text, reason: "it is not a cell's name")
            }
            return try SnapshotID(cell: cell, suite: place.suite, name: place.name)
        case .foreign(let place, let variant, _):
            let cell = try choice.cell(path: path, variant: variant)
            return try SnapshotID(cell: cell, suite: place.suite, name: place.name)
        }
    }

    /// Returns the tool of the picture at a path if snapfarm replaces it, else `nil`.
    func replacedTool(of path: String) -> VisualTool? {
        guard folder.isEmpty || below(folder, path) != nil,
            case .foreign(_, _, let tool) = source.place(of: path), tool.isReplaced
        else { return nil }
        return tool
    }
}

/// A picture that is imported.
package struct ImportedPicture: Hashable, Sendable, Codable {
    /// The path relative to the root of the main repository, in its exact bytes.
    package var path: String
    package var id: SnapshotID
    package var objectID: ObjectID
    package var bytes: Int
}

/// The plan of an import; nothing has been written yet.
package struct ImportPlan: Sendable, Codable {
    /// The pictures, sorted by id.
    package var pictures: [ImportedPicture] = []
    /// The path of each picture, for `checkout` and `export`.
    package var origins = ReferenceOrigins()
    /// Files that cannot be mapped to a snapshot; the import leaves them out.
    package var unmapped: [UnusablePicture] = []
    /// The pictures that must not be left out silently; while there are any, no import begins.
    ///
    /// These are duplicates, Git LFS pointers, files that are not PNG, and colliding names.
    package var refused: [UnusablePicture] = []

    /// The id and status of each file that was read, by path.
    ///
    /// Leaves out a just changed file: a later change could leave its status the same.
    package var files: [String: CheckoutManifest.File] = [:]

    /// The size of all pictures in bytes; equal pictures count each time.
    package var bytes: Int { pictures.reduce(0) { $0 + $1.bytes } }
    package var cells: [CellID] { Set(pictures.map(\.id.cell)).sorted() }

    /// Returns the recordings of the import, one for each cell.
    func recordings(_ settings: ImportSettings) -> [CellRecording] {
        Dictionary(grouping: pictures, by: \.id.cell).sorted { $0.key < $1.key }.map {
            cell,
            found in
            CellRecording(
                cell: cell,
                replacesCell: settings.replacesCells,
                pictures: Dictionary(
                    found.map { ($0.id, RecordedPicture(objectID: $0.objectID)) },
                    uniquingKeysWith: { first, _ in first }
                ),
                suites: settings.suites(of: found.map(\.id))
            )
        }
    }
}

extension ImportSettings {
    /// Returns the records for the suites of some pictures, by first folder.
    func suites(of ids: some Sequence<SnapshotID>) -> [String: SuiteRecord] {
        guard let job else { return [:] }
        let record = SuiteRecord(job: job, renderer: [:], tests: [:])
        return Dictionary(
            ids.map { ($0.firstFolder, record) },
            uniquingKeysWith: { first, _ in first }
        )
    }
}
