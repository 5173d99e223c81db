import FarmCore
import FarmTesting
import Testing

@Suite("Whom the farm trusts")
struct WorkerTrustTests {
    private let worker = WorkerID("w")

    private func standing(_ trust: WorkerTrust, _ peers: WorkerPeers) -> WorkerStanding {
        WorkerStanding(worker, trust, peers: peers, planned: 2_000, now: 1)
    }
    private var held: WorkerTrust {
        var trust = WorkerTrust()
        for _ in 0..<FarmLimits.canaryTestsMax { trust.failed(now: 1) }
        return trust
    }
    private var aside: WorkerTrust {
        var trust = WorkerTrust()
        while trust.aside == nil { trust.wasRefuted(worker) }
        return trust
    }

    @Test("a worker that only fails what others pass is set aside after seven, with the reason")
    func refuted() {
        var trust = WorkerTrust()
        for _ in 0..<6 { trust.wasRefuted(worker) }
        #expect(trust.aside == nil)
        trust.wasRefuted(worker)
        #expect(trust.aside?.code == "worker-set-aside")
        #expect(trust.aside?.message.contains("7 tests that failed on it passed") == true)
    }

    @Test(
        "a new worker gets ten tests, and beside them a fortieth of the run's, ten to fifty",
        arguments: [(100, 10), (800, 20), (2_000, 50), (100_000, 50)]
    )
    func firstLeases(planned: Int, ahead: Int) {
        var trust = WorkerTrust()
        #expect(trust.leaseMax(planned: planned, hasLease: false) == 10)
        #expect(trust.leaseMax(planned: planned, hasLease: true) == ahead)
        trust.passed(1)
        for hasLease in [false, true] {
            let most = trust.leaseMax(planned: planned, hasLease: hasLease)
            #expect(most == FarmLimits.testsPerLeaseMax)
        }
    }

    @Test("a confirmed failure takes blame away, of which a pass takes more")
    func fades() {
        func blamed(_ between: (inout WorkerTrust) -> Void) -> WorkerTrust {
            var trust = WorkerTrust()
            for _ in 0..<6 { trust.wasRefuted(worker) }
            between(&trust)
            trust.wasRefuted(worker)
            return trust
        }
        #expect(blamed { $0.wasConfirmed() }.aside != nil)
        let twice = blamed {
            $0.wasConfirmed()
            $0.wasConfirmed()
        }
        #expect(twice.aside == nil)
        #expect(blamed { $0.passed(2) }.aside == nil)
    }

    @Test("a trusted worker that is refuted once is asked about again like any proven one")
    func trustLost() {
        var trust = WorkerTrust()
        for _ in 0..<2 { trust.wasConfirmed() }
        for _ in 0..<3 { trust.failed(now: 1) }
        #expect(!trust.asksAnother)
        trust.wasRefuted(worker)
        trust.failed(now: 1)
        #expect(trust.asksAnother)
    }

    @Test("one that says it cannot work gets nothing, whether or not others are there")
    func unfit() {
        var trust = WorkerTrust()
        trust.unfit = Problem(code: "u", message: "m", remedy: "r")
        #expect(standing(trust, .none).obstacle?.code == "u" && !standing(trust, .none).hasOthers)
        let broken = WorkerPeers(able: 0, sound: 0, aside: 1)
        #expect(standing(trust, broken).obstacle?.code == "u" && standing(trust, broken).hasOthers)
    }

    @Test("failures that others confirm are the tests' own, however many")
    func confirmed() {
        var trust = WorkerTrust()
        for _ in 0..<1_000 {
            trust.failed(now: 1)
            trust.wasConfirmed()
        }
        #expect(trust.aside == nil && trust.doubted == 0 && trust.isProven)
        #expect(!trust.isHeld(planned: 2_000, now: 1))
    }

    @Test(
        "a new worker's first failure is asked about, a proven one's third, a trusted one's tenth"
    )
    func asks() {
        var new = WorkerTrust()
        new.failed(now: 1)
        #expect(new.asksAnother)
        func asked(_ trust: WorkerTrust) -> [Int] {
            var trust = trust
            return (1...20).filter { _ in
                trust.failed(now: 1)
                return trust.asksAnother
            }
        }
        var proven = WorkerTrust()
        proven.passed(1)
        #expect(asked(proven) == Array(3...20))
        proven.wasConfirmed()
        proven.wasConfirmed()
        #expect(asked(proven) == [10, 20])
    }

    @Test("who is doubted waits while another may work, and goes on when nobody else may")
    func neverAlone() {
        let nobody = WorkerPeers(able: 0, sound: 0, aside: 0)
        let able = WorkerPeers(able: 1, sound: 1, aside: 0)
        let doubted = WorkerPeers(able: 0, sound: 1, aside: 0)
        let broken = WorkerPeers(able: 0, sound: 0, aside: 1)
        #expect(standing(held, able).obstacle?.code == "worker-held")
        #expect(standing(aside, able).obstacle?.code == "worker-set-aside")
        // Two that are doubted look at each other's failures.
        #expect(standing(held, doubted).obstacle == nil && standing(held, doubted).hasOthers)
        #expect(standing(aside, doubted).obstacle != nil)
        #expect(standing(held, broken).obstacle == nil && !standing(held, broken).hasOthers)
        #expect(standing(aside, broken).obstacle == nil && standing(aside, broken).hasOthers)
        #expect(standing(aside, nobody).obstacle == nil && !standing(aside, nobody).hasOthers)
        // What a sound one failed need not wait for one that gets no work.
        #expect(!standing(WorkerTrust(), doubted).hasOthers)
    }

    @Test("among any workers at least one may work, unless all say that they cannot")
    func somebodyMay() {
        var generator = SeededGenerator.announced()
        for _ in 0..<2_000 {
            let trusts = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: WorkerTrust()
                case 1: held
                case 2: aside
                default:
                    { () -> WorkerTrust in
                        var trust = WorkerTrust()
                        trust.unfit = Problem(code: "u", message: "m", remedy: "r")
                        return trust
                    }()
                }
            }
            let may = trusts.indices.filter { index in
                let others = trusts.indices.filter { $0 != index && trusts[$0].unfit == nil }
                    .map { trusts[$0] }
                let sound = others.filter { $0.aside == nil }
                let peers = WorkerPeers(
                    able: sound.count { !$0.isHeld(planned: 2_000, now: 1) },
                    sound: sound.count,
                    aside: others.count - sound.count
                )
                return standing(trusts[index], peers).obstacle == nil
            }
            #expect(!may.isEmpty || trusts.allSatisfy { $0.unfit != nil }, "\(trusts)")
        }
    }

    @Test("a hold ends by itself: who should look may be gone")
    func holdEnds() {
        let later = 2 + Int64(FarmLimits.doubtSecondsMax * 1000)
        #expect(held.isHeld(planned: 2_000, now: 1))
        #expect(!held.isHeld(planned: 2_000, now: later))
    }

    @Test("a sound worker on tests of which every twentieth is flaky is not set aside")
    func flakySuite() {
        var generator = SeededGenerator.announced()
        var trust = WorkerTrust()
        for _ in 0..<20_000 {
            if Int.random(in: 0..<20, using: &generator) == 0 {
                trust.failed(now: 1)
                trust.wasRefuted(worker)
            } else {
                trust.passed(1)
            }
        }
        #expect(trust.aside == nil)
    }

    @Test("a worker that fails half of what others pass is set aside")
    func halfSick() {
        var generator = SeededGenerator.announced()
        var trust = WorkerTrust()
        for _ in 0..<400 {
            if Bool.random(using: &generator) { trust.wasRefuted(worker) } else { trust.passed(1) }
        }
        #expect(trust.aside != nil)
    }
}
