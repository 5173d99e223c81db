import FarmCore
import FarmLedger
import FarmServer
import FarmTesting
import Testing

@Suite("A lease whose shard's time is over")
struct TimeOverTests {
    /// Runs a worker with the driver until a run of 12 tests has ended.
    private func evidence(
        _ name: String,
        _ driver: ScriptedDriver
    ) async throws -> (tests: [TestEvidence], leases: [LeaseEvidence]) {
        let farm = try RestartableFarm(name)
        let isOver = Door()
        async let worked: Void = farm.work(driver, until: isOver)
        try await farm.serve { coordinator, ledger in
            try await farm.submit(tests: 12, to: coordinator)
            while try await coordinator.progress(farm.run).state == .running {
                try await Task.sleep(for: .milliseconds(5))
            }
            let audit = try await ledger.audit()
            #expect(audit.isClean)
        }
        isOver.open()
        try await worked
        let ledger = try SQLiteLedger(path: farm.folder.file("ledger.sqlite"))
        defer { try? ledger.close() }
        return try await ledger.evidence(farm.run)
    }

    @Test("gives back what had no turn: each test has its own verdict, and one attempt")
    func healthy() async throws {
        let driver = ScriptedDriver { test, before in
            if test == TestID("t3"), before == 0 { throw ScriptedDriver.TimeOver() }
        }
        let evidence = try await evidence("time-over", driver)
        #expect(evidence.tests.count == 12)
        #expect(evidence.tests.allSatisfy { $0.verdict == .passed && $0.attempts.count == 1 })
        let short = evidence.leases.filter { $0.leftOver.first == TestID("t3") }
        #expect(short.count == 1)
        #expect(driver.ran[TestID("t3")] == 2)
        // Its lease has a log about that.
        #expect(short.allSatisfy { $0.log != nil })
    }

    @Test("errors its tests where not one of them came to an end: it would be so again")
    func hopeless() async throws {
        let driver = ScriptedDriver { _, _ in throw ScriptedDriver.TimeOver() }
        let evidence = try await evidence("no-time", driver)
        #expect(evidence.tests.allSatisfy { $0.verdict == .errored })
        // One attempt, and on a busy machine a second one alone on its host.
        for test in evidence.tests {
            guard case .errored(let problem) = test.attempts.last?.report?.ending else {
                Issue.record("\(test.key.test) has no report")
                continue
            }
            #expect(problem.code == "shard-timed-out")
        }
        #expect(evidence.leases.allSatisfy { $0.leftOver.isEmpty })
    }
}
