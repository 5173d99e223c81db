import FarmCore
import FarmLedger
import Testing

extension LedgerPromise {
    /// Completions: the last reports and the end of the lease are one change.
    static let completions = [
        LedgerPromise("reports that come with the completion are kept, and the lease ends") {
            let run = try await $0.open(LedgerBench.plan(tests: 4))
            let lease = try await $0.lease("a", "1")
            #expect(try await $0.pass(lease, lease.shard.tests[0], now: 1) == .accepted)
            let last = lease.shard.tests.dropFirst().map(LedgerBench.passed)
            let receipt = try await $0.complete(lease, reporting: last, now: 2)
            #expect(receipt.answer == .accepted)
            #expect(receipt.answers == last.map { _ in .accepted })
            let verdicts = try await $0.verdicts(run)
            #expect(verdicts.count { $0 == .passed } == lease.shard.tests.count)
            #expect(try await $0.ledger.evidence(run).leases.count == 1)
            #expect(try await $0.ledger.renew(lease.token, running: nil, now: 3) == .stale)
        },
        LedgerPromise("the same completion again answers duplicates and changes nothing") {
            let run = try await $0.open(LedgerBench.plan(tests: 8, retries: 1))
            let lease = try await $0.lease("a", "1")
            var reports = lease.shard.tests.map(LedgerBench.passed)
            reports[0].ending = .failed("no")
            reports[1].output = "said"
            _ = try await $0.complete(lease, reporting: reports, now: 1)
            let before = try await $0.traces(run)
            for time in 2...3 {
                let again = try await $0.complete(lease, reporting: reports, now: Int64(time))
                #expect(again.answer == .duplicate)
                #expect(again.answers == reports.map { _ in .duplicate })
                #expect(try await $0.traces(run) == before)
            }
            // The failed test runs on another worker; its repeated report is a duplicate
            // nevertheless.
            let other = try await $0.lease("b", "1", now: 4)
            let again = try await $0.complete(lease, reporting: reports, now: 5)
            #expect(again.answers == reports.map { _ in .duplicate })
            #expect(try await $0.ledger.renew(other.token, running: nil, now: 6) == .accepted)
        },
        LedgerPromise("the completion of a lost lease keeps nothing of its reports") { bench in
            for (number, end) in LeaseLoss.allCases.enumerated() {
                try await checkCompletion(after: end, run: "r\(number)", bench)
            }
        },
        LedgerPromise("a test that neither a report nor the completion names counts as lost") {
            let run = try await $0.open(LedgerBench.plan(tests: 4, retries: 0))
            let lease = try await $0.lease("a", "1")
            try #require(lease.shard.tests.count > 1)
            let first = [LedgerBench.passed(lease.shard.tests[0])]
            let receipt = try await $0.complete(lease, reporting: first, now: 1)
            #expect(receipt.answer == .accepted)
            #expect(receipt.answers == [.accepted])
            let own = try await $0.ledger.evidence(run).tests.filter {
                lease.shard.tests.contains($0.key.test)
            }
            #expect(own.map(\.attempts.count) == lease.shard.tests.map { _ in 1 })
            #expect(own.count { $0.attempts[0].report == nil } == lease.shard.tests.count - 1)
            // A late report of a lost test is stale.
            let late = [LedgerBench.passed(lease.shard.tests[1])]
            #expect(try await $0.complete(lease, reporting: late, now: 2).answers == [.stale])
        },
        LedgerPromise("what a lease leaves over that did something waits again, without attempt") {
            let run = try await $0.open(LedgerBench.plan(tests: 6, retries: 0))
            let lease = try await $0.lease("a", "1")
            let tests = lease.shard.tests
            try #require(tests.count > 2)
            let receipt = try await $0.complete(
                lease,
                reporting: [LedgerBench.passed(tests[0])],
                leftOver: Array(tests[2...]),
                now: 1
            )
            #expect(receipt.answer == .accepted)
            #expect(receipt.leavesWork)
            let evidence = try await $0.ledger.evidence(run)
            #expect(evidence.leases.map(\.leftOver) == [Array(tests[2...])])
            let attempts = Dictionary(
                uniqueKeysWithValues: evidence.tests.map { ($0.key.test, $0.attempts.count) }
            )
            // A test that the completion does not mention is lost.
            #expect(tests.prefix(2).map { attempts[$0] } == [1, 1])
            #expect(tests.dropFirst(2).allSatisfy { attempts[$0] == 0 })
            var leased: [TestID] = []
            for claim in 2...9 {
                guard let next = try await $0.claim("a", "\(claim)", now: 2) else { break }
                leased += next.shard.tests
                _ = try await $0.complete(
                    next,
                    reporting: next.shard.tests.map(LedgerBench.passed),
                    now: 3
                )
            }
            #expect(tests.dropFirst(2).allSatisfy(leased.contains))
            #expect(try await $0.verdicts(run).allSatisfy { $0 != nil })
        },
        LedgerPromise("what is left over of a lease that did nothing counts an attempt each") {
            let run = try await $0.open(LedgerBench.plan(tests: 4, retries: 0))
            for round in 1...FarmLimits.attemptsMax {
                let lease = try await $0.lease("a", "\(round)", now: Int64(round))
                _ = try await $0.complete(
                    lease,
                    reporting: [],
                    leftOver: lease.shard.tests,
                    now: Int64(round)
                )
                let own = try await $0.ledger.evidence(run).tests.filter {
                    lease.shard.tests.contains($0.key.test)
                }
                #expect(own.allSatisfy { $0.attempts.count >= 1 })
            }
        },
    ]

    /// Ends of a lease other than by its completion.
    private enum LeaseLoss: CaseIterable {
        case released, expired, workerLost, interrupted
    }

    private static func checkCompletion(
        after end: LeaseLoss,
        run key: String,
        _ bench: LedgerBench
    ) async throws {
        let run = try await bench.open(LedgerBench.plan(tests: 4), key: key)
        let lease = try await bench.lease(key, "1")
        switch end {
        case .released: _ = try await bench.ledger.release(lease.token, now: 2)
        case .expired:
            _ = try await bench.ledger.takeBack(.expired, now: LedgerBench.leaseMilliseconds + 2)
        case .workerLost: try await bench.ledger.takeBack(.lost(WorkerID(key)), now: 2)
        case .interrupted: try await bench.ledger.takeBack(.restart, now: 2)
        }
        let before = try await bench.traces(run)
        let reports = lease.shard.tests.map(LedgerBench.passed)
        let receipt = try await bench.complete(lease, reporting: reports, now: 3)
        #expect(receipt.answer == .stale, "after \(end)")
        #expect(receipt.answers == reports.map { _ in .stale }, "after \(end)")
        #expect(try await bench.traces(run) == before, "after \(end)")
        // Closes the run, so that the next loss has the ledger for itself.
        try await bench.ledger.close(run, judged: bench.judgement(run, .cancelled), now: 4)
    }
}
