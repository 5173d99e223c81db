import FarmAPI
import FarmCore
import FarmLedger
import FarmServer
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers
@testable import FarmWorker

@Suite("A coordinator that is started again", .serialized)
struct RestartTests {
    /// Long enough for a busy machine to renew a lease while the coordinator is up.
    private static let quick = LeaseTiming(leaseSeconds: 4, renewalSeconds: 0.4)

    private func evidence(_ farm: RestartableFarm) async throws -> [TestEvidence] {
        let ledger = try SQLiteLedger(path: farm.folder.file("ledger.sqlite"))
        defer { try? ledger.close() }
        return try await ledger.evidence(farm.run).tests
    }

    @Test("keeps its workers' leases: no test runs twice, no attempt counts, nothing is lost")
    func goesOn() async throws {
        let farm = try RestartableFarm("restart")
        let isDown = Door()
        let driver = ScriptedDriver { test, _ in
            // Some of the tests run while the coordinator is down.
            if test == TestID("t10") { try await isDown.wait() }
        }
        let isOver = Door()
        async let worked: Void = farm.work(driver, until: isOver)
        try await farm.serve { coordinator, ledger in
            try await farm.submit(tests: 40, to: coordinator)
            while try await ledger.progress(farm.run, now: 0).done < 5 {
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        isDown.open()
        try await Task.sleep(for: .milliseconds(300))
        try await farm.serveToTheEnd()
        isOver.open()
        try await worked
        let tests = try await evidence(farm)
        #expect(tests.count == 40)
        #expect(tests.allSatisfy { $0.verdict == .passed && $0.attempts.count == 1 })
        #expect(driver.ran.values.allSatisfy { $0 == 1 })
    }

    @Test(
        "that has lost its key, or its newest leases, costs its workers the lease they have and no more",
        .timeLimit(.minutes(2)),
        arguments: [true, false]
    )
    func otherKey(losesKey: Bool) async throws {
        let farm = try RestartableFarm("other-key")
        let isDown = Door()
        let driver = ScriptedDriver { test, _ in
            if test == TestID("t3") { try await isDown.wait() }
        }
        let (mayBegin, isOver) = (Door(), Door())
        async let worked: Void = {
            try await mayBegin.wait()
            try await farm.work(driver, until: isOver)
        }()
        let file = farm.folder.file("ledger.sqlite")
        try await farm.serve { coordinator, ledger in
            try await farm.submit(tests: 12, to: coordinator)
            if !losesKey { try SQLiteLedger.copy(file, to: file + ".backup") }
            mayBegin.open()
            while !driver.ran.keys.contains(TestID("t3")) {
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        if !losesKey {
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: file + suffix)
            }
            try FileManager.default.moveItem(atPath: file + ".backup", toPath: file)
            try SQLiteLedger.raiseNumbers(inFileAt: file)
        }
        isDown.open()
        try await farm.serveToTheEnd(key: losesKey ? 2 : 1)
        isOver.open()
        // A worker that had ended by itself would throw here.
        try await worked
        let tests = try await evidence(farm)
        #expect(tests.count == 12)
        #expect(tests.allSatisfy { $0.verdict == .passed && $0.attempts.count == 1 })
    }

    @Test("a worker of a fleet is parked until a run comes; one of a single run may leave")
    func parked() async throws {
        let farm = try RestartableFarm("parked")
        try await farm.serve { coordinator, _ in
            async let parked = coordinator.claim(
                WorkerID("fleet"),
                ClaimRequest(request: "1", warm: nil, waitSeconds: 20, staysIdle: true)
            )
            let single = try await coordinator.claim(
                WorkerID("single"),
                ClaimRequest(request: "1", warm: nil, waitSeconds: 20)
            )
            #expect(single.idle && single.lease == nil)
            try await farm.submit(tests: 2, to: coordinator)
            #expect(try await parked.lease != nil)
        }
    }

    @Test("a claim for which nothing comes is answered in time, and says whether a run is open")
    func nothingComes() async throws {
        let farm = try RestartableFarm("nothing")
        try await farm.serve { coordinator, _ in
            func claim(_ worker: String) async throws -> ClaimReply {
                try await coordinator.claim(
                    WorkerID(worker),
                    ClaimRequest(request: "1", warm: nil, waitSeconds: 0.1, staysIdle: true)
                )
            }
            let idle = try await claim("a")
            #expect(idle.lease == nil && idle.idle)
            try await farm.submit(tests: 1, to: coordinator)
            #expect(try await claim("b").lease != nil)
            let waiting = try await claim("c")
            #expect(waiting.lease == nil && !waiting.idle)
        }
    }

    @Test("a lease without an accepted renewal ends its tests; what they said is offered again")
    func watchdog() async throws {
        let farm = try RestartableFarm("watchdog")
        let isDown = Door()
        let wasKilled = Door()
        let driver = ScriptedDriver { test, before in
            if test == TestID("t0") { try await isDown.wait() }
            guard test == TestID("t1"), before == 0 else { return }
            do {
                try await Task.sleep(for: .seconds(3600))
            } catch {
                wasKilled.open()
                throw error
            }
        }
        let isOver = Door()
        async let worked: Void = farm.work(driver, timing: Self.quick, until: isOver)
        try await farm.serve { coordinator, _ in
            // The only worker gets two of the four tests.
            try await farm.submit(tests: 4, to: coordinator)
            while driver.ran.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        }
        isDown.open()
        try await wasKilled.wait()
        try await farm.serveToTheEnd()
        isOver.open()
        try await worked
        let tests = try await evidence(farm)
        #expect(tests.allSatisfy { $0.verdict == .passed && $0.attempts.count == 1 })
        #expect(tests.count == 4)
        let twice = driver.ran.filter { $0.value != 1 }
        #expect(twice == [TestID("t1"): 2])
    }

    @Test(
        "loses no result that only the completion has said, whether its lease still lives or not",
        arguments: [LeaseTiming.usual, quick]
    )
    func lastWord(_ timing: LeaseTiming) async throws {
        let farm = try RestartableFarm("last-word")
        let isDown = Door()
        let driver = ScriptedDriver(reportsAtEnd: true) { _, _ in try await isDown.wait() }
        let isOver = Door()
        async let worked: Void = farm.work(driver, timing: timing, until: isOver)
        try await farm.serve { coordinator, _ in
            try await farm.submit(tests: 6, to: coordinator)
            while driver.ran.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        }
        isDown.open()
        try await Task.sleep(for: .seconds(Self.quick.leaseSeconds + 1))
        try await farm.serveToTheEnd()
        isOver.open()
        try await worked
        let tests = try await evidence(farm)
        #expect(tests.count == 6)
        #expect(tests.allSatisfy { $0.verdict == .passed && $0.attempts.count == 1 })
        #expect(driver.ran.values.allSatisfy { $0 == 1 })
        let ledger = try SQLiteLedger(path: farm.folder.file("ledger.sqlite"))
        defer { try? ledger.close() }
        #expect(Set(try await ledger.leases(farm.run).map(\.state)) == ["done"])
    }

    @Test("a worker that is told to stop gives its leases back before its tests have ended")
    func stopped() async throws {
        let farm = try RestartableFarm("stopped")
        let stop = Door()
        let isReleased = Door()
        let driver = ScriptedDriver { _, _ in
            stop.open()
            // A test that ignores its cancellation.
            try? await Task.sleep(for: .seconds(3600))
            for _ in 0..<500 where !isReleased.wasOpened {
                await withCheckedContinuation { done in
                    DispatchQueue.global().asyncAfter(deadline: .now() + 0.01) { done.resume() }
                }
            }
            throw CancellationError()
        }
        try await farm.serve { coordinator, ledger in
            try await farm.submit(tests: 3, to: coordinator)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await farm.work(driver, until: stop) }
                group.addTask {
                    for _ in 0..<400 {
                        let states = try await ledger.leases(farm.run).map(\.state)
                        if states == ["released"] {
                            isReleased.open()
                            return
                        }
                        try await Task.sleep(for: .milliseconds(10))
                    }
                }
                try await group.waitForAll()
            }
            #expect(isReleased.wasOpened)
            let tests = try await ledger.evidence(farm.run).tests
            #expect(tests.allSatisfy { $0.attempts.isEmpty })
        }
    }
}
