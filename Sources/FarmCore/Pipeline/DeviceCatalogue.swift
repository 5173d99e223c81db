// The metrics of common devices, in points, portrait. Sources: Apple HIG device dimensions,
// Playwright's device descriptors.

/// The catalogue of known devices, by the names that people and tools use.
package enum DeviceCatalogue {
    /// A device of the catalogue with its metrics.
    package struct Entry: Sendable, Hashable {
        package let name: String
        package let width: Int
        package let height: Int
        package let scale: Double

        package init(name: String, width: Int, height: Int, scale: Double) {
            self.name = name
            self.width = width
            self.height = height
            self.scale = scale
        }
    }

    /// Returns the device of this name, or `nil` if the catalogue lacks it; `Xʀ`, `XR` and `Xr` are
    /// one device.
    package static func entry(named name: String) -> Entry? { byFoldedName[folded(name)] }

    /// The canonical names of all devices, in the order of the catalogue.
    package static let names: [String] = entries.map(\.name)

    /// Returns the name in a form without case; the small capital `ʀ` of `iPhone Xʀ` becomes an r.
    private static func folded(_ name: String) -> String {
        name.lowercased().replacing("ʀ", with: "r").split(separator: " ").joined(separator: " ")
    }

    private static let byFoldedName: [String: Entry] = {
        var table: [String: Entry] = [:]
        for entry in entries { table[folded(entry.name)] = entry }
        for (alias, name) in aliases { table[folded(alias)] = table[folded(name)] }
        return table
    }()

    private static let aliases: [(String, String)] = [
        ("iPhone SE (1st generation)", "iPhone SE"),
        ("iPad Pro (11-inch) (1st generation)", "iPad Pro (11-inch)"),
        ("iPad Pro 11-inch", "iPad Pro (11-inch)"),
        ("iPad Pro (12.9-inch) (3rd generation)", "iPad Pro (12.9-inch)"),
    ]

    private static let entries: [Entry] =
        group(
            320,
            568,
            2,
            ["iPhone 5", "iPhone 5s", "iPhone SE"]
        )
        + group(
            375,
            667,
            2,
            [
                "iPhone 6", "iPhone 6s", "iPhone 7", "iPhone 8", "iPhone SE (2nd generation)",
                "iPhone SE (3rd generation)",
            ]
        )
        + group(
            414,
            736,
            3,
            ["iPhone 6 Plus", "iPhone 6s Plus", "iPhone 7 Plus", "iPhone 8 Plus"]
        )
        + group(
            375,
            812,
            3,
            ["iPhone X", "iPhone XS", "iPhone 11 Pro", "iPhone 12 mini", "iPhone 13 mini"]
        )
        + group(414, 896, 2, ["iPhone XR", "iPhone 11"])
        + group(414, 896, 3, ["iPhone XS Max", "iPhone 11 Pro Max"])
        + group(
            390,
            844,
            3,
            [
                "iPhone 12", "iPhone 12 Pro", "iPhone 13", "iPhone 13 Pro", "iPhone 14",
                "iPhone 16e",
            ]
        )
        + group(428, 926, 3, ["iPhone 12 Pro Max", "iPhone 13 Pro Max", "iPhone 14 Plus"])
        + group(393, 852, 3, ["iPhone 14 Pro", "iPhone 15", "iPhone 15 Pro", "iPhone 16"])
        + group(
            430,
            932,
            3,
            ["iPhone 14 Pro Max", "iPhone 15 Plus", "iPhone 15 Pro Max", "iPhone 16 Plus"]
        )
        + group(402, 874, 3, ["iPhone 16 Pro", "iPhone 17", "iPhone 17 Pro"])
        + group(440, 956, 3, ["iPhone 16 Pro Max", "iPhone 17 Pro Max"])
        + group(420, 912, 3, ["iPhone Air"])
        + group(768, 1024, 2, ["iPad mini 4", "iPad Pro (9.7-inch)"])
        + group(810, 1080, 2, ["iPad (7th generation)", "iPad (8th generation)"])
        + group(834, 1112, 2, ["iPad Pro (10.5-inch)", "iPad Air (3rd generation)"])
        + group(744, 1133, 2, ["iPad mini (6th generation)"])
        + group(820, 1180, 2, ["iPad Air (4th generation)", "iPad (10th generation)"])
        + group(
            834,
            1194,
            2,
            [
                "iPad Pro (11-inch)", "iPad Pro (11-inch) (2nd generation)",
                "iPad Pro (11-inch) (3rd generation)", "iPad Pro (11-inch) (4th generation)",
            ]
        )
        + group(834, 1210, 2, ["iPad Pro 11-inch (M4)", "iPad Pro 11-inch (M5)"])
        + group(1024, 1366, 2, ["iPad Pro (12.9-inch)", "iPad Air 13-inch (M2)"])
        + group(1032, 1376, 2, ["iPad Pro 13-inch (M4)", "iPad Pro 13-inch (M5)"])
        + [
            Entry(name: "Pixel 2", width: 411, height: 731, scale: 2.625),
            Entry(name: "Pixel 3", width: 393, height: 786, scale: 2.75),
            Entry(name: "Pixel 4", width: 353, height: 745, scale: 3),
            Entry(name: "Pixel 4a (5G)", width: 412, height: 892, scale: 2.63),
            Entry(name: "Pixel 5", width: 393, height: 851, scale: 2.75),
            Entry(name: "Pixel 7", width: 412, height: 915, scale: 2.625),
        ]

    private static func group(
        _ width: Int,
        _ height: Int,
        _ scale: Double,
        _ names: [String]
    ) -> [Entry] {
        names.map { Entry(name: $0, width: width, height: height, scale: scale) }
    }
}
