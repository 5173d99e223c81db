import FarmCore
import FarmLedger
import FarmServer
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers
@testable import FarmWorker

@Suite("Results that take long to read")
struct LongReadingTests {
    /// Returns the largest permitted results file, of cases with long texts; the last case is `t0`.
    private func largestResults() -> Data {
        let lines = String(repeating: "0123456789abcde\n", count: 256)
        let entry = Data(
            "<testcase name=\"other\"><failure>\(lines)</failure></testcase>".utf8
        )
        let tail = Data("<testcase name=\"t0\"/></testsuite>".utf8)
        var file = Data("<testsuite>".utf8)
        while file.count + entry.count + tail.count <= FarmLimits.junitBytesMax {
            file.append(entry)
        }
        return file + tail
    }

    @Test("hold up no renewal of their lease", .timeLimit(.minutes(5)))
    func renewals() async throws {
        let farm = try RestartableFarm("reading")
        let results = try farm.folder.write("results.xml", largestResults())
        let ended = farm.folder.file("ended")
        var planned = RestartableFarm.planned(tests: 1)
        planned.job.driver = DriverSettings(
            "command",
            [
                "discover": "d",
                "run": "ln '\(results)' \"$SNAPFARM_LEASE_DIR/results.xml\"; echo >'\(ended)'",
                "results": "results.xml",
            ]
        )
        let jobs = [planned]
        let driver = WatchedDriver()
        // Many renewals while the file is read, which takes a second at least.
        let timing = LeaseTiming(leaseSeconds: 30, renewalSeconds: 0.05)
        let isOver = Door()
        async let worked: Void = farm.work(driver, timing: timing, until: isOver)
        try await farm.serve { coordinator, ledger in
            try await farm.submit(jobs, to: coordinator)
            // The worker sends nothing else while it reads.
            var heard: Set<Int64> = []
            while try await coordinator.progress(farm.run).state == .running {
                let isReading =
                    FileManager.default.fileExists(atPath: ended) && !driver.hasRead.wasOpened
                if isReading {
                    heard.formUnion(try await ledger.workers(limit: 1).map(\.seen))
                }
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(heard.count > 3, "\(heard.count)")
            #expect(try await ledger.leases(farm.run).map(\.state) == ["done"])
            let tests = try await ledger.evidence(farm.run).tests
            #expect(tests.map(\.verdict) == [.passed])
            #expect(tests.first?.attempts.count == 1)
        }
        isOver.open()
        try await worked
    }
}

/// The driver `command`, with a door that opens when it has read the results.
private struct WatchedDriver: TestDriver {
    let hasRead = Door()
    private let commands = CommandDriver(environment: ["PATH": "/usr/bin:/bin"])

    func discover(job: Job, workTree: String, scratch: String) async throws -> Discovery {
        try await commands.discover(job: job, workTree: workTree, scratch: scratch)
    }

    func run(
        _ shard: Shard,
        folders: LeaseFolders,
        report: @escaping @Sendable (DriverEvent) async throws -> Void
    ) async throws {
        try await commands.run(shard, folders: folders) { event in
            if case .programsEnded = event { hasRead.open() }
            try await report(event)
        }
    }
}
