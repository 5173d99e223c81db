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

    package init(
        name: String,
        references: ReferenceSettings?,
        devices: [Device],
        axes: [VariantAxis],
        jobs: [Job],
        quarantine: [QuarantineEntry] = []
    ) {
        self.name = name
        self.references = references
        self.devices = devices
        self.axes = axes
        self.jobs = jobs
        self.quarantine = quarantine
    }
}
