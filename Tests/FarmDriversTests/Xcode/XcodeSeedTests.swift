import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

@Suite("The driver xcodebuild on a machine that fails at random")
struct XcodeSeedTests {
    private static let kinds = [
        "early-exit", "request-denied", "install-fails", "lost-testmanagerd", "killed",
        "vanished", "boot-fails", "results-damaged", "zero-tests", "background", "no-destination",
        "create-disk-full", "erase-fails", "delete-fails", "simctl-invalid",
    ]
    /// `SNAPFARM_XCODE_SEEDS` runs more.
    private static let seeds =
        1...(ProcessInfo.processInfo.environment["SNAPFARM_XCODE_SEEDS"].flatMap { Int($0) } ?? 4)

    @Test("loses no test, runs none twice, shares no simulator and leaves none", arguments: seeds)
    func seeded(_ seed: Int) async throws {
        var timing = XcodeTiming()
        timing.listPauseSeconds = 0.01
        timing.staggerSeconds = 0.01
        timing.listSeconds = 5
        let mac = try await XcodeMac(
            tests: #"["A/testOne", "A/testTwo", "A/testThree", "S/four()", "S/five()"]"#,
            machine: "{\"seed\": \(seed)}",
            timing: timing
        )
        let job = mac.job()
        let found = try await mac.discover(job)
        let entries = Self.kinds.map { "{\"kind\": \"\($0)\", \"times\": 2, \"chance\": 0.15}" }
        try mac.trouble("[\(entries.joined(separator: ", "))]")
        for _ in 1...2 { try await lease(mac, job, found) }
        #expect(try mac.events("refuse").isEmpty)
        try mac.trouble("[]")
        await mac.driver.shutDown()
        // A delete that failed is the next start's to repeat; here its maker still lives.
        let failed = try mac.events("strike").contains {
            ["delete-fails", "simctl-invalid"].contains($0["kind"] as? String)
        }
        let left = try await mac.simulators()
        #expect(left.isEmpty || failed, "seed \(seed): \(left)")
    }

    /// Every test passes once, or the lease says that the machine failed.
    private func lease(_ mac: XcodeMac, _ job: Job, _ found: Discovery) async throws {
        do {
            let heard = try await mac.run(job, found)
            #expect(heard.results.map(\.test.text).sorted() == found.tests.map(\.text).sorted())
            for (test, ending) in heard.endings where ending != .passed {
                #expect(ending.word == "test-crashed", "\(test)")
            }
        } catch let error as XcodeError {
            #expect(error.exit == .busy, "\(error)")
        }
    }
}
