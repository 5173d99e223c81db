import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmRun

@Suite("Finding the pipeline file")
struct PipelineFinderTests {
    private static let text = "version: 1\nname: app\njobs:\n  a: {}\n"

    private func finder(
        _ folder: TemporaryFolder,
        named: String? = nil,
        _ variable: String? = nil
    ) -> PipelineFinder {
        var environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path]
        environment["SNAPFARM_PIPELINE"] = variable
        return PipelineFinder(
            named: named,
            environment: environment,
            workingFolder: folder.path
        )
    }

    @Test(
        "what is nearby is found by its place, name and lines",
        arguments: [
            (["snapfarm.yaml"], "snapfarm.yaml"), (["snapfarm.yml"], "snapfarm.yml"),
            (["app.yaml"], "app.yaml"), (["pipelines/app.yml"], "pipelines/app.yml"),
            (["snapfarm.yaml", "pipelines/a.yaml", "b.yaml"], "snapfarm.yaml"),
            (["deep/pipelines/a.yaml"], nil), (["app.txt"], nil), ([], nil),
        ] as [([String], String?)]
    )
    func nearby(files: [String], expected: String?) throws {
        let folder = try TemporaryFolder("finder")
        for file in files { try folder.write(file, Self.text) }
        try folder.write("azure-pipelines.yml", "trigger: [main]\njobs:\n- job: a\n")
        #expect((try? finder(folder).file()) == expected)
    }

    @Test("one with mistakes is found too, so that they are explained")
    func broken() throws {
        let folder = try TemporaryFolder("finder")
        try folder.write("snapfarm.yaml", "jbos: {\n")
        #expect(try finder(folder).file() == "snapfarm.yaml")
    }

    @Test("the command line goes before the environment, and that before all that is there")
    func named() throws {
        let folder = try TemporaryFolder("finder")
        try folder.write("snapfarm.yaml", Self.text)
        #expect(try finder(folder, named: "a.yaml", "b.yaml").file() == "a.yaml")
        #expect(try finder(folder, "b.yaml").file() == "b.yaml")
        #expect(try finder(folder, "").file() == "snapfarm.yaml")
    }

    @Test("of several the question is asked, and nobody guesses")
    func several() throws {
        let folder = try TemporaryFolder("finder")
        try folder.write("a.yaml", Self.text)
        try folder.write("pipelines/b.yaml", Self.text + "references: {store: s}\n")
        let error = #expect(throws: PipelineSearchError.self) { try finder(folder).file() }
        #expect(error?.message == "several pipeline files fit: a.yaml, pipelines/b.yaml.")
        #expect(error?.exit == .usage)
        let withReferences = finder(folder).candidates(.references)
        #expect(withReferences.map(\.file) == ["pipelines/b.yaml"])
    }

    @Test("what a clone remembers goes before snapfarm.yaml, from any folder of it")
    func remembered() throws {
        let folder = try TemporaryFolder("finder")
        try folder.write("snapfarm.yaml", Self.text)
        try folder.write("deep/app.yaml", Self.text)
        try folder.write("deep/sub/x", "")
        for words in [["init", "-q"], ["config", PipelineFinder.setting, "deep/app.yaml"]] {
            #expect(try TestProcess.run(["git"] + words, in: folder.path).status == 0)
        }
        let expected = URL(fileURLWithPath: folder.file("deep/app.yaml")).resolvingSymlinksInPath()
        let found = try finder(folder).file()
        #expect(URL(fileURLWithPath: found).resolvingSymlinksInPath() == expected)
        let below = PipelineFinder(
            named: nil,
            environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path],
            workingFolder: folder.file("deep/sub")
        )
        #expect(try below.file().hasSuffix("deep/app.yaml"))
    }
}

@Suite("Taking looks")
struct DoctorTests {
    @Test("lines keep the order of their checks, whoever ends first; one that hangs is given up")
    func order() async {
        let checks = [
            HealthCheck("far", seconds: 0.05, late: .failure) {
                try? await Task.sleep(for: .seconds(600))
                return []
            },
            HealthCheck("hung", seconds: 0.05) {
                await Doctor.blocking {
                    Thread.sleep(forTimeInterval: 20)
                    return []
                }
            },
            HealthCheck("two") { [.ok("two", "a"), .ok("three", "b")] },
            HealthCheck("none") { [] },
            HealthCheck("four") { await Doctor.blocking { [.ok("four", "c")] } },
        ]
        let lines = await Doctor.lines(of: checks)
        #expect(lines.map(\.subject) == ["far", "hung", "two", "three", "four"])
        #expect(lines.map(\.level) == [.failure, .warning, .ok, .ok, .ok])
        #expect(lines[0].exit == .busy)
    }
}
