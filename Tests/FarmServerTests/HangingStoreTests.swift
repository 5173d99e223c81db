// Tests that a store that stops answering delays only the judgement of its own runs.
import FarmAPI
import FarmCore
import FarmLedger
import FarmServer
import FarmTesting
import Foundation
import GRDB
import Synchronization
import Testing

@Suite("Runs whose reference store hangs")
struct HangingStoreTests {
    @Test("keep no completion, lease or other run waiting, are named, and are judged in the end")
    func hangs() async throws {
        let bench = try EndingBench()
        let stuck = try await bench.submit("hangs")
        try await bench.whileEnding {
            try await bench.complete("w1")
            try await bench.until("its store is asked") { bench.begun == 1 }
            let other = try await bench.submit("other")
            try await bench.complete("w2")
            try await bench.until("the other is judged") {
                try await bench.coordinator.judged(other) != nil
            }
            let third = try await bench.submit("third")
            _ = try await bench.lease("w3")
            #expect(bench.coordinator.whyNotJudged(stuck) == nil, "it may only be slow")
            for _ in 0...Int(FarmLimits.leaseSeconds) {
                bench.world.pass(seconds: 1)
                try await bench.coordinator.sweep()
            }
            // The worker was silent, while the coordinator kept running.
            let attempts = try await bench.ledger.evidence(third).tests[0].attempts
            #expect(attempts.count == 1)
            try await expectNamed(stuck, bench)
            bench.world.isHanging.withLock { $0 = false }
            try await bench.until("it is judged") {
                try await bench.coordinator.judged(stuck) != nil
            }
            #expect(bench.coordinator.unjudgedCount == 0)
        }
    }

    /// Checks that the run is named in `runs`, `why` and the metrics.
    private func expectNamed(_ run: RunID, _ bench: EndingBench) async throws {
        let row = try await bench.coordinator.runs(limit: 9).first { $0.run == run }
        #expect(row?.problem?.code == "run-not-judged")
        #expect(bench.coordinator.unjudgedCount == 1)
        let progress = try await bench.coordinator.progress(run)
        let situation = RunSituation(
            run: run,
            progress: progress,
            leases: 0,
            holders: 0,
            liveWorkers: 1,
            silentWorkers: 0,
            ahead: [],
            share: nil
        )
        let words = try #require(WaitReasons.of(situation).first?.text)
        #expect(words.contains("longer than 30 seconds") && words.contains("snapfarm cancel"))
    }

    @Test("hold up no other run when there are more of them than are judged at once")
    func many() async throws {
        let bench = try EndingBench()
        let count = FarmLimits.judgementsAtOnce + FarmLimits.storeThreadsMax
        for number in 1...count { _ = try await bench.submit("hangs", key: "hangs-\(number)") }
        try await bench.whileEnding {
            for number in 1...count { try await bench.complete("w\(number)") }
            try await bench.until("all of them hang") {
                bench.world.pass(seconds: FarmLimits.judgeSecondsMax + 1)
                return bench.coordinator.unjudgedCount == count
            }
            let other = try await bench.submit("other")
            try await bench.complete("other")
            try await bench.until("the other is judged") {
                try await bench.coordinator.judged(other) != nil
            }
            #expect(bench.begun == FarmLimits.storeThreadsMax, "each thread has its limit")
        }
    }

    @Test("end by a cancel, at once and for good")
    func cancelled() async throws {
        let bench = try EndingBench(judgeSeconds: 0.05)
        let stuck = try await bench.submit("hangs")
        try await bench.whileEnding {
            try await bench.complete("w1")
            try await bench.until("its store is asked") { bench.begun == 1 }
            try await bench.coordinator.cancel(stuck)
            let judged = try #require(try await bench.coordinator.judged(stuck))
            #expect(judged.summary.state == .unjudgeable && judged.summary.exitCode == 2)
            let message = judged.summary.problems.first?.message
            #expect(
                message?.contains("its judgement did not end in time") == true,
                "\(message ?? "")"
            )
            #expect(judged.summary.counts.planned == 1)
            #expect(bench.coordinator.unjudgedCount == 0)
            // A late answer of the store changes nothing.
            bench.world.isHanging.withLock { $0 = false }
            try await bench.until("the store answers") { bench.ended == bench.begun }
            let next = try await bench.submit("other")
            try await bench.complete("w2")
            try await bench.until("the next is judged") {
                try await bench.coordinator.judged(next) != nil
            }
            #expect(try await bench.coordinator.judged(stuck) == judged)
        }
    }

    @Test("end by a cancel while tests of theirs run, too")
    func cancelledOpen() async throws {
        let bench = try EndingBench(judgeSeconds: 0.05)
        let stuck = try await bench.submit("hangs")
        try await bench.whileEnding {
            _ = try await bench.lease("w1")
            try await bench.coordinator.cancel(stuck)
            #expect(try await bench.coordinator.judged(stuck)?.summary.state == .unjudgeable)
        }
    }
}

@Suite("Runs that cannot be read any more")
struct DamagedLaterTests {
    /// Opens a run that is in the ledger but that no coordinator accepts, as after damage to the
    /// disk.
    private func damage(_ key: String, _ bench: EndingBench) async throws -> RunID {
        var plan = EndingBench.plan(key)
        plan.jobs.append(plan.jobs[0])
        return try await bench.ledger.openRun(
            // Its priority makes it the first run that a worker gets.
            NewRun(key: key, facts: EndingBench.facts(key), plan: plan, priority: 1),
            now: 1
        )
    }

    @Test("are closed alone, by a claim or a cancel: nobody else's call stumbles over them")
    func later() async throws {
        let bench = try EndingBench()
        let other = try await bench.submit("other")
        let ledger = try SQLiteLedger(path: bench.folder.file("ledger.sqlite"))
        let coordinator = bench.again(ledger)
        try await coordinator.recover()
        let bad = try await damage("bad", bench)
        #expect(try await !coordinator.isOpenBundle(Digest(of: Data())))
        #expect(try await coordinator.isOpen(bad))
        try await coordinator.cancel(bad)
        #expect(try await coordinator.judged(bad)?.summary.state == .unjudgeable)
        let worse = try await damage("worse", bench)
        let claim = ClaimRequest(request: "r", warm: nil, waitSeconds: 0)
        #expect(try await coordinator.claim(WorkerID("w"), claim).lease?.shard.run == other)
        #expect(try await coordinator.judged(worse)?.summary.state == .unjudgeable)
    }

    @Test("keep no start of a coordinator: one that cannot even be closed is left open")
    func cannotBeClosed() async throws {
        let bench = try EndingBench()
        let worse = try await damage("worse", bench)
        let bad = try await damage("bad", bench)
        let file = try DatabaseQueue(path: bench.folder.file("ledger.sqlite"))
        try await file.write { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER stuck BEFORE UPDATE ON run WHEN old.id = 'worse'
                    BEGIN SELECT RAISE(ABORT, 'the disk says no'); END
                    """
            )
        }
        let ledger = try SQLiteLedger(path: bench.folder.file("ledger.sqlite"))
        let coordinator = bench.again(ledger)
        try await coordinator.recover()
        #expect(try await coordinator.isOpen(worse))
        #expect(try await !coordinator.isOpen(bad))
    }
}
