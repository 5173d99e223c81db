import FarmCore
import FarmTesting
import Testing

@testable import FarmWorker

@Suite("What a worker does next")
struct LeaseHandsTests {
    private let first = LeaseToken(id: LeaseID("L1"), epoch: 1)
    private let second = LeaseToken(id: LeaseID("L2"), epoch: 2)
    private let third = LeaseToken(id: LeaseID("L3"), epoch: 3)

    /// Hands that run the first lease.
    private var busy: LeaseHands {
        var hands = LeaseHands()
        #expect(hands.begin() == [.claim(isAhead: false)])
        #expect(hands.claimed(first) == [.begin(first)])
        return hands
    }

    @Test("the next lease is claimed near the end of the last, and begun when that is driven")
    func ahead() {
        var hands = busy
        #expect(hands.nearEnd(first) == [.claim(isAhead: true)])
        #expect(hands.claimed(second) == [.keep(second)])
        #expect(hands.driven(first) == [.begin(second)])
        // The first is not delivered yet: two are enough.
        #expect(hands.nearEnd(second) == [])
        #expect(hands.gone(first) == [.claim(isAhead: true)])
        #expect(hands.claimed(third) == [.keep(third)])
    }

    @Test("a worker that drains finishes what runs, begins nothing more, and leaves")
    func drains() {
        var hands = busy
        #expect(hands.nearEnd(first) == [.claim(isAhead: true)])
        #expect(hands.drain() == [])
        // What a claim still brings, and what was not begun, goes back at once.
        #expect(hands.claimed(second) == [.giveBack(second)])
        #expect(hands.driven(first) == [])
        #expect(hands.gone(second) == [])
        #expect(hands.gone(first) == [.leave])

        var ahead = busy
        #expect(ahead.nearEnd(first) == [.claim(isAhead: true)])
        #expect(ahead.claimed(second) == [.keep(second)])
        #expect(ahead.drain() == [.giveBack(second)])
        #expect(ahead.gone(second) == [])
        #expect(ahead.driven(first) == [])
        #expect(ahead.gone(first) == [.leave])
    }

    @Test("a worker that drains with empty hands leaves when its claim is answered")
    func drainsIdle() {
        var hands = LeaseHands()
        #expect(hands.begin() == [.claim(isAhead: false)])
        #expect(hands.drain() == [])
        #expect(hands.claimedNothing(mayAskAgain: true) == [.leave])
    }

    @Test("a claim that is on its way when the tests end is the next claim")
    func overtaken() {
        var hands = busy
        #expect(hands.nearEnd(first) == [.claim(isAhead: true)])
        #expect(hands.driven(first) == [])
        #expect(hands.claimed(second) == [.begin(second)])
    }

    @Test("what was not there ahead is waited for when the tests have ended")
    func nothingAhead() {
        var hands = busy
        #expect(hands.nearEnd(first) == [.claim(isAhead: true)])
        #expect(hands.claimedNothing(mayAskAgain: true) == [])
        #expect(hands.driven(first) == [.claim(isAhead: false)])
        #expect(hands.claimedNothing(mayAskAgain: true) == [.claim(isAhead: false)])
    }

    @Test("a lease that came too early goes back, and another is claimed when the tests have ended")
    func tooEarly() {
        var hands = busy
        #expect(hands.nearEnd(first) == [.claim(isAhead: true)])
        #expect(hands.claimed(second) == [.keep(second)])
        #expect(hands.overdue(second) == [.giveBack(second)])
        #expect(hands.overdue(second) == [])
        // Not again ahead of the same lease, and one that is on its way back counts.
        #expect(hands.driven(first) == [])
        #expect(hands.gone(second) == [.claim(isAhead: false)])
        #expect(hands.gone(first) == [])
        #expect(hands.claimed(third) == [.begin(third)])
    }

    @Test("what was given back is not claimed again before the tests have ended")
    func once() {
        var hands = busy
        #expect(hands.nearEnd(first) == [.claim(isAhead: true)])
        #expect(hands.claimed(second) == [.keep(second)])
        #expect(hands.overdue(second) == [.giveBack(second)])
        #expect(hands.gone(second) == [])
        #expect(hands.driven(first) == [.claim(isAhead: false)])
    }

    @Test("a lease that was begun in time is not given back")
    func inTime() {
        var hands = busy
        #expect(hands.nearEnd(first) == [.claim(isAhead: true)])
        #expect(hands.claimed(second) == [.keep(second)])
        #expect(hands.driven(first) == [.begin(second)])
        #expect(hands.overdue(second) == [])
        #expect(hands.driving == second)
    }

    @Test("when the lease that runs is lost, the next one is begun, or another one claimed")
    func lost() {
        var hands = busy
        #expect(hands.nearEnd(first) == [.claim(isAhead: true)])
        #expect(hands.claimed(second) == [.keep(second)])
        #expect(hands.gone(first) == [.begin(second)])
        #expect(hands.driven(first) == [])
        #expect(hands.gone(second) == [.claim(isAhead: false)])
    }

    @Test("a worker leaves when no run is open and its last word is answered")
    func leaves() {
        var hands = busy
        #expect(hands.driven(first) == [.claim(isAhead: false)])
        #expect(hands.claimedNothing(mayAskAgain: false) == [])
        #expect(hands.gone(first) == [.leave])
        var idle = LeaseHands()
        #expect(idle.begin() == [.claim(isAhead: false)])
        #expect(idle.claimedNothing(mayAskAgain: false) == [.leave])
    }

    @Test("in any order it runs one lease, has two at most, asks once at a time, and never stops")
    func anyOrder() {
        var random = SeededGenerator.announced()
        for _ in 0..<300 {
            var history = History()
            for _ in 0..<60 { history.step(&random) }
        }
    }

    /// What the world may answer, at random.
    private struct History {
        var hands = LeaseHands()
        var claims = 0
        var begun: [LeaseToken] = []
        var kept: [LeaseToken] = []
        var outgoing: [LeaseToken] = []
        var epoch: Int64 = 0

        init() { perform(hands.begin()) }

        mutating func perform(_ actions: [LeaseHands.Action]) {
            for action in actions {
                switch action {
                case .claim: claims += 1
                case .begin(let token):
                    begun.append(token)
                    kept.removeAll { $0 == token }
                case .keep(let token): kept.append(token)
                case .giveBack(let token):
                    kept.removeAll { $0 == token }
                    outgoing.append(token)
                case .leave: Issue.record("it left a run that was open")
                }
            }
            #expect(claims <= 1 && begun.count <= 1 && kept.count <= 1)
            #expect(hands.open == begun.count + kept.count + outgoing.count)
            #expect(hands.open + claims <= FarmLimits.leasesPerWorkerMax)
            #expect(claims + begun.count + outgoing.count > 0, "nothing will happen any more")
        }

        mutating func step(_ random: inout SeededGenerator) {
            switch Int.random(in: 0..<6, using: &random) {
            case 0 where claims > 0:
                claims = 0
                epoch += 1
                perform(hands.claimed(LeaseToken(id: LeaseID("L\(epoch)"), epoch: epoch)))
            case 1 where claims > 0:
                claims = 0
                perform(hands.claimedNothing(mayAskAgain: true))
            case 2: if let token = begun.first { perform(hands.nearEnd(token)) }
            case 3:
                guard let token = begun.popLast() else { return }
                outgoing.append(token)
                perform(hands.driven(token))
            case 4:
                guard let token = outgoing.popLast() ?? begun.popLast() else { return }
                perform(hands.gone(token))
            case 5: if let token = kept.first { perform(hands.overdue(token)) }
            default: break
            }
        }
    }
}

@Suite("When a lease will have ended")
struct LeasePaceTests {
    private let job = JobName("j")

    @Test("tests that report one by one say it themselves, others by the lease before")
    func secondsLeft() {
        var pace = LeasePace()
        let silent = LeaseProgress(tests: 20, seconds: 1, sinceLast: 1)
        #expect(pace.secondsLeft(of: job, silent) == nil)
        pace.note(job, tests: 10, seconds: 5)
        #expect(pace.secondsLeft(of: job, silent) == 9)
        #expect(pace.secondsLeft(of: JobName("other"), silent) == nil)
        let halfway = LeaseProgress(tests: 8, finished: 4, seconds: 4.5, sinceLast: 0.5)
        #expect(pace.secondsLeft(of: job, halfway) == 3.5)
    }

    @Test("a lease that takes longer than expected may end at any moment")
    func late() {
        var pace = LeasePace()
        pace.note(job, tests: 10, seconds: 5)
        let late = LeaseProgress(tests: 10, seconds: 60, sinceLast: 60)
        #expect(pace.secondsLeft(of: job, late) == 0)
    }

    @Test("the lead grows with a lease and with a claim, and is no longer than a lease is kept")
    func lead() {
        var pace = LeasePace()
        #expect(pace.lead(of: 0.1) == FarmLimits.claimAheadSeconds)
        #expect(abs(pace.lead(of: 1.2) - 0.2) < 1e-9)
        #expect(pace.lead(of: 3600) == 0.25)
        pace.note(claimSeconds: 0.25)
        pace.note(claimSeconds: 20)
        #expect(pace.lead(of: 0.1) == FarmLimits.claimAheadSeconds + 0.5)
        pace = LeasePace()
        pace.note(claimSeconds: 20)
        #expect(pace.lead(of: 0.1) == FarmLimits.leaseUnbegunSecondsMax)
    }
}
