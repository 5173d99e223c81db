// A device configuration of the matrix, as written and as resolved against the catalogue.

/// A device with its metrics.
///
/// Points are CSS pixels for web suites.
package struct Device: Hashable, Sendable, Codable {
    /// The canonical name, as in the catalogue.
    package var name: String
    /// The OS version as written (`13.1`); nil where the device has none.
    package var os: String?
    /// Points, portrait.
    package var width: Int
    /// Points, portrait.
    package var height: Int
    /// Pixels per point.
    package var scale: Double
    /// The device whose references stand in where this one has none yet.
    package var succeeds: String?
    /// What a worker must offer to run on it, beside what the job needs; nil: nothing.
    package var needs: Needs?

    package init(
        name: String,
        os: String? = nil,
        width: Int,
        height: Int,
        scale: Double,
        succeeds: String? = nil,
        needs: Needs? = nil
    ) {
        self.name = name
        self.os = os
        self.width = width
        self.height = height
        self.scale = scale
        self.succeeds = succeeds
        self.needs = needs
    }

    /// `iPhone 8 (13.1)`, or the bare name.
    package var title: String { os.map { "\(name) (\($0))" } ?? name }

    /// The size a full-screen capture must have: points × scale, rounded half up.
    package var pixels: PixelSize {
        PixelSize(
            width: Int((Double(width) * scale).rounded()),
            height: Int((Double(height) * scale).rounded())
        )
    }
}

/// One value of one variant axis (`appearance: dark`).
package struct VariantValue: Hashable, Sendable, Codable {
    package var axis: String
    package var value: String

    package init(axis: String, value: String) {
        self.axis = axis
        self.value = value
    }
}

/// One cell of the matrix: a device configuration with one value of every variant axis.
package struct Cell: Hashable, Sendable, Codable {
    package var id: CellID
    /// Nil for `host`, the one cell of a job without a matrix.
    package var device: Device?
    /// In the order of the pipeline file's axes.
    package var variant: [VariantValue]

    package init(id: CellID, device: Device?, variant: [VariantValue]) {
        self.id = id
        self.device = device
        self.variant = variant
    }

    package static let host = Cell(id: .host, device: nil, variant: [])

    /// The value of an axis, where the matrix has it.
    package func value(of axis: String) -> String? {
        variant.first { $0.axis == axis }?.value
    }

    /// The size of a full-screen capture on this cell: an `orientation: landscape` turns it.
    package var pixels: PixelSize? {
        guard let size = device?.pixels else { return nil }
        return value(of: "orientation") == "landscape"
            ? PixelSize(width: size.height, height: size.width) : size
    }

    /// For people: `iPhone 8 (13.1) · dark · ja`.
    package var title: String {
        guard let device else { return id.text }
        return ([device.title] + variant.map(\.value)).joined(separator: " · ")
    }
}
