// Many rows in one statement. For thousands of small rows the calls into SQLite cost several
// times what its own work costs, and both are on the way between two leases.
//
// Invariant: rows reach the statement in their order, each exactly once, bound as values; nothing
// of a row becomes SQL.
import GRDB

extension Database {
    /// Executes a statement once for many rows at a time.
    ///
    /// `sql` makes the statement around the text of its rows (`VALUES (?, ?), (?, ?) …`), which
    /// `values` fills in the same order; `shared` fills the placeholders before them. The
    /// statements of the few sizes that occur are kept.
    func execute<Element>(
        forEach rows: [Element],
        shared: [any DatabaseValueConvertible],
        sql: (_ rows: String) -> String,
        values: (Element) -> [any DatabaseValueConvertible]
    ) throws {
        var rest = rows[...]
        while let first = rest.first {
            let size = [64, 8].first { rest.count >= $0 } ?? rest.count
            let row = "(" + String(repeating: "?, ", count: values(first).count - 1) + "?)"
            let text = String(repeating: row + ", ", count: size - 1) + row
            let statement = try cachedStatement(sql: sql("VALUES " + text))
            repeat {
                var arguments = shared
                for element in rest.prefix(size) { arguments += values(element) }
                try statement.execute(arguments: StatementArguments(arguments))
                rest = rest.dropFirst(size)
            } while rest.count >= size
        }
    }
}
