// What an import found, before anything is written: every picture with its id, and every file that
// is left out, with the reason.
import FarmCore
import FarmGit

/// How an import reads a main repository.
package struct ImportSettings: Sendable {
    package var source: ImportSource
    /// Only what lies below this folder of the main repository; empty for all.
    package var folder: String
    package var choice: CellChoice
    /// The job that makes the pictures from now on; nil leaves the suites without a record.
    package var job: JobName?
    /// Whether pictures that the base has and the import has not leave their cells.
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

    /// The id of the picture at a path; nil for a file that is not of the source.
    func id(of path: String) throws -> SnapshotID? {
        guard folder.isEmpty || below(folder, path) != nil else { return nil }
        switch source.place(of: path) {
        case .elsewhere: return nil
        case .unusable(let fault): throw fault
        case .picture(let place, let namesDevice):
            let cell =
                try place.cell ?? choice.cell(path: path, name: namesDevice ? place.name : nil)
            // The cell is a folder of the set, and a line of the pin.
            guard SubtreePath(cell: cell, folder: "x") != nil else {
                throw GitError.nameRefused(cell.text, reason: "it is not a cell's name")
            }
            return try SnapshotID(cell: cell, suite: place.suite, name: place.name)
        case .foreign(let place, let variant, _):
            let cell = try choice.cell(path: path, variant: variant)
            return try SnapshotID(cell: cell, suite: place.suite, name: place.name)
        }
    }

    /// The tool of a picture at a path, whose scenes snapfarm draws itself; `nil` for any other.
    func replacedTool(of path: String) -> VisualTool? {
        guard folder.isEmpty || below(folder, path) != nil,
            case .foreign(_, _, let tool) = source.place(of: path), tool.isReplaced
        else { return nil }
        return tool
    }
}

/// A picture that an import takes.
package struct ImportedPicture: Hashable, Sendable, Codable {
    /// Below the root of the main repository, exactly as it is there.
    package var path: String
    package var id: SnapshotID
    package var objectID: ObjectID
    package var bytes: Int
}

/// What an import will do; nothing has been written yet.
package struct ImportPlan: Sendable, Codable {
    /// Sorted by id.
    package var pictures: [ImportedPicture] = []
    /// Where each picture was, for `checkout` and `export`.
    package var origins = ReferenceOrigins()
    /// Files that cannot be mapped to a snapshot; the import goes on without them.
    package var unmapped: [UnusablePicture] = []
    /// Pictures that must not be lost silently; the import refuses to begin while there are any.
    ///
    /// Duplicates, Git LFS pointers, files that are not PNG, colliding names.
    package var refused: [UnusablePicture] = []

    /// Files by path as they were read, those that no change since could look like.
    package var files: [String: CheckoutManifest.File] = [:]

    /// Of all pictures; equal pictures count each time.
    package var bytes: Int { pictures.reduce(0) { $0 + $1.bytes } }
    package var cells: [CellID] { Set(pictures.map(\.id.cell)).sorted() }

    /// The recordings that the import adds up to, by cell.
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
    /// The records of the suites that some pictures are in.
    func suites(of ids: some Sequence<SnapshotID>) -> [String: SuiteRecord] {
        guard let job else { return [:] }
        let record = SuiteRecord(job: job, renderer: [:], tests: [:])
        return Dictionary(
            ids.map { ($0.firstFolder, record) },
            uniquingKeysWith: { first, _ in first }
        )
    }
}
