// The columns of an attempt. Most attempts are a plain pass: one word and two numbers, read without
// a decoder. Every other outcome is JSON.
import FarmCore
import Foundation
import GRDB

/// The columns `outcome`, `seconds` and `started` of an attempt.
struct AttemptColumns {
    /// The column `outcome`: the text `passed` for a plain pass, else the outcome as JSON, which
    /// never begins with that text.
    var outcome: Data
    var seconds: Double
    var started: Int64

    static let plainPass = Data("passed".utf8)

    /// The SQL names of the columns, in the order in which ``outcome(of:_:_:)`` reads them.
    static let names = "a.outcome, a.seconds, a.started"

    init(_ outcome: Attempt.Outcome) throws {
        if case .reported(let report) = outcome {
            self.outcome =
                report.isPlainPass ? Self.plainPass : try SQLiteLedger.encode(outcome)
            seconds = report.seconds
            started = report.startedAt
        } else {
            self.outcome = try SQLiteLedger.encode(outcome)
            seconds = 0
            started = 0
        }
    }

    /// Returns the outcome in a row whose columns from the index `place` on are ``names``; `test`
    /// is the test case's id.
    ///
    /// - Throws: `LedgerError.damaged`, also for an invalid report that an older program accepted.
    static func outcome(of test: TestID, _ row: Row, _ place: Int) throws -> Attempt.Outcome {
        let bytes: Data = row[place]
        let outcome: Attempt.Outcome =
            bytes == plainPass
            ? .reported(
                TestReport(
                    test: test,
                    ending: .passed,
                    seconds: row[place + 1],
                    startedAt: row[place + 2]
                )
            ) : try SQLiteLedger.decode(Attempt.Outcome.self, bytes)
        if case .reported(let report) = outcome, let fault = report.fault {
            throw LedgerError.damaged("a report of \(test): \(fault)")
        }
        return outcome
    }

    /// Returns the attempts of a test case, oldest first.
    static func attempts(of testCase: Int64, _ test: TestID, _ db: Database) throws -> [Attempt] {
        let attempts = try db.cachedStatement(
            sql: """
                SELECT a.worker, \(names) FROM attempt a
                WHERE a.test_case = ? ORDER BY a.epoch
                """
        )
        return try Row.fetchAll(attempts, arguments: [testCase]).map { row in
            Attempt(worker: WorkerID(row[0] as String), outcome: try outcome(of: test, row, 1))
        }
    }
}
