import FarmAPI
import FarmCoordinator
import FarmCore
import FarmLedger
import FarmTesting
import Foundation
import Testing

@Suite("A worker that waits for work is woken")
struct WakingTests {
    /// A coordinator whose time stands still, and the lease of everything that `a` may begin.
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

    /// What `b` gets that waits for longer than its second look, while `change` happens.
    ///
    /// Who is not woken is told at the end of its wait, without a look, that there is nothing.
    private func leased(
        to worker: String = "b",
        by scene: Scene,
        _ change: () async throws -> Void
    ) async throws -> Lease? {
        let pause = FarmLimits.secondLookSeconds
        async let waiting = scene.claim(worker, "waits", seconds: 3 * pause)
        try await Task.sleep(for: .seconds(1.5 * pause))
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
            // What it fails another is to run first.
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

    @Test("and who comes back goes on with what is still its own, and with nothing else")
    func keptLeases() async throws {
        try await withScene("waking-kept", [RestartableFarm.planned(tests: 30)]) { scene in
            let other = try #require(try await scene.claim("a", "2", seconds: 0))
            _ = try await scene.coordinator.release(other.token)
            let running = [scene.lease, other].map { RunningLease(token: $0.token, test: nil) }
            let reply = try await scene.coordinator.hello(
                HelloRequest(worker: WorkerID("a"), beginsAnew: false, running: running)
            )
            #expect(reply.kept == [scene.lease.token])
        }
    }
}
