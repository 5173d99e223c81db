// A pool's snapshots, its creation and its format, and the documents that its coordinators share.
import FarmCore
import Foundation

extension PostgresStore {
    package func snapshots() throws -> [Int64] {
        try run(
            "SELECT DISTINCT seq FROM farm.snapshot WHERE pool = $1 ORDER BY seq DESC",
            [.text(address.pool)]
        ).all.map { $0.number(0) }
    }

    package func keepSnapshot(_ file: String, seq: Int64) throws {
        guard try !snapshots().contains(seq) else { return }
        try transaction { try self.insertSnapshot(file, seq, $0) }
    }

    private func insertSnapshot(
        _ file: String,
        _ seq: Int64,
        _ connection: PostgresConnection
    ) throws {
        guard let handle = FileHandle(forReadingAtPath: file) else {
            throw JournalStoreError.refused("\(file) cannot be read")
        }
        defer { try? handle.close() }
        var part = 0
        while let bytes = try handle.read(upToCount: limits.partBytes), !bytes.isEmpty {
            _ = try connection.run(
                """
                INSERT INTO farm.snapshot (pool, seq, part, bytes)
                  VALUES ($1, $2::bigint, $3::int, $4::bytea) ON CONFLICT DO NOTHING
                """,
                [.text(address.pool), .number(seq), .number(part), .bytes(bytes)],
                seconds: limits.answerSeconds
            )
            part += 1
        }
    }

    package func readSnapshot(_ seq: Int64, to file: String) throws {
        guard FileManager.default.createFile(atPath: file, contents: nil),
            let handle = FileHandle(forWritingAtPath: file)
        else { throw JournalStoreError.refused("\(file) cannot be written") }
        defer { try? handle.close() }
        for part in 0... {
            let rows = try run(
                """
                SELECT bytes FROM farm.snapshot
                  WHERE pool = $1 AND seq = $2::bigint AND part = $3::int
                """,
                [.text(address.pool), .number(seq), .number(part)]
            )
            guard let row = rows.first else {
                guard part > 0 else { throw JournalStoreError.refused("no snapshot \(seq)") }
                return
            }
            try handle.write(contentsOf: row.bytes(0))
        }
    }

    package func prune() throws {
        let kept = try snapshots().prefix(2)
        guard let oldest = kept.last, kept.count == 2 else { return }
        for table in ["snapshot", "journal"] {
            _ = try run(
                "DELETE FROM farm.\(table) WHERE pool = $1 AND seq < $2::bigint",
                [.text(address.pool), .number(oldest)],
                seconds: 60
            )
        }
    }

    // MARK: the pool itself

    /// Makes the pool with a ledger's file as its first snapshot; returns `false` if it is there
    /// already.
    package func create(_ file: String, _ first: JournalEntry, format: Int) throws -> Bool {
        try transaction { connection in
            let rows = try connection.run(
                """
                INSERT INTO farm.pool (id, term, seq, holder, url, deadline, format, locked)
                  VALUES ($1, 1, $2::bigint, '', '', clock_timestamp(), $3::int, false)
                  ON CONFLICT DO NOTHING RETURNING seq
                """,
                [.text(self.address.pool), .number(first.seq), .number(format)],
                seconds: self.limits.answerSeconds
            )
            guard rows.first != nil else { return false }
            try self.insert(first, 1, connection)
            try self.insertSnapshot(file, first.seq, connection)
            return true
        }
    }

    /// Raises the format of a pool that this member leads, and stores the first snapshot in the new
    /// format.
    package func raiseFormat(
        _ file: String,
        _ entry: JournalEntry,
        term: Int64,
        format: Int
    ) throws -> Bool {
        try transaction { connection in
            let rows = try connection.run(
                """
                UPDATE farm.pool SET seq = seq + 1, format = $4::int,
                  deadline = \(self.deadline("$5"))
                  WHERE id = $1 AND term = $2::bigint AND seq = $3::bigint - 1 RETURNING seq
                """,
                [
                    .text(self.address.pool), .number(term), .number(entry.seq), .number(format),
                    .number(self.limits.deadlineMilliseconds),
                ],
                seconds: self.limits.answerSeconds
            )
            guard rows.first != nil else { return false }
            try self.insert(entry, term, connection)
            try self.insertSnapshot(file, entry.seq, connection)
            return true
        }
    }

    private func insert(
        _ entry: JournalEntry,
        _ term: Int64,
        _ connection: PostgresConnection
    ) throws {
        _ = try connection.run(
            """
            INSERT INTO farm.journal (pool, seq, term, tx, changeset)
              VALUES ($1, $2::bigint, $3::bigint, $4::bytea, $5::bytea)
            """,
            [
                .text(address.pool), .number(entry.seq), .number(term), .bytes(entry.tx),
                .bytes(entry.changeset),
            ],
            seconds: limits.answerSeconds
        )
    }

    // MARK: shared documents

    /// Returns the bytes of a document, or `nil` if there is none.
    package func document(_ name: String) throws -> Data? {
        try run(
            "SELECT bytes FROM farm.document WHERE pool = $1 AND name = $2",
            [.text(address.pool), .text(name)]
        ).first?.bytes(0)
    }

    /// Replaces a document if it still is `old`, which is `nil` for no document; returns whether it
    /// did.
    package func put(_ bytes: Data, as name: String, replacing old: Data?) throws -> Bool {
        if let old {
            return try run(
                """
                UPDATE farm.document SET bytes = $3::bytea
                  WHERE pool = $1 AND name = $2 AND bytes = $4::bytea RETURNING 1
                """,
                [.text(address.pool), .text(name), .bytes(bytes), .bytes(old)]
            ).first != nil
        }
        return try run(
            """
            INSERT INTO farm.document (pool, name, bytes) VALUES ($1, $2, $3::bytea)
              ON CONFLICT DO NOTHING RETURNING 1
            """,
            [.text(address.pool), .text(name), .bytes(bytes)]
        ).first != nil
    }
}
