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
        guard plain.count >= Self.togetherMin else { return [] }
        let passes = try open(plain.map { ($0, reports[$0].test) }, under: lease, db)
        guard let first = passes.first else { return [] }
        // The rule sees the same in each of them: no earlier attempt, no picture, a pass.
        let step = AttemptRules.step(
            after: [Attempt(worker: lease.worker, outcome: .reported(reports[first.place]))],
            job: lease.planned,
            mode: lease.mode,
            context: AttemptContext(repeats: lease.rules.repeats)
        )
        guard case .final(let verdict, let note) = step else { return [] }
        try add(passes.map { ($0.testCase, reports[$0.place]) }, under: lease, now: now, db)
        try finish(passes.map(\.testCase), as: verdict, note, db)
        for pass in passes {
            count.add(Attempt(worker: lease.worker, outcome: .reported(reports[pass.place])))
            count.add(final: verdict)
        }
        return Set(passes.map(\.place))
    }

    /// The test cases of some names that run under a lease for the first time.
    private func open(
        _ tests: [(place: Int, test: TestID)],
        under lease: LeaseFacts,
        _ db: Database
    ) throws -> [(place: Int, testCase: Int64)] {
        let names = try JSONEncoder().encode(tests.map(\.test.text))
        // `+` keeps SQLite from reading the whole lease: the name leads to one row.
        let select = try db.cachedStatement(
            sql: """
                SELECT n.key, t.id FROM json_each(?) n CROSS JOIN test_case t
                WHERE t.run = ? AND t.job = ? AND t.cell = ? AND t.test = n.value
                  AND +t.state = 1 AND +t.epoch = ? AND t.attempts = 0
                """
        )
        let rows = try Row.fetchCursor(
            select,
            arguments: [
                String(decoding: names, as: UTF8.self), lease.run.text, lease.job, lease.cell,
                lease.epoch,
            ]
        )
        var found: [(place: Int, testCase: Int64)] = []
        while let row = try rows.next() { found.append((tests[row[0] as Int].place, row[1])) }
        return found
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

    private func finish(
        _ testCases: [Int64],
        as verdict: Verdict,
        _ note: String,
        _ db: Database
    ) throws {
        let finish = try db.cachedStatement(
            sql: """
                UPDATE test_case SET state = 2, epoch = NULL, verdict = ?, note = ?,
                  attempts = attempts + 1 WHERE id IN (SELECT value FROM json_each(?))
                """
        )
        let ids = "[" + testCases.map { String($0) }.joined(separator: ",") + "]"
        try finish.execute(arguments: [verdict.rawValue, note, ids])
    }
}
