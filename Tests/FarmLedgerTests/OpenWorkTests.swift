import FarmCore
import FarmLedger
import FarmTesting
import LedgerConformance
import Testing

@testable import FarmLedger

@Suite("What launchers read of a ledger")
struct OpenWorkTests {
    @Test("what is open is counted by what it needs, and who has called is told")
    func openWork() async throws {
        let folder = try TemporaryFolder("open-work")
        let ledger = try SQLiteLedger(path: folder.file("ledger.sqlite"))
        let bench = LedgerBench { ledger }
        let lab = Needs([Need(name: "lab", bounds: [])])
        let run = try await bench.open(LedgerBench.plan(tests: 6, cells: 2, deviceNeeds: [1: lab]))
        var offer = WorkerOffer()
        try offer.add(word: "lab")
        try await ledger.registerWorker(
            WorkerID("w"),
            unfit: nil,
            offer: offer,
            beginsAnew: true,
            now: 1
        )
        let before = try await ledger.openWork(calledSince: 0, now: 2)
        #expect(before.work.map(\.needs.words) == ["", "lab"])
        #expect(before.work.map(\.waiting) == [6, 6] && before.work.map(\.leases) == [0, 0])
        #expect(before.work.allSatisfy { $0.run == run })
        #expect(before.called.map(\.id) == [WorkerID("w")])
        #expect(before.called.allSatisfy { $0.isLive && !$0.isUnfit && $0.leases == 0 })
        #expect(before.called.first?.offer == offer)
        let lease = try #require(
            try await ledger.claim(worker: WorkerID("w"), request: "1", warm: nil, now: 3)
        )
        let after = try await ledger.openWork(calledSince: 0, now: 40_000)
        let leased = lease.shard.tests.count
        #expect(after.work.map(\.waiting).reduce(0, +) == 12 - leased)
        #expect(after.work.map(\.open) == [6, 6] && after.work.map(\.leases).reduce(0, +) == 1)
        #expect(after.called.first?.isLive == false && after.called.first?.leases == 1)
        // Workers without a call since `calledSince` are left out.
        #expect(try await ledger.openWork(calledSince: 39_000, now: 40_000).called.isEmpty)
    }

    @Test("the plans of forty open runs are decoded once")
    func known() async throws {
        let folder = try TemporaryFolder("known")
        let ledger = try SQLiteLedger(path: folder.file("ledger.sqlite"))
        let bench = LedgerBench { ledger }
        var runs: [RunID] = []
        for number in 0..<40 {
            let id = "r\(number)"
            runs.append(try await bench.open(LedgerBench.plan(tests: 2), key: id, id: id))
        }
        #expect(try await ledger.openWork(calledSince: 0, now: 2).work.count == 40)
        #expect(runs.count { ledger.runs[$0] != nil } == 40)
    }
}
