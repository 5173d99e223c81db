import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmRun

@Suite("What was built for other machines")
struct BuiltRecordTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder("built")
        try folder.write(".snapfarm/xcode/App-1/Build/Products/App.xctestrun", "x")
        try write(scheme: "App")
    }

    private func write(scheme: String) throws {
        try folder.write(
            "app.yaml",
            """
            version: 1
            devices: [iPhone 16 (18.5)]
            jobs:
              unit: {kind: unit, driver: xcodebuild, workspace: App.xcworkspace, scheme: \(scheme)}
              more: {kind: unit, driver: xcodebuild, workspace: App.xcworkspace, scheme: App}

            """
        )
    }

    private func source() throws -> PipelineSource {
        try PipelineSource(file: folder.file("app.yaml"))
    }

    /// Writes the record of the first job's build.
    @discardableResult
    private func built(commit: String = "c0ffee") throws -> BuiltRecord {
        let source = try source()
        let products = folder.file(".snapfarm/xcode/App-1/Build/Products/App.xctestrun")
        let job = PlannedJob(
            job: source.pipeline.jobs[0],
            tests: [TestID("AppTests/A/testOne()")],
            prepared: ["xctestrun": products]
        )
        let record = BuiltRecord(workTree: source.folder, commit: commit, jobs: [job])
        try record.write()
        return record
    }

    private func read(commit: String = "c0ffee") throws -> BuiltRecord {
        try BuiltRecord(of: source(), commit: commit)
    }

    @Test("what is written is read back, and gives a job the tests that were listed")
    func roundTrip() throws {
        let record = try built()
        #expect(try read() == record)
        let found = try read().found(source().pipeline.jobs[0])
        #expect(found.tests.map(\.text) == ["AppTests/A/testOne()"])
        #expect(found.prepared == record.jobs[0].prepared)
    }

    @Test("a record of another commit is refused, one of an unknown commit is taken")
    func commit() throws {
        try built()
        #expect(throws: BuiltError.otherCommit(built: "c0ffee", here: "beef")) {
            try read(commit: "beef")
        }
        _ = try read(commit: "")
        try built(commit: "")
        _ = try read(commit: "beef")
    }

    @Test("a record that is missing, damaged or of another folder is refused")
    func unusable() throws {
        let path = folder.file(BuiltRecord.path)
        #expect(throws: BuiltError.missing(path)) { try read() }
        try folder.write(BuiltRecord.path, "{}")
        #expect(throws: BuiltError.unreadable(path)) { try read() }
        try built()
        let moved = try TemporaryFolder("moved")
        for name in ["app.yaml", BuiltRecord.path] {
            try moved.write(name, Data(contentsOf: URL(fileURLWithPath: folder.file(name))))
        }
        let source = try PipelineSource(file: moved.file("app.yaml"))
        #expect(throws: BuiltError.elsewhere(built: folder.path, here: moved.path)) {
            try BuiltRecord(of: source, commit: "c0ffee")
        }
    }

    @Test("a job that was not built, was built otherwise, or whose products are gone is refused")
    func jobs() throws {
        try built()
        #expect(throws: BuiltError.notBuilt([JobName("unit")])) {
            try read().found(source().pipeline.jobs[1])
        }
        try write(scheme: "Other")
        #expect(throws: BuiltError.otherSettings) {
            try read().found(source().pipeline.jobs[0])
        }
        try write(scheme: "App")
        try FileManager.default.removeItem(atPath: folder.file(".snapfarm/xcode"))
        let products = folder.file(".snapfarm/xcode/App-1/Build/Products")
        let handedOn = [".snapfarm/xcode/*/Build/Products"]
        #expect(throws: BuiltError.productsMissing(products, handedOn: handedOn)) {
            try read().found(source().pipeline.jobs[0])
        }
    }

    @Test("a report names products, bytes and the paths that a CI hands on, each once")
    func report() throws {
        var record = try built()
        record = BuiltRecord(
            workTree: record.workTree,
            commit: record.commit,
            jobs: record.jobs + record.jobs
        )
        let text = try BuildReport(record, file: "app.yaml").text()
        #expect(
            text.hasPrefix(
                "built for unit (1 test), unit (1 test): .snapfarm/xcode/App-1/Build/Products, 1 B\n"
            ),
            "\(text)"
        )
        let paths = "        - .snapfarm/built.json\n        - .snapfarm/xcode/*/Build/Products\n"
        #expect(text.contains("      paths:\n\(paths)There: "), "\(text)")
        #expect(text.hasSuffix("snapfarm run app.yaml --built\n"))
    }
}
