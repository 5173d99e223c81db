import FarmCore
import FarmLedger
import Foundation
import Testing

extension LedgerPromise {
    /// The same change of a test in several cells is proven once, and counts once.
    static let likes = [
        LedgerPromise("what an overloaded host failed runs again cell by cell, not test by test") {
            let run = try await $0.open(LedgerBench.plan(tests: 3))
            for number in 0..<3 {
                let lease = try await $0.lease("a", "\(number)")
                let starved = lease.shard.tests.map { LedgerBench.starved($0) }
                _ = try await $0.complete(lease, reporting: starved, now: 1)
            }
            let isolated = try await $0.lease("a", "isolated", now: 2)
            #expect(isolated.shard.tests == ["t0", "t1", "t2"].map { TestID($0) })
            _ = try await $0.complete(
                isolated,
                reporting: isolated.shard.tests.map { LedgerBench.passed($0) },
                now: 3
            )
            #expect(try await $0.verdicts(run) == [.flaky, .flaky, .flaky])
        },
        LedgerPromise("one cell of a change runs again, and where it stands the others stand") {
            let run = try await $0.open(snapshots(cells: 4))
            try await seeOverloaded($0, cells: 4)
            let isolated = try await $0.lease("a", "isolated", now: 2)
            #expect(isolated.shard.cell.id == CellID("c0"))
            #expect(try await $0.claim("b", "none", now: 2) == nil)
            _ = try await $0.complete(isolated, reporting: [try changed(isolated)], now: 3)
            #expect(try await $0.verdicts(run) == [.changed, .changed, .changed, .changed])
            #expect(try await $0.attempts(run) == [2, 1, 1, 1])
            #expect(try await $0.claim("a", "none", now: 4) == nil)
        },
        LedgerPromise("where one cell of a change passes at last, each other cell runs for itself")
        {
            let run = try await $0.open(snapshots(cells: 3))
            try await seeOverloaded($0, cells: 3)
            let isolated = try await $0.lease("a", "isolated", now: 2)
            _ = try await $0.complete(
                isolated,
                reporting: [LedgerBench.passed(TestID("t0"))],
                now: 3
            )
            #expect(try await $0.verdicts(run) == [.flaky, nil, nil])
            let next = try await $0.lease("a", "next", now: 4)
            #expect(next.shard.cell.id == CellID("c1"))
            _ = try await $0.complete(next, reporting: [try changed(next)], now: 5)
            #expect(try await $0.verdicts(run) == [.flaky, .changed, .changed])
        },
        LedgerPromise("a change that stands elsewhere counts at once on an overloaded host") {
            let run = try await $0.open(snapshots(cells: 2))
            let sound = try await $0.lease("a", "1")
            _ = try await $0.complete(sound, reporting: [try changed(sound)], now: 1)
            let starved = try await $0.lease("a", "2", now: 2)
            let report = try changed(starved, load: LedgerBench.busy)
            _ = try await $0.complete(starved, reporting: [report], now: 3)
            #expect(try await $0.verdicts(run) == [.changed, .changed])
        },
        LedgerPromise("one cell of a time-out runs again, and where it stands the others stand") {
            let run = try await $0.open(snapshots(cells: 4))
            for number in 0..<4 {
                let lease = try await $0.lease("a", "\(number)")
                _ = try await $0.complete(lease, reporting: [late(lease, LedgerBench.busy)], now: 1)
            }
            let isolated = try await $0.lease("b", "isolated", now: 2)
            #expect(try await $0.claim("a", "none", now: 2) == nil)
            _ = try await $0.complete(isolated, reporting: [late(isolated)], now: 3)
            #expect(try await $0.verdicts(run) == [.errored, .errored, .errored, .errored])
            #expect(try await $0.attempts(run) == [2, 1, 1, 1])
            #expect(try await $0.claim("a", "none", now: 4) == nil)
        },
        LedgerPromise("another change of the test is nobody's proof") {
            let run = try await $0.open(snapshots(cells: 2))
            let sound = try await $0.lease("a", "1")
            _ = try await $0.complete(sound, reporting: [try changed(sound)], now: 1)
            let starved = try await $0.lease("a", "2", now: 2)
            let report = try changed(starved, fingerprint: "other", load: LedgerBench.busy)
            _ = try await $0.complete(starved, reporting: [report], now: 3)
            #expect(try await $0.verdicts(run) == [.changed, nil])
        },
        LedgerPromise("one change in many cells takes one retry of the run") {
            let cells = RunRules.retriesMax(planned: 1) + 10
            let run = try await $0.open(snapshots(cells: cells, retries: 1))
            for number in 0..<cells {
                let lease = try await $0.lease("a", "\(number)", now: 1)
                _ = try await $0.complete(lease, reporting: [try changed(lease)], now: 1)
            }
            #expect(try await $0.ledger.incidents(run) == [])
            let again = try await $0.lease("b", "again", now: 2)
            _ = try await $0.complete(again, reporting: [try changed(again)], now: 2)
            #expect(
                try await $0.verdicts(run) == Array(repeating: .changed, count: cells)
            )
        },
    ]

    private static func snapshots(cells: Int, retries: Int = 0) -> Plan {
        var plan = LedgerBench.plan(tests: 1, cells: cells, retries: retries)
        plan.jobs[0].job.kind = .snapshot
        return plan
    }

    /// Reports the same change in each cell, on an overloaded host.
    private static func seeOverloaded(_ bench: LedgerBench, cells: Int) async throws {
        for number in 0..<cells {
            let lease = try await bench.lease("a", "\(number)")
            let report = try changed(lease, load: LedgerBench.busy)
            _ = try await bench.complete(lease, reporting: [report], now: 1)
        }
    }

    private static func late(_ lease: Lease, _ load: HostLoad? = nil) -> TestReport {
        let problem = Problem(code: "test-timed-out", message: "late.", remedy: "")
        return TestReport(
            test: lease.shard.tests[0],
            ending: .errored(problem),
            seconds: 1,
            pictures: PictureReports(),
            load: load
        )
    }

    /// Returns a report of a changed picture, of the lease's first test unless `test` names another.
    static func changed(
        _ lease: Lease,
        _ test: TestID? = nil,
        fingerprint: String = "like",
        load: HostLoad? = nil
    ) throws -> TestReport {
        let (cell, test) = (lease.shard.cell.id, test ?? lease.shard.tests[0])
        let bytes = Data("\(cell) \(test)".utf8)
        let size = PixelSize(width: 1, height: 1)
        let capture = CaptureReport(
            capture: Capture(
                id: try SnapshotID(cell: cell, suite: "S", name: test.text),
                test: test,
                digest: Digest(of: bytes),
                objectID: ObjectID(ofBlob: bytes),
                bytes: bytes.count
            ),
            reference: ObjectID(ofBlob: Data("before".utf8)),
            comparison: .different(
                PixelDifference(
                    reference: size,
                    capture: size,
                    differing: 1,
                    counted: 1,
                    largestDelta: 255,
                    clusters: [],
                    explanation: Explanation(
                        regions: [],
                        regionCount: 0,
                        fingerprint: fingerprint
                    )
                )
            )
        )
        return TestReport(
            test: test,
            ending: .passed,
            seconds: 1,
            pictures: PictureReports(captures: [capture]),
            load: load
        )
    }
}
