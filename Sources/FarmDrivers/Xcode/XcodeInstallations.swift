// Chooses the Xcode that a job runs with: the selected one if it will do, else the newest that the
// job's `needs: {xcode: …}` allows, through DEVELOPER_DIR.
import FarmCore
import Foundation

/// An Xcode of this machine.
package struct XcodeInstallation: Hashable, Sendable {
    /// The value of DEVELOPER_DIR, or `nil` for the Xcode that is selected already.
    package var developerFolder: String?
    /// The version, such as `16.4`.
    package var version: String

    /// Returns the Xcode that a job runs with, or `nil` if no Xcode is selected.
    static func choice(
        _ needs: Needs,
        among all: [XcodeInstallation]
    ) throws(XcodeError) -> XcodeInstallation? {
        guard let need = needs.all.first(where: { $0.name == "xcode" }) else {
            return all.first { $0.developerFolder == nil }
        }
        let fitting = all.filter { need.isMet(by: [$0.version]) }
        if let selected = fitting.first(where: { $0.developerFolder == nil }) { return selected }
        let newest = fitting.max { left, right in
            guard let older = VersionNumber(left.version), let newer = VersionNumber(right.version)
            else { return false }
            return older < newer
        }
        guard let newest else {
            throw .xcodeMissing(needs: need.text, found: all.map(\.version))
        }
        return newest
    }
}

/// The Xcodes of this machine; their versions are read once.
package actor XcodeInstallations {
    private let environment: [String: String]
    private let seconds: Double
    private var known: [XcodeInstallation]?

    /// Creates the list of Xcodes; `seconds` is the most time that one Xcode may take to report its
    /// version.
    init(environment: [String: String], seconds: Double = FarmLimits.versionSeconds) {
        self.environment = environment
        self.seconds = seconds
    }

    /// The folder in which Xcodes are searched, apart from the selected one.
    private var folder: String { environment["SNAPFARM_XCODES"] ?? "/Applications" }

    /// Returns the Xcodes of this machine: first the selected one, if there is one, then those of
    /// the folder, by name.
    package func all() async -> [XcodeInstallation] {
        if let known { return known }
        var found: [XcodeInstallation] = []
        if let version = await version(developerFolder: nil) {
            found.append(XcodeInstallation(developerFolder: nil, version: version))
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names.sorted() where name.hasPrefix("Xcode") && name.hasSuffix(".app") {
            let developer = "\(folder)/\(name)/Contents/Developer"
            guard isFolder(developer), let version = await version(developerFolder: developer)
            else { continue }
            found.append(XcodeInstallation(developerFolder: developer, version: version))
        }
        known = found
        return found
    }

    private func version(developerFolder: String?) async -> String? {
        var environment = environment
        if let developerFolder { environment["DEVELOPER_DIR"] = developerFolder }
        let tools = XcodeTools(environment: environment)
        guard
            let result = try? await tools.run("xcodebuild", ["-version"], seconds: seconds),
            result.isGood
        else { return nil }
        return DiscoveredOffers.version(in: String(decoding: result.output, as: UTF8.self))
    }
}
