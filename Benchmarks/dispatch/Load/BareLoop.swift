// The least a coordinator must write for a cycle, and nothing else: one loop, one connection, no
// HTTP, no rules; 64 changes to a commit, as GroupCommit makes them when so many wait.
import Foundation
import GRDB

struct BareLoop {
    let path: String
    let seconds: Double
    private static let testsPerLease = 5
    private static let changesPerCommit = 64

    func run() throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
                    CREATE TABLE test_case (id INTEGER PRIMARY KEY, state INTEGER NOT NULL,
                      epoch INTEGER, verdict TEXT);
                    CREATE INDEX waiting ON test_case (id) WHERE state = 0;
                    CREATE INDEX leased ON test_case (epoch) WHERE state = 1;
                    CREATE TABLE lease (epoch INTEGER PRIMARY KEY, worker TEXT, state TEXT,
                      evidence BLOB);
                    CREATE TABLE attempt (test_case INTEGER, epoch INTEGER, outcome BLOB,
                      PRIMARY KEY (test_case, epoch)) WITHOUT ROWID;
                    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
                      WHERE i < 400000) INSERT INTO test_case (id, state) SELECT i, 0 FROM n;
                    """
            )
        }
        let begin = ContinuousClock.now
        var cycles = 0
        while ContinuousClock.now < begin + .seconds(seconds) {
            // A cycle is two changes: claim, and complete with the reports.
            try queue.write { db in
                for _ in 0..<(Self.changesPerCommit / 2) {
                    try cycle(cycles, db)
                    cycles += 1
                }
            }
        }
        let took = (ContinuousClock.now - begin) / .seconds(1)
        try Load.show(["cyclesPerSecond": Double(cycles) / took])
    }

    private func cycle(_ number: Int, _ db: Database) throws {
        let insert = try db.cachedStatement(
            sql: "INSERT INTO lease (epoch, worker, state) VALUES (?, 'w', 'live')"
        )
        try insert.execute(arguments: [number + 1])
        let claim = try db.cachedStatement(
            sql: """
                UPDATE test_case SET state = 1, epoch = ? WHERE id IN
                (SELECT id FROM test_case WHERE state = 0 ORDER BY id LIMIT ?)
                """
        )
        try claim.execute(arguments: [number + 1, Self.testsPerLease])
        let report = try db.cachedStatement(
            sql: """
                INSERT INTO attempt (test_case, epoch, outcome)
                SELECT id, epoch, x'00' FROM test_case WHERE epoch = ? AND state = 1
                """
        )
        try report.execute(arguments: [number + 1])
        let finish = try db.cachedStatement(
            sql: """
                UPDATE test_case SET state = 2, verdict = 'passed' WHERE epoch = ? AND state = 1
                """
        )
        try finish.execute(arguments: [number + 1])
        let complete = try db.cachedStatement(
            sql: "UPDATE lease SET state = 'done', evidence = x'00' WHERE epoch = ?"
        )
        try complete.execute(arguments: [number + 1])
    }
}
