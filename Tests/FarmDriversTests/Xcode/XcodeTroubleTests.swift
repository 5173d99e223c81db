import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

/// A row of the table of failure signatures, as a trouble of the stand-in.
struct TroubleCase: Sendable, CustomTestStringConvertible {
    var kind: String
    /// Numbers of commands beyond those of a run without trouble.
    var launches = 1
    var creates = 0
    var boots = 0
    var erases = 0

    var testDescription: String { kind }
}

@Suite("What the driver xcodebuild does when the machine fails")
struct XcodeTroubleTests {
    private static let tests = #"["A/testOne", "A/testTwo", "S/three()"]"#

    private static let cases: [TroubleCase] =
        [
            "sim-timed-out", "early-exit", "never-began", "exited-before", "service-invalid",
            "service-interrupted", "lost-testmanagerd", "lost-dthub", "dtx-proxy", "lost-manager",
            "lost-runner", "disk-full", "crashed-once", "max-restarts", "no-scheme-destination",
        ].map { TroubleCase(kind: $0) }
        + [
            "background", "zero-tests", "silent-hang", "killed", "boot-in-run",
            "no-communication", "runner-hung",
        ].map {
            TroubleCase(kind: $0, boots: 1)
        }
        + ["request-denied", "frontboard", "service-connection", "launchd-gone"].map {
            TroubleCase(kind: $0, creates: 1, boots: 1)
        }
        + ["install-fails", "sim-launch-fails", "mach-308", "preparing", "server-died"].map {
            TroubleCase(kind: $0, boots: 1, erases: 1)
        }
        + [
            TroubleCase(kind: "no-destination"),
            TroubleCase(kind: "vanished", creates: 1, boots: 1),
            TroubleCase(kind: "boot-hangs", launches: 0, creates: 1, boots: 1),
            TroubleCase(kind: "boot-fails", launches: 0, creates: 1),
        ]

    private static var quick: XcodeTiming {
        var timing = XcodeTiming()
        timing.bootSeconds = 10
        timing.firstBootSeconds = 10
        timing.startSeconds = 10
        timing.listPauseSeconds = 0.01
        timing.listSeconds = 10
        timing.staggerSeconds = 0.01
        return timing
    }

    @Test(
        "each failure of the machine is met with its action, and every test passes",
        arguments: cases
    )
    func recovered(_ trouble: TroubleCase) async throws {
        let mac = try await XcodeMac(tests: Self.tests, timing: Self.quick)
        let job = mac.job()
        let found = try await mac.discover(job)
        let before = try await mac.counts()
        let (creates, boots) = try (mac.events("create").count, mac.events("boot").count)
        try mac.trouble("[{\"kind\": \"\(trouble.kind)\"}]")
        let heard = try await mac.run(job, found)
        #expect(Set(heard.endings.values) == [.passed])
        #expect(heard.results.count == 3)
        #expect(try mac.events("strike").isEmpty == false)
        let counts = try await mac.counts()
        func more(_ name: String) -> Int { counts[name, default: 0] - before[name, default: 0] }
        #expect(more("xcodebuild test-without-building") == 1 + trouble.launches)
        #expect(try mac.events("create").count - creates == 1 + trouble.creates)
        #expect(try mac.events("boot").count - boots == 1 + trouble.boots)
        #expect(more("simctl erase") == trouble.erases)
        await mac.driver.shutDown()
        #expect(try await mac.simulators() == [])
    }

    @Test("a lease that is cancelled while simctl makes its simulator leaves none behind")
    func cancelledWhileMade() async throws {
        let mac = try await XcodeMac(tests: Self.tests, timing: Self.quick)
        let job = mac.job()
        let found = try await mac.discover(job)
        let before = try mac.events("create").count
        try mac.trouble(#"[{"kind": "create-slow"}]"#)
        let lease = Task { try await mac.run(job, found) }
        for _ in 0..<3_000 {
            if try mac.events("create").count > before { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        lease.cancel()
        await #expect(throws: (any Error).self) { try await lease.value }
        await mac.driver.shutDown()
        #expect(try await mac.simulators() == [])
    }

    @Test("what no start can help is given up at once", arguments: ["damaged", "provisioning"])
    func refused(_ kind: String) async throws {
        let mac = try await XcodeMac(tests: Self.tests, timing: Self.quick)
        let job = mac.job()
        let found = try await mac.discover(job)
        try mac.trouble("[{\"kind\": \"\(kind)\"}]")
        await #expect(throws: XcodeError.self) { try await mac.run(job, found) }
        #expect(try await mac.counts()["xcodebuild test-without-building"] == 1)
        await mac.driver.shutDown()
    }

    @Test("a machine that always fails is given up after as many launches as its row allows")
    func limits() async throws {
        let mac = try await XcodeMac(tests: Self.tests, timing: Self.quick)
        let job = mac.job()
        let found = try await mac.discover(job)
        try mac.trouble(#"[{"kind": "early-exit", "times": 100}]"#)
        do {
            _ = try await mac.run(job, found)
            Issue.record("it ended well")
        } catch let error as XcodeError {
            #expect(error.code == "simulator-lost-tests")
            #expect(error.exit == .busy)
        }
        #expect(try await mac.counts()["xcodebuild test-without-building"] == 2)
        await mac.driver.shutDown()
    }

    @Test("a test that loses its launch twice is to blame, and the others pass")
    func suspect() async throws {
        let mac = try await XcodeMac(
            tests: """
                ["A/testOne", {"test": "A/testTwo", "does": [
                    {"print": "Lost connection to testmanagerd"}, {"hang": true}]}, "A/testZ"]
                """,
            timing: Self.quick
        )
        let job = mac.job(timeouts: JobTimeouts(testSeconds: 1, shardSeconds: 60))
        let heard = try await mac.run(job, try await mac.discover(job))
        #expect(heard.endings["ShopTests/A/testTwo()"]?.word == "test-timed-out")
        #expect(heard.endings["ShopTests/A/testZ()"] == .passed)
        await mac.driver.shutDown()
    }

    @Test(
        "a result bundle that is damaged or missing costs its words, and no test",
        arguments: [
            "results-damaged", "results-missing",
        ]
    )
    func withoutBundle(_ kind: String) async throws {
        let mac = try await XcodeMac(
            tests:
                #"["A/testOne", {"test": "A/testTwo", "does": [{"fail": "XCTFail", "line": 3}]}]"#,
            timing: Self.quick
        )
        let job = mac.job()
        let found = try await mac.discover(job)
        try mac.trouble("[{\"kind\": \"\(kind)\"}]")
        let heard = try await mac.run(job, found)
        #expect(heard.endings["ShopTests/A/testOne()"] == .passed)
        #expect(heard.endings["ShopTests/A/testTwo()"] == .failed("A.swift:3: XCTFail"))
        #expect(try await mac.counts()["xcodebuild test-without-building"] == 1)
        await mac.driver.shutDown()
    }

    @Test("a simulator that never boots ends the lease after three simulators, and none stays")
    func neverBoots() async throws {
        let mac = try await XcodeMac(tests: Self.tests, timing: Self.quick)
        let job = mac.job()
        let found = try await mac.discover(job)
        try mac.trouble(#"[{"kind": "boot-fails", "times": 100}]"#)
        await #expect(
            throws: XcodeError.bootHung(device: "iPhone 16 (18.5)", seconds: 10, times: 3)
        ) { try await mac.run(job, found) }
        await mac.driver.shutDown()
        #expect(try await mac.simulators() == [])
    }

    @Test("two leases at once never share a simulator")
    func twoLeases() async throws {
        let mac = try await XcodeMac(
            tests: Self.tests,
            // A launch takes 0.6 s, so that the launches of three leases overlap.
            machine: #"{"second": 0.04, "bootSeconds": 1}"#,
            timing: Self.quick
        )
        let job = mac.job()
        let found = try await mac.discover(job)
        // This lease leaves a warm simulator, which all three leases prefer.
        _ = try await mac.run(job, found)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...3 {
                group.addTask {
                    let heard = try await mac.run(job, found)
                    #expect(Set(heard.endings.values) == [.passed])
                }
            }
            try await group.waitForAll()
        }
        #expect(try mac.events("refuse").isEmpty)
        #expect(try LeaseTrace(mac).sharedSimulators.isEmpty)
        await mac.driver.shutDown()
        #expect(try await mac.simulators() == [])
    }

    @Test("a simulator that was shut down under a launch is booted and set before the next one")
    func serviceRestart() async throws {
        let mac = try await XcodeMac(tests: Self.tests, timing: Self.quick)
        let job = mac.job()
        let found = try await mac.discover(job)
        try mac.trouble(#"[{"kind": "service-restart", "after": 1}]"#)
        let heard = try await mac.run(job, found)
        #expect(Set(heard.endings.values) == [.passed])
        try expectStatusBars(mac)
        await mac.driver.shutDown()
    }

    @Test("a warm simulator that somebody shut down is booted and set before the next lease")
    func shutDownBetween() async throws {
        let mac = try await XcodeMac(tests: Self.tests, timing: Self.quick)
        let job = mac.job()
        let found = try await mac.discover(job)
        _ = try await mac.run(job, found)
        try await mac.simctl("shutdown", "all")
        #expect(Set(try await mac.run(job, found).endings.values) == [.passed])
        try expectStatusBars(mac)
        await mac.driver.shutDown()
    }

    @Test("a contrast that was increased is taken back after a boot")
    func contrast() async throws {
        let mac = try await XcodeMac(tests: Self.tests, timing: Self.quick)
        let high = XcodeMac.cell("iPhone 16", "18.5", ["contrast": "increased"])
        let job = mac.job(cells: [high, XcodeMac.cell("iPhone 16", "18.5")])
        let found = try await mac.discover(job)
        _ = try await mac.run(job, found, cell: job.cells[0])
        try await mac.simctl("shutdown", "all")
        _ = try await mac.run(job, found, cell: job.cells[1])
        let trace = try await mac.trace(["--only", "simctl"])
        let words = trace.matches(of: #/increase_contrast (\w+)/#).map { String($0.1) }
        #expect(words == ["enabled", "disabled"])
        #expect(try mac.events("create").count == 2)
        await mac.driver.shutDown()
    }

    /// Checks that both launches have the standard status bar of pictures.
    private func expectStatusBars(_ mac: XcodeMac) throws {
        let bars = try mac.events("launch").map { $0["statusBar"] as? [String: String] }
        #expect(bars.map { $0?["time"] } == ["9:41", "9:41"])
        #expect(try mac.events("implicit-boot").isEmpty)
    }

    @Test("a shard whose time is over says what ran, and its simulator can be used again")
    func timeOver() async throws {
        let mac = try await XcodeMac(
            tests: #"["A/testOne", {"test": "A/testTwo", "does": [{"hang": true}]}]"#,
            timing: Self.quick
        )
        let job = mac.job(timeouts: JobTimeouts(testSeconds: 60, shardSeconds: 8))
        let found = try await mac.discover(job)
        let heard = try await mac.run(job, found)
        #expect(heard.timeOver?.map(\.text) == ["ShopTests/A/testTwo()"])
        #expect(heard.endings == ["ShopTests/A/testOne()": .passed])
        let again = try await mac.run(job, found, tests: ["ShopTests/A/testOne()"])
        #expect(again.endings == ["ShopTests/A/testOne()": .passed])
        #expect(try mac.events("refuse").isEmpty)
        await mac.driver.shutDown()
    }
}
