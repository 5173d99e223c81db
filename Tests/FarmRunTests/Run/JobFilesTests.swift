import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmRun

@Suite("The files that the tests of a job read")
struct JobFilesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder("files")
        try folder.write("app/a.css", "a")
        try folder.write("app/deep/b.css", "b")
        try folder.write("run.sh", "exit 0")
        try folder.write("notes.txt", "n")
    }

    private func read(_ inputs: [String] = ["app/**"]) async -> Result<
        [String: String], JobFiles.Unknown
    > {
        let driver = DriverSettings(
            "command",
            ["discover": "cat list", "run": "sh ./run.sh {tests}"]
        )
        var job = Job(name: JobName("j"), kind: .unit, driver: driver)
        job.inputs = inputs
        let repository = RunInputs(
            root: folder.path,
            own: [folder.file("app/out")],
            pipelineFile: folder.file("app.yaml"),
            ignored: [],
            environment: [:]
        )
        return await JobFiles(
            planned: PlannedJob(job: job, tests: [], prepared: [:]),
            workTree: folder.path,
            repository: repository
        ).read()
    }

    @Test("are those that its patterns and its commands name, without what snapfarm writes")
    func named() async throws {
        try folder.write("app/out/summary.json", "{}")
        let lines = try await read().get()
        #expect(lines.keys.sorted() == ["app/a.css", "app/deep/b.css", "run.sh"])
    }

    @Test("any change of them is seen, and no other")
    func changed() async throws {
        let before = try await read().get()
        try folder.write("notes.txt", "other")
        #expect(try await read().get() == before)
        let manager = FileManager.default
        let changes: [() throws -> Void] = [
            { try folder.write("app/a.css", "A") },
            { try folder.write("run.sh", "exit 1") },
            { try folder.write("app/new.css", "") },
            {
                try manager.setAttributes(
                    [.posixPermissions: 0o755],
                    ofItemAtPath: folder.file("app/a.css")
                )
            },
            { try manager.moveItem(atPath: folder.file("app/deep"), toPath: folder.file("app/d")) },
            { try manager.removeItem(atPath: folder.file("app/new.css")) },
        ]
        var seen: [[String: String]] = [before]
        for (number, change) in changes.enumerated() {
            try change()
            let after = try await read().get()
            #expect(!seen.contains(after), "change \(number)")
            seen.append(after)
        }
    }

    @Test("are unknown if a pattern has no file, or a link leads to what is no input")
    func unknown() async throws {
        #expect(await read(["app/**", "ap/**"]) == .failure(.pattern("ap/**")))
        let manager = FileManager.default
        let link = folder.file("app/link")
        try manager.createSymbolicLink(atPath: link, withDestinationPath: "deep/b.css")
        #expect(try await read().get().count == 4)
        try manager.removeItem(atPath: link)
        try manager.createSymbolicLink(atPath: link, withDestinationPath: "../notes.txt")
        #expect(await read() == .failure(.link("app/link")))
        #expect(try await read(["app/**", "notes.txt"]).get().count == 5)
    }
}
