// The way of nearly every report: a first attempt that passed with nothing to say. Such reports
// are alike for the rule, so one message of them is a handful of statements. Whatever is not
// plainly so is left to the way that looks at one report after another.
import FarmCore
import Foundation
import GRDB

extension SQLiteLedger {
    /// Fewer reports are kept one by one: that is as quick.
    private static let togetherMin = 4

    /// Keeps the reports that are a first, plain pass of a test case under this lease; returns
    /// their positions.
    ///
    /// Of several reports of one test case only the first may be among them.
    func keepPlainPasses(
        _ reports: [TestReport],
        under lease: LeaseFacts,
        now: Milliseconds,
        _ count: inout CellCount,
        _ db: Database
    ) throws -> Set<Int> {
        var seen: Set<TestID> = []
        let plain = reports.indices.filter {
            seen.insert(reports[$0].test).inserted && reports[$0].isPlainPass
        }
        guard plain.count >= Self.togetherMin, let first = plain.first else { return [] }
        // The rule sees the same in each of them: no earlier attempt, no picture, a pass.
        let step = AttemptRules.step(
            after: [Attempt(worker: lease.worker, outcome: .reported(reports[first]))],
            job: lease.planned,
            mode: lease.mode,
            context: AttemptContext(repeats: lease.rules.repeats)
        )
        guard case .final(let verdict, let note) = step else { return [] }
        let testCases = try lease.testCases ?? Self.testCases(under: lease.epoch, db)
        var places: [Int64: Int] = [:]
        for place in plain {
            guard let id = testCases[ExactName(test: reports[place].test)] else { continue }
            places[id] = place
        }
        let finished = try finish(Array(places.keys), under: lease, as: verdict, note, db)
        for testCase in finished { try revokeBackup(of: testCase, now: now, db) }
        let passes = finished.compactMap { testCase in
            places[testCase].map { (testCase: testCase, report: reports[$0], place: $0) }
        }
        try add(passes.map { ($0.testCase, $0.report) }, under: lease, now: now, db)
        for pass in passes {
            count.add(Attempt(worker: lease.worker, outcome: .reported(pass.report)))
            count.add(final: verdict)
        }
        return Set(passes.map(\.place))
    }

    /// The ids of what runs under a lease that another process granted.
    private static func testCases(
        under epoch: Int64,
        _ db: Database
    ) throws -> [ExactName: Int64] {
        let select = try db.cachedStatement(
            sql: "SELECT test, id FROM test_case WHERE epoch = ? AND state = 1"
        )
        return try Row.fetchAll(select, arguments: [epoch]).reduce(into: [:]) { found, row in
            found[ExactName(test: TestID(row[0] as String))] = row[1]
        }
    }

    private func add(
        _ passes: [(testCase: Int64, report: TestReport)],
        under lease: LeaseFacts,
        now: Milliseconds,
        _ db: Database
    ) throws {
        try db.execute(
            forEach: passes,
            shared: [lease.epoch, lease.worker.text, AttemptColumns.plainPass, now],
            sql: {
                """
                WITH lease (epoch, worker, outcome, ended) AS (VALUES (?, ?, ?, ?)),
                  pass (test_case, seconds, started) AS (\($0))
                INSERT INTO attempt (test_case, epoch, worker, outcome, ended, seconds, started)
                SELECT test_case, epoch, worker, outcome, ended, seconds, started
                FROM pass CROSS JOIN lease
                """
            },
            values: { [$0.testCase, $0.report.seconds, $0.report.startedAt] }
        )
    }

    /// Gives a verdict to those of some test cases that run under a lease for the first time, and
    /// returns them.
    private func finish(
        _ testCases: [Int64],
        under lease: LeaseFacts,
        as verdict: Verdict,
        _ note: String,
        _ db: Database
    ) throws -> [Int64] {
        var finished: [Int64] = []
        var rest = testCases[...]
        while let first = rest.first {
            let size = rest.count > Self.idsMin ? Self.idsMax : Self.idsMin
            let finish = try db.cachedStatement(sql: Self.finish(ids: size))
            var arguments: [(any DatabaseValueConvertible)?] = [
                verdict.rawValue, note, lease.epoch,
            ]
            for id in rest.prefix(size) { arguments.append(id) }
            // Statements of two sizes only are kept: what is left of one names its first again.
            for _ in rest.count..<max(size, rest.count) { arguments.append(first) }
            rest = rest.dropFirst(size)
            finished += try Int64.fetchAll(finish, arguments: StatementArguments(arguments))
        }
        return finished
    }

    private static let idsMin = 8
    private static let idsMax = 64

    private static func finish(ids count: Int) -> String {
        """
        UPDATE test_case SET state = 2, epoch = NULL, verdict = ?, note = ?,
          attempts = attempts + 1 WHERE state = 1 AND +epoch = ? AND attempts = 0
          AND id IN (\(String(repeating: "?, ", count: count - 1))?)
        RETURNING id
        """
    }
}
