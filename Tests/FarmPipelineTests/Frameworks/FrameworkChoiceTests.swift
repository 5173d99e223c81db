// Tests of a job's framework in a pipeline file.
import FarmCore
import FarmDrivers
import FarmPipeline
import FarmTesting
import Foundation
import Testing

@Suite("the framework of a job")
struct FrameworkChoiceTests {
    private func decode(_ lines: String, in folder: String = "/") throws -> Job {
        let pipeline = try PipelineDecoder.decode(
            """
            version: 1
            references: {store: s.git}
            jobs:
              shots:
                kind: snapshot
                driver: command
                discover: d
                run: r {flags}
                \(lines)
            """,
            file: "app.yaml",
            drivers: DriverCatalog.kinds,
            frameworks: FrameworkChoice(folder: folder)
        )
        return try #require(pipeline.jobs.first)
    }

    @Test("the framework says who judges where the job does not")
    func judge() throws {
        #expect(try decode("framework: matplotlib").judge == .framework)
        #expect(try decode("framework: Playwright").judge == .farm)
        #expect(try decode("framework: Playwright\n    judge: framework").judge == .framework)
        #expect(try decode("judge: farm").framework == nil)
    }

    @Test("a framework that nobody knows is said with the nearest name")
    func unknown() throws {
        let errors = #expect(throws: DocumentErrors.self) { try decode("framework: playwrite") }
        #expect(errors?.code == "unknown-framework")
        #expect(errors?.problems.first?.line == 9)
        #expect(errors?.problems.first?.remedy.contains("\"Playwright\"") == true)
    }

    @Test("mistakes of a user's profile stand beside the pipeline's, under their own file")
    func ownMistakes() throws {
        let folder = try TemporaryFolder()
        try folder.write("mine.yaml", "framework: mine\nnames: [\"{tset}\"]\n")
        let errors = #expect(throws: DocumentErrors.self) {
            try decode("framework: mine.yaml\n    retries: many", in: folder.path)
        }
        #expect(Set(errors?.problems.map(\.file) ?? []) == ["mine.yaml", "app.yaml"])
        #expect(errors?.problems.first { $0.file == "mine.yaml" }?.line == 2)
    }
}
