import FarmCore
import FarmLedger
import Testing

extension LedgerPromise {
    private static func needs(_ words: [String: String]) throws -> Needs {
        Needs(try words.map { try Need(name: $0, parsing: $1) })
    }

    /// Offers: no worker gets tests it cannot run, and tests that no worker can run are not lost.
    static let offers = [
        LedgerPromise("a worker gets only cells that it fits, by its job's and its device's needs")
        {
            let plan = LedgerBench.plan(
                tests: 2,
                cells: 3,
                needs: try needs(["os": "macos"]),
                deviceNeeds: [1: try needs(["xcode": ">=15.10"]), 2: try needs(["lab": "true"])]
            )
            let run = try await $0.open(plan)
            try await $0.offer("linux", "os=linux", "lab")
            try await $0.offer("mac", "os=macos", "xcode=15.9")
            #expect(try await $0.claim("linux", "1") == nil)
            #expect(try await $0.claim("silent", "1") == nil)
            var cells: Set<String> = []
            for number in 0..<9 {
                guard let lease = try await $0.claim("mac", "\(number)") else { break }
                cells.insert(lease.shard.cell.id.text)
            }
            #expect(cells == ["c0"])
            let progress = try await $0.ledger.progress(run, now: 1)
            #expect(
                progress.cells.map(\.unplaceable) == [
                    nil,
                    "no worker offers os macos and xcode >=15.10; the nearest, mac, offers xcode 15.9",
                    "no worker offers lab and os macos; the nearest, linux, offers os linux",
                ]
            )
            #expect(progress.notes.map(\.code) == ["unplaceable", "unplaceable"])
            try await $0.offer("mac2", "os=macos", "xcode=15.10", now: 2)
            #expect(try await $0.claim("mac2", "1", now: 2)?.shard.cell.id.text == "c1")
        },
        LedgerPromise(
            "when the only worker that fits dies, nothing vanishes, and the next one ends it"
        ) {
            let plan = LedgerBench.plan(tests: 6, needs: try needs(["gpu": "metal"]))
            let run = try await $0.open(plan)
            try await $0.offer("plain", "os=linux")
            try await $0.offer("able", "gpu=metal")
            let lease = try await $0.lease("able", "1", now: 1)
            // No other worker could take any of these tests, so the lease is neither small nor
            // shared.
            #expect(lease.shard.tests.count == 3)
            #expect(try await $0.pass(lease, lease.shard.tests[0], now: 2) == .accepted)
            try await $0.ledger.takeBack(.lost(WorkerID("able")), now: 3)
            #expect(try await $0.claim("plain", "1", now: 4) == nil)
            #expect(try await $0.ledger.finishedRuns().isEmpty)
            let waiting = try await $0.ledger.progress(run, now: 4)
            #expect(waiting.planned == 6 && waiting.done == 1 && waiting.isUnplaceable)
            #expect(
                waiting.cells[0].unplaceable
                    == "no worker offers gpu metal; the nearest, plain, offers no gpu"
            )
            try await $0.offer("again", "gpu=metal", now: 5)
            for number in 0..<9 {
                guard let lease = try await $0.claim("again", "\(number)", now: 6) else { break }
                for test in lease.shard.tests { _ = try await $0.pass(lease, test, now: 7) }
                #expect(try await $0.complete(lease, now: 8) == .accepted)
            }
            #expect(try await $0.verdicts(run).allSatisfy { $0 != nil })
            #expect(try await $0.ledger.progress(run, now: 8).cells[0].unplaceable == nil)
            #expect(try await $0.ledger.finishedRuns() == [run])
        },
        LedgerPromise("a test that failed runs again on the only worker that fits, others or not") {
            let plan = LedgerBench.plan(tests: 1, retries: 2, needs: try needs(["lab": "true"]))
            _ = try await $0.open(plan)
            try await $0.offer("a", "lab")
            try await $0.offer("b", "os=linux")
            let lease = try await $0.lease("a", "1")
            let bad = TestReport(test: TestID("t0"), ending: .failed("no"), seconds: 1)
            #expect(try await $0.report(lease, [bad], now: 1) == [.accepted])
            #expect(try await $0.complete(lease, now: 2) == .accepted)
            #expect(try await $0.claim("b", "1", now: 3) == nil)
            #expect(try await $0.claim("a", "2", now: 4)?.shard.tests == [TestID("t0")])
        },
        LedgerPromise(
            "a worker that fits no cell hears why; what it offers stays until it begins anew"
        ) {
            let plan = LedgerBench.plan(tests: 2, needs: try needs(["xcode": ">=16 <17"]))
            _ = try await $0.open(plan)
            let worker = WorkerID("a")
            try await $0.offer("a", "xcode=15.4")
            #expect(try await $0.claim("a", "1") == nil)
            let reason = try await $0.ledger.obstacle(to: worker, now: 0)
            #expect(reason?.code == "worker-unfitting")
            #expect(
                reason?.message.contains("needs xcode >=16 <17, and it offers xcode 15.4") == true
            )
            try await $0.offer("a", "xcode=16.2")
            try await $0.ledger.registerWorker(worker, unfit: nil, beginsAnew: false, now: 1)
            #expect(try await $0.ledger.obstacle(to: worker, now: 1) == nil)
            let lease = try await $0.lease("a", "2", now: 1)
            #expect(try await $0.ledger.release(lease.token, now: 1) == .accepted)
            try await $0.ledger.registerWorker(worker, unfit: nil, beginsAnew: true, now: 2)
            #expect(try await $0.claim("a", "3", now: 2) == nil)
        },
    ]
}
