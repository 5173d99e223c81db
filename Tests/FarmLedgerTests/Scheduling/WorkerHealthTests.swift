import FarmCore
import FarmTesting
import Testing

@testable import FarmLedger

@Suite("Which workers the farm believes")
struct WorkerHealthTests {
    private let worker = WorkerID("w")

    private func standing(_ health: WorkerHealth, _ peers: WorkerPeers) -> WorkerStanding {
        WorkerStanding(worker, health, peers: peers, planned: 2_000, now: 1)
    }
    private var suspended: WorkerHealth {
        var health = WorkerHealth()
        for _ in 0..<FarmLimits.unprovenTestsMax { health.failed(now: 1) }
        return health
    }
    private var unfit: WorkerHealth {
        var health = WorkerHealth()
        health.unfit = Problem(code: "u", message: "m", remedy: "r")
        return health
    }

    @Test(
        "a proven worker is suspended by a fortieth of the run's tests, ten to fifty",
        arguments: [(100, 10), (800, 20), (2_000, 50), (100_000, 50)]
    )
    func limit(planned: Int, failures: Int) {
        var health = WorkerHealth()
        health.passed()
        for _ in 1..<failures { health.failed(now: 1) }
        #expect(!health.isSuspended(planned: planned, now: 1))
        #expect(health.leaseMax(planned: planned) == FarmLimits.testsPerLeaseMax)
        health.failed(now: 1)
        #expect(health.isSuspended(planned: planned, now: 1))
        #expect(health.leaseMax(planned: planned) == FarmLimits.unprovenTestsMax)
    }

    @Test("a worker that has passed nothing gets ten tests, and is suspended by ten failures")
    func unproven() {
        var health = WorkerHealth()
        #expect(health.leaseMax(planned: 2_000) == FarmLimits.unprovenTestsMax)
        #expect(suspended.isSuspended(planned: 2_000, now: 1))
        health.passed()
        #expect(health.leaseMax(planned: 2_000) == FarmLimits.testsPerLeaseMax)
    }

    @Test("failures that others confirm are the tests' own, however many")
    func confirmed() {
        var health = WorkerHealth()
        for _ in 0..<1_000 {
            health.failed(now: 1)
            health.wasConfirmed()
        }
        #expect(health.unconfirmed == 0 && health.isProven)
        #expect(!health.isSuspended(planned: 2_000, now: 1))
    }

    @Test("a new worker's first failure is asked about, a proven one's third")
    func asks() {
        func asked(_ health: WorkerHealth) -> [Int] {
            var health = health
            return (1...5).filter { _ in
                health.failed(now: 1)
                return health.asksAnother
            }
        }
        #expect(asked(WorkerHealth()) == Array(1...5))
        var proven = WorkerHealth()
        proven.passed()
        #expect(asked(proven) == Array(3...5))
        proven.wasConfirmed()
        #expect(asked(proven) == Array(3...5))
    }

    @Test("who is suspended waits while another may work, and goes on when nobody else may")
    func neverAlone() {
        let able = WorkerPeers(able: 1, suspended: 0)
        let others = WorkerPeers(able: 0, suspended: 1)
        #expect(standing(suspended, able).obstacle?.code == "worker-suspended")
        // Two suspended workers check each other's failures.
        #expect(standing(suspended, others).obstacle == nil)
        #expect(standing(suspended, others).hasOthers)
        #expect(standing(suspended, .none).obstacle == nil)
        #expect(!standing(suspended, .none).hasOthers)
        // A failure of a sound worker does not wait for a worker that gets no work.
        #expect(!standing(WorkerHealth(), others).hasOthers)
        #expect(standing(WorkerHealth(), able).hasOthers)
    }

    @Test("one that says it cannot work gets nothing, whether or not others are there")
    func saysUnfit() {
        for peers in [WorkerPeers.none, WorkerPeers(able: 1, suspended: 0)] {
            #expect(standing(unfit, peers).obstacle?.code == "u")
        }
    }

    @Test("among any workers at least one may work, unless all say that they cannot")
    func somebodyMay() {
        var generator = SeededGenerator.announced()
        for _ in 0..<2_000 {
            let all = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                [WorkerHealth(), suspended, unfit].randomElement(using: &generator) ?? unfit
            }
            let may = all.indices.filter { index in
                let others = all.indices.filter { $0 != index && all[$0].unfit == nil }
                let held = others.count { all[$0].isSuspended(planned: 2_000, now: 1) }
                let peers = WorkerPeers(able: others.count - held, suspended: held)
                return standing(all[index], peers).obstacle == nil
            }
            #expect(!may.isEmpty || all.allSatisfy { $0.unfit != nil }, "\(all)")
        }
    }

    @Test("a suspension ends by itself, and begins again with the next failure")
    func ends() {
        let later = 1 + Int64(FarmLimits.suspendedSeconds * 1000)
        var health = suspended
        #expect(health.isSuspended(planned: 2_000, now: later - 1))
        #expect(!health.isSuspended(planned: 2_000, now: later))
        #expect(health.leaseMax(planned: 2_000) == FarmLimits.unprovenTestsMax)
        health.failed(now: later)
        #expect(health.isSuspended(planned: 2_000, now: later))
    }

    @Test("a sound worker on tests of which every tenth is flaky is not suspended")
    func flakySuite() {
        var generator = SeededGenerator.announced()
        var health = WorkerHealth()
        for _ in 0..<20_000 {
            if Int.random(in: 0..<10, using: &generator) == 0 {
                health.failed(now: 1)
            } else {
                health.passed()
            }
            #expect(!health.isSuspended(planned: 100, now: 1))
        }
    }

    @Test("a worker that fails three of four tests is suspended")
    func mostlySick() {
        var generator = SeededGenerator.announced()
        var health = WorkerHealth()
        for _ in 0..<400 where !health.isSuspended(planned: 2_000, now: 1) {
            if Int.random(in: 0..<4, using: &generator) == 0 {
                health.passed()
            } else {
                health.failed(now: 1)
            }
        }
        #expect(health.isSuspended(planned: 2_000, now: 1))
    }
}
