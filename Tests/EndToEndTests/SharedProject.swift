// A team's project: a main repository that all members clone, and a store behind a URL that all
// push to.
import FarmTesting
import Foundation
import Testing

/// A bare main repository with a pipeline of two cells, beside a store that is named by its URL.
final class SharedProject {
    let folder: TemporaryFolder
    private let server: TestProcess

    init() throws {
        folder = try TemporaryFolder("shared")
        let port = try TestPort.reserved()
        try Self.git(["init", "-q", "--bare", "store.git"], in: folder.path)
        server = try TestProcess([
            "git", "daemon", "--reuseaddr", "--export-all", "--enable=receive-pack",
            "--listen=127.0.0.1", "--port=\(port)", "--base-path=\(folder.path)",
        ])
        try TestPort.awaitListener(on: port)
        let project = try Project()
        let pipeline = project.text("app.yaml").replacing(
            "store: store.git",
            with: "store: \"git://127.0.0.1:\(port)/store.git\""
        )
        try project.folder.write("app.yaml", pipeline)
        try project.folder.write(".gitignore", ".snapfarm/\nsnapfarm-out/\n")
        for words in [
            ["init", "-q", "-b", "main", "."], ["add", "-A"], ["commit", "-qm", "the app"],
            ["clone", "-q", "--bare", ".", folder.file("main.git")],
        ] {
            try Self.git(words, in: project.folder.path)
        }
    }

    deinit {
        guard FileManager.default.fileExists(atPath: folder.file("store.git")) else { return }
        let isSound = (try? storeIsSound()) ?? false
        if !isSound { Issue.record("the test leaves a store in which Git finds something wrong") }
    }

    @discardableResult
    static func git(_ words: [String], in folder: String) throws -> ProcessEnding {
        let names = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
        let ending = try TestProcess.run(
            ["git"] + names + words,
            environment: ProcessInfo.processInfo.environment.merging(
                ["GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"]
            ) { _, new in new },
            in: folder
        )
        guard ending.status == 0 else { throw Failed(words: words, said: ending.errors) }
        return ending
    }

    struct Failed: Error {
        let words: [String]
        let said: String
    }

    func clone(_ name: String) throws -> Clone {
        try Self.git(["clone", "-q", "main.git", name], in: folder.path)
        return Clone(path: folder.file(name))
    }

    func storeIsSound() throws -> Bool {
        let words = ["-C", "store.git", "fsck", "--full", "--no-dangling", "--strict"]
        return try !Self.git(words, in: folder.path).errors.contains("error")
    }

    func references(_ prefix: String) throws -> [Substring] {
        try Self.git(["-C", "store.git", "for-each-ref", prefix], in: folder.path)
            .output.split(separator: "\n")
    }

    func setsOfStore() throws -> Int { try references("refs/snapfarm/sets").count }

    /// Collects garbage at once, as a host does at some time.
    func collectGarbage() throws {
        try Self.git(["-C", "store.git", "gc", "-q", "--prune=now"], in: folder.path)
    }

    struct Clone {
        let path: String

        func snapfarm(_ words: [String]) throws -> ProcessEnding {
            try Program(folder: path).run(words)
        }

        func draw(_ picture: String, shade: UInt8) throws {
            let file = URL(fileURLWithPath: "\(path)/pictures/\(picture).png")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Project.png(shade: shade).write(to: file)
        }

        /// Commits everything and pushes it.
        func push(_ message: String) throws {
            for words in [["add", "-A"], ["commit", "-qm", message], ["push", "-q"]] {
                try SharedProject.git(words, in: path)
            }
        }

        func checkOut(_ revision: String) throws {
            try SharedProject.git(["checkout", "-q", revision], in: path)
        }

        func delete() throws { try FileManager.default.removeItem(atPath: path) }

        /// Returns the clone of the store that a run made.
        func cloneOfStore() -> String? {
            let folder = path + "/.snapfarm/store"
            let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
            return names?.first { $0.hasSuffix(".git") }.map { "\(folder)/\($0)" }
        }

        /// Returns whether a store has a picture of this clone, without fetching it.
        func holds(picture: String, _ store: String) throws -> Bool {
            let file = "\(path)/pictures/\(picture).png"
            let id = try SharedProject.git(["hash-object", file], in: path).output.dropLast()
            let found = try TestProcess.run(
                ["git", "-C", store, "cat-file", "-e", String(id)],
                environment: ProcessInfo.processInfo.environment.merging(
                    ["GIT_NO_LAZY_FETCH": "1"]
                ) { _, new in new }
            )
            return found.status == 0
        }
    }
}

extension Project {
    /// Returns whether Git finds no fault in the project's own store.
    func storeIsSound() throws -> Bool {
        let words = ["-C", "store.git", "fsck", "--full", "--no-dangling", "--strict"]
        return try !SharedProject.git(words, in: folder.path).errors.contains("error")
    }
}
