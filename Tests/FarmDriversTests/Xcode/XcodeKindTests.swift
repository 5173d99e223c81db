import FarmCore
import FarmPipeline
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

@Suite("The driver xcodebuild in pipeline files")
struct XcodeKindTests {
    private func pipeline(_ job: String) throws(DocumentErrors) -> Pipeline {
        let text = """
            version: 1
            references: {store: s.git, pin: p.refs}
            devices: ["iPhone 8 (13.1)", "iPhone 16 (18.5)"]
            variants: {appearance: [light, dark]}
            jobs:
              j: \(job)

            """
        return try PipelineDecoder.decode(text, file: "p.yaml", drivers: DriverCatalog.kinds)
    }

    private func settings(_ job: String) throws -> XcodeSettings {
        try XcodeKind().settings(of: try pipeline(job).jobs[0].driver)
    }

    @Test("every key is read")
    func keys() throws {
        let found = try settings(
            """
            {kind: snapshot, driver: xcodebuild, workspace: A.xcworkspace, scheme: A, test-plan: P,
                 configuration: Debug, targets: [T], skip: [T/C]}
            """
        )
        let expected = XcodeSettings(
            workspace: "A.xcworkspace",
            scheme: "A",
            testPlan: "P",
            configuration: "Debug",
            targets: ["T"],
            skip: ["T/C"]
        )
        #expect(found == expected)
        #expect(
            try settings("{kind: unit, driver: xcodebuild, test-products: a.xctestproducts}")
                == XcodeSettings(testProducts: "a.xctestproducts")
        )
        #expect(
            try settings("{kind: unit, driver: xcodebuild, xctestrun: a.xctestrun}")
                == XcodeSettings(xctestrun: "a.xctestrun")
        )
    }

    @Test("a unit job runs on one device of the matrix, a snapshot job on all")
    func cells() throws {
        let rest = "driver: xcodebuild, project: A.xcodeproj, scheme: A"
        let unit = try pipeline("{kind: unit, \(rest)}").jobs[0]
        #expect(unit.cells.map(\.id.text) == ["iPhone-8_13.1_light"])
        #expect(try pipeline("{kind: snapshot, \(rest)}").jobs[0].cells.count == 4)
        #expect(try pipeline("{kind: unit, \(rest), matrix: all}").jobs[0].cells.count == 4)
        #expect(try pipeline("{kind: unit, driver: swiftpm, package: .}").jobs[0].cells == [.host])
    }

    @Test(
        "what cannot be built or run is a mistake with its line",
        arguments: [
            ("", "has nothing to build"), (", workspace: A", "has no scheme"),
            (", workspace: A, project: B, scheme: S", "has more than one"),
            (", xctestrun: a, scheme: S", "beside built products"),
            (", workspace: A, scheme: S, tagets: [T]", "tagets"),
        ]
    )
    func mistakes(_ keys: String, _ words: String) {
        let error = #expect(throws: DocumentErrors.self) {
            try pipeline("{kind: unit, driver: xcodebuild\(keys)}")
        }
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }

    @Test("a plan from elsewhere has the same mistakes")
    func plans() {
        let wrong = DriverSettings.xcodebuild(XcodeSettings(workspace: "A"))
        #expect(
            DriverCatalog.kinds.mistakes(in: wrong) == ["the driver xcodebuild has no scheme"]
        )
    }

    @Test("the products of a build travel whole, without the copies of launches")
    func bundle() throws {
        let folder = try TemporaryFolder("bundle")
        for name in ["A.xctestrun", "snapfarm-1-2-3_x.xctestrun", "Debug/A.app/A"] {
            try folder.write(".snapfarm/xcode/A/Build/Products/\(name)", "x")
        }
        let products = folder.file(".snapfarm/xcode/A/Build/Products/A.xctestrun")
        func selection(_ path: String) throws -> BundleSelection {
            let settings = XcodeSettings(workspace: "A.xcworkspace", scheme: "A")
            let job = Job(name: JobName("j"), kind: .unit, driver: .xcodebuild(settings))
            let planned = PlannedJob(job: job, tests: [], prepared: ["xctestrun": path])
            return try DriverCatalog.kinds.bundle(of: planned, workTree: folder.path)
        }
        let found = try selection(products)
        #expect(found.isBuilt)
        #expect(
            found.files == [
                ".snapfarm/xcode/A/Build/Products/A.xctestrun",
                ".snapfarm/xcode/A/Build/Products/Debug/A.app/A",
            ]
        )
        #expect(throws: BundleRefusal.self) { try selection("/elsewhere/A.xctestrun") }
    }

    @Test("a CI hands on the products of every build, or what the job names")
    func products() throws {
        func products(_ settings: XcodeSettings, _ prepared: [String: String]) throws
            -> BuiltProducts
        {
            let job = Job(name: JobName("j"), kind: .unit, driver: .xcodebuild(settings))
            let planned = PlannedJob(job: job, tests: [], prepared: prepared)
            return try DriverCatalog.kinds.products(of: planned, workTree: "/app")
        }
        let folder = "/app/.snapfarm/xcode/A-1/Build/Products"
        let own = try products(
            XcodeSettings(workspace: "A.xcworkspace", scheme: "A"),
            ["xctestrun": folder + "/A.xctestrun"]
        )
        #expect(own.paths == [folder])
        #expect(own.handedOn == [".snapfarm/xcode/*/Build/Products"])
        let given = try products(
            XcodeSettings(testProducts: "built/A.xctestproducts"),
            ["xctestrun": "/app/built/A.xctestproducts/Tests/0/A.xctestrun"]
        )
        #expect(given.paths == ["/app/built/A.xctestproducts"])
        #expect(given.handedOn == ["built/A.xctestproducts"])
        #expect(throws: XcodeError.nothingPrepared) {
            try products(XcodeSettings(testProducts: "A"), [:])
        }
    }

    @Test("the drivers that build are xcodebuild and swiftpm")
    func builders() {
        #expect(DriverCatalog.kinds.filter(\.builds).map(\.name) == ["swiftpm", "xcodebuild"])
    }

    @Test("of a Swift package the program travels with the resources beside it")
    func program() throws {
        let folder = try TemporaryFolder("package")
        for name in ["P.xctest", "P_T.resources/a.txt", "P.build/a.o"] {
            try folder.write(".build/debug/\(name)", "x")
        }
        let job = Job(
            name: JobName("j"),
            kind: .unit,
            driver: .swiftpm(SwiftPMSettings(package: "."))
        )
        let program = folder.file(".build/debug/P.xctest")
        let planned = PlannedJob(job: job, tests: [], prepared: ["xctest": program])
        let found = try DriverCatalog.kinds.products(of: planned, workTree: folder.path)
        #expect(found.handedOn == [".build/debug/P.xctest", ".build/debug/P_T.resources"])
        #expect(found.paths == found.handedOn.map(folder.file))
    }
}
