import FarmCore
import FarmLedger
import FarmTesting
import Testing

extension LedgerPromise {
    /// Counts: everything reported is read back, and nothing is counted twice or lost.
    static let counts = [
        LedgerPromise("a plain pass comes back as it was reported, and so does all else") {
            let run = try await $0.open(LedgerBench.plan(tests: 4))
            let reports = [
                TestReport(test: TestID("t0"), ending: .passed, seconds: 0.25, startedAt: 17),
                TestReport(
                    test: TestID("t1"),
                    ending: .passed,
                    seconds: 1,
                    output: "said",
                    startedAt: 18
                ),
                TestReport(
                    test: TestID("t2"),
                    ending: .failed("passed"),
                    seconds: 2,
                    startedAt: 19
                ),
                TestReport(test: TestID("t3"), ending: .skipped(""), seconds: 0, startedAt: 20),
            ]
            var number = 0
            while let lease = try await $0.claim("a", "\(number)") {
                number += 1
                let own = reports.filter { lease.shard.tests.contains($0.test) }
                _ = try await $0.complete(lease, reporting: own, now: 1)
            }
            #expect(try await $0.ledger.evidence(run).tests.map(\.report) == reports)
            #expect(try await $0.verdicts(run) == [.passed, .passed, .failed, .passed])
            let progress = try await $0.ledger.progress(run, now: 2)
            #expect(progress.cells.map { [$0.planned, $0.done, $0.bad] } == [[4, 4, 1]])
        },
        LedgerPromise("any order of claims, losses and repeats gives each test one verdict") {
            var generator = SeededGenerator.announced("LedgerPromise.counts")
            let run = try await $0.open(LedgerBench.plan(tests: 40, cells: 3, retries: 1))
            var disorder = Disorder(bench: $0)
            for _ in 0..<600 { try await disorder.step(&generator) }
            try await disorder.finish()
            let tests = try await $0.ledger.evidence(run).tests
            let progress = try await $0.ledger.progress(run, now: disorder.now)
            #expect(progress.done == tests.count { $0.verdict != nil })
            #expect(progress.bad == tests.count { $0.verdict != .passed && $0.verdict != .flaky })
            #expect(tests.count == 120)
            #expect(tests.allSatisfy { $0.verdict != nil })
            #expect(tests.allSatisfy { $0.attempts.count <= FarmLimits.attemptsMax })
            #expect(try await $0.ledger.finishedRuns() == [run])
        },
    ]
}

/// Workers that claim, report twice, release and vanish at random.
private struct Disorder {
    let bench: LedgerBench
    var now: Int64 = 0
    private var live: [Lease] = []
    private var request = 0

    init(bench: LedgerBench) { self.bench = bench }

    mutating func step(_ generator: inout SeededGenerator) async throws {
        now += 1
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<3:
            request += 1
            let worker = "w\(Int.random(in: 0..<4, using: &generator))"
            if let lease = try await bench.claim(worker, "\(request)", now: now) {
                live.append(lease)
            }
        case 3..<8:
            guard let lease = live.randomElement(using: &generator),
                let test = lease.shard.tests.randomElement(using: &generator)
            else { return }
            var report = LedgerBench.passed(test)
            if Int.random(in: 0..<5, using: &generator) == 0 { report.ending = .failed("no") }
            let answer = try await bench.report(lease, [report], now: now)
            let again = try await bench.report(lease, [report], now: now)
            #expect(again == (answer == [.stale] ? [.stale] : [.duplicate]))
        case 8:
            guard !live.isEmpty else { return }
            _ = try await bench.ledger.release(live.removeFirst().token, now: now)
        default:
            now += LedgerBench.leaseMilliseconds + 1
            _ = try await bench.ledger.takeBack(.expired, now: now)
        }
    }

    /// Stops all faults, and lets one worker do the rest.
    mutating func finish() async throws {
        try await bench.ledger.takeBack(.restart, now: now)
        var number = 0
        while let lease = try await bench.claim("last", "last-\(number)", now: now) {
            number += 1
            now += 1
            _ = try await bench.report(lease, lease.shard.tests.map(LedgerBench.passed), now: now)
            #expect(try await bench.complete(lease, now: now) == .accepted)
        }
    }
}
