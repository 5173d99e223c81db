// The decoded pipeline file: typed and checked values.

/// The settings of a pipeline's references: store, pin, and the rules for names and files.
package struct ReferenceSettings: Hashable, Sendable, Codable {
    /// The reference store's path, relative to the pipeline file's folder, or its Git URL.
    package var store: String
    /// The path of the pin file, relative to the pipeline file's folder.
    package var pinPath: String
    /// The rules that find the old name of a picture whose device was replaced by another.
    package var renames: [RenameRule]
    /// The patterns of suites whose new references are stored as smaller files of the same pixels.
    package var reencode: [String]

    private enum CodingKeys: String, CodingKey {
        case store
        case pinPath = "pin"
        case renames
        case reencode
    }

    package init(
        store: String,
        pinPath: String = "snapfarm.refs",
        renames: [RenameRule] = [],
        reencode: [String] = []
    ) {
        self.store = store
        self.pinPath = pinPath
        self.renames = renames
        self.reencode = reencode
    }
}

/// The list of the screens that should have pictures.
package enum ScreenList: Hashable, Sendable, Codable {
    case named([String])
    /// A file that names a screen on each line; its path is relative to the pipeline file's folder.
    case file(String)

    /// The screens' names, or `nil` if their file has not been read.
    package var names: [String]? {
        if case .named(let names) = self { names } else { nil }
    }

    /// Whether a text can name a screen: one line, no longer than a picture's name.
    package static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= FarmLimits.snapshotNameBytesMax
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    /// Reads screens' names from a file's text: its lines, each once, without empty ones and those
    /// that begin with `#`.
    package init(lines text: String) {
        var seen: Set<String> = []
        self = .named(
            text.split(whereSeparator: \.isNewline).map { String($0).trimmingSpaces() }
                .filter { !$0.isEmpty && !$0.hasPrefix("#") && seen.insert($0).inserted }
        )
    }
}

/// The content of a pipeline file.
package struct Pipeline: Hashable, Sendable, Codable {
    package var name: String
    package var references: ReferenceSettings?
    package var devices: [Device]
    package var axes: [VariantAxis]
    /// The pipeline's jobs in the order of the file.
    package var jobs: [Job]
    /// The known bad tests and pictures that do not make a run red.
    package var quarantine: [QuarantineEntry]
    /// The screens that should have pictures, or `nil` if the file names none.
    package var screens: ScreenList?
    /// The patterns of paths that no test reads, relative to the repository's root.
    package var pathsIgnore: [String]
    /// The place of published reports, or `nil` if the file names none.
    package var publish: ReportDestination?

    package init(
        name: String,
        references: ReferenceSettings?,
        devices: [Device],
        axes: [VariantAxis],
        jobs: [Job],
        quarantine: [QuarantineEntry] = [],
        screens: ScreenList? = nil,
        pathsIgnore: [String] = [],
        publish: ReportDestination? = nil
    ) {
        self.pathsIgnore = pathsIgnore
        self.name = name
        self.references = references
        self.devices = devices
        self.axes = axes
        self.jobs = jobs
        self.quarantine = quarantine
        self.screens = screens
        self.publish = publish
    }
}
