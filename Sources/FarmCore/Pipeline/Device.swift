// The devices of the matrix with their metrics, variants' values, and cells.

/// A device of the matrix with its metrics.
///
/// For web jobs, points are CSS pixels.
package struct Device: Hashable, Sendable, Codable {
    /// The device's canonical name, as in the catalogue.
    package var name: String
    /// The OS version as in the pipeline file (`13.1`), or `nil` if the device has none.
    package var os: String?
    /// The width of the screen in points, portrait.
    package var width: Int
    /// The height of the screen in points, portrait.
    package var height: Int
    /// The number of pixels per point.
    package var scale: Double
    /// The name of the device whose references are used while this one has none, or `nil` if there
    /// is none.
    package var succeeds: String?
    /// The needs of the device, in addition to those of the job; `nil` if there are none.
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

    /// The device's name with its OS, such as `iPhone 8 (13.1)`, or the name alone if it has no OS.
    package var title: String { os.map { "\(name) (\($0))" } ?? name }

    /// The size of a full-screen capture in pixels: points × scale, rounded half up.
    package var pixels: PixelSize {
        PixelSize(
            width: Int((Double(width) * scale).rounded()),
            height: Int((Double(height) * scale).rounded())
        )
    }
}

/// A value of a variant axis (`appearance: dark`).
package struct VariantValue: Hashable, Sendable, Codable {
    package var axis: String
    package var value: String

    package init(axis: String, value: String) {
        self.axis = axis
        self.value = value
    }
}

/// A cell of the matrix: a device with one value of every variant axis.
package struct Cell: Hashable, Sendable, Codable {
    package var id: CellID
    /// The cell's device, or `nil` for `host`, the only cell of a job without a matrix.
    package var device: Device?
    /// The cell's value of each variant axis, in the order of the pipeline file.
    package var variant: [VariantValue]

    package init(id: CellID, device: Device?, variant: [VariantValue]) {
        self.id = id
        self.device = device
        self.variant = variant
    }

    package static let host = Cell(id: .host, device: nil, variant: [])

    /// Returns the cell's value of an axis, or `nil` if the matrix lacks the axis.
    package func value(of axis: String) -> String? {
        variant.first { $0.axis == axis }?.value
    }

    /// The size of a full-screen capture on this cell in pixels, or `nil` without a device;
    /// `orientation: landscape` swaps the sides.
    package var pixels: PixelSize? {
        guard let size = device?.pixels else { return nil }
        return value(of: "orientation") == "landscape"
            ? PixelSize(width: size.height, height: size.width) : size
    }

    /// The cell in words: `iPhone 8 (13.1) · dark · ja`.
    package var title: String {
        guard let device else { return id.text }
        return ([device.title] + variant.map(\.value)).joined(separator: " · ")
    }
}
