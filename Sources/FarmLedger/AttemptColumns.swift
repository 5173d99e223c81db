// The columns of an attempt. Most attempts are a plain pass: one word and two numbers, read without
// a decoder. Every other outcome is JSON.
import FarmCore
import Foundation
import GRDB

/// The columns `outcome`, `seconds` and `started` of an attempt.
struct AttemptColumns {
    /// `plainPass`, or the outcome as JSON, which never begins with that word.
    var outcome: Data
    var seconds: Double
    var started: Int64

    static let plainPass = Data("passed".utf8)

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

    /// Returns the outcome that the columns hold; `test` is the test case's id.
    ///
    /// - Throws: `LedgerError.damaged`, also for an invalid report that an older program accepted.
    static func outcome(
        of test: TestID,
        _ bytes: Data,
        seconds: Double,
        started: Int64
    ) throws -> Attempt.Outcome {
        let outcome: Attempt.Outcome =
            bytes == plainPass
            ? .reported(
                TestReport(test: test, ending: .passed, seconds: seconds, startedAt: started)
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
                SELECT worker, outcome, seconds, started FROM attempt
                WHERE test_case = ? ORDER BY epoch
                """
        )
        return try Row.fetchAll(attempts, arguments: [testCase]).map { row in
            Attempt(
                worker: WorkerID(row[0] as String),
                outcome: try outcome(of: test, row[1], seconds: row[2], started: row[3])
            )
        }
    }
}
