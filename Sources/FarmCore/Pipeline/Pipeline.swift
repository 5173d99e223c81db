// The decoded pipeline file: typed values, nothing left to check.

/// Where the references live.
package struct ReferenceSettings: Hashable, Sendable, Codable {
    /// Path (relative to the pipeline file's folder) or Git URL.
    package var store: String
    /// The pin file, relative to the pipeline file's folder.
    package var pinPath: String
    /// How the names of pictures were spelled before, where a device moved on.
    package var renames: [RenameRule]
    /// Patterns of suites whose new references are made smaller without changing a pixel.
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

/// The screens that should have pictures.
package enum ScreenList: Hashable, Sendable, Codable {
    case named([String])
    /// A file that names one on each line, relative to the pipeline file's folder.
    case file(String)

    /// Nil while the file has not been read.
    package var names: [String]? {
        if case .named(let names) = self { names } else { nil }
    }

    /// Whether a text may name a screen: one line, no longer than a picture's name.
    package static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= FarmLimits.snapshotNameBytesMax
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    /// The names of a file's text, each once: its lines, without empty ones and those that begin
    /// with `#`.
    package init(lines text: String) {
        var seen: Set<String> = []
        self = .named(
            text.split(whereSeparator: \.isNewline).map { String($0).trimmingSpaces() }
                .filter { !$0.isEmpty && !$0.hasPrefix("#") && seen.insert($0).inserted }
        )
    }
}

/// A pipeline, as its file says.
package struct Pipeline: Hashable, Sendable, Codable {
    package var name: String
    package var references: ReferenceSettings?
    package var devices: [Device]
    package var axes: [VariantAxis]
    /// In the order of the file.
    package var jobs: [Job]
    /// Known bad tests and pictures that do not make a run red.
    package var quarantine: [QuarantineEntry]
    /// Nil where it does not say.
    package var screens: ScreenList?

    package init(
        name: String,
        references: ReferenceSettings?,
        devices: [Device],
        axes: [VariantAxis],
        jobs: [Job],
        quarantine: [QuarantineEntry] = [],
        screens: ScreenList? = nil
    ) {
        self.name = name
        self.references = references
        self.devices = devices
        self.axes = axes
        self.jobs = jobs
        self.quarantine = quarantine
        self.screens = screens
    }
}
