// Builds the environment of a test program from nothing: a variable that is not named here does not
// reach a test, so no token or CI secret can.
//
// Precedence, weakest first: the machine's variables below, the job's `env`, the contract. The
// contract wins because it decides where pictures go and whether references are written.
//
// Recording. In verify mode with `judge: farm`, the frameworks record into the lease's scratch
// folders and the farm compares: a framework that compares leaves no picture behind when it passes.
// Only `judge: framework` lets the framework read references. A unit job has no references, so its
// tests never record. The profile of the job's framework has the orders for both; a job without a
// framework gets the orders of the profiles that need no flags.
//
//   job       mode    judge      orders
//   unit      any     any        `verify` of the profile
//   snapshot  record  any        `record`
//   snapshot  verify  farm       `record`
//   snapshot  verify  framework  `verify`
import FarmCore
import FarmPipeline

/// Builds the environment of the farm's children.
package struct CleanEnvironment: Sendable {
    /// The variables that children get from the machine: the user, the folders, the language of
    /// texts, and where tools lie.
    private static let kept: Set<String> = [
        "PATH", "HOME", "TMPDIR", "LANG", "USER", "LOGNAME", "SHELL", "TZ", "DEVELOPER_DIR",
        "SDKROOT", "TOOLCHAINS", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH",
        "SWIFT_BACKTRACE", "JAVA_HOME", "ANDROID_HOME", "ANDROID_SDK_ROOT", "DISPLAY",
        "__XCODE_BUILT_PRODUCTS_DIR_PATHS",
    ]
    private static let keptPrefixes = ["XDG_", "LC_", "XCTest"]
    /// The variables that only discovery gets from the machine, because it may fetch packages: a
    /// proxy's address can contain a password.
    private static let keptForBuilding: Set<String> = [
        "http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
        "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "SSH_AUTH_SOCK",
    ]

    /// Whether children get the machine's variable `name`, tests included.
    static func isKept(_ name: String) -> Bool {
        kept.contains(name) || keptPrefixes.contains { name.hasPrefix($0) }
    }

    private let parent: [String: String]

    /// Creates the builder; `parent` is this process's environment.
    init(parent: [String: String]) { self.parent = parent }

    /// Returns the environment for discovery and building.
    package func forBuilding(_ job: Job) -> [String: String] {
        base { Self.keptForBuilding.contains($0) }
            .merging(job.env) { _, new in new }
            .merging(["SNAPFARM_JOB": job.name.text]) { _, new in new }
    }

    /// Returns the environment of a server that lives beside the shards of a job.
    package func forServing(_ job: Job) -> [String: String] {
        base { _ in false }
            .merging(job.env) { _, new in new }
            .merging(["SNAPFARM_JOB": job.name.text]) { _, new in new }
    }

    /// Returns the environment of a shard's test program.
    package func forTests(_ shard: Shard, _ folders: LeaseFolders) -> [String: String] {
        let contract = Self.contract(shard, folders)
        // xcodebuild passes variables with this prefix to the test process, without the prefix.
        let forTestRunner = contract.map { ("TEST_RUNNER_" + $0.key, $0.value) }
        return base { _ in false }
            .merging(shard.job.env) { _, new in new }
            .merging(contract) { _, new in new }
            .merging(forTestRunner) { _, new in new }
    }

    private func base(and more: (String) -> Bool) -> [String: String] {
        var result = parent.filter { name, _ in Self.isKept(name) || more(name) }
        if result["PATH"] == nil { result["PATH"] = "/usr/local/bin:/usr/bin:/bin" }
        return result
    }
}

extension CleanEnvironment {
    /// Whether the frameworks of a shard must record: see the table at the top of this file.
    package static func records(_ shard: Shard) -> Bool {
        shard.job.records(in: shard.mode)
    }

    /// Returns the arguments that replace `{flags}` in a job's command.
    static func flags(_ shard: Shard, _ folders: LeaseFolders) -> [String] {
        let orders = shard.job.framework?.orders(records: records(shard))
        return orders?.flags.map(folders.places.filled) ?? []
    }

    /// Returns the variables of the contract with the test program.
    static func contract(_ shard: Shard, _ folders: LeaseFolders) -> [String: String] {
        var result: [String: String] = [:]
        for profile in FrameworkCatalog.profiles(of: shard.job) {
            let orders = profile.orders(records: records(shard)).environment
            result.merge(orders.mapValues(folders.places.filled)) { first, _ in first }
        }
        result["SNAPFARM_LEASE_DIR"] = folders.lease
        result["SNAPFARM_CAPTURE_DIR"] = folders.captures
        result["SNAPFARM_JOB"] = shard.job.name.text
        result["SNAPFARM_CELL"] = shard.cell.id.text
        if let device = shard.cell.device {
            // In points, turned like the cell: width × scale is the width of a full-screen capture.
            let isTurned = shard.cell.value(of: "orientation") == "landscape"
            result["SNAPFARM_DEVICE"] = device.name
            result["SNAPFARM_OS"] = device.os ?? ""
            result["SNAPFARM_WIDTH"] = String(isTurned ? device.height : device.width)
            result["SNAPFARM_HEIGHT"] = String(isTurned ? device.width : device.height)
            result["SNAPFARM_SCALE"] =
                device.scale == device.scale.rounded()
                ? String(Int(device.scale)) : String(device.scale)
        }
        for value in shard.cell.variant {
            result["SNAPFARM_VARIANT_" + variableName(value.axis)] = value.value
        }
        return result
    }

    /// Returns an axis as part of a variable's name: `text size` becomes `TEXT_SIZE`.
    private static func variableName(_ axis: String) -> String {
        String(
            axis.uppercased().map { character in
                character.isASCII && (character.isLetter || character.isNumber) ? character : "_"
            }
        )
    }
}
