// Reads the device from a picture's file name. These are the file name options of
// iOSSnapshotTestCase (newest form first; FBSnapshotTestCasePlatform.m, before 6.0
// FBDeviceAgnosticNormalizedFileName):
//
//     <name>[_<model>][_<OS>][_<width>x<height>][@<scale>x]    testFoo_iPhone_17_2_390x844@3x
//     <name>_<model><OS>_<width>x<height>[@<scale>x]           testFoo_iPhone13_1_375x667@2x
//     <name>-<device>-<OS>-<width>x<height>[@<scale>x]         teams' own: iPhone8-13.1-375x667@2x
//
// The forms overlap, so a name may have several readings. A cell fits if one of them does.
import FarmCore

/// The facts in a file name about the device that drew the picture.
package struct DeviceHints: Hashable, Sendable {
    /// A possible reading of the name.
    struct Reading: Hashable, Sendable {
        /// The device's `UIDevice.model`: `iPhone`, `iPad`, `iPod touch`, `Apple TV`.
        var model: String?
        /// The device's name in the catalogue.
        var device: String?
        var os: String?
    }

    private(set) var readings: [Reading] = []
    /// The size of the screen in points, in its orientation.
    private(set) var points: PixelSize?
    private(set) var scale: Int?

    private static let models = ["iPhone", "iPad", "iPod touch", "Apple TV"]

    /// Parses the hints in a picture's file name without `.png`.
    init(name: String) {
        var rest = Substring(name)
        if let at = rest.lastIndex(of: "@"), rest.hasSuffix("x"),
            let scale = Int(rest[rest.index(after: at)...].dropLast()), (1...9).contains(scale)
        {
            self.scale = scale
            rest = rest[..<at]
        }
        var words = rest.split(omittingEmptySubsequences: false) { $0 == "_" || $0 == "-" }
        if let last = words.last, let size = Self.size(last) {
            points = size
            words.removeLast()
        }
        let numbers = words.reversed().prefix(3).prefix(while: Self.isVersion).count
        // A lone number may be part of the test's name: an OS version needs a device or a size
        // beside it.
        for count in stride(from: min(numbers, words.count - 1), through: 0, by: -1) {
            let os = words.suffix(count).map(String.init)
            let found = Self.readings(endOf: words.dropLast(count), os: os)
            guard found.isEmpty else {
                readings = found
                return
            }
        }
        if points != nil, numbers > 0, numbers < words.count {
            readings = [Reading(os: words.suffix(numbers).joined(separator: "."))]
        }
    }

    package var isEmpty: Bool { readings.isEmpty && points == nil && scale == nil }

    /// Whether a picture with this name can belong to a cell.
    package func fit(_ cell: Cell) -> Bool {
        guard let device = cell.device else { return readings.isEmpty && points == nil }
        // The scale is written with `%.0f`.
        if let scale, Int(device.scale.rounded(.toNearestOrEven)) != scale { return false }
        if let points {
            let size = (points.width, points.height)
            guard size == (device.width, device.height) || size == (device.height, device.width)
            else { return false }
        }
        return readings.isEmpty
            || readings.contains { reading in
                (reading.model.map { device.name.hasPrefix($0) } ?? true)
                    && (reading.device.map { $0 == device.name } ?? true)
                    && (reading.os.map { $0 == device.os } ?? true)
            }
    }

    /// The hints as text for people.
    var text: String {
        let devices = readings.map { reading in
            [reading.device ?? reading.model, reading.os.map { "OS \($0)" }]
                .compactMap(\.self).joined(separator: " ")
        }
        let parts = [
            devices.isEmpty ? nil : devices.joined(separator: " or "),
            points.map { "\($0.width)×\($0.height) points" }, scale.map { "@\($0)x" },
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    private static func readings(endOf words: ArraySlice<Substring>, os: [String]) -> [Reading] {
        guard words.count > 1, let last = words.last else { return [] }
        let version = os.isEmpty ? nil : os.joined(separator: ".")
        let lastTwo = words.suffix(2).joined(separator: " ")
        if let model = models.first(where: { $0 == last || (words.count > 2 && $0 == lastTwo) }) {
            return [Reading(model: model, os: version)]
        }
        var found: [Reading] = []
        for model in models {
            for text in [String(last), lastTwo] where text.hasPrefix(model) {
                let digits = text.dropFirst(model.count)
                guard isVersion(digits), !os.isEmpty, os.count < 3 else { continue }
                found.append(
                    Reading(model: model, os: ([String(digits)] + os).joined(separator: "."))
                )
            }
        }
        if let device = devices[last.lowercased()] {
            found.append(Reading(device: device, os: version))
        }
        return found
    }

    /// The device names of the catalogue, by their form in a file name.
    ///
    /// Computed once, because an import needs it for each of its pictures.
    private static let devices = Dictionary(
        DeviceCatalogue.names.map { ($0.lowercased().replacing(" ", with: ""), $0) },
        uniquingKeysWith: { first, _ in first }
    )

    private static func isVersion(_ word: Substring) -> Bool {
        word.utf8.count <= 8 && DeviceName.isVersion(word)
    }

    private static func size(_ word: Substring) -> PixelSize? {
        let parts = word.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]),
            (1...100_000).contains(width), (1...100_000).contains(height)
        else { return nil }
        return PixelSize(width: width, height: height)
    }
}
