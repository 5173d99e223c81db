// A pool's journal in PostgreSQL: each call is one statement or one transaction. The statements
// decide which coordinator leads; this type keeps only its connection.
import FarmCore
import Foundation
import NIOConcurrencyHelpers

/// The address of a pool's journal.
package struct PostgresAddress: Sendable, Hashable {
    /// The URL of the database for libpq, without a password.
    package let url: String
    /// The password of the database, or `nil` to let libpq find one.
    package let password: String?
    package let pool: String

    /// Makes an address from a URL of PostgreSQL, and checks it.
    ///
    /// - Throws: `JournalStoreError.badURL`.
    package init(url: String, password: String? = nil, pool: String) throws {
        guard SharedLedgerSettings.isAddress(url) else {
            throw JournalStoreError.badURL(Self.withoutPassword(url))
        }
        self.url = url
        self.password = password
        self.pool = pool
    }

    /// The URL without secrets, for people.
    package var shown: String { Self.withoutPassword(url) }

    private static func withoutPassword(_ url: String) -> String {
        guard let at = url.lastIndex(of: "@"), let scheme = url.range(of: "://"),
            scheme.upperBound < at
        else { return url.split(separator: "?").first.map(String.init) ?? url }
        let user = url[scheme.upperBound..<at].prefix { $0 != ":" }
        let rest = url[at...].split(separator: "?").first ?? ""
        return String(url[..<scheme.upperBound] + user + rest)
    }
}

/// The journal of a pool, over one connection that opens at its first use.
package final class PostgresStore: JournalStore {
    let address: PostgresAddress
    let me: PoolMemberID
    let limits: PoolLimits
    private let connection = NIOLockedValueBox<PostgresConnection?>(nil)

    package init(_ address: PostgresAddress, me: PoolMemberID, limits: PoolLimits = PoolLimits()) {
        self.address = address
        self.me = me
        self.limits = limits
    }

    /// Makes the tables of pools if they are not there; several coordinators may call it at once.
    package func makeTables() throws {
        // A user without the right to make tables may use existing ones.
        if try hasTables() { return }
        try transaction { connection in
            for statement in Self.tables { _ = try connection.run(statement, seconds: 30) }
        }
    }

    /// Returns whether the last table of the schema exists.
    func hasTables() throws -> Bool {
        let found = try run("SELECT to_regclass('farm.document') IS NOT NULL", [])
        return found.first?.flag(0) ?? false
    }

    private static let tables = [
        "SELECT pg_advisory_xact_lock(hashtextextended('snapfarm tables', 0))",
        "CREATE SCHEMA IF NOT EXISTS farm",
        """
        CREATE TABLE IF NOT EXISTS farm.pool (
          id text PRIMARY KEY, term bigint NOT NULL, seq bigint NOT NULL, holder text NOT NULL,
          url text NOT NULL, deadline timestamptz NOT NULL, format int NOT NULL,
          locked boolean NOT NULL) WITH (fillfactor = 50)
        """,
        """
        CREATE TABLE IF NOT EXISTS farm.journal (
          pool text NOT NULL, seq bigint NOT NULL, term bigint NOT NULL, tx bytea NOT NULL,
          changeset bytea NOT NULL, PRIMARY KEY (pool, seq))
        """,
        """
        CREATE TABLE IF NOT EXISTS farm.snapshot (
          pool text NOT NULL, seq bigint NOT NULL, part int NOT NULL, bytes bytea NOT NULL,
          PRIMARY KEY (pool, seq, part))
        """,
        """
        CREATE TABLE IF NOT EXISTS farm.member (
          pool text NOT NULL, url text NOT NULL, seq bigint NOT NULL, format int NOT NULL,
          seen timestamptz NOT NULL, PRIMARY KEY (pool, url)) WITH (fillfactor = 50)
        """,
        """
        CREATE TABLE IF NOT EXISTS farm.document (
          pool text NOT NULL, name text NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (pool, name))
        """,
    ]

    private static let row = """
        term, seq, holder, url,
        (extract(epoch FROM least(deadline, clock_timestamp() + interval '1 day')
          - clock_timestamp()) * 1000)::bigint, format, locked
        """

    func row(_ rows: PostgresRows) -> PoolRow? {
        rows.first.map {
            PoolRow(
                term: $0.number(0),
                seq: $0.number(1),
                holder: $0.text(2),
                url: $0.text(3),
                millisecondsLeft: $0.number(4),
                format: Int($0.number(5)),
                isLocked: $0.flag(6)
            )
        }
    }

    package func pool() throws -> PoolRow? {
        row(try run("SELECT \(Self.row) FROM farm.pool WHERE id = $1", [.text(address.pool)]))
    }

    package func append(_ entry: JournalEntry, term: Int64) throws -> Bool {
        try run(
            """
            WITH p AS (UPDATE farm.pool SET seq = seq + 1, deadline = \(deadline("$6"))
              WHERE id = $1 AND term = $2::bigint AND seq = $3::bigint - 1
              RETURNING id, seq, term)
            INSERT INTO farm.journal (pool, seq, term, tx, changeset)
              SELECT id, seq, term, $4::bytea, $5::bytea FROM p RETURNING seq
            """,
            [
                .text(address.pool), .number(term), .number(entry.seq), .bytes(entry.tx),
                .bytes(entry.changeset), .number(limits.deadlineMilliseconds),
            ]
        ).first != nil
    }

    package func confirm(isLocked: Bool?) throws -> PoolRow? {
        let locked = isLocked.map { ", locked = \($0)" } ?? ""
        return row(
            try run(
                """
                UPDATE farm.pool SET deadline = \(deadline("$3"))\(locked)
                  WHERE id = $1 AND holder = $2 RETURNING \(Self.row)
                """,
                mine
            )
        )
    }

    package func settle() throws -> PoolRow? {
        row(
            try run(
                """
                UPDATE farm.pool SET term = term + 1, deadline = \(deadline("$3"))
                  WHERE id = $1 AND holder = $2 RETURNING \(Self.row)
                """,
                mine
            )
        )
    }

    package func takeOver(
        seen term: Int64,
        afterDeadline: Bool,
        isLocked: Bool
    ) throws -> PoolRow? {
        let condition = afterDeadline ? " AND deadline < clock_timestamp()" : ""
        return row(
            try run(
                """
                UPDATE farm.pool SET term = term + 1, holder = $2, url = $4,
                  locked = $5::boolean, deadline = \(deadline("$3"))
                  WHERE id = $1 AND term = $6::bigint\(condition) RETURNING \(Self.row)
                """,
                mine + [.text(me.url), .text("\(isLocked)"), .number(term)]
            )
        )
    }

    package func handOver() throws {
        _ = try run(
            """
            UPDATE farm.pool SET deadline = clock_timestamp() - interval '1 second'
              WHERE id = $1 AND holder = $2
            """,
            Array(mine.prefix(2))
        )
        leave()
    }

    package func tryLock() throws -> Bool {
        try with { connection in
            // Through a pooler, other clients would hold the lock, too.
            guard try connection.isDirect(seconds: limits.answerSeconds) else { return false }
            return try connection.run(
                "SELECT pg_try_advisory_lock(hashtextextended($1, 0))",
                [.text("snapfarm pool " + address.pool)],
                seconds: limits.answerSeconds
            ).first?.flag(0) ?? false
        }
    }

    package func leave() { connection.withLockedValue { $0 = nil } }

    package func report(seq: Int64, format: Int) throws {
        _ = try run(
            """
            INSERT INTO farm.member (pool, url, seq, format, seen)
              VALUES ($1, $2, $3::bigint, $4::int, clock_timestamp())
              ON CONFLICT (pool, url) DO UPDATE
              SET seq = excluded.seq, format = excluded.format, seen = excluded.seen
            """,
            [.text(address.pool), .text(me.url), .number(seq), .number(format)]
        )
    }

    package func entry(_ seq: Int64) throws -> JournalEntry? {
        try run(
            "SELECT seq, tx, changeset FROM farm.journal WHERE pool = $1 AND seq = $2::bigint",
            [.text(address.pool), .number(seq)]
        ).first.map(Self.entry)
    }

    package func entries(after seq: Int64, limit: Int) throws -> [JournalEntry] {
        try run(
            """
            SELECT seq, tx, changeset FROM (
              SELECT seq, tx, changeset, sum(octet_length(changeset)) OVER (ORDER BY seq) AS bytes
              FROM farm.journal WHERE pool = $1 AND seq > $2::bigint
                AND seq <= $2::bigint + $3::int) AS next
              WHERE bytes <= $4::int OR seq = $2::bigint + 1 ORDER BY seq
            """,
            [.text(address.pool), .number(seq), .number(limit), .number(limits.entriesBytes)]
        ).all.map(Self.entry)
    }

    private static func entry(_ row: PostgresRow) -> JournalEntry {
        JournalEntry(seq: row.number(0), tx: row.bytes(1), changeset: row.bytes(2))
    }

    // MARK: statements

    var mine: [PostgresParameter] {
        [.text(address.pool), .text(me.holder), .number(limits.deadlineMilliseconds)]
    }

    /// Returns the SQL of a deadline, so that only the database's clock sets and compares it.
    func deadline(_ parameter: String) -> String {
        "clock_timestamp() + \(parameter)::int * interval '1 ms'"
    }

    func run(
        _ statement: String,
        _ parameters: [PostgresParameter],
        seconds: Double? = nil
    ) throws -> PostgresRows {
        try with {
            try $0.run(statement, parameters, seconds: seconds ?? limits.answerSeconds)
        }
    }

    func transaction<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value {
        try with { connection in
            _ = try connection.run("BEGIN", seconds: limits.answerSeconds)
            do {
                let value = try body(connection)
                _ = try connection.run("COMMIT", seconds: limits.answerSeconds)
                return value
            } catch JournalStoreError.refused(let why) {
                _ = try? connection.run("ROLLBACK", seconds: limits.answerSeconds)
                throw JournalStoreError.refused(why)
            }
        }
    }

    /// Runs `body` with the connection, which is opened if there is none.
    ///
    /// Any error but a refusal closes it: a statement still on its way is then fenced by its term,
    /// or lost.
    private func with<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value {
        try connection.withLockedValue { connection in
            let open =
                try connection
                ?? PostgresConnection(address, seconds: limits.connectSeconds)
            connection = open
            do {
                return try body(open)
            } catch JournalStoreError.refused(let why) {
                throw JournalStoreError.refused(why)
            } catch {
                connection = nil
                throw error
            }
        }
    }
}
