// Builds an app with its tests, once for all jobs of a run that name the same build, and finds the
// `.xctestrun` file by which the tests are run.
import FarmCore
import Foundation

/// The products of a build, made by the driver or named by the job.
struct XcodeProducts: Hashable, Sendable {
    private static let key = "xctestrun"

    /// The absolute path of the `.xctestrun` file; each launch edits a copy beside it.
    var path: String

    /// The arguments of xcodebuild that name the `.xctestrun` file.
    var arguments: [String] { ["-xctestrun", path] }

    var prepared: [String: String] { [Self.key: path] }

    init(_ path: String) { self.path = path }

    /// Creates the products from the facts that discovery has passed to a lease.
    init(prepared: [String: String]) throws(XcodeError) {
        guard let path = prepared[Self.key] else { throw .nothingPrepared }
        self.init(path)
    }
}

/// The parameters of a build, the same for all jobs that share it.
struct XcodeBuild: Hashable, Sendable {
    let workspace: String?
    let project: String?
    let scheme: String?
    let testPlan: String?
    let configuration: String?
    let workTree: String
    let developerFolder: String?

    init(_ settings: XcodeSettings, workTree: String, developerFolder: String?) {
        workspace = settings.workspace
        project = settings.project
        scheme = settings.scheme
        testPlan = settings.testPlan
        configuration = settings.configuration
        self.workTree = workTree
        self.developerFolder = developerFolder
    }

    /// The path of the build's folder, which is kept from run to run, so that a build is short if
    /// little changed.
    var folder: String {
        let identity = [workspace, project, scheme, testPlan, configuration, developerFolder]
            .map { $0 ?? "" }.joined(separator: "\n")
        let name = (scheme ?? "build").map { $0.isLetter || $0.isNumber ? $0 : "-" }
        let digest = Digest(of: Data(identity.utf8)).hex.prefix(8)
        return "\(workTree)/\(Self.place)/\(String(name))-\(digest)"
    }

    /// The folder of all builds of a work tree, relative to it.
    private static let place = ".snapfarm/xcode"

    /// A glob of the products of all builds of a work tree, relative to it: the name of a build's
    /// folder depends on the build's parameters and its Xcode.
    static let everyProducts = "\(place)/*/Build/Products"

    var arguments: [String] {
        var arguments = ["build-for-testing"]
        for (flag, value) in [
            ("-workspace", workspace), ("-project", project), ("-scheme", scheme),
            ("-testPlan", testPlan), ("-configuration", configuration),
        ] {
            if let value { arguments += [flag, value] }
        }
        return arguments + [
            "-destination", "generic/platform=iOS Simulator", "-derivedDataPath", folder,
        ]
    }

    /// The folder of the build's products.
    var products: String { "\(folder)/Build/Products" }

    /// Builds, and returns the path of the `.xctestrun` file.
    func testRunFile(_ tools: XcodeTools) async throws -> String {
        // Removes the files of earlier builds, which would count as this one's.
        for name in TestRunFile.names(in: products) {
            try? FileManager.default.removeItem(atPath: "\(products)/\(name)")
        }
        let result = try await tools.run(
            "xcodebuild",
            arguments,
            folder: workTree,
            seconds: FarmLimits.discoverySecondsMax
        )
        guard result.isGood else {
            throw DriverError.discoveryFailed(
                command: "xcodebuild " + arguments.joined(separator: " "),
                ending: result.ending.text(limitSeconds: FarmLimits.discoverySecondsMax),
                output: result.tail
            )
        }
        return try TestRunFile.chosen(in: [products], plan: testPlan)
    }
}

extension TestRunFile {
    /// The beginning of the names of the copies that launches make, before the mark of their
    /// process.
    static let copyPrefix = "snapfarm-"

    init(reading path: String) throws(XcodeError) {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw .testRunFileMissing(path)
        }
        try self.init(bytes, path: path)
    }

    /// Returns the sorted names of the `.xctestrun` files in a folder that builds have made,
    /// without the copies of launches.
    static func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
            .filter { $0.hasSuffix(".xctestrun") && !$0.hasPrefix(copyPrefix) }.sorted()
    }

    /// Returns the folders of a `.xctestproducts` folder that may have `.xctestrun` files: itself,
    /// and folders such as `Tests/0`.
    static func folders(ofProducts folder: String) -> [String] {
        let tests = "\(folder)/Tests"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: tests)) ?? []
        return [folder] + names.sorted().map { "\(tests)/\($0)" }
    }

    /// Returns the path of the only `.xctestrun` file in some folders, or else of the plan's file;
    /// without a plan, of the default plan's.
    static func chosen(in folders: [String], plan: String?) throws -> String {
        let paths = folders.flatMap { folder in names(in: folder).map { "\(folder)/\($0)" } }
        guard let first = paths.first else {
            throw XcodeError.testRunFileMissing(folders.first ?? "")
        }
        if paths.count == 1 { return first }
        let files = try paths.map { (path: $0, file: try TestRunFile(reading: $0)) }
        let fitting = files.filter { entry in
            plan == nil ? entry.file.isDefaultPlan == true : entry.file.planName == plan
        }
        guard fitting.count == 1 else {
            throw XcodeError.testRunFilesMany(paths.map { splitPath($0).name })
        }
        return fitting[0].path
    }

    /// Writes a copy beside the original under a name of its own, and returns the copy's path.
    func writeCopy(beside original: String) throws -> String {
        let name = "\(Self.copyPrefix)\(ProcessMark.own)_\(UUID().uuidString.prefix(8)).xctestrun"
        let path = "\(splitPath(original).folder)/\(name)"
        do {
            try encoded(path: original).write(to: URL(fileURLWithPath: path))
        } catch let error as XcodeError {
            throw error
        } catch {
            throw DriverError.fileUnwritable(path: path, reason: error.inWords)
        }
        return path
    }

    /// Whether a file is the copy of a launch.
    static func isCopy(_ name: String) -> Bool {
        name.hasPrefix(copyPrefix) && name.hasSuffix(".xctestrun")
    }

    /// Removes the copies of an `.xctestrun` file that killed processes left beside it.
    static func removeLeftovers(beside original: String) {
        let folder = splitPath(original).folder
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        where isCopy(name) {
            let mark = name.dropFirst(copyPrefix.count).prefix { $0 != "_" }
            guard ProcessMark.isGone(String(mark)) else { continue }
            try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
    }
}
