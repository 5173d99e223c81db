// Builds a Swift package once, when a run discovers its tests, and starts the built test program
// directly for each shard. Verdicts are those of `swift test`: known issues do not fail, skipped
// and disabled tests pass. Beyond `swift test`, every leased test must report a result, a crash
// costs one test and not the rest, and a hang ends at `timeout.test`.
import FarmCore
import FarmPipeline
import Foundation

/// The driver `swiftpm`: runs the tests of a Swift package.
package struct SwiftPMDriver: TestDriver {
    private enum Key {
        static let program = "xctest"
        static let package = "package"
    }

    private let environment: CleanEnvironment
    private let isolation: Isolation?

    /// Creates the driver from this process's environment; tests see little of it.
    init(environment: [String: String], isolation: Isolation? = nil) {
        self.environment = CleanEnvironment(parent: environment)
        self.isolation = isolation
    }

    package func discover(job: Job, workTree: String, scratch: String) async throws -> Discovery {
        let settings = try SwiftPMKind().settings(of: job.driver)
        let folder = Self.folder(of: settings, in: workTree)
        let environment = environment.forBuilding(job)
        let build = SwiftBuild(
            folder: folder,
            environment: environment,
            log: scratch + "/build.log"
        )
        let program = TestProgram(path: try await build.testProgram(), folder: folder)
        let tests = try await program.list(environment: environment, scratch: scratch)
        return Discovery(
            tests: tests,
            prepared: [Key.program: program.path, Key.package: folder]
        )
    }

    package func run(
        _ shard: Shard,
        folders: LeaseFolders,
        report: @escaping @Sendable (DriverEvent) async throws -> Void
    ) async throws {
        let settings = try SwiftPMKind().settings(of: shard.job.driver)
        let folder = shard.prepared[Key.package] ?? Self.folder(of: settings, in: shard.workTree)
        guard let path = Self.program(of: shard.prepared) else {
            throw DriverError.noTestProgram(folder: folder)
        }
        let program = TestProgram(path: path, folder: folder)
        var pictures = LeasePictures(shard, folders, glob: nil)
        let deadline = ContinuousClock.now.advanced(
            by: .seconds(shard.job.timeouts.shardSeconds)
        )
        let tests = shard.tests.map { (test: $0, name: SwiftTestName($0)) }
        for framework in [SwiftTestFramework.xctest, .swiftTesting] {
            let own = tests.filter { $0.name.isSwiftTesting == (framework == .swiftTesting) }
            let isThrough = try await ProgramRun(
                program: program,
                framework: framework,
                shard: shard,
                folders: folders,
                environment: environment,
                isolation: isolation,
                deadline: deadline,
                report: report
            ).run(own.map(\.test), pictures: &pictures)
            guard isThrough else { return }
        }
    }

    /// Returns the absolute path of the built test program that discovery found, or `nil` if there
    /// is none.
    static func program(of prepared: [String: String]) -> String? { prepared[Key.program] }

    static func folder(of settings: SwiftPMSettings, in workTree: String) -> String {
        let path =
            settings.package.hasPrefix("/")
            ? settings.package : workTree + "/" + settings.package
        return URL(fileURLWithPath: path).standardizedFileURL.path
    }
}

/// Builds the tests of a package and finds the program.
struct SwiftBuild {
    let folder: String
    let environment: [String: String]
    let log: String

    /// Builds the tests, and returns the absolute path of the test program.
    func testProgram() async throws -> String {
        _ = try await swift(["build", "--build-tests"])
        let place =
            try await swift(["build", "--show-bin-path"])
            .split(separator: "\n").last.map(String.init) ?? ""
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
        let programs = names.filter { $0.hasSuffix(".xctest") }.sorted()
        if let only = programs.first, programs.count == 1 { return "\(place)/\(only)" }
        // A package that was renamed still has its old program.
        let name = try await packageName() + "PackageTests.xctest"
        guard programs.contains(name) else { throw DriverError.noTestProgram(folder: folder) }
        return "\(place)/\(name)"
    }

    private struct Manifest: Decodable { var name: String }

    private func packageName() async throws -> String {
        let text = try await swift(["package", "dump-package"])
        guard let manifest = try? JSONDecoder().decode(Manifest.self, from: Data(text.utf8)) else {
            throw DriverError.noTestProgram(folder: folder)
        }
        return manifest.name
    }

    /// Runs `swift` with some arguments, and returns its standard output.
    private func swift(_ arguments: [String]) async throws -> String {
        var child = ChildProcess(
            executable: "swift",
            arguments: arguments,
            environment: environment,
            folder: folder
        )
        child.timeLimitSeconds = FarmLimits.discoverySecondsMax
        child.outputBytesMax = FarmLimits.discoveryBytesMax
        child.log = log
        let printed = ByteBox()
        let tail = OutputTail()
        let ending = try await child.run { stream, bytes in
            if stream == .standardOutput { printed.append(bytes) }
            tail.append(bytes)
        }
        guard ending == .exited(0) else {
            throw DriverError.discoveryFailed(
                command: "swift " + arguments.joined(separator: " "),
                ending: ending.text(limitSeconds: FarmLimits.discoverySecondsMax),
                output: tail.lastLines(30)
            )
        }
        return String(decoding: printed.bytes, as: UTF8.self)
    }
}
