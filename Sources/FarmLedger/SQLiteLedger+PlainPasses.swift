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
        let places = Dictionary(uniqueKeysWithValues: plain.map { (reports[$0].test, $0) })
        let passes = try finish(Array(places.keys), under: lease, as: verdict, note, db)
            .compactMap { pass in places[pass.test].map { (pass.testCase, reports[$0], place: $0) }
            }
        try add(passes.map { ($0.0, $0.1) }, under: lease, now: now, db)
        for (_, report, _) in passes {
            count.add(Attempt(worker: lease.worker, outcome: .reported(report)))
            count.add(final: verdict)
        }
        return Set(passes.map(\.place))
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
        _ tests: [TestID],
        under lease: LeaseFacts,
        as verdict: Verdict,
        _ note: String,
        _ db: Database
    ) throws -> [(testCase: Int64, test: TestID)] {
        let names = try JSONEncoder().encode(tests.map(\.text))
        // `+` keeps SQLite from reading the whole lease: the name leads to one row.
        let finish = try db.cachedStatement(
            sql: """
                UPDATE test_case SET state = 2, epoch = NULL, verdict = ?, note = ?,
                  attempts = attempts + 1 WHERE id IN (
                  SELECT t.id FROM json_each(?) n CROSS JOIN test_case t
                  WHERE t.run = ? AND t.job = ? AND t.cell = ? AND t.test = n.value
                    AND +t.state = 1 AND +t.epoch = ? AND t.attempts = 0)
                RETURNING id, test
                """
        )
        let finished = try Row.fetchAll(
            finish,
            arguments: [
                verdict.rawValue, note, String(decoding: names, as: UTF8.self), lease.run.text,
                lease.job, lease.cell, lease.epoch,
            ]
        )
        return finished.map { ($0[0], TestID($0[1] as String)) }
    }
}
