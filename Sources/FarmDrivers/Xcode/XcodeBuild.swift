// Builds an app with its tests, once for all jobs of a run that name the same build, and finds the
// `.xctestrun` file that says how they are run.
import FarmCore
import Foundation

/// What a build leaves for the workers, or what the job names.
struct XcodeProducts: Hashable, Sendable {
    enum Kind: String, CaseIterable, Sendable {
        /// An `.xctestrun` file; each launch edits a copy beside it.
        case testRunFile = "xctestrun"
        /// An `.xctestproducts` folder; arguments alone say what a launch runs.
        case folder = "xctestproducts"
    }

    var kind: Kind
    /// Absolute.
    var path: String

    /// The arguments that name them.
    var arguments: [String] {
        [kind == .testRunFile ? "-xctestrun" : "-testProductsPath", path]
    }

    var prepared: [String: String] { [kind.rawValue: path] }

    init(_ kind: Kind, _ path: String) {
        self.kind = kind
        self.path = path
    }

    /// What a lease says; nil: nothing.
    init?(prepared: [String: String]) {
        for kind in Kind.allCases {
            guard let path = prepared[kind.rawValue] else { continue }
            self.init(kind, path)
            return
        }
        return nil
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
        return "\(workTree)/.snapfarm/xcode/\(String(name))-\(digest)"
    }

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
        return try chosen(TestRunFile.names(in: products).map { "\(products)/\($0)" })
    }

    /// The only one, else the one of the plan, else the one of the default plan.
    private func chosen(_ paths: [String]) throws -> String {
        guard let first = paths.first else { throw XcodeError.testRunFileMissing(products) }
        if paths.count == 1 { return first }
        let files = try paths.map { (path: $0, file: try TestRunFile(reading: $0)) }
        let fitting = files.filter { entry in
            testPlan == nil ? entry.file.isDefaultPlan == true : entry.file.planName == testPlan
        }
        guard fitting.count == 1 else {
            throw XcodeError.testRunFilesMany(paths.map { splitPath($0).name })
        }
        return fitting[0].path
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

    /// Removes the copies that killed processes left beside a file.
    static func removeLeftovers(beside original: String) {
        let folder = splitPath(original).folder
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        where name.hasPrefix(copyPrefix) && name.hasSuffix(".xctestrun") {
            let mark = name.dropFirst(copyPrefix.count).prefix { $0 != "_" }
            guard ProcessMark.isGone(String(mark)) else { continue }
            try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
    }
}
