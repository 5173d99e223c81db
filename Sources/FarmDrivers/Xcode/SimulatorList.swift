// Reads `xcrun simctl list --json`, and finds the device type and runtime for a device of the
// pipeline. A device without a simulator is an error: another device would make other pictures.
import FarmCore
import Foundation

/// The device types, runtimes and simulators of one Xcode.
struct SimulatorList: Decodable, Sendable {
    struct DeviceType: Decodable, Hashable, Sendable {
        var name: String
        var identifier: String
    }

    struct Runtime: Decodable, Hashable, Sendable {
        var identifier: String
        /// The runtime's name, such as `iOS 17.5`; the version may have a third part.
        var name: String
        var version: String
        /// The runtime's build, such as `22F77`.
        var buildversion: String?
        var isAvailable: Bool?
        /// The device types that can run the runtime, or `nil` in lists of older Xcodes.
        var supportedDeviceTypes: [DeviceType]?

        var isUsable: Bool { isAvailable != false }

        func runs(_ type: DeviceType) -> Bool {
            supportedDeviceTypes?.contains { $0.identifier == type.identifier } ?? true
        }
    }

    struct Simulator: Decodable, Hashable, Sendable {
        var udid: String
        var name: String
        var state: String
        var deviceTypeIdentifier: String?
        var isAvailable: Bool?
    }

    var devicetypes: [DeviceType]
    var runtimes: [Runtime]
    /// The simulators, by the identifier of their runtime.
    var devices: [String: [Simulator]]

    init?(_ json: Data) {
        guard let list = try? JSONDecoder().decode(SimulatorList.self, from: json) else {
            return nil
        }
        self = list
    }

    /// Returns the device type and runtime of simulators for a device of the pipeline.
    func model(of device: Device) throws(XcodeError) -> SimulatorModel {
        guard let type = deviceType(named: device.name) else {
            throw .deviceTypeUnknown(
                device.name,
                known: devicetypes.map(\.name).filter { $0.hasPrefix("iP") }.reversed()
            )
        }
        let fitting = runtimes.filter { runtime in
            runtime.isUsable && runtime.name.hasPrefix("iOS ") && runtime.runs(type)
                && (device.os.map { runtime.isVersion($0) } ?? true)
        }
        // Takes the newest version, and of two builds of one version the later in the list.
        let newest = fitting.enumerated().max { left, right in
            let older = VersionNumber(left.element.version)
            let newer = VersionNumber(right.element.version)
            if let older, let newer, older != newer { return older < newer }
            return left.offset < right.offset
        }
        guard let newest else {
            throw .runtimeUnknown(
                device: device.name,
                os: device.os ?? "",
                known: runtimes.filter(\.isUsable).map(\.name)
            )
        }
        return SimulatorModel(
            title: device.title,
            type: type.identifier,
            runtime: newest.element.identifier,
            build: newest.element.buildversion
        )
    }

    /// Returns the device type with a name, as written or as the catalogue spells it, or `nil` if
    /// there is none.
    private func deviceType(named name: String) -> DeviceType? {
        if let exact = devicetypes.first(where: { $0.name == name }) { return exact }
        guard let entry = DeviceCatalogue.entry(named: name) else { return nil }
        return devicetypes.first { DeviceCatalogue.entry(named: $0.name) == entry }
    }

    /// Returns the UDIDs, sorted, of simulators whose makers are gone.
    func leftovers(isGone: (String) -> Bool) -> [String] {
        devices.values.flatMap(\.self).filter { isGone($0.name) }.map(\.udid).sorted()
    }

    func has(_ udid: String) -> Bool {
        devices.values.contains { $0.contains { $0.udid == udid } }
    }

    func isBooted(_ udid: String) -> Bool {
        devices.values.contains { $0.contains { $0.udid == udid && $0.state == "Booted" } }
    }
}

extension SimulatorList.Runtime {
    /// Whether the runtime is iOS `os`: `13.1` also means the iOS with that name although it is
    /// 13.1.2.
    fileprivate func isVersion(_ os: String) -> Bool {
        if let wanted = VersionNumber(os), let own = VersionNumber(version), wanted == own {
            return true
        }
        return name == "iOS \(os)"
    }
}

/// The device type and runtime of a simulator.
struct SimulatorModel: Hashable, Sendable {
    /// The title for people, such as `iPhone 8 (13.1)`.
    var title: String
    /// CoreSimulator's identifier of the device type; `runtime` is that of the runtime.
    var type: String
    var runtime: String
    /// The runtime's build, or `nil` if the list lacks it.
    var build: String?
}

/// The names of the farm's simulators.
///
/// Names are not unique, and no code finds a simulator by its name. A name shows which process made
/// the simulator, so that the next start can delete what a killed process left.
enum SimulatorName {
    /// The prefix of the names of all simulators that snapfarm makes.
    static let prefix = "snapfarm-"

    /// Returns the name of a simulator; `mark` is that of this process (`ProcessMark`).
    static func name(mark: String, title: String) -> String { "\(prefix)\(mark) \(title)" }

    /// Returns the mark in a name, or `nil` if the farm did not make the simulator or keeps it for
    /// later runs.
    static func mark(in name: String) -> String? {
        guard name.hasPrefix(prefix), !name.hasPrefix(KeptMark.prefix) else { return nil }
        let mark = name.dropFirst(prefix.count).prefix { $0 != " " }
        return mark.isEmpty ? nil : String(mark)
    }
}
