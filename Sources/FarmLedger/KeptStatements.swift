// Prepared statements that each connection keeps. Preparing a statement costs ten times its
// execution, and the life of a lease takes thirty statements.
import GRDB

extension Database {
    /// Runs a statement as `execute(sql:arguments:)` does, and keeps it prepared for the next call.
    func executeKept(sql: String, arguments: StatementArguments = StatementArguments()) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }
}
