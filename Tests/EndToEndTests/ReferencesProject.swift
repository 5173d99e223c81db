// A project in Git with references of eight pixels. The real git judges the results of `snapfarm
// refs`.
import FarmTesting
import Foundation
import Synchronization
import Testing

/// A main repository beside a store made by `refs init`.
final class ReferencesProject: Sendable {
    let folder: TemporaryFolder
    /// Whether the test breaks the store and leaves it broken.
    let staysBroken = Mutex(false)

    deinit {
        let isBroken = staysBroken.withLock(\.self)
        // A store on its own disk may be gone with the disk.
        guard !isBroken, FileManager.default.fileExists(atPath: store + "/HEAD") else { return }
        let isClean = (try? storeIsClean()) ?? false
        if !isClean { Issue.record("the test leaves a store in which Git finds something wrong") }
    }

    init(pipeline: String = "app.yaml") throws {
        folder = try TemporaryFolder("refs")
        try folder.write("main/" + pipeline, Self.pipeline)
        try git("init", "-q", "-b", "main")
        try git("config", "user.name", "Ada")
        try git("config", "user.email", "ada@example.org")
        try git("config", "commit.gpgsign", "false")
    }

    static let pipeline = """
        version: 1
        name: app
        references: {store: ../store.git, pin: snapfarm.refs}
        devices:
          - {name: A, width: 8, height: 8, scale: 1}
          - {name: B, width: 8, height: 8, scale: 1}
        jobs:
          screens: {kind: snapshot, driver: command, discover: cat scenes, run: sh test.sh}
        """

    var main: String { folder.file("main") }
    var store: String { folder.file("store.git") }

    /// The folder where iOSSnapshotTestCase looks for references.
    static let suite = "Tests/ReferenceImages_64/Checkout"

    func draw(_ name: String, shade: UInt8) throws {
        try folder.write("main/\(Self.suite)/\(name).png", Project.png(shade: shade))
    }

    /// Returns a project whose store has the pictures one, two and three of cell A, with its pin
    /// committed.
    static func imported() throws -> ReferencesProject {
        try ReferencesProject(copying: template.get())
    }

    /// Returns a shared project, for commands that change nothing.
    static func shared() throws -> ReferencesProject { try template.get() }

    /// The imported project, made once; its parts refer to each other by relative paths.
    private static let template = Result {
        let project = try ReferencesProject()
        for (index, name) in ["one", "two", "three"].enumerated() {
            try project.draw(name, shade: UInt8(10 * index))
        }
        _ = try project.refs("init")
        _ = try project.refs("import", "--cell", "A", "--no-weight")
        try project.folder.write("main/.gitignore", "/Tests/\n.snapfarm-checkout.json\n")
        try project.commit("references")
        return project
    }

    /// Copies the folder of another project.
    ///
    /// Absolute paths in it still point to the original.
    init(copying other: ReferencesProject) throws {
        folder = try TemporaryFolder("refs")
        // Faster than Foundation for hundreds of pictures.
        let copied = try TestProcess.run(["cp", "-a", "\(other.folder.path)/.", folder.path])
        try #require(copied.status == 0, "\(copied.said)")
    }

    @discardableResult
    func refs(_ arguments: String..., in folder: String? = nil) throws -> ProcessEnding {
        try Program(folder: folder ?? main, environment: environment).run(["refs"] + arguments)
    }

    /// Runs a `refs` command that prepares a test and must succeed.
    func refsSucceed(_ arguments: String...) throws {
        let ending = try program(in: "main").run(["refs"] + arguments)
        try #require(ending.status == 0, "\(arguments): \(ending.said)")
    }

    /// Returns the program in one of the project's folders.
    func program(in name: String) -> Program {
        Program(folder: folder.file(name), environment: environment)
    }

    /// Returns the JSON document that `--json` prints.
    func document(_ arguments: String...) throws -> [String: Any] {
        let result = try Program(folder: main, environment: environment)
            .run(["refs"] + arguments + ["--json"])
        let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
        return object as? [String: Any] ?? [:]
    }

    /// The environment in which the merge driver and the hook find the program under test.
    private var environment: [String: String] {
        let bin = (Program.path as NSString).deletingLastPathComponent
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return [
            "PATH": "\(bin):\(path)", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
        ]
    }

    @discardableResult
    func git(_ arguments: String..., in folder: String? = nil) throws -> ProcessEnding {
        try TestProcess.run(
            ["git", "-C", folder ?? main] + arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        )
    }

    func commit(_ message: String) throws {
        try git("add", "-A")
        try git("commit", "-qm", message)
    }

    var pin: String {
        (try? String(contentsOfFile: main + "/snapfarm.refs", encoding: .utf8)) ?? ""
    }

    /// Returns whether Git finds no fault in the store.
    func storeIsClean(_ path: String? = nil) throws -> Bool {
        let found = try git("fsck", "--full", "--no-dangling", "--strict", in: path ?? store)
        return found.status == 0 && !found.errors.contains("error")
    }

    func sets(_ path: String? = nil) throws -> [String] {
        try git("for-each-ref", "--format=%(objectname)", "refs/snapfarm/sets", in: path ?? store)
            .output.split(separator: "\n").map(String.init)
    }
}
