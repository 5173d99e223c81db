// Builds an app with its tests, once for all jobs of a run that name the same build, and finds the
// `.xctestrun` file that says how they are run.
import FarmCore
import Foundation

/// What a build leaves for the workers, or what the job names.
struct XcodeProducts: Hashable, Sendable {
    private static let key = "xctestrun"

    /// Absolute, of the `.xctestrun` file; each launch edits a copy beside it.
    var path: String

    /// The arguments that name it.
    var arguments: [String] { ["-xctestrun", path] }

    var prepared: [String: String] { [Self.key: path] }

    init(_ path: String) { self.path = path }

    /// What discovery has found, as a lease says it.
    init(prepared: [String: String]) throws(XcodeError) {
        guard let path = prepared[Self.key] else { throw .nothingPrepared }
        self.init(path)
    }
}

/// What is built, whichever jobs run it.
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

    /// Where it is built: kept from run to run, so that a build is short where little changed.
    var folder: String {
        let identity = [workspace, project, scheme, testPlan, configuration, developerFolder]
            .map { $0 ?? "" }.joined(separator: "\n")
        let name = (scheme ?? "build").map { $0.isLetter || $0.isNumber ? $0 : "-" }
        let digest = Digest(of: Data(identity.utf8)).hex.prefix(8)
        return "\(workTree)/\(Self.place)/\(String(name))-\(digest)"
    }

    /// Where all builds of a work tree lie, relative to it.
    private static let place = ".snapfarm/xcode"

    /// The products of all builds of a work tree, relative to it: the name of a build's folder follows
    /// what is built with which Xcode.
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

    /// Where the build puts what it makes.
    var products: String { "\(folder)/Build/Products" }

    /// Builds, and returns the path of the `.xctestrun` file.
    func testRunFile(_ tools: XcodeTools) async throws -> String {
        // An earlier build's file would be taken for this one's.
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
    /// What the copies of this file's farm begin with, before the mark of their process.
    static let copyPrefix = "snapfarm-"

    init(reading path: String) throws(XcodeError) {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw .testRunFileMissing(path)
        }
        try self.init(bytes, path: path)
    }

    /// The `.xctestrun` files of a folder that builds have made, sorted.
    static func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
            .filter { $0.hasSuffix(".xctestrun") && !$0.hasPrefix(copyPrefix) }.sorted()
    }

    /// Those of a `.xctestproducts` folder lie in folders of its `Tests`: `Tests/0`.
    static func folders(ofProducts folder: String) -> [String] {
        let tests = "\(folder)/Tests"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: tests)) ?? []
        return [folder] + names.sorted().map { "\(tests)/\($0)" }
    }

    /// The path of the only one, else of the one of the plan, else of the one of the default plan.
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

    /// Writes it beside the original under a name of its own, and returns that path.
    func writeCopy(beside original: String) throws -> String {
        let name = "\(Self.copyPrefix)\(ProcessMark.own)_\(UUID().uuidString.prefix(8)).xctestrun"
        let path = "\(splitPath(original).folder)/\(name)"
        do {
            try encoded(path: original).write(to: URL(fileURLWithPath: path))
        } catch let error as XcodeError {
            throw error
        } catch {
            throw DriverError.fileUnwritable(path: path, reason: error.localizedDescription)
        }
        return path
    }

    /// Whether a file was written by a launch.
    static func isCopy(_ name: String) -> Bool {
        name.hasPrefix(copyPrefix) && name.hasSuffix(".xctestrun")
    }

    /// Removes the copies that killed processes left beside a file.
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
