// Tests that a run that cannot be judged or read harms no other run.
import FarmAPI
import FarmCore
import FarmLedger
import FarmTesting
import Foundation
import Synchronization
import Testing

@testable import FarmServer

@Suite("The end of runs of which one cannot be judged")
struct RunEndingTests {
    @Test("a store that vanished stops no completion and no other run, and says itself why")
    func vanished() async throws {
        let bench = try EndingBench()
        let gone = try await bench.submit("gone")
        let other = try await bench.submit("other")
        try await bench.work("w1")
        try await bench.work("w2")
        #expect(try await bench.coordinator.judged(other)?.summary.state == .failed)
        #expect(try await bench.coordinator.isOpen(gone))
        let progress = try await bench.coordinator.progress(gone)
        #expect(progress.notes.contains { $0.message.contains("/gone is not there") })
        let row = try await bench.coordinator.runs(limit: 9).first { $0.run == gone }
        #expect(row?.problem?.code == "run-not-judged")
        #expect(bench.coordinator.unjudgedCount == 1)
        let situation = RunSituation(
            run: gone,
            progress: progress,
            leases: 0,
            holders: 0,
            liveWorkers: 1,
            silentWorkers: 0,
            ahead: [],
            share: nil
        )
        #expect(WaitReasons.of(situation).first?.text.contains("/gone is not there") == true)
    }

    @Test("it is tried again with growing pauses, and judged when the store is back")
    func again() async throws {
        let bench = try EndingBench()
        let gone = try await bench.submit("gone")
        try await bench.work("w1")
        func tries() -> String { bench.coordinator.whyNotJudged(gone)?.message ?? "" }
        #expect(tries().contains("tried once"))
        try await bench.coordinator.endRuns()
        #expect(tries().contains("tried once"), "too early")
        for (seconds, words) in [(1, "2 times"), (1, "2 times"), (1, "3 times"), (4, "4 times")] {
            bench.world.now.withLock { $0 += Int64(seconds) * 1000 }
            try await bench.coordinator.endRuns()
            #expect(tries().contains(words), "\(tries())")
        }
        bench.world.isGone.withLock { $0 = false }
        bench.world.now.withLock { $0 += Int64(FarmLimits.judgePauseSecondsMax) * 1000 }
        try await bench.coordinator.endRuns()
        #expect(try await bench.coordinator.judged(gone)?.summary.state == .failed)
        #expect(bench.coordinator.unjudgedCount == 0)
    }

    @Test("a fleet's run is tried for so long, then ends with the reason and exit code 2")
    func patience() async throws {
        let bench = try EndingBench(patience: FarmLimits.judgeTriesSeconds)
        let gone = try await bench.submit("gone")
        try await bench.work("w1")
        func pass(_ seconds: Double) async throws {
            bench.world.pass(seconds: seconds)
            try await bench.coordinator.endRuns()
        }
        try await pass(FarmLimits.judgeTriesSeconds - 1)
        #expect(try await bench.coordinator.isOpen(gone))
        try await pass(FarmLimits.judgePauseSecondsMax)
        let judged = try #require(try await bench.coordinator.judged(gone))
        #expect(judged.summary.state == .unjudgeable && judged.summary.exitCode == 2)
        #expect(judged.summary.problems.first?.message.contains("/gone is not there") == true)
        #expect(bench.coordinator.unjudgedCount == 0)
    }

    private struct Refusal: ExplainedError {
        let exit: ExitCode
        var code: String { "refused" }
        var message: String { "no." }
        var remedy: String { "Wait." }
    }

    @Test(
        "a record that is refused for its pictures is tried once, and for what may pass again",
        arguments: [
            (ExitCode.invalidInput, true), (.usage, true), (.internal, true), (.busy, false),
            (.unavailable, false), (.inputOutput, false), (.configuration, false),
        ]
    )
    func refusedRecord(_ exit: ExitCode, _ isLast: Bool) {
        let record = UnrecordedError(cause: Refusal(exit: exit))
        for patience in [nil, 900.0] {
            let found = UnjudgedRuns.isLast(record, triedSeconds: 899, patience: patience)
            #expect(found == isLast)
        }
        #expect(UnjudgedRuns.isLast(record, triedSeconds: 900, patience: 900))
        // Outside of a record, the same exit code may come from a store that is mounted again in a
        // minute.
        let other = Refusal(exit: exit)
        #expect(!UnjudgedRuns.isLast(other, triedSeconds: 899, patience: 900))
    }

    @Test("a cancel ends it with its reason, exit code 2 and what is known of its tests")
    func cancelled() async throws {
        let bench = try EndingBench()
        let gone = try await bench.submit("gone")
        try await bench.work("w1")
        try await bench.coordinator.cancel(gone)
        let judged = try #require(try await bench.coordinator.judged(gone))
        #expect(judged.summary.state == .unjudgeable && judged.summary.exitCode == 2)
        #expect(judged.summary.problems.first?.message.contains("/gone is not there") == true)
        #expect(judged.summary.counts.planned == 1)
        let kept = try #require(try await bench.ledger.judged(gone))
        #expect(kept.summary == judged.summary)
        let row = try await bench.coordinator.runs(limit: 9).first
        #expect(row?.state == .unjudgeable && row?.problem?.code == "run-unjudgeable")
        #expect(try await bench.ledger.audit().isClean)
    }

    @Test("who asks how it stands is told which run cannot be judged, and why")
    func asked() async throws {
        let bench = try EndingBench()
        let gone = try await bench.submit("gone")
        try await bench.complete("w1")
        let error = await #expect(throws: UnjudgedError.self) {
            try await bench.coordinator.judgeOpen(gone, cancelled: true)
        }
        #expect(error?.message == "run gone cannot be judged: the store /gone is not there.")
        #expect(error?.code == "run-not-judged" && error?.exit == .configuration)
        #expect(error?.remedy.contains("--resume") == true)
        #expect(try await bench.coordinator.isOpen(gone))
    }

    @Test("a stored plan that no coordinator can run is closed at the start, and the others go on")
    func storedPlan() async throws {
        let bench = try EndingBench()
        var bad = EndingBench.plan("bad")
        bad.jobs.append(bad.jobs[0])
        bad.rules = RunRules(repeats: .max)
        _ = try await bench.ledger.openRun(
            NewRun(key: "bad", facts: EndingBench.facts("bad"), plan: bad),
            now: 1
        )
        let other = try await bench.submit("other")
        let again = try SQLiteLedger(path: bench.folder.file("ledger.sqlite"))
        let coordinator = bench.again(again)
        try await coordinator.recover()
        let judged = try #require(try await again.judged(RunID("bad")))
        #expect(judged.summary.state == .unjudgeable)
        #expect(judged.summary.problems.first?.message.contains("repeats") == true)
        #expect(try await coordinator.progress(RunID("bad")).state == .unjudgeable)
        #expect(try await coordinator.openRuns() == [other])
        let claim = ClaimRequest(request: "r", warm: nil, waitSeconds: 0)
        #expect(try await coordinator.claim(WorkerID("w"), claim).lease?.shard.run == other)
        let audit = try await again.audit()
        #expect(audit.isClean, "one bad run keeps no folder from being checked and pruned")
    }

    @Test("a stored report that no test can have closes its run alone")
    func storedReport() async throws {
        let bench = try EndingBench()
        let bad = try await bench.submit("bad")
        let lease = try await bench.lease("w1")
        let report = TestReport(test: TestID("t"), ending: .passed, seconds: 1, startedAt: .min)
        _ = try await bench.ledger.report(lease.token, [report], now: 2)
        _ = try await bench.coordinator.complete(
            lease.token,
            reports: [],
            evidence: LeaseEvidence(job: JobName("snap"), cell: CellID("c"))
        )
        try await bench.coordinator.endRuns()
        #expect(try await bench.coordinator.judged(bad)?.summary.state == .unjudgeable)
    }

    @Test("a bad plan is refused before anything is written, and a bad report keeps nothing")
    func refused() async throws {
        let bench = try EndingBench()
        var bad = EndingBench.plan("bad")
        bad.jobs[0].tests += bad.jobs[0].tests
        let request = SubmitRequest(key: "k", facts: EndingBench.facts("bad"), plan: bad)
        await #expect(throws: PlanMistakes.self) { try await bench.coordinator.submit(request) }
        #expect(try await bench.coordinator.openRuns().isEmpty)
        _ = try await bench.submit("good")
        let lease = try await bench.lease("w1")
        let late = TestReport(test: TestID("t"), ending: .passed, seconds: 1, startedAt: .min)
        await #expect(throws: ReportFault.self) {
            try await bench.coordinator.report(lease.token, [late])
        }
        var foreign = TestReport(test: TestID("t"), ending: .passed, seconds: 1, startedAt: 1)
        foreign.pictures.differences = [
            DifferenceReport(
                id: try SnapshotID(cell: CellID("d"), suite: "S", name: "n"),
                reference: nil,
                failed: nil,
                diff: nil,
                comparison: nil
            )
        ]
        await #expect(throws: ReportFault.self) {
            try await bench.coordinator.report(lease.token, [foreign])
        }
        let good = TestReport(test: TestID("t"), ending: .passed, seconds: 1, startedAt: 1)
        #expect(try await bench.coordinator.report(lease.token, [good]) == [.accepted])
    }

    @Test("what a lease left is of the lease's own job and cell, whatever its worker says")
    func ownPlace() async throws {
        let bench = try EndingBench()
        let run = try await bench.submit("other")
        try await bench.work("w1")
        let leases = try await bench.ledger.evidence(run).leases
        #expect(leases.map(\.job.text) == ["snap"] && leases.map(\.cell.text) == ["c"])
    }

    @Test("references are told of a run's own cells only: what is kept of them stays bounded")
    func strangeCells() async throws {
        let bench = try EndingBench()
        let run = try await bench.submit("other")
        _ = try await bench.coordinator.references(run, CellID("c"))
        await #expect(throws: CoordinatorError.noCell(run, CellID("x"))) {
            try await bench.coordinator.references(run, CellID("x"))
        }
    }
}
