// The device matrix: devices × variants − exclusions. A cell's id is its folder name; two spellings
// of one device give one cell.
import Foundation

/// A variant axis with its values, in the order of the pipeline file.
package struct VariantAxis: Hashable, Sendable, Codable {
    package var name: String
    package var values: [String]

    package init(name: String, values: [String]) {
        self.name = name
        self.values = values
    }
}

/// A rule that excludes the cells that meet all its conditions.
package struct Exclusion: Hashable, Sendable, Codable {
    /// The device of the excluded cells as in the pipeline file, with or without its OS; `nil` for
    /// all devices.
    package var device: String?
    /// The variant values of the excluded cells, by axis.
    package var variant: [String: String]

    package init(device: String?, variant: [String: String]) {
        self.device = device
        self.variant = variant
    }

    func covers(_ device: Device, _ values: [VariantValue]) -> Bool {
        if let wanted = self.device {
            let spelled = DeviceName(wanted)
            let name = DeviceCatalogue.entry(named: spelled.name)?.name ?? spelled.name
            guard name == device.name, spelled.os == nil || spelled.os == device.os else {
                return false
            }
        }
        return variant.allSatisfy { axis, value in
            values.contains(VariantValue(axis: axis, value: value))
        }
    }
}

package enum Matrix {
    /// Returns all cells of the matrix, device by device; the last axis changes fastest.
    package static func cells(
        devices: [Device],
        axes: [VariantAxis],
        excluding exclusions: [Exclusion]
    ) -> [Cell] {
        var combinations: [[VariantValue]] = [[]]
        for axis in axes {
            combinations = combinations.flatMap { head in
                axis.values.map { head + [VariantValue(axis: axis.name, value: $0)] }
            }
        }
        return devices.flatMap { device in
            combinations.filter { values in
                !exclusions.contains { $0.covers(device, values) }
            }.map { values in
                Cell(id: cellID(device: device, variant: values), device: device, variant: values)
            }
        }
    }

    /// Returns the id of a cell: the device's name, OS and variant values joined with `_`.
    ///
    /// In each part, every run of characters other than Unicode letters, numbers and `.` becomes
    /// one `-`; none stays at the ends.
    package static func cellID(device: Device, variant: [VariantValue]) -> CellID {
        let parts = [device.name, device.os ?? ""] + variant.map(\.value)
        return CellID(parts.map(cellPart).filter { !$0.isEmpty }.joined(separator: "_"))
    }

    private static func cellPart(_ text: String) -> String {
        var part = ""
        for character in text.precomposedStringWithCanonicalMapping {
            if character.isLetter || character.isNumber || character == "." {
                part.append(character)
            } else if part.last != "-", !part.isEmpty {
                part.append("-")
            }
        }
        while part.last == "-" { part.removeLast() }
        return part
    }
}
