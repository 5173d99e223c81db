import FarmCoordinator
import FarmCore
import FarmLedger
import FarmTesting
import FarmWorker
import Foundation
import Testing

@Suite("A worker whose tests are about to end")
struct ClaimAheadTests {
    @Test(
        "claims the next lease, and gives it back where its tests take longer",
        .timeLimit(.minutes(3))
    )
    func aheadAndBack() async throws {
        let farm = try RestartableFarm("ahead")
        let isBlocked = Door()
        let mayGoOn = Door()
        let isOver = Door()
        let driver = ScriptedDriver { test, before in
            try await Task.sleep(for: .milliseconds(2))
            // Of the second lease: before the first one is delivered nothing is claimed.
            guard test == TestID("t35"), before == 0 else { return }
            isBlocked.open()
            try await mayGoOn.wait()
        }
        try await farm.serve { coordinator, ledger in
            try await farm.submit(tests: 60, to: coordinator)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await farm.work(driver, until: isOver) }
                group.addTask {
                    try await isBlocked.wait()
                    func leases(_ state: String) async throws -> Int {
                        try await ledger.leases(farm.run).count { $0.state == state }
                    }
                    while try await leases("released") < 1 {
                        try await Task.sleep(for: .milliseconds(5))
                    }
                    // Nobody asks for what the worker could not begin again.
                    #expect(try await leases("live") == 1)
                    mayGoOn.open()
                    while try await coordinator.progress(farm.run).state == .running {
                        try await Task.sleep(for: .milliseconds(5))
                    }
                    isOver.open()
                }
                try await group.waitForAll()
            }
            let tests = try await ledger.evidence(farm.run).tests
            #expect(tests.count == 60)
            #expect(tests.allSatisfy { $0.verdict == .passed && $0.attempts.count == 1 })
        }
        #expect(driver.ran.values.allSatisfy { $0 == 1 })
    }
}
