// Numbered migrations, never edited after release. Times are milliseconds since 1970.
import GRDB

enum LedgerSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 runs, test cases, leases, attempts") { db in
            try db.execute(
                sql: """
                    CREATE TABLE run (
                      id TEXT PRIMARY KEY, key TEXT NOT NULL UNIQUE,
                      plan_digest TEXT NOT NULL, plan BLOB NOT NULL, facts BLOB NOT NULL,
                      state TEXT NOT NULL, started INTEGER NOT NULL, ended INTEGER, judged BLOB
                    ) STRICT;
                    CREATE TABLE test_case (
                      id INTEGER PRIMARY KEY,
                      run TEXT NOT NULL REFERENCES run(id) ON DELETE CASCADE,
                      job INTEGER NOT NULL, cell INTEGER NOT NULL, test TEXT NOT NULL,
                      state INTEGER NOT NULL DEFAULT 0 CHECK (state BETWEEN 0 AND 2),
                      epoch INTEGER, attempts INTEGER NOT NULL DEFAULT 0,
                      alone INTEGER NOT NULL DEFAULT 0, avoid TEXT,
                      verdict TEXT, note TEXT NOT NULL DEFAULT '',
                      CHECK ((state = 1) = (epoch IS NOT NULL)),
                      CHECK ((state = 2) = (verdict IS NOT NULL))
                    ) STRICT;
                    CREATE UNIQUE INDEX test_case_key ON test_case (run, job, cell, test);
                    CREATE INDEX test_case_waiting ON test_case (run, job, cell, id)
                      WHERE state = 0;
                    CREATE INDEX test_case_leased ON test_case (epoch) WHERE state = 1;
                    CREATE INDEX test_case_progress ON test_case (run, job, cell, state, verdict);
                    CREATE TABLE lease (
                      epoch INTEGER PRIMARY KEY AUTOINCREMENT,
                      run TEXT NOT NULL REFERENCES run(id) ON DELETE CASCADE,
                      worker TEXT NOT NULL, request TEXT NOT NULL,
                      job INTEGER NOT NULL, cell INTEGER NOT NULL,
                      state TEXT NOT NULL, granted INTEGER NOT NULL, deadline INTEGER NOT NULL,
                      ended INTEGER, running TEXT, evidence BLOB
                    ) STRICT;
                    CREATE INDEX lease_live ON lease (deadline) WHERE state = 'live';
                    CREATE UNIQUE INDEX lease_request ON lease (worker, request);
                    CREATE TABLE attempt (
                      test_case INTEGER NOT NULL REFERENCES test_case(id) ON DELETE CASCADE,
                      epoch INTEGER NOT NULL, worker TEXT NOT NULL,
                      outcome BLOB NOT NULL, ended INTEGER NOT NULL,
                      PRIMARY KEY (test_case, epoch)
                    ) STRICT, WITHOUT ROWID;
                    CREATE TABLE worker (
                      id TEXT PRIMARY KEY, seen INTEGER NOT NULL, lost INTEGER
                    ) STRICT, WITHOUT ROWID;
                    """
            )
        }
        migrator.registerMigration("2 counters, plain passes") { db in
            try db.execute(
                sql: """
                    CREATE TABLE cell_progress (
                      run TEXT NOT NULL REFERENCES run(id) ON DELETE CASCADE,
                      job INTEGER NOT NULL, cell INTEGER NOT NULL,
                      planned INTEGER NOT NULL,
                      done INTEGER NOT NULL DEFAULT 0, bad INTEGER NOT NULL DEFAULT 0,
                      reports INTEGER NOT NULL DEFAULT 0, seconds REAL NOT NULL DEFAULT 0,
                      CHECK (done BETWEEN 0 AND planned AND bad BETWEEN 0 AND done),
                      PRIMARY KEY (run, job, cell)
                    ) STRICT, WITHOUT ROWID;
                    INSERT INTO cell_progress (run, job, cell, planned, done, bad)
                      SELECT run, job, cell, count(*), total(state = 2),
                        total(state = 2 AND verdict NOT IN ('passed', 'flaky'))
                      FROM test_case GROUP BY run, job, cell;
                    WITH report (run, job, cell, seconds) AS (
                      SELECT run, job, cell,
                        json_extract(CAST(outcome AS TEXT), '$.reported._0.seconds')
                      FROM attempt JOIN test_case ON test_case.id = test_case
                      WHERE json_type(CAST(outcome AS TEXT), '$.reported') IS NOT NULL)
                    UPDATE cell_progress SET (reports, seconds) = (
                      SELECT count(*), total(seconds) FROM report
                      WHERE report.run = cell_progress.run AND report.job = cell_progress.job
                        AND report.cell = cell_progress.cell);
                    DROP INDEX test_case_progress;
                    DROP INDEX test_case_waiting;
                    CREATE INDEX test_case_waiting ON test_case
                      (run, job, cell, id, alone, avoid) WHERE state = 0;
                    ALTER TABLE attempt ADD COLUMN seconds REAL NOT NULL DEFAULT 0;
                    ALTER TABLE attempt ADD COLUMN started INTEGER NOT NULL DEFAULT 0;
                    """
            )
        }
        migrator.registerMigration("3 trust, incidents, retries") { db in
            try db.execute(
                sql: """
                    ALTER TABLE worker ADD COLUMN proven INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE worker ADD COLUMN doubted INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE worker ADD COLUMN doubted_at INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE worker ADD COLUMN confirmed INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE worker ADD COLUMN refuted INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE worker ADD COLUMN blame INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE worker ADD COLUMN aside BLOB;
                    ALTER TABLE worker ADD COLUMN unfit BLOB;
                    ALTER TABLE run ADD COLUMN retried INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE run ADD COLUMN stopped INTEGER;
                    CREATE TABLE incident (
                      run TEXT NOT NULL REFERENCES run(id) ON DELETE CASCADE,
                      code TEXT NOT NULL, subject TEXT NOT NULL,
                      problem BLOB NOT NULL, at INTEGER NOT NULL,
                      PRIMARY KEY (run, code, subject)
                    ) STRICT, WITHOUT ROWID;
                    """
            )
        }
        migrator.registerMigration("4 counters of what is leased") { db in
            try db.execute(
                sql: """
                    ALTER TABLE cell_progress ADD COLUMN leased INTEGER NOT NULL DEFAULT 0
                      CHECK (leased >= 0);
                    UPDATE cell_progress SET leased = (
                      SELECT count(*) FROM test_case t WHERE t.run = cell_progress.run
                      AND t.job = cell_progress.job AND t.cell = cell_progress.cell
                      AND t.state = 1);
                    CREATE INDEX test_case_choosy ON test_case (run, job, cell, alone, avoid)
                      WHERE state = 0 AND (alone = 1 OR avoid IS NOT NULL);
                    """
            )
        }
        migrator.registerMigration("5 what workers offer") { db in
            try db.execute(
                sql: """
                    CREATE TABLE offer (
                      digest TEXT PRIMARY KEY, content BLOB NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    ALTER TABLE worker ADD COLUMN offer TEXT;
                    """
            )
        }
        migrator.registerMigration("6 hosts, test cases that run quietly") { db in
            try db.execute(
                sql: """
                    ALTER TABLE worker ADD COLUMN host TEXT;
                    ALTER TABLE worker ADD COLUMN quiet_at INTEGER;
                    ALTER TABLE lease ADD COLUMN quiet INTEGER NOT NULL DEFAULT 0;
                    CREATE INDEX test_case_quiet ON test_case (run, job, cell)
                      WHERE state = 0 AND alone = 2;
                    CREATE INDEX lease_quiet ON lease (worker) WHERE state = 'live' AND quiet = 1;
                    """
            )
        }
        migrator.registerMigration("7 learned costs, priorities") { db in
            try db.execute(
                sql: """
                    ALTER TABLE test_case ADD COLUMN cost INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE cell_progress ADD COLUMN start INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE run ADD COLUMN learned INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE run ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
                    DROP INDEX test_case_waiting;
                    CREATE INDEX test_case_waiting ON test_case
                      (run, job, cell, cost DESC, id, alone, avoid) WHERE state = 0;
                    CREATE INDEX lease_of_run ON lease (run) WHERE state = 'live';
                    """
            )
        }
        migrator.registerMigration("8 open runs without their plans") { db in
            // The state of a run lies behind its plan, a megabyte of overflow pages.
            try db.execute(
                sql: """
                    CREATE INDEX run_open ON run (state, stopped, priority, started, id)
                      WHERE state = 'running';
                    """
            )
        }
        migrator.registerMigration("9 stragglers") { db in
            // A test case has one backup at most, ever: an index says so.
            try db.execute(
                sql: """
                    ALTER TABLE lease ADD COLUMN heard INTEGER;
                    ALTER TABLE lease ADD COLUMN backs INTEGER;
                    ALTER TABLE lease ADD COLUMN trimmed INTEGER NOT NULL DEFAULT 0;
                    CREATE UNIQUE INDEX lease_backs ON lease (backs) WHERE backs IS NOT NULL;
                    CREATE INDEX lease_trimmed ON lease (epoch) WHERE trimmed = 1;
                    """
            )
        }
        migrator.registerMigration("10 changes that are alike") { db in
            try db.execute(
                sql: """
                    ALTER TABLE test_case ADD COLUMN change TEXT;
                    CREATE INDEX test_case_change ON test_case (run, change)
                      WHERE change IS NOT NULL;
                    """
            )
        }
        migrator.registerMigration("11 what a lease has reached") { db in
            try db.execute(sql: "ALTER TABLE lease ADD COLUMN reached INTEGER NOT NULL DEFAULT 0")
        }
        migrator.registerMigration("12 one lease of a worker, one count of its failures") { db in
            // What ran under two leases of one worker, or beside its lease, runs again.
            try db.execute(
                sql: """
                    UPDATE test_case SET state = 0, epoch = NULL WHERE state = 1;
                    UPDATE cell_progress SET leased = 0;
                    UPDATE lease SET state = 'interrupted', ended = max(granted, coalesce(
                      (SELECT max(ended) FROM attempt a WHERE a.epoch = lease.epoch), 0))
                      WHERE state = 'live';
                    DROP INDEX lease_backs;
                    DROP INDEX lease_trimmed;
                    ALTER TABLE lease DROP COLUMN backs;
                    CREATE UNIQUE INDEX lease_of_worker ON lease (worker) WHERE state = 'live';
                    CREATE INDEX lease_trimmed ON lease (run)
                      WHERE state = 'live' AND trimmed = 1;
                    ALTER TABLE worker RENAME COLUMN doubted TO unconfirmed;
                    ALTER TABLE worker RENAME COLUMN doubted_at TO failed_at;
                    ALTER TABLE worker DROP COLUMN confirmed;
                    ALTER TABLE worker DROP COLUMN refuted;
                    ALTER TABLE worker DROP COLUMN blame;
                    ALTER TABLE worker DROP COLUMN aside;
                    """
            )
        }
        migrator.registerMigration("13 what leases take to start") { db in
            // Microseconds: the launch that earlier runs know of, and what this run's leases said.
            try db.execute(
                sql: """
                    ALTER TABLE cell_progress ADD COLUMN launch INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE cell_progress ADD COLUMN warm_leases INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE cell_progress ADD COLUMN warm_sum INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE cell_progress ADD COLUMN cold_leases INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE cell_progress ADD COLUMN cold_sum INTEGER NOT NULL DEFAULT 0;
                    """
            )
        }
        migrator.registerMigration("14 tests that leases have started") { db in
            // The lease that has started a test case; under another one it has not been started.
            try db.execute(sql: "ALTER TABLE test_case ADD COLUMN started_under INTEGER")
        }
        migrator.registerMigration("15 one word for what runs alone on its host") { db in
            try db.execute(
                sql: """
                    DROP INDEX test_case_quiet;
                    DROP INDEX lease_quiet;
                    ALTER TABLE worker RENAME COLUMN quiet_at TO isolation_awaited;
                    ALTER TABLE lease RENAME COLUMN quiet TO isolated;
                    CREATE INDEX test_case_isolated ON test_case (run, job, cell)
                      WHERE state = 0 AND alone = 2;
                    CREATE INDEX lease_isolated ON lease (worker)
                      WHERE state = 'live' AND isolated = 1;
                    """
            )
        }
        migrator.registerMigration("16 decisions") { db in
            // No row of a run: people decide about runs of other machines too, and what they decided
            // outlives a run. An empty text is a picture that was not made, or had no reference.
            try db.execute(
                sql: """
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
                    """
            )
        }
        migrator.registerMigration("17 runs in a list") { db in
            // A list of runs is read from the index alone: a row lies behind a plan of megabytes.
            try db.execute(
                sql: """
                    ALTER TABLE run ADD COLUMN pipeline TEXT NOT NULL DEFAULT '';
                    ALTER TABLE run ADD COLUMN branch TEXT NOT NULL DEFAULT '';
                    UPDATE run SET
                      pipeline = coalesce(json_extract(CAST(facts AS TEXT), '$.pipeline'), ''),
                      branch = coalesce(json_extract(CAST(facts AS TEXT), '$.branch'), '')
                      WHERE json_valid(CAST(facts AS TEXT));
                    CREATE INDEX run_newest ON run (started, id, pipeline, branch);
                    """
            )
        }
        migrator.registerMigration("18 where in its journal a copy stands") { db in
            // Highest numbers too: a row that came and went in one transaction leaves no trace.
            try db.execute(
                sql: """
                    CREATE TABLE journal_position (
                      id INTEGER PRIMARY KEY CHECK (id = 1),
                      seq INTEGER NOT NULL, tx BLOB NOT NULL,
                      leases INTEGER NOT NULL, decisions INTEGER NOT NULL
                    ) STRICT;
                    INSERT INTO journal_position VALUES (1, 0, x'', 0, 0);
                    """
            )
        }
        return migrator
    }
}
