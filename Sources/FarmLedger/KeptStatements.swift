// Statements that are prepared once for each connection. Preparing one costs ten times what
// executing it costs, and a lease's way through the ledger is thirty of them.
import GRDB

extension Database {
    /// `execute(sql:arguments:)` of one statement that stays prepared.
    func executeKept(sql: String, arguments: StatementArguments = StatementArguments()) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }
}
