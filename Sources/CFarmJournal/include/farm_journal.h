// What a journaled ledger needs of two C libraries and Swift cannot reach: SQLite's session
// extension, which GRDB's module does not declare, and libpq, which is loaded when a ledger in
// PostgreSQL is asked for, so that the program runs where it is not installed.
#ifndef FARM_JOURNAL_H
#define FARM_JOURNAL_H

#include <stdint.h>

struct sqlite3;
struct sqlite3_session;

/// Whether this SQLite has sessions.
int farm_session_available(void);
/// Starts to note what changes in all tables; a code of SQLite.
int farm_session_begin(struct sqlite3 *database, struct sqlite3_session **session);
/// Whether nothing was changed so far.
int farm_session_is_empty(struct sqlite3_session *session);
/// What was changed; `farm_changeset_free` it. A code of SQLite.
int farm_session_changeset(struct sqlite3_session *session, int *count, void **bytes);
void farm_session_end(struct sqlite3_session *session);
void farm_changeset_free(void *bytes);

/// Why a changeset was not applied.
struct farm_changeset_conflict {
    /// SQLITE_CHANGESET_DATA and so on; 0: none.
    int kind;
    /// Nonzero: it names a table that is not there.
    int unknown;
    char table[64];
};

/// Applies a changeset; nothing of it stays but where the answer is 0, and the caller's transaction
/// goes on. `tables` are those it may name. A code of SQLite, or 4 (SQLITE_ABORT) for a conflict.
int farm_changeset_apply(
    struct sqlite3 *database,
    const void *bytes,
    int count,
    const char *const *tables,
    int table_count,
    struct farm_changeset_conflict *conflict
);

struct pg_conn;
struct pg_result;

/// Loads libpq; 0 where no library of these names has all it must have.
int farm_pq_load(const char *const *names, int count);

struct pg_conn *farm_pq_start(const char *const *keywords, const char *const *values);
/// 0 failed, 1 wait to read, 2 wait to write, 3 connected.
int farm_pq_connect_poll(struct pg_conn *connection);
int farm_pq_socket(const struct pg_conn *connection);
const char *farm_pq_error(const struct pg_conn *connection);
void farm_pq_finish(struct pg_conn *connection);
/// Of the process that serves the connection, as the server said when it began.
int farm_pq_backend(const struct pg_conn *connection);
/// Warnings of the server since the last call.
int farm_pq_take_warnings(struct pg_conn *connection);

/// Sends a statement whose results come in binary; 0 failed.
int farm_pq_send(
    struct pg_conn *connection,
    const char *statement,
    int count,
    const char *const *values,
    const int *lengths,
    const int *formats
);
/// 0 all is sent, 1 more waits, -1 failed.
int farm_pq_flush(struct pg_conn *connection);
/// 0 failed.
int farm_pq_consume(struct pg_conn *connection);
int farm_pq_is_busy(struct pg_conn *connection);
/// Null: the statement has no more; `farm_pq_clear` it.
struct pg_result *farm_pq_result(struct pg_conn *connection);
void farm_pq_clear(struct pg_result *result);
/// 1 done without rows, 2 rows, 0 failed.
int farm_pq_status(const struct pg_result *result);
const char *farm_pq_result_error(const struct pg_result *result);
/// Five characters, or null.
const char *farm_pq_sqlstate(const struct pg_result *result);
int farm_pq_rows(const struct pg_result *result);
int farm_pq_columns(const struct pg_result *result);
int farm_pq_is_null(const struct pg_result *result, int row, int column);
int farm_pq_length(const struct pg_result *result, int row, int column);
const char *farm_pq_value(const struct pg_result *result, int row, int column);

#endif
