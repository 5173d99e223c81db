import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

@Suite("Boots and settings of a simulator")
struct SimulatorSettingsTests {
    private static let tests = #"["A/testOne"]"#

    private static var quick: XcodeTiming {
        var timing = XcodeTiming()
        timing.springBoardPauseSeconds = 0.01
        timing.springBoardSeconds = 0.3
        timing.listPauseSeconds = 0.01
        return timing
    }

    private func error(of body: () async throws -> Void) async -> XcodeError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? XcodeError
        }
    }

    @Test("a first boot has its own limit, and the log says how far it is")
    func firstBoot() async throws {
        var timing = Self.quick
        // No tool starts that fast: a first boot under this limit would always fail.
        timing.bootSeconds = 0.001
        timing.firstBootSeconds = 300
        let mac = try await XcodeMac(
            tests: Self.tests,
            machine:
                #"{"second": 0.001, "bootSeconds": 1, "firstBootSeconds": 300, "launchSeconds": 1}"#,
            timing: timing
        )
        let job = mac.job()
        let heard = try await mac.run(job, try await mac.discover(job))
        #expect(Set(heard.endings.values) == [.passed])
        #expect(try mac.events("create").count == 2)
        let log = try mac.log()
        #expect(
            log.contains("snapfarm: the first boot of a simulator migrates its data; it may take")
        )
        #expect(log.contains("Waiting on Data Migration"))
        await mac.driver.shutDown()
    }

    @Test(
        "a later boot that takes longer than its limit costs the simulator, whose first boot did not"
    )
    func laterBoot() async throws {
        var timing = Self.quick
        timing.bootSeconds = 0.001
        let mac = try await XcodeMac(tests: Self.tests, timing: timing)
        let job = mac.job()
        let found = try await mac.discover(job)
        _ = try await mac.run(job, found)
        let creates = try mac.events("create").count
        try await mac.simctl("shutdown", "all")
        #expect(Set(try await mac.run(job, found).endings.values) == [.passed])
        #expect(try mac.events("create").count == creates + 1)
        await mac.driver.shutDown()
    }

    @Test("what SpringBoard loses when it restarts is set when it answers again")
    func springBoard() async throws {
        let mac = try await XcodeMac(
            tests: Self.tests,
            machine: #"{"springBoardLooks": 4}"#,
            timing: {
                var timing = Self.quick
                timing.springBoardSeconds = 60
                return timing
            }()
        )
        let cell = XcodeMac.cell("iPhone 16", "18.5", ["locale": "ja-JP", "appearance": "dark"])
        let job = mac.job(cells: [cell])
        _ = try await mac.run(job, try await mac.discover(job))
        let launch = try #require(try mac.events("launch").first)
        #expect(launch["appearance"] as? String == "dark")
        #expect((launch["statusBar"] as? [String: String])?["time"] == "9:41")
        #expect(try mac.log().contains("SpringBoard does not answer") == false)
        await mac.driver.shutDown()
    }

    @Test("a SpringBoard that never answers is a note where no cell of the job says an appearance")
    func deadSpringBoard() async throws {
        let mac = try await XcodeMac(
            tests: Self.tests,
            machine: #"{"springBoardLooks": 100000}"#,
            timing: Self.quick
        )
        let plain = XcodeMac.cell("iPhone 16", "18.5", ["locale": "ja-JP"])
        let dark = XcodeMac.cell("iPhone 16", "18.5", ["locale": "ja-JP", "appearance": "dark"])
        let job = mac.job(cells: [plain])
        let found = try await mac.discover(job)
        #expect(Set(try await mac.run(job, found).endings.values) == [.passed])
        let log = try mac.log()
        #expect(log.contains("snapfarm: SpringBoard does not answer"))
        #expect(log.contains("does not take status bar \"9:41\""))
        let both = mac.job(cells: [plain, dark])
        // Another process, with its own simulator.
        let next = mac.nextDriver()
        let lost = await error { _ = try await mac.run(both, found, cell: dark, driver: next) }
        #expect(lost?.code == "simulator-setting-lost")
        #expect(
            lost?.message == #"iPhone 16 (18.5) does not take appearance "dark": it shows "light"."#
        )
        await mac.driver.shutDown()
        #expect(try await mac.simulators() == [])
        await next.shutDown()
    }

    @Test("a setting that fails is a note, unless the pictures would be those of another cell")
    func failingSettings() async throws {
        let mac = try await XcodeMac(tests: Self.tests, timing: Self.quick)
        let plain = XcodeMac.cell("iPhone 16", "18.5")
        let dark = XcodeMac.cell("iPhone 16", "18.5", ["appearance": "dark"])
        let large = XcodeMac.cell("iPhone 16", "18.5", ["text-size": "large"])
        let job = mac.job(cells: [plain])
        let found = try await mac.discover(job)
        func fail(_ command: String) throws {
            try mac.trouble("[{\"kind\": \"setting-fails\", \"command\": \"\(command)\"}]")
        }
        try fail("appearance")
        #expect(Set(try await mac.run(job, found).endings.values) == [.passed])
        #expect(try mac.log().contains("snapfarm: `xcrun simctl ui"))
        try await mac.simctl("shutdown", "all")
        try fail("status_bar")
        #expect(Set(try await mac.run(job, found).endings.values) == [.passed])
        #expect(try mac.log(ofLease: 2).contains("snapfarm: `xcrun simctl status_bar"))

        for (command, cells, cell) in [
            ("appearance", [plain, dark], plain), ("content_size", [plain, large], large),
        ] {
            try await mac.simctl("shutdown", "all")
            try fail(command)
            let job = mac.job(cells: cells)
            let lost = await error { _ = try await mac.run(job, found, cell: cell) }
            #expect(lost?.code == "simulator-failed", "\(command)")
        }
        // The simulator with only half of its settings is not used again.
        #expect(Set(try await mac.run(job, found).endings.values) == [.passed])
        let last = try #require(try mac.events("launch").last)
        #expect(last["contentSize"] as? String == "large")
        await mac.driver.shutDown()
    }
}
