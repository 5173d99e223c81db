// The data of a set's catalogue: every picture of the set, with its name for people. It is in the
// form of a run's data, so that a screen has one title in both.
import FarmCore

/// The data of a reference set's catalogue.
package struct SetCatalogue: Sendable {
    /// A reference picture of the set.
    package struct Picture: Sendable {
        package var id: SnapshotID
        package var job: JobName?
        package var test: TestID?
        /// The name of the picture's file in `pictures/`, without its ending.
        package var file: String
        /// The names of its alternates' files in `pictures/`, without their endings.
        package var alternates: [String]
        /// The picture's thumbnail in `thumbs/`, or `nil` if the picture cannot be decoded.
        package var thumbnail: Thumbnail?

        package init(
            id: SnapshotID,
            job: JobName?,
            test: TestID?,
            file: String,
            alternates: [String] = [],
            thumbnail: Thumbnail?
        ) {
            self.id = id
            self.job = job
            self.test = test
            self.file = file
            self.alternates = alternates
            self.thumbnail = thumbnail
        }
    }

    /// A small picture in place of a large one.
    package struct Thumbnail: Sendable {
        package var file: String
        /// The size of the thumbnail in pixels, or `nil` if it has not been made yet.
        package var size: PixelSize?
        /// The size of the whole picture in pixels; `nil` whenever `size` is.
        package var pictureSize: PixelSize?

        package init(file: String, size: PixelSize? = nil, pictureSize: PixelSize? = nil) {
            self.file = file
            self.size = size
            self.pictureSize = pictureSize
        }
    }

    /// The name of the pipeline, or another name of the references.
    package var name: String
    package var set: ObjectID
    /// The journal's entry of the set, or `nil` if there is none.
    package var entry: LogEntry?
    /// The cells of the matrix, in the order in which the catalogue shows them.
    ///
    /// Other cells of pictures come after them, by id.
    package var cells: [Cell]
    package var pictures: [Picture]
    /// The names of the screens that should have pictures, or `nil` if they are unknown.
    package var screens: [String]?
    /// The journal's entries of the sets that a host offers to show, the newest first.
    package var others: [LogEntry]

    package init(
        name: String,
        set: ObjectID,
        entry: LogEntry?,
        cells: [Cell],
        pictures: [Picture],
        screens: [String]?,
        others: [LogEntry] = []
    ) {
        self.name = name
        self.set = set
        self.entry = entry
        self.cells = cells
        self.pictures = pictures
        self.screens = screens
        self.others = others
    }

    /// The screens that have a picture and those that lack one, or `nil` if `screens` is.
    package var coverage: ScreenCoverage? {
        screens.map { ScreenCoverage(of: $0, in: summary) }
    }

    /// The set as the summary of a run that made its pictures, for titles and order.
    var summary: RunSummary {
        RunSummary(
            run: RunFacts(
                id: "",
                key: "",
                pipeline: name,
                mode: .verify,
                filtered: false,
                commit: "",
                branch: "",
                pullRequest: "",
                set: set.hex,
                planDigest: "",
                started: "",
                finished: ""
            ),
            state: .passed,
            exitCode: 0,
            counts: VerdictCounts(),
            comparisons: ComparisonCounts(),
            cells: cells.map { CellSummary($0) },
            tests: [],
            snapshots: pictures.map(Self.summary),
            artifacts: [],
            problems: []
        )
    }

    private static func summary(_ picture: Picture) -> SnapshotSummary {
        let size = picture.thumbnail?.pictureSize
        var files = ["capture": "pictures/\(picture.file).png"]
        if let thumbnail = picture.thumbnail { files["thumb"] = "thumbs/\(thumbnail.file).png" }
        var summary = SnapshotSummary(
            id: picture.id.text,
            job: picture.job?.text ?? "",
            cell: picture.id.cell.text,
            suite: picture.id.suite,
            name: picture.id.name,
            identifier: "",
            test: picture.test?.text ?? "",
            verdict: .passed,
            reference: picture.file,
            width: size?.width ?? 0,
            height: size?.height ?? 0,
            files: files
        )
        summary.alternates = picture.alternates.isEmpty ? nil : picture.alternates
        return summary
    }
}
