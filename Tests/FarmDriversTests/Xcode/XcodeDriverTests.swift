import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

@Suite("The driver xcodebuild, against stand-ins of Apple's tools")
struct XcodeDriverTests {
    private static let plain = """
        ["CartTests/testEmpty", "CartTests/testFull", "CartSuite/total()"]
        """
    private static let ids = [
        "ShopTests/CartSuite/total()", "ShopTests/CartTests/testEmpty()",
        "ShopTests/CartTests/testFull()",
    ]

    private func passed(_ ids: [String]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: ids.map { ($0, "passed") })
    }

    @Test("lists the tests, builds once for two jobs, and runs a shard as one launch")
    func oneLaunch() async throws {
        let mac = try await XcodeMac(tests: Self.plain)
        let job = mac.job()
        let found = try await mac.discover(job)
        _ = try await mac.discover(mac.job(kind: .snapshot))
        #expect(found.tests.map(\.text).sorted() == Self.ids)
        let heard = try await mac.run(job, found)
        #expect(heard.endings.mapValues(\.word) == passed(Self.ids))
        #expect(heard.started.sorted() == Self.ids)
        let counts = try await mac.counts()
        #expect(counts["xcodebuild build-for-testing"] == 1)
        #expect(counts["xcodebuild enumerate"] == 1)
        #expect(counts["xcodebuild test-without-building"] == 1)
        await mac.driver.shutDown()
        #expect(try await mac.simulators() == [])
    }

    @Test("a shard runs its own tests and no others, in several leases on one warm simulator")
    func someTests() async throws {
        let mac = try await XcodeMac(tests: Self.plain)
        let job = mac.job()
        let found = try await mac.discover(job)
        for id in Self.ids {
            let heard = try await mac.run(job, found, tests: [id])
            #expect(heard.endings.mapValues(\.word) == [id: "passed"])
        }
        #expect(try mac.events("test").map { $0["test"] as? String } == Self.ids)
        // One simulator to list the tests, and one for all leases.
        #expect(try mac.events("create").count == 2)
        #expect(try mac.events("boot").count == 2)
        await mac.driver.shutDown()
    }

    @Test("what one process has built and listed, another runs, which builds and lists nothing")
    func elsewhere() async throws {
        let mac = try await XcodeMac(tests: Self.plain)
        let job = mac.job()
        let found = try await mac.discover(job)
        let other = XcodeDriver(environment: mac.environment)
        let heard = try await mac.run(job, found, driver: other)
        await other.shutDown()
        #expect(heard.endings.mapValues(\.word) == passed(Self.ids))
        let counts = try await mac.counts()
        #expect(counts["xcodebuild build-for-testing"] == 1)
        #expect(counts["xcodebuild enumerate"] == 1)
        await mac.driver.shutDown()
    }

    @Test("the tests see the contract and the job's variables, and no secret")
    func environment() async throws {
        let mac = try await XcodeMac(
            tests: #"[{"test": "A/testOne", "does": [{"need": {"GIVEN": "by the job"}}]}]"#
        )
        let job = mac.job()
        let heard = try await mac.run(job, try await mac.discover(job))
        #expect(heard.results.map(\.ending) == [.passed])
        let launch = try #require(try mac.events("launch").first)
        let environment = try #require(launch["environment"] as? [String: String])
        #expect(environment["SNAPFARM_CAPTURE_DIR"] == mac.folder.file("lease1/lease/captures"))
        #expect(environment["SNAPSHOT_TESTING_RECORD"] == "never")
        #expect(environment["CI_SECRET"] == nil)
        #expect(launch["parallel"] as? Bool == false)
        #expect(launch["attachments"] as? String == "keepAlways")
        await mac.driver.shutDown()
    }

    @Test(
        "a failing assertion is the test's own: its text and place are told, and nothing is retried"
    )
    func assertion() async throws {
        let mac = try await XcodeMac(
            tests: """
                [{"test": "A/testBad", "does": [
                    {"print": "Lost connection to testmanagerd"},
                    {"fail": "XCTAssertTrue failed - server died", "line": 14}]},
                 {"test": "A/testSkipped", "does": [{"skip": "not today"}]}, "A/testGood"]
                """
        )
        let job = mac.job()
        let heard = try await mac.run(job, try await mac.discover(job))
        let bad = try #require(heard.result("ShopTests/A/testBad()"))
        guard case .failed(let text) = bad.ending else {
            Issue.record("\(bad.ending)")
            return
        }
        #expect(text.contains("A.swift:14: XCTAssertTrue failed - server died"))
        #expect(bad.failures.count == 1)
        #expect(heard.endings["ShopTests/A/testSkipped()"] == .skipped("not today"))
        #expect(heard.endings["ShopTests/A/testGood()"] == .passed)
        #expect(try await mac.counts()["xcodebuild test-without-building"] == 1)
        await mac.driver.shutDown()
    }

    @Test("a crash costs the test that ran, in one launch, and the others go on")
    func crash() async throws {
        let mac = try await XcodeMac(
            tests: """
                ["A/testBefore", {"test": "A/testCrash", "does": [{"crash": "nil"}]}, "A/testAfter",
                 "S/before()", {"test": "S/crash()", "does": [{"crash": "nil"}]}, "S/after()"]
                """
        )
        let job = mac.job()
        let heard = try await mac.run(job, try await mac.discover(job))
        #expect(
            heard.endings.mapValues(\.word) == [
                "ShopTests/A/testBefore()": "passed", "ShopTests/A/testCrash()": "test-crashed",
                "ShopTests/A/testAfter()": "passed", "ShopTests/S/before()": "passed",
                "ShopTests/S/crash()": "test-crashed", "ShopTests/S/after()": "passed",
            ]
        )
        #expect(try await mac.counts()["xcodebuild test-without-building"] == 1)
        await mac.driver.shutDown()
    }

    @Test(
        "a test that hangs is ended at its time limit, and the others run on a simulator that was booted again"
    )
    func hang() async throws {
        let mac = try await XcodeMac(
            tests: """
                ["A/testBefore", {"test": "A/testHang", "does": [{"hang": true}]}, "A/testZ"]
                """
        )
        let job = mac.job(timeouts: JobTimeouts(testSeconds: 1, shardSeconds: 100))
        let heard = try await mac.run(job, try await mac.discover(job))
        #expect(
            heard.endings.mapValues(\.word) == [
                "ShopTests/A/testBefore()": "passed", "ShopTests/A/testHang()": "test-timed-out",
                "ShopTests/A/testZ()": "passed",
            ]
        )
        #expect(try mac.events("boot").count == 3)
        await mac.driver.shutDown()
    }

    @Test("disabled tests are skipped by name, and left-out ones are not listed")
    func disabled() async throws {
        let mac = try await XcodeMac(
            tests: """
                ["A/testOne", "B/testTwo", "C/testThree", "S/`a raw name`()", "S/prices(_:)"]
                """
        )
        let job = mac.job()
        let settings = XcodeSettings(
            workspace: "Shop.xcworkspace",
            scheme: "Shop",
            targets: ["ShopTests"],
            skip: ["ShopTests/B"]
        )
        var found = try await mac.discover(job, settings)
        #expect(
            found.tests.map(\.text).sorted() == [
                "ShopTests/A/testOne()", "ShopTests/C/testThree()", "ShopTests/S/`a raw name`()",
                "ShopTests/S/prices(_:)",
            ]
        )
        found.prepared["disabled"] = "ShopTests/C/testThree()"
        let heard = try await mac.run(job, found)
        #expect(heard.endings["ShopTests/C/testThree()"] == .skipped("disabled"))
        #expect(heard.endings["ShopTests/S/`a raw name`()"] == .passed)
        #expect(heard.endings["ShopTests/S/prices(_:)"] == .passed)
        #expect(try mac.events("test").count == 3)
        await mac.driver.shutDown()
    }

    @Test("a display name is known after the first result that tells it, or in a lease of one test")
    func titles() async throws {
        let mac = try await XcodeMac(
            tests: """
                [{"test": "S/total()", "title": "adds up"}, {"test": "S/tax()", "title": "has tax"}]
                """
        )
        let job = mac.job()
        let found = try await mac.discover(job)
        let ids = ["ShopTests/S/tax()", "ShopTests/S/total()"]
        let first = try await mac.run(job, found)
        #expect(first.endings.mapValues(\.word) == passed(ids))
        #expect(first.started == [])
        #expect(try await mac.run(job, found).started.sorted() == ids)
        await mac.driver.shutDown()
        let next = mac.nextDriver()
        #expect(try await mac.run(job, found, tests: [ids[0]], driver: next).started == [ids[0]])
        await next.shutDown()
    }

    @Test("a build without a test of the job is an error")
    func noTests() async throws {
        let mac = try await XcodeMac(tests: "[]")
        await #expect(throws: XcodeError.noTests(targets: [])) {
            try await mac.discover(mac.job())
        }
        #expect(try await mac.simulators() == [])
    }

    @Test("language, appearance, text size and status bar are set before the first test")
    func cell() async throws {
        let mac = try await XcodeMac(tests: Self.plain)
        let variant = ["locale": "ja-JP", "appearance": "dark", "text-size": "extra-large"]
        let job = mac.job(cells: [
            XcodeMac.cell("iPhone 16", "18.5", variant), XcodeMac.cell("iPhone 15", "17.5"),
        ])
        let found = try await mac.discover(job)
        for cell in job.cells { _ = try await mac.run(job, found, cell: cell) }
        let launches = try mac.events("launch")
        #expect(launches.count == 2)
        let first = try #require(launches.first)
        #expect(first["language"] as? String == "ja")
        #expect(first["region"] as? String == "JP")
        #expect(first["appearance"] as? String == "dark")
        #expect(first["contentSize"] as? String == "extra-large")
        #expect((first["statusBar"] as? [String: String])?["time"] == "9:41")
        let live = try #require(first["live"] as? [String: Any])
        #expect(live["AppleLanguages"] as? [String] == ["ja-JP", "en"])
        #expect(live["AppleLocale"] as? String == "ja_JP")
        #expect(launches.last?["appearance"] as? String == "light")
        await mac.driver.shutDown()
    }

    @Test("a device that no simulator can be is an error that names what there is")
    func unknownDevice() async throws {
        let mac = try await XcodeMac(tests: Self.plain)
        let wrong = mac.job(cells: [XcodeMac.cell("iPhone 16", "13.1")])
        let expected = XcodeError.runtimeUnknown(
            device: "iPhone 16",
            os: "13.1",
            known: ["iOS 18.5", "iOS 17.5"]
        )
        do {
            _ = try await mac.discover(wrong)
            Issue.record("it was found")
        } catch let error as XcodeError {
            #expect(error.code == expected.code)
        }
    }

    @Test("the Xcode of a job is the one it needs")
    func xcodes() async throws {
        let machine = """
            {"selected": "16.4", "xcodes": [
              {"version": "16.4", "build": "16F6", "sdk": "18.5", "path": "Applications/Xcode-16.4.app"},
              {"version": "15.4", "build": "15F31", "sdk": "17.5", "path": "Applications/Xcode-15.4.app"}]}
            """
        let mac = try await XcodeMac(tests: Self.plain, machine: machine)
        var job = mac.job(cells: [XcodeMac.cell("iPhone 15", "17.5")])
        job.needs = Needs([try Need(name: "xcode", parsing: ">=15 <16")])
        let found = try await mac.discover(job)
        let trace = try await mac.trace(["--only", "xcodebuild"])
        let build = trace.split(separator: "\n").first { $0.contains("build-for-testing") }
        #expect(build?.contains("DEVELOPER_DIR=$MAC/Applications/Xcode-15.4.app") == true)
        #expect(found.tests.count == 3)
        job.needs = Needs([try Need(name: "xcode", parsing: ">=99")])
        await #expect(
            throws: XcodeError.xcodeMissing(needs: ">=99", found: ["16.4", "15.4", "16.4"])
        ) {
            try await mac.discover(job)
        }
    }

    @Test("what a killed process left is deleted at the next start, and nobody else's simulator")
    func leftovers() async throws {
        let mac = try await XcodeMac(
            tests: Self.plain,
            machine: """
                {"devices": [
                  {"name": "snapfarm-\(Self.deadMark) iPhone 16", "type": "iPhone 16", "runtime": "18.5"},
                  {"name": "snapfarm-\(ProcessMark.own) iPhone 16", "type": "iPhone 16", "runtime": "18.5"},
                  {"name": "snapfarm-mine", "type": "iPhone 16", "runtime": "18.5"},
                  {"name": "iPhone 16", "type": "iPhone 16", "runtime": "18.5"}]}
                """
        )
        await mac.driver.removeLeftovers()
        #expect(
            try await mac.simulators() == [
                "iPhone 16", "snapfarm-\(ProcessMark.own) iPhone 16", "snapfarm-mine",
            ]
        )
    }

    @Test("what a killed process left is deleted before a build, which may fail")
    func leftoversOfFailedBuild() async throws {
        let mac = try await XcodeMac(
            tests: Self.plain,
            machine: """
                {"devices": [
                  {"name": "snapfarm-\(Self.deadMark) iPhone 16", "type": "iPhone 16", "runtime": "18.5"}]}
                """
        )
        try mac.trouble(#"[{"kind": "build-fails"}]"#)
        await #expect(throws: DriverError.self) { try await mac.discover(mac.job()) }
        #expect(try await mac.simulators() == [])
    }

    /// The mark of a dead process of this namespace: process ids are never that high.
    private static var deadMark: String {
        let parts = ProcessMark.own.split(separator: "-")
        return "\(parts[0])-99999999-1"
    }

    @Test("built products are used as they are")
    func builtProducts() async throws {
        let mac = try await XcodeMac(tests: Self.plain)
        let job = mac.job()
        let built = try await mac.discover(job)
        let path = try #require(built.prepared["xctestrun"])
        let found = try await mac.discover(job, XcodeSettings(xctestrun: path))
        #expect(found == built)
        #expect(try await mac.counts()["xcodebuild build-for-testing"] == 1)
        let heard = try await mac.run(job, found)
        #expect(heard.endings.mapValues(\.word) == passed(Self.ids))
        let folder = (path as NSString).deletingLastPathComponent
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(files.filter { $0.hasSuffix(".xctestrun") }.count == 1)
        await mac.driver.shutDown()
    }
}
