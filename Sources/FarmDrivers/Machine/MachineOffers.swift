// Finds what a machine offers to tests, from its system and from the programs that tests would use.
// A program that is missing or does not answer in time is not offered.
import FarmCore
import Foundation

/// Finds the system, the programs and the simulators that this machine offers to tests.
package struct MachineOffers: Sendable {
    private let environment: [String: String]
    private let platform: String
    private let seconds: Double

    /// Creates the value for this machine.
    ///
    /// `platform` is system and architecture, such as `macos-arm64`; `seconds` is the most time
    /// that one program may take to answer.
    package init(
        environment: [String: String],
        platform: String,
        seconds: Double = FarmLimits.versionSeconds
    ) {
        self.environment = environment
        self.platform = platform
        self.seconds = seconds
    }

    /// Returns the offers that are known without starting a program.
    package func system() -> [(name: String, value: String)] {
        let parts = platform.split(separator: "-", maxSplits: 1).map { String($0) }
        var found = zip(["os", "arch"], parts).map { (name: $0, value: $1) }
        if let version = systemVersion { found.append(("os-version", version)) }
        return found
    }

    private var systemVersion: String? {
        guard isMac else {
            return (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8))
                .flatMap { DiscoveredOffers.systemVersion(osRelease: $0) }
        }
        let version = ProcessInfo.processInfo.operatingSystemVersion
        return "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
    }

    private static let passed: Set<String> = ["PATH", "HOME", "DEVELOPER_DIR", "LD_LIBRARY_PATH"]

    private var isMac: Bool { platform.hasPrefix("macos-") }

    /// Returns the offers that need programs: the browser and its driver if both exist, and on a
    /// Mac every Xcode, with the simulators of the selected one.
    package func programs() async -> [(name: String, value: String)] {
        await browser() + (isMac ? apple() : [])
    }

    /// Returns the offers of browser and driver, or none if one of them is missing, since one
    /// without the other is of no use to tests.
    private func browser() async -> [(name: String, value: String)] {
        guard let programs = try? ChromiumInstallation.find(environment),
            let browser = await version(programs.browser, ["--version"]),
            let driver = await version(programs.chromedriver, ["--version"])
        else { return [] }
        return [("chromium", browser), ("chromedriver", driver)]
    }

    private func apple() async -> [(name: String, value: String)] {
        let passed = environment.filter {
            Self.passed.contains($0.key) || $0.key == "SNAPFARM_XCODES"
        }
        let xcodes = await XcodeInstallations(environment: passed, seconds: seconds).all()
        guard !xcodes.isEmpty else { return [] }
        let list = await output("xcrun", ["simctl", "list", "--json"])
        return Set(xcodes.map(\.version)).sorted().map { (name: "xcode", value: $0) }
            + DiscoveredOffers.simulators(Data(list))
    }

    private func version(_ program: String, _ arguments: [String]) async -> String? {
        DiscoveredOffers.version(
            in: String(decoding: await output(program, arguments), as: UTF8.self)
        )
    }

    /// Returns a program's standard output; empty if the program is missing, fails or is too slow.
    private func output(_ program: String, _ arguments: [String]) async -> [UInt8] {
        var child = ChildProcess(
            executable: program,
            arguments: arguments,
            environment: environment.filter { Self.passed.contains($0.key) },
            folder: "/"
        )
        child.timeLimitSeconds = seconds
        let bytes = ByteBox()
        let ending = try? await child.run { stream, more in
            if stream == .standardOutput { bytes.append(more) }
        }
        return ending == .exited(0) ? bytes.bytes : []
    }
}
