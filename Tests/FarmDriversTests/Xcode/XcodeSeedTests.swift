import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

// Seeds run one after another: in parallel, boots take so long that all of them seem to hang.
@Suite("The driver xcodebuild on a machine that fails at random", .serialized)
struct XcodeSeedTests {
    /// Troubles that every seed must meet: a lost runner, a hanging boot, a vanished simulator, and
    /// a full disk during tests.
    private static let certain = ["lost-runner", "boot-hangs", "vanished", "disk-full"]
    private static let possible = [
        "early-exit", "request-denied", "install-fails", "lost-testmanagerd", "killed",
        "boot-fails", "results-damaged", "results-missing", "xcresulttool-fails", "zero-tests",
        "background", "no-destination", "create-disk-full", "create-killed", "erase-fails",
        "delete-fails", "simctl-invalid", "service-restart", "clone-fails", "rename-fails",
    ]
    private static let roundsMax = 8
    /// The seeds; `SNAPFARM_XCODE_SEEDS` sets their number.
    private static let seeds =
        1...(ProcessInfo.processInfo.environment["SNAPFARM_XCODE_SEEDS"].flatMap { Int($0) } ?? 4)

    private static var timing: XcodeTiming {
        var timing = XcodeTiming()
        timing.bootSeconds = 4
        timing.firstBootSeconds = 4
        timing.startSeconds = 20
        timing.listPauseSeconds = 0.01
        timing.listSeconds = 5
        timing.staggerSeconds = 0.01
        return timing
    }

    /// The simulator of a process that lives during the whole test.
    private static let living = "snapfarm-\(ProcessMark.own) iPhone 16"

    @Test(
        "loses no test, runs none twice, shares no simulator, and a killed worker leaves none",
        arguments: seeds
    )
    func seeded(_ seed: Int) async throws {
        let worker = try TestProcess(["sleep", "1000"])
        let mac = try await XcodeMac(
            tests: #"["A/testOne", "A/testTwo", "A/testThree", "S/four()", "S/five()"]"#,
            machine: """
                {"seed": \(seed), "devices": [
                  {"name": "\(Self.living)", "type": "iPhone 16", "runtime": "18.5"}]}
                """,
            timing: Self.timing,
            owner: ProcessMark.mark(of: worker.pid),
            // Every second seed keeps simulators for later runs.
            variables: seed.isMultiple(of: 2) ? ["SNAPFARM_SIMULATORS": "keep"] : [:]
        )
        let job = mac.job()
        let found = try await mac.discover(job)
        try mac.trouble(Self.troubles(seed))
        for _ in 1...Self.roundsMax {
            async let one: Void = lease(mac, job, found)
            async let other: Void = lease(mac, job, found)
            _ = try await (one, other)
            if try Self.struck(mac).isSuperset(of: Self.certain) { break }
        }
        #expect(try Self.struck(mac).isSuperset(of: Self.certain), "seed \(seed)")
        try mac.trouble("[]")
        let last = try await mac.run(job, found)
        #expect(Set(last.endings.values) == [.passed], "seed \(seed)")
        try check(mac, seed)
        try await killed(worker, mac, seed)
    }

    private static func troubles(_ seed: Int) -> String {
        var generator = SeededGenerator(seed: UInt64(seed))
        let certain = certain.map { kind in
            "{\"kind\": \"\(kind)\", \"after\": \(Int.random(in: 0...3, using: &generator))}"
        }
        let possible = possible.map {
            "{\"kind\": \"\($0)\", \"times\": 2, \"chance\": 0.1}"
        }
        return "[\((certain + possible).joined(separator: ", "))]"
    }

    private static func struck(_ mac: XcodeMac) throws -> Set<String> {
        Set(try mac.events("strike").compactMap { $0["kind"] as? String })
    }

    /// Runs a lease and checks that every test is reported once, or that the machine is blamed.
    private func lease(_ mac: XcodeMac, _ job: Job, _ found: Discovery) async throws {
        let heard = Heard()
        do {
            try await mac.run(job, found, heard: heard)
            #expect(heard.results.map(\.test.text).sorted() == found.tests.map(\.text).sorted())
        } catch let error as XcodeError {
            #expect(error.exit == .busy, "\(error)")
            #expect(heard.results.count == heard.endings.count)
        }
        for (test, ending) in heard.endings where ending != .passed {
            #expect(ending.word == "test-crashed", "\(test)")
        }
    }

    private func check(_ mac: XcodeMac, _ seed: Int) throws {
        let refused = try mac.events("refuse")
        #expect(refused.isEmpty, "seed \(seed): \(refused)")
        let trace = try LeaseTrace(mac)
        #expect(trace.sharedSimulators.isEmpty, "seed \(seed)")
        #expect(trace.testsRunTwice.isEmpty, "seed \(seed)")
        let kept = try devices(of: "rename", mac)
        #expect(kept.isEmpty == !seed.isMultiple(of: 2), "seed \(seed)")
        #expect(try kept.isDisjoint(with: devices(of: "launch", mac)), "seed \(seed)")
    }

    private func devices(of event: String, _ mac: XcodeMac) throws -> Set<String> {
        Set(try mac.events(event).compactMap { $0["device"] as? String })
    }

    /// Checks that the next start deletes the simulators that a killed worker left, whether warm or
    /// undeletable.
    private func killed(_ worker: TestProcess, _ mac: XcodeMac, _ seed: Int) async throws {
        let driver = mac.nextDriver()
        let before = try await mac.simulators()
        #expect(before.count > 1, "seed \(seed)")
        worker.kill()
        await driver.removeLeftovers()
        let left = try await mac.simulators()
        let kept = left.filter { KeptMark(name: $0) != nil }
        #expect(left.filter { !kept.contains($0) } == [Self.living], "seed \(seed)")
        #expect(kept.count <= 1, "seed \(seed)")
    }
}
