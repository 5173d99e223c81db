// The ledger's tables. Times are in milliseconds since 1970 unless a comment names another unit.
import GRDB

/// The tables of a ledger, as numbered migrations that are never edited after their release.
package struct LedgerSchema: Sendable {
    package static let current = LedgerSchema([
        Migration("0.1.0", sql: runs + workers + decisions),
        Migration("0.1.0 teams", sql: teams),
    ])
    /// The format of the last build before the first release.
    static let formatBefore = 18

    struct Migration: Sendable {
        let name: String
        let sql: String

        init(_ name: String, sql: String) {
            self.name = name
            self.sql = sql
        }
    }

    private let migrations: [Migration]

    init(_ migrations: [Migration]) { self.migrations = migrations }

    /// Returns this schema with one more migration, as a newer program has it.
    func adding(_ migration: Migration) -> LedgerSchema { LedgerSchema(migrations + [migration]) }

    /// The number of the tables' format, by which the coordinators of one pool compare their
    /// programs.
    package var format: Int { Self.formatBefore + migrations.count }

    /// Returns the number of the format of a file's tables, or 0 if the file has no ledger.
    static func format(_ db: Database) throws -> Int {
        guard try db.tableExists("grdb_migrations") else { return 0 }
        let migrations = try Int.fetchOne(db, sql: "SELECT count(*) FROM grdb_migrations") ?? 0
        return migrations == 0 ? 0 : formatBefore + migrations
    }

    /// Migrates a file to this schema.
    func migrate(_ database: any DatabaseWriter) throws { try migrator.migrate(database) }

    /// Returns whether a file has all migrations of this schema.
    func isReached(_ db: Database) throws -> Bool { try migrator.hasCompletedMigrations(db) }

    /// Checks that this schema has all migrations of a file.
    ///
    /// - Throws: `LedgerError.newer` or `.unreleased`, with the file's path.
    func check(_ db: Database, _ path: String) throws {
        guard try migrator.hasBeenSuperseded(db) else { return }
        let first = "SELECT 1 FROM grdb_migrations WHERE identifier GLOB '1 runs*'"
        let isUnreleased = try Bool.fetchOne(db, sql: first) ?? false
        throw isUnreleased ? LedgerError.unreleased(path) : LedgerError.newer(path)
    }

    private var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for migration in migrations {
            migrator.registerMigration(migration.name) { try $0.execute(sql: migration.sql) }
        }
        return migrator
    }

    private static let runs = """
        CREATE TABLE run (
          id TEXT PRIMARY KEY, key TEXT NOT NULL UNIQUE,
          plan_digest TEXT NOT NULL, plan BLOB NOT NULL, facts BLOB NOT NULL,
          state TEXT NOT NULL, started INTEGER NOT NULL, ended INTEGER, judged BLOB,
          retried INTEGER NOT NULL DEFAULT 0, stopped INTEGER,
          learned INTEGER NOT NULL DEFAULT 0, priority INTEGER NOT NULL DEFAULT 0,
          pipeline TEXT NOT NULL DEFAULT '', branch TEXT NOT NULL DEFAULT ''
        ) STRICT;
        -- A run's plan is a megabyte of overflow pages, and what lies behind it in its row is read
        -- through them: these indexes hold what is looked up often.
        CREATE INDEX run_open ON run (state, stopped, priority, started, id)
          WHERE state = 'running';
        CREATE INDEX run_newest ON run (started, id, pipeline, branch);

        -- `started_under` is the lease that has started the test; under another it has not started.
        CREATE TABLE test_case (
          id INTEGER PRIMARY KEY,
          run TEXT NOT NULL REFERENCES run(id) ON DELETE CASCADE,
          job INTEGER NOT NULL, cell INTEGER NOT NULL, test TEXT NOT NULL,
          state INTEGER NOT NULL DEFAULT 0 CHECK (state BETWEEN 0 AND 2),
          epoch INTEGER, attempts INTEGER NOT NULL DEFAULT 0,
          alone INTEGER NOT NULL DEFAULT 0, avoid TEXT,
          verdict TEXT, note TEXT NOT NULL DEFAULT '',
          cost INTEGER NOT NULL DEFAULT 0, change TEXT, started_under INTEGER,
          CHECK ((state = 1) = (epoch IS NOT NULL)),
          CHECK ((state = 2) = (verdict IS NOT NULL))
        ) STRICT;
        CREATE UNIQUE INDEX test_case_key ON test_case (run, job, cell, test);
        CREATE INDEX test_case_leased ON test_case (epoch) WHERE state = 1;
        CREATE INDEX test_case_choosy ON test_case (run, job, cell, alone, avoid)
          WHERE state = 0 AND (alone = 1 OR avoid IS NOT NULL);
        CREATE INDEX test_case_waiting ON test_case
          (run, job, cell, cost DESC, id, alone, avoid) WHERE state = 0;
        CREATE INDEX test_case_change ON test_case (run, change) WHERE change IS NOT NULL;
        CREATE INDEX test_case_isolated ON test_case (run, job, cell)
          WHERE state = 0 AND alone = 2;

        -- Counts of a cell's test cases, and what its leases took to start, in microseconds: `launch`
        -- is what earlier runs know of it.
        CREATE TABLE cell_progress (
          run TEXT NOT NULL REFERENCES run(id) ON DELETE CASCADE,
          job INTEGER NOT NULL, cell INTEGER NOT NULL,
          planned INTEGER NOT NULL,
          done INTEGER NOT NULL DEFAULT 0, bad INTEGER NOT NULL DEFAULT 0,
          reports INTEGER NOT NULL DEFAULT 0, seconds REAL NOT NULL DEFAULT 0,
          leased INTEGER NOT NULL DEFAULT 0 CHECK (leased >= 0),
          start INTEGER NOT NULL DEFAULT 0, launch INTEGER NOT NULL DEFAULT 0,
          warm_leases INTEGER NOT NULL DEFAULT 0, warm_sum INTEGER NOT NULL DEFAULT 0,
          cold_leases INTEGER NOT NULL DEFAULT 0, cold_sum INTEGER NOT NULL DEFAULT 0,
          CHECK (done BETWEEN 0 AND planned AND bad BETWEEN 0 AND done),
          PRIMARY KEY (run, job, cell)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE attempt (
          test_case INTEGER NOT NULL REFERENCES test_case(id) ON DELETE CASCADE,
          epoch INTEGER NOT NULL, worker TEXT NOT NULL,
          outcome BLOB NOT NULL, ended INTEGER NOT NULL,
          seconds REAL NOT NULL DEFAULT 0, started INTEGER NOT NULL DEFAULT 0,
          PRIMARY KEY (test_case, epoch)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE incident (
          run TEXT NOT NULL REFERENCES run(id) ON DELETE CASCADE,
          code TEXT NOT NULL, subject TEXT NOT NULL,
          problem BLOB NOT NULL, at INTEGER NOT NULL,
          PRIMARY KEY (run, code, subject)
        ) STRICT, WITHOUT ROWID;

        """

    private static let workers = """
        CREATE TABLE lease (
          epoch INTEGER PRIMARY KEY AUTOINCREMENT,
          run TEXT NOT NULL REFERENCES run(id) ON DELETE CASCADE,
          worker TEXT NOT NULL, request TEXT NOT NULL,
          job INTEGER NOT NULL, cell INTEGER NOT NULL,
          state TEXT NOT NULL, granted INTEGER NOT NULL, deadline INTEGER NOT NULL,
          ended INTEGER, running TEXT, evidence BLOB,
          isolated INTEGER NOT NULL DEFAULT 0, heard INTEGER,
          trimmed INTEGER NOT NULL DEFAULT 0, reached INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX lease_live ON lease (deadline) WHERE state = 'live';
        CREATE UNIQUE INDEX lease_request ON lease (worker, request);
        CREATE INDEX lease_of_run ON lease (run) WHERE state = 'live';
        CREATE UNIQUE INDEX lease_of_worker ON lease (worker) WHERE state = 'live';
        CREATE INDEX lease_trimmed ON lease (run) WHERE state = 'live' AND trimmed = 1;
        CREATE INDEX lease_isolated ON lease (worker) WHERE state = 'live' AND isolated = 1;

        CREATE TABLE worker (
          id TEXT PRIMARY KEY, seen INTEGER NOT NULL, lost INTEGER,
          proven INTEGER NOT NULL DEFAULT 0, unconfirmed INTEGER NOT NULL DEFAULT 0,
          failed_at INTEGER NOT NULL DEFAULT 0, unfit BLOB,
          offer TEXT, host TEXT, isolation_awaited INTEGER
        ) STRICT, WITHOUT ROWID;
        -- What workers offer, by its digest.
        CREATE TABLE offer (digest TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT, WITHOUT ROWID;

        """

    private static let decisions = """
        -- Belongs to no run: people decide about runs of other machines too, and decisions outlive
        -- runs. An empty text is a picture that was not made, or had no reference.
        CREATE TABLE decision (
          number INTEGER PRIMARY KEY AUTOINCREMENT,
          pipeline TEXT NOT NULL, snapshot TEXT NOT NULL,
          capture TEXT NOT NULL, reference TEXT NOT NULL,
          kind TEXT NOT NULL, reason TEXT NOT NULL, who TEXT NOT NULL,
          made INTEGER NOT NULL, run TEXT NOT NULL
        ) STRICT;
        CREATE INDEX decision_of_pipeline ON decision (pipeline, number);
        CREATE INDEX decision_of_picture ON decision
          (pipeline, snapshot, capture, reference, number);

        -- Where in its pool's journal a copy stands, with the highest numbers given: a row that came
        -- and went in one transaction leaves no other trace.
        CREATE TABLE journal_position (
          id INTEGER PRIMARY KEY CHECK (id = 1),
          seq INTEGER NOT NULL, tx BLOB NOT NULL,
          leases INTEGER NOT NULL, decisions INTEGER NOT NULL
        ) STRICT;
        INSERT INTO journal_position VALUES (1, 0, x'', 0, 0);
        """

    private static let teams = """
        -- A key belongs to its pipeline: teams can use the same ones.
        UPDATE run SET key = pipeline || char(10) || key;
        -- The patterns of the pipelines whose tests a worker may run, one in each line; NULL for all.
        ALTER TABLE worker ADD COLUMN pipelines TEXT;
        -- The blobs whose bytes callers with these patterns have sent. A token's name would not do:
        -- another team may get it after a revocation.
        CREATE TABLE upload (
          pipelines TEXT NOT NULL, digest TEXT NOT NULL, at INTEGER NOT NULL,
          PRIMARY KEY (pipelines, digest)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE audit (
          number INTEGER PRIMARY KEY,
          at INTEGER NOT NULL, who TEXT NOT NULL, address TEXT NOT NULL,
          action TEXT NOT NULL, pipeline TEXT NOT NULL, subject TEXT NOT NULL, detail TEXT NOT NULL
        ) STRICT;
        """
}
