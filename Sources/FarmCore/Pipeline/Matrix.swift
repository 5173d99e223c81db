// The device matrix: devices × variants − exclusions. The id of a cell is its folder name, and
// two spellings of one device must not make two cells.
import Foundation

/// One axis of variants, in the order of the pipeline file.
package struct VariantAxis: Hashable, Sendable, Codable {
    package var name: String
    package var values: [String]

    package init(name: String, values: [String]) {
        self.name = name
        self.values = values
    }
}

/// Which cells are left out: every condition must hold.
package struct Exclusion: Hashable, Sendable, Codable {
    /// A device as written, without or with its OS.
    package var device: String?
    /// By axis.
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
    /// Every cell, device by device, the last axis fastest.
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

    /// Device, OS and variant values joined with `_`; inside a part every run of characters other
    /// than Unicode letters, digits and `.` is one `-`, trimmed.
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
