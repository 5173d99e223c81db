import FarmCore
import FarmLedger
import FarmTesting
import Foundation
import Testing

extension LedgerPromise {
    /// A verdict and its pictures belong together: both are accepted or neither.
    static let pictures = [
        LedgerPromise("each accepted verdict keeps its pictures when its lease is withdrawn") {
            let run = try await $0.open(Painter.plan(tests: 60, cells: 1))
            let lease = try await $0.lease("a", "1")
            var reports: [TestReport] = []
            for (number, test) in lease.shard.tests.enumerated() {
                reports.append(try Painter.report(test, of: lease, take: number, isGood: true))
            }
            _ = try await $0.report(lease, reports, now: 1)
            try await $0.ledger.takeBack(.restart, now: 2)
            #expect(try await $0.complete(lease, now: 3) == .stale)
            let kept = try await $0.ledger.evidence(run).tests.compactMap(\.report)
            #expect(!reports.isEmpty && kept == reports)
        },
        LedgerPromise(
            "a worker that is suspended keeps what was accepted, with its pictures, alone"
        ) {
            let run = try await $0.open(Painter.plan(tests: 400, cells: 1))
            _ = try await $0.lease("sound", "1")
            let canary = try await $0.lease("doubted", "1")
            let known = try canary.shard.tests.map {
                try Painter.report($0, of: canary, take: 0, isGood: true)
            }
            _ = try await $0.complete(canary, reporting: known, now: 1)
            let lease = try await $0.lease("doubted", "2", now: 1)
            // A pass, enough failures to need a second worker's result, and a pass that comes too
            // late.
            let doubted = 1...FarmLimits.unprovenTestsMax
            let tests = lease.shard.tests.prefix(doubted.upperBound + 2)
            let reports = try tests.enumerated().map { place, test in
                let isGood = !doubted.contains(place)
                return try Painter.report(test, of: lease, take: 1, isGood: isGood)
            }
            let answers = try await $0.report(lease, reports, now: 2)
            #expect(answers.count == doubted.upperBound + 2 && answers.last == .stale)
            #expect(answers.dropLast().allSatisfy { $0 == .accepted })
            let obstacle = try await $0.ledger.obstacle(to: WorkerID("doubted"), now: 2)
            #expect(obstacle?.code == "worker-suspended")
            #expect(try await $0.complete(lease, reporting: reports, now: 3).answer == .stale)
            let evidence = try await $0.ledger.evidence(run).tests
            let kept = evidence.flatMap { $0.attempts.compactMap(\.report) }
            #expect(kept.count == known.count + reports.count - 1)
            #expect(Set(kept) == Set(known + reports.dropLast()))
        },
        LedgerPromise("any order of reports, withdrawals, losses and repeats keeps them together") {
            var generator = SeededGenerator.announced("LedgerPromise.pictures")
            let run = try await $0.open(Painter.plan(tests: 40, cells: 3))
            var painter = Painter(bench: $0)
            for _ in 0..<600 { try await painter.step(&generator) }
            try await painter.finish()
            let tests = try await $0.ledger.evidence(run).tests
            #expect(tests.count == 120)
            for test in tests {
                #expect(
                    test.attempts.compactMap(\.report) == painter.accepted[test.key, default: []]
                )
            }
            #expect(painter.withdrawn > 0)
        },
    ]
}

/// Workers whose tests make one picture each, all different.
///
/// In every third step, all reports are failures.
private struct Painter {
    let bench: LedgerBench
    /// The accepted reports, in order.
    private(set) var accepted: [TestKey: [TestReport]] = [:]
    /// The number of messages with reports of leases that had ended.
    private(set) var withdrawn = 0
    private var now: Int64 = 0
    private var live: [Lease] = []
    private var number = 0

    init(bench: LedgerBench) { self.bench = bench }

    static func plan(tests: Int, cells: Int) -> Plan {
        var plan = LedgerBench.plan(tests: tests, cells: cells, retries: 1)
        plan.jobs[0].job.kind = .snapshot
        return plan
    }

    static func report(
        _ test: TestID,
        of lease: Lease,
        take: Int,
        isGood: Bool
    ) throws -> TestReport {
        let cell = lease.shard.cell.id
        let bytes = Data("\(cell) \(test) \(take)".utf8)
        let capture = Capture(
            id: try SnapshotID(cell: cell, suite: "S", name: test.text),
            test: test,
            digest: Digest(of: bytes),
            objectID: ObjectID(ofBlob: bytes),
            bytes: bytes.count
        )
        return TestReport(
            test: test,
            ending: isGood ? .passed : .failed("no"),
            seconds: 1,
            pictures: PictureReports(captures: [
                CaptureReport(
                    capture: capture,
                    reference: capture.objectID,
                    comparison: .identicalBytes
                )
            ])
        )
    }

    mutating func step(_ generator: inout SeededGenerator) async throws {
        now += 1
        number += 1
        switch Int.random(in: 0..<12, using: &generator) {
        case 0..<3:
            let worker = Int.random(in: 0..<4, using: &generator)
            if let lease = try await bench.claim("w\(worker)", "\(number)", now: now) {
                live.append(lease)
            }
        case 3..<9:
            guard let lease = live.randomElement(using: &generator) else { return }
            let tests = lease.shard.tests.shuffled(using: &generator).prefix(3)
            try await send(Array(tests), of: lease, completes: false)
        case 9:
            guard let lease = live.randomElement(using: &generator) else { return }
            live.removeAll { $0.token == lease.token }
            let tests = lease.shard.tests.filter { _ in Bool.random(using: &generator) }
            try await send(tests, of: lease, completes: true)
        case 10:
            guard !live.isEmpty else { return }
            _ = try await bench.ledger.release(live.removeFirst().token, now: now)
        default:
            now += LedgerBench.leaseMilliseconds + 1
            _ = try await bench.ledger.takeBack(.expired, now: now)
        }
    }

    private mutating func send(
        _ tests: [TestID],
        of lease: Lease,
        completes: Bool
    ) async throws {
        let isSick = number.isMultiple(of: 3)
        let reports = try tests.map {
            try Self.report($0, of: lease, take: number, isGood: !isSick)
        }
        let answers =
            completes
            ? try await bench.complete(lease, reporting: reports, now: now).answers
            : try await bench.report(lease, reports, now: now)
        for (report, answer) in zip(reports, answers) where answer == .accepted {
            let key = TestKey(
                job: lease.shard.job.name,
                cell: lease.shard.cell.id,
                test: report.test
            )
            accepted[key, default: []].append(report)
        }
        if answers.contains(.stale) { withdrawn += 1 }
        guard !completes else { return }
        let again = try await bench.report(lease, reports, now: now)
        #expect(!again.contains(.accepted))
    }

    /// Stops all faults, and lets one worker do the rest.
    mutating func finish() async throws {
        try await bench.ledger.takeBack(.restart, now: now)
        while let lease = try await bench.claim("last", "last-\(number)", now: now) {
            now += 1
            number += 1
            if number.isMultiple(of: 3) { number += 1 }
            try await send(lease.shard.tests, of: lease, completes: true)
        }
    }
}
