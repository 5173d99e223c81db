import FarmAPI
import FarmCore
import FarmLedger
import FarmServer
import FarmTesting
import Foundation
import Synchronization
import Testing

@testable import FarmWorker

@Suite("A worker's leases")
struct OneLeaseTests {
    @Test("each begins when the one before has ended")
    func inTurn() async throws {
        let farm = try RestartableFarm("in-turn")
        let isOver = Door()
        async let worked: Void = farm.work(ScriptedDriver { _, _ in }, until: isOver)
        try await farm.serve { coordinator, ledger in
            try await farm.submit(tests: 60, to: coordinator)
            while try await coordinator.progress(farm.run).state == .running {
                try await Task.sleep(for: .milliseconds(5))
            }
            let leases = try await ledger.leases(farm.run).sorted { $0.epoch < $1.epoch }
            #expect(leases.count > 1)
            for (before, next) in zip(leases, leases.dropFirst()) {
                #expect(before.state == "done")
                let ended = try #require(before.ended)
                #expect(ended <= next.granted)
            }
        }
        isOver.open()
        try await worked
    }

    @Test("a driver leaves a run once, when the first lease of another run follows it")
    func leavesRun() async throws {
        let farm = try RestartableFarm("leaves-run")
        let driver = ScriptedDriver { _, _ in }
        let isOver = Door()
        async let worked: Void = farm.work(driver, until: isOver)
        try await farm.serve { coordinator, _ in
            for (name, left) in [("r", 0), ("s", 1), ("t", 2)] {
                let jobs = [RestartableFarm.planned(tests: 30)]
                let run = try await coordinator.submit(
                    farm.request(jobs, key: name, id: RunID(name))
                )
                while try await coordinator.progress(run).state == .running {
                    try await Task.sleep(for: .milliseconds(5))
                }
                #expect(driver.runsLeft.withLock { $0 } == left)
            }
        }
        isOver.open()
        try await worked
    }

    @Test("a worker that drains finishes its lease and begins no other")
    func drains() async throws {
        let farm = try RestartableFarm("drains")
        let drains = Door()
        let isDraining = Door()
        let driver = ScriptedDriver { _, _ in
            drains.open()
            try await isDraining.wait()
        }
        try await farm.serve { coordinator, ledger in
            try await farm.submit(tests: 60, to: coordinator)
            let log: @Sendable (String) -> Void = { line in
                if line.contains("draining") { isDraining.open() }
            }
            try await farm.work(driver, drains: drains, log: log, until: Door())
            #expect(try await ledger.leases(farm.run).map(\.state) == ["done"])
        }
    }

    @Test("a worker that has drained while it waited for work gets none later")
    func drainsIdle() async throws {
        let farm = try RestartableFarm("drains-idle")
        let drains = Door()
        try await farm.serve { coordinator, ledger in
            let driver = ScriptedDriver { _, _ in }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await farm.work(driver, drains: drains, until: Door()) }
                // The worker must leave, whether it has claimed by then or not.
                try await Task.sleep(for: .milliseconds(300))
                drains.open()
                try await group.waitForAll()
            }
            try await farm.submit(tests: 2, to: coordinator)
            try await Task.sleep(for: .milliseconds(100))
            #expect(try await ledger.leases(farm.run).isEmpty)
        }
    }

    @Test("a claim that was not answered is made again by its number, and does not wait")
    func claimNumbers() {
        var claims = ClaimNumbers(worker: WorkerID("w"), staysIdle: true)
        let first = claims.next()
        #expect(first.waitSeconds > 0)
        let again = claims.next()
        #expect(again.request == first.request && again.waitSeconds == 0)
        let isWarm = claims.answered(CellID("c"))
        #expect(!isWarm)
        let next = claims.next()
        #expect(next.request != first.request && next.waitSeconds > 0)
        let isWarmAgain = claims.answered(CellID("c"))
        #expect(next.warm == CellID("c") && isWarmAgain)
        var later = ClaimNumbers(worker: WorkerID("w"), staysIdle: true)
        let ofAnotherLife = later.next()
        #expect(ofAnotherLife.request != first.request)
    }
}
