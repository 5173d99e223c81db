// Functions of two C libraries that a journaled ledger needs and Swift cannot call: SQLite's
// session extension, which GRDB's module does not declare, and libpq. libpq is loaded only for a
// ledger in PostgreSQL, so that the program runs where libpq is not installed.
#ifndef FARM_JOURNAL_H
#define FARM_JOURNAL_H

#include <stdint.h>

struct sqlite3;
struct sqlite3_session;

/// Whether this SQLite has the session extension.
int farm_session_available(void);
/// Starts recording the changes of all tables. Returns a result code of SQLite.
int farm_session_begin(struct sqlite3 *database, struct sqlite3_session **session);
/// Whether the session has recorded no change.
int farm_session_is_empty(struct sqlite3_session *session);
/// Writes the recorded changes as a changeset, which the caller frees with `farm_changeset_free`.
/// Returns a result code of SQLite.
int farm_session_changeset(struct sqlite3_session *session, int *count, void **bytes);
void farm_session_end(struct sqlite3_session *session);
void farm_changeset_free(void *bytes);

/// The reason why a changeset was not applied.
struct farm_changeset_conflict {
    /// SQLITE_CHANGESET_DATA and so on; 0 if there was no conflict.
    int kind;
    /// Nonzero if the changeset names a table that is not expected.
    int unknown;
    char table[64];
};

/// Applies a changeset within the caller's transaction, which stays open. `tables` are the tables
/// that the changeset may name. Returns a result code of SQLite, 4 (SQLITE_ABORT) for a conflict.
/// After an unknown table the caller must roll back, because changes of other tables were applied;
/// after any other failure nothing was.
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

/// Loads libpq from the first of `names` that has all functions used here. Returns 1, or 0 if none
/// has.
int farm_pq_load(const char *const *names, int count);

struct pg_conn *farm_pq_start(const char *const *keywords, const char *const *values);
/// Returns 0 for a failure, 1 to wait until the socket can be read, 2 until it can be written, 3
/// when connected.
int farm_pq_connect_poll(struct pg_conn *connection);
int farm_pq_socket(const struct pg_conn *connection);
const char *farm_pq_error(const struct pg_conn *connection);
void farm_pq_finish(struct pg_conn *connection);
/// Returns the id of the server's process for this connection, as the server reported it.
int farm_pq_backend(const struct pg_conn *connection);
/// Returns 1 if the server sent a warning since the last call, else 0.
int farm_pq_take_warnings(struct pg_conn *connection);

/// Sends a statement; its results come in binary format. Returns 0 for a failure.
int farm_pq_send(
    struct pg_conn *connection,
    const char *statement,
    int count,
    const char *const *values,
    const int *lengths,
    const int *formats
);
/// Returns 0 when all is sent, 1 if bytes are left to send, -1 for a failure.
int farm_pq_flush(struct pg_conn *connection);
/// Returns 0 for a failure.
int farm_pq_consume(struct pg_conn *connection);
int farm_pq_is_busy(struct pg_conn *connection);
/// Returns the statement's next result, which the caller frees with `farm_pq_clear`, or null after
/// the last one.
struct pg_result *farm_pq_result(struct pg_conn *connection);
void farm_pq_clear(struct pg_result *result);
/// Returns 1 for a success without rows, 2 for rows, 0 for a failure.
int farm_pq_status(const struct pg_result *result);
const char *farm_pq_result_error(const struct pg_result *result);
/// Returns the SQLSTATE, five characters, or null.
const char *farm_pq_sqlstate(const struct pg_result *result);
int farm_pq_rows(const struct pg_result *result);
int farm_pq_columns(const struct pg_result *result);
int farm_pq_is_null(const struct pg_result *result, int row, int column);
int farm_pq_length(const struct pg_result *result, int row, int column);
const char *farm_pq_value(const struct pg_result *result, int row, int column);

#endif
