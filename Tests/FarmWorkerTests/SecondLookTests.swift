import FarmAPI
import FarmCoordinator
import FarmCore
import FarmLedger
import FarmTesting
import Foundation
import Synchronization
import Testing

@Suite("A worker that asks for work while the end of its last lease is on its way")
struct SecondLookTests {
    @Test("is looked at again, and begins the test that straggles")
    func secondLook() async throws {
        for _ in 0..<20 {
            let run = try await StragglingRun()
            try await run.straggle()
            guard let begun = try await begunByWaiting(run) else { continue }
            #expect(begun == [run.straggler])
            return
        }
        Issue.record("this machine is too busy: each end came after the second look")
    }

    @Test("is woken when a test begins to straggle, though nothing came and nothing ended")
    func straggles() async throws {
        let run = try await StragglingRun()
        try await run.endLastLease()
        let pause = FarmLimits.secondLookSeconds
        async let waiting = run.claim("b", "waits", seconds: 3 * pause)
        try await Task.sleep(for: .seconds(1.5 * pause))
        try await run.straggle()
        #expect(try await waiting?.shard.tests == [run.straggler])
    }

    /// What `b` is leased while it waits; nil where the end of its last lease came too late for a
    /// second look.
    private func begunByWaiting(_ run: StragglingRun) async throws -> [TestID]? {
        let looks = run.clock.reads
        let asked = ContinuousClock.now
        async let waiting = run.claim("b", "waits", seconds: FarmLimits.claimWaitSeconds)
        while run.clock.reads == looks { try await Task.sleep(for: .milliseconds(1)) }
        try await Task.sleep(for: .milliseconds(50))
        try await run.endLastLease()
        let isInTime =
            ContinuousClock.now - asked < .seconds(FarmLimits.secondLookSeconds / 2)
        if !isInTime { run.coordinator.stopWaiting() }
        let begun = try await waiting?.shard.tests ?? []
        return isInTime ? begun : nil
    }
}

/// A run of which one test straggles on `a`; `b` has run the rest, and its last lease has not ended.
private final class StragglingRun: Sendable {
    final class Clock: Sendable {
        private let state = Mutex<(now: Int64, reads: Int)>((0, 0))
        var reads: Int { state.withLock { $0.reads } }
        func set(_ now: Int64) { state.withLock { $0.now = now } }
        func read() -> Int64 {
            state.withLock { state in
                state.reads += 1
                return state.now
            }
        }
    }

    /// Milliseconds after which a test of a job with quick tests straggles.
    private static let late = Int64(FarmLimits.backupUnlearnedSecondsMin * 1000) + 100
    private let farm: RestartableFarm
    private let ledger: SQLiteLedger
    let clock = Clock()
    let coordinator: Coordinator
    let straggler: TestID
    private let last: Lease

    init() async throws {
        farm = try RestartableFarm("second-look")
        ledger = try SQLiteLedger(path: farm.folder.file("ledger.sqlite"))
        let coordinator = try farm.coordinator(ledger, clock: clock.read)
        self.coordinator = coordinator
        try await farm.submit(tests: 8, to: coordinator)
        let hanging = try #require(try await Self.claim("a", "1", coordinator))
        let straggler = try #require(hanging.shard.tests.first)
        self.straggler = straggler
        var last = try #require(try await Self.claim("b", "1", coordinator))
        try await Self.pass(last.shard.tests, of: last, coordinator)
        while let next = try await Self.claim("b", "\(last.token.epoch)+", coordinator) {
            try await Self.pass(next.shard.tests, of: next, coordinator)
            try await Self.end(last, coordinator)
            last = next
        }
        self.last = last
        try await Self.pass(Array(hanging.shard.tests.dropFirst()), of: hanging, coordinator)
        clock.set(Self.late / 2)
        _ = try await coordinator.renew(hanging.token, running: straggler)
    }

    /// The time comes at which the test straggles, and the coordinator sees it.
    func straggle() async throws {
        clock.set(Self.late)
        try await coordinator.sweep()
    }

    deinit { try? ledger.close() }

    func claim(_ worker: String, _ request: String, seconds: Double) async throws -> Lease? {
        try await Self.claim(worker, request, coordinator, seconds: seconds)
    }

    func endLastLease() async throws { try await Self.end(last, coordinator) }

    private static func claim(
        _ worker: String,
        _ request: String,
        _ coordinator: Coordinator,
        seconds: Double = 0
    ) async throws -> Lease? {
        let request = ClaimRequest(request: request, warm: nil, waitSeconds: seconds)
        return try await coordinator.claim(WorkerID(worker), request).lease
    }

    private static func pass(
        _ tests: [TestID],
        of lease: Lease,
        _ coordinator: Coordinator
    ) async throws {
        let reports = tests.map { TestReport(test: $0, ending: .passed, seconds: 0.01) }
        _ = try await coordinator.report(lease.token, reports)
    }

    private static func end(_ lease: Lease, _ coordinator: Coordinator) async throws {
        let evidence = LeaseEvidence(job: lease.shard.job.name, cell: lease.shard.cell.id)
        _ = try await coordinator.complete(lease.token, reports: [], evidence: evidence)
    }
}
