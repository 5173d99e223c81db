// How one attempt lies in the ledger. Most attempts are a pass with nothing to say: they are one
// word and two numbers, read back without a decoder. Everything else is JSON.
import FarmCore
import Foundation
import GRDB

/// The columns `outcome`, `seconds` and `started` of an attempt.
struct AttemptColumns {
    /// The word of a plain pass, or JSON; JSON never begins with this word.
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

    /// The outcome again; `test` is the test case's id.
    ///
    /// - Throws: `LedgerError.damaged` also for a report that an older program let in.
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

    /// The attempts of a test case, oldest first.
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
