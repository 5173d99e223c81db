import FarmAPI
import FarmCore
import FarmLedger
import FarmServer
import FarmTesting
import Foundation
import Testing

@Suite("A worker that waits for work is woken")
struct WakingTests {
    /// A coordinator whose time stands still, and a lease of all tests that `a` may start.
    private struct Scene {
        let coordinator: Coordinator
        let clock: SetClock
        let lease: Lease

        var evidence: LeaseEvidence {
            LeaseEvidence(job: lease.shard.job.name, cell: lease.shard.cell.id)
        }

        func claim(_ worker: String, _ request: String, seconds: Double) async throws -> Lease? {
            try await WakingTests.claim(coordinator, worker, request, seconds: seconds)
        }

        func reports(_ ending: TestEnding, _ lease: Lease) -> [TestReport] {
            lease.shard.tests.map { TestReport(test: $0, ending: ending, seconds: 0.01) }
        }
    }

    private static func claim(
        _ coordinator: Coordinator,
        _ worker: String,
        _ request: String,
        seconds: Double
    ) async throws -> Lease? {
        let claim = ClaimRequest(request: request, warm: nil, waitSeconds: seconds)
        return try await coordinator.claim(WorkerID(worker), claim).lease
    }

    private func withScene(
        _ name: String,
        _ jobs: [PlannedJob],
        _ body: (Scene) async throws -> Void
    ) async throws {
        let clock = SetClock()
        try await RestartableFarm.withCoordinator(name, clock: clock.read) { farm, coordinator, _ in
            for worker in ["a", "b"] {
                let hello = HelloRequest(worker: WorkerID(worker), beginsAnew: true)
                _ = try await coordinator.hello(hello)
            }
            try await farm.submit(jobs, to: coordinator)
            let lease = try await Self.claim(coordinator, "a", "1", seconds: 0)
            try await body(
                Scene(coordinator: coordinator, clock: clock, lease: try #require(lease))
            )
        }
    }

    /// Returns the lease of a worker whose claim waits while `change` happens.
    ///
    /// A claim that is not woken ends with no lease at the end of its wait, without another look.
    private func leased(
        to worker: String = "b",
        by scene: Scene,
        _ change: () async throws -> Void
    ) async throws -> Lease? {
        let looks = scene.clock.reads
        async let waiting = scene.claim(worker, "waits", seconds: 10)
        while scene.clock.reads == looks { try await Task.sleep(for: .milliseconds(1)) }
        // The claim has looked and found nothing.
        try await Task.sleep(for: .milliseconds(50))
        try await change()
        return try await waiting
    }

    private enum Loss: CaseIterable { case release, lost, expiry }

    @Test(
        "where a lease comes back: given back, its worker lost, its time over",
        arguments: Loss.allCases
    )
    private func comesBack(loss: Loss) async throws {
        try await withScene("waking-\(loss)", [RestartableFarm.planned(tests: 1)]) { scene in
            let lease = try await leased(by: scene) {
                switch loss {
                case .release: _ = try await scene.coordinator.release(scene.lease.token)
                case .lost: try await scene.coordinator.workerLost(WorkerID("a"))
                case .expiry:
                    scene.clock.set(Int64(FarmLimits.leaseSeconds * 1000) + 1)
                    try await scene.coordinator.sweep()
                }
            }
            #expect(lease?.shard.tests == scene.lease.shard.tests)
        }
    }

    @Test("where a test is to run again")
    func runsAgain() async throws {
        let jobs = [RestartableFarm.planned(tests: 1, retries: 1)]
        try await withScene("waking-again", jobs) { scene in
            let lease = try await leased(by: scene) {
                let failed = scene.reports(.failed("no"), scene.lease)
                _ = try await scene.coordinator.report(scene.lease.token, failed)
            }
            #expect(lease?.shard.tests == scene.lease.shard.tests)
        }
    }

    @Test("where a lease ends beside which nothing else might run")
    func exclusiveEnds() async throws {
        var exclusive = RestartableFarm.planned("alone", tests: 1)
        exclusive.job.exclusive = true
        let jobs = [exclusive, RestartableFarm.planned(tests: 1)]
        try await withScene("waking-exclusive", jobs) { scene in
            try #require(scene.lease.shard.job.name == JobName("alone"))
            let lease = try await leased(by: scene) {
                _ = try await scene.coordinator.complete(
                    scene.lease.token,
                    reports: scene.reports(.passed, scene.lease),
                    evidence: scene.evidence
                )
            }
            #expect(lease?.shard.job.name == JobName("unit"))
        }
    }

    @Test("where whom it was held for can work no more")
    func onlyOneLeft() async throws {
        let jobs = [RestartableFarm.planned(tests: 100, retries: 0)]
        try await withScene("waking-unfit", jobs) { scene in
            // A test that `a` failed is kept for another worker first.
            _ = try await scene.coordinator.report(
                scene.lease.token,
                scene.reports(.failed("no"), scene.lease)
            )
            _ = try await scene.coordinator.complete(
                scene.lease.token,
                reports: [],
                evidence: scene.evidence
            )
            #expect(try await scene.claim("a", "held", seconds: 0) == nil)
            let lease = try await leased(to: "a", by: scene) {
                let unfit = Problem(code: "u", message: "m", remedy: "r")
                let hello = HelloRequest(worker: WorkerID("b"), beginsAnew: false, unfit: unfit)
                _ = try await scene.coordinator.hello(hello)
            }
            #expect(lease != nil)
        }
    }

    @Test("where a test takes too long: it gets what waits behind")
    func straggles() async throws {
        let jobs = [RestartableFarm.planned(tests: 8)]
        try await withScene("waking-straggler", jobs) { scene in
            let tests = scene.lease.shard.tests
            try #require(tests.count == 2)
            var others = 0
            while let other = try await scene.claim("b", "\(others)", seconds: 0) {
                others += 1
                _ = try await scene.coordinator.complete(
                    other.token,
                    reports: scene.reports(.passed, other),
                    evidence: scene.evidence
                )
            }
            let lease = try await leased(by: scene) {
                scene.clock.set(10_000)
                _ = try await scene.coordinator.renew(scene.lease.token, running: tests[0])
                let late = FarmLimits.stragglerUnlearnedSecondsMin * 1000
                scene.clock.set(Int64(late) + 100)
                try await scene.coordinator.sweep()
            }
            #expect(lease?.shard.tests == [tests[1]])
        }
    }

    @Test("and of two calls of a worker only the newer one: nobody hears the other any more")
    func askedAgain() async throws {
        try await withScene("waking-twice", [RestartableFarm.planned(tests: 1)]) { scene in
            let old = try await leased(by: scene) {
                #expect(try await scene.claim("b", "waits", seconds: 0) == nil)
                _ = try await scene.coordinator.release(scene.lease.token)
            }
            #expect(old == nil)
            let new = try await scene.claim("b", "waits", seconds: 0)
            #expect(new?.shard.tests == scene.lease.shard.tests)
        }
    }

    @Test("and who begins anew is given work at once, beside whatever its process before had")
    func beginsAnew() async throws {
        try await withScene("waking-anew", [RestartableFarm.planned(tests: 30)]) { scene in
            #expect(try await scene.claim("a", "2", seconds: 0) == nil)
            let hello = HelloRequest(worker: WorkerID("a"), beginsAnew: true)
            _ = try await scene.coordinator.hello(hello)
            #expect(try await scene.claim("a", "3", seconds: 0) != nil)
            #expect(try await scene.coordinator.renew(scene.lease.token, running: nil) == .stale)
        }
    }

    @Test("and who comes back goes on with its lease where that is still its own")
    func keptLease() async throws {
        try await withScene("waking-kept", [RestartableFarm.planned(tests: 1)]) { scene in
            func kept() async throws -> [LeaseToken] {
                let running = [RunningLease(token: scene.lease.token, test: nil)]
                let worker = WorkerID("a")
                let hello = HelloRequest(worker: worker, beginsAnew: false, running: running)
                return try await scene.coordinator.hello(hello).kept
            }
            #expect(try await kept() == [scene.lease.token])
            _ = try await scene.coordinator.release(scene.lease.token)
            #expect(try await kept().isEmpty)
        }
    }
}
