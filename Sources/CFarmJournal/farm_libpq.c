// libpq, loaded at run time by `farm_pq_load`.
#include "farm_journal.h"

#include <dlfcn.h>
#include <stddef.h>

static struct {
    struct pg_conn *(*PQconnectStartParams)(const char *const *, const char *const *, int);
    int (*PQconnectPoll)(struct pg_conn *);
    int (*PQsocket)(const struct pg_conn *);
    char *(*PQerrorMessage)(const struct pg_conn *);
    void (*PQfinish)(struct pg_conn *);
    int (*PQbackendPID)(const struct pg_conn *);
    void *(*PQsetNoticeReceiver)(
        struct pg_conn *, void (*)(void *, const struct pg_result *), void *);
    int (*PQsetnonblocking)(struct pg_conn *, int);
    int (*PQsendQueryParams)(
        struct pg_conn *, const char *, int, const unsigned *, const char *const *, const int *,
        const int *, int);
    int (*PQflush)(struct pg_conn *);
    int (*PQconsumeInput)(struct pg_conn *);
    int (*PQisBusy)(struct pg_conn *);
    struct pg_result *(*PQgetResult)(struct pg_conn *);
    void (*PQclear)(struct pg_result *);
    int (*PQresultStatus)(const struct pg_result *);
    char *(*PQresultErrorMessage)(const struct pg_result *);
    char *(*PQresultErrorField)(const struct pg_result *, int);
    int (*PQntuples)(const struct pg_result *);
    int (*PQnfields)(const struct pg_result *);
    int (*PQgetisnull)(const struct pg_result *, int, int);
    int (*PQgetlength)(const struct pg_result *, int, int);
    char *(*PQgetvalue)(const struct pg_result *, int, int);
} pq;

static const char *const symbols[] = {
    "PQconnectStartParams", "PQconnectPoll", "PQsocket", "PQerrorMessage", "PQfinish",
    "PQbackendPID", "PQsetNoticeReceiver", "PQsetnonblocking", "PQsendQueryParams", "PQflush",
    "PQconsumeInput", "PQisBusy", "PQgetResult", "PQclear", "PQresultStatus",
    "PQresultErrorMessage", "PQresultErrorField", "PQntuples", "PQnfields", "PQgetisnull",
    "PQgetlength", "PQgetvalue",
};

_Static_assert(
    sizeof pq == sizeof symbols / sizeof *symbols * sizeof(void *), "a name for each function");

int farm_pq_load(const char *const *names, int count) {
    for (int i = 0; i < count; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (!library) continue;
        size_t found = 0;
        for (; found < sizeof symbols / sizeof *symbols; found++) {
            void *symbol = dlsym(library, symbols[found]);
            if (!symbol) break;
            ((void **)&pq)[found] = symbol;
        }
        if (found == sizeof symbols / sizeof *symbols) return 1;
    }
    return 0;
}

// Notes a warning in `context`, the connection's flag; a second warning changes nothing.
static void note_warning(void *context, const struct pg_result *result) {
    const char *severity = pq.PQresultErrorField(result, 'V');
    // NOTICE, INFO, DEBUG and LOG do not report a problem with the statement.
    if (severity && severity[0] == 'W') *(int *)context = 1;
}

struct farm_connection {
    struct pg_conn *inner;
    int warnings;
};

#define INNER(connection) (((struct farm_connection *)(connection))->inner)

#include <stdlib.h>

struct pg_conn *farm_pq_start(const char *const *keywords, const char *const *values) {
    struct farm_connection *connection = calloc(1, sizeof *connection);
    if (!connection) return NULL;
    connection->inner = pq.PQconnectStartParams(keywords, values, 1);
    if (!connection->inner) {
        free(connection);
        return NULL;
    }
    pq.PQsetNoticeReceiver(connection->inner, note_warning, &connection->warnings);
    return (struct pg_conn *)connection;
}

int farm_pq_connect_poll(struct pg_conn *connection) {
    int state = pq.PQconnectPoll(INNER(connection));
    if (state == 3) pq.PQsetnonblocking(INNER(connection), 1);
    return state;
}

int farm_pq_socket(const struct pg_conn *connection) { return pq.PQsocket(INNER(connection)); }
const char *farm_pq_error(const struct pg_conn *connection) {
    return pq.PQerrorMessage(INNER(connection));
}
void farm_pq_finish(struct pg_conn *connection) {
    pq.PQfinish(INNER(connection));
    free(connection);
}
int farm_pq_backend(const struct pg_conn *connection) {
    return pq.PQbackendPID(INNER(connection));
}
int farm_pq_take_warnings(struct pg_conn *connection) {
    int *warnings = &((struct farm_connection *)connection)->warnings;
    int count = *warnings;
    *warnings = 0;
    return count;
}

int farm_pq_send(
    struct pg_conn *connection,
    const char *statement,
    int count,
    const char *const *values,
    const int *lengths,
    const int *formats
) {
    return pq.PQsendQueryParams(
        INNER(connection), statement, count, NULL, values, lengths, formats, 1);
}
int farm_pq_flush(struct pg_conn *connection) { return pq.PQflush(INNER(connection)); }
int farm_pq_consume(struct pg_conn *connection) { return pq.PQconsumeInput(INNER(connection)); }
int farm_pq_is_busy(struct pg_conn *connection) { return pq.PQisBusy(INNER(connection)); }
struct pg_result *farm_pq_result(struct pg_conn *connection) {
    return pq.PQgetResult(INNER(connection));
}
void farm_pq_clear(struct pg_result *result) { pq.PQclear(result); }
int farm_pq_status(const struct pg_result *result) {
    int status = pq.PQresultStatus(result);
    return status == 1 ? 1 : status == 2 ? 2 : 0;
}
const char *farm_pq_result_error(const struct pg_result *result) {
    return pq.PQresultErrorMessage(result);
}
const char *farm_pq_sqlstate(const struct pg_result *result) {
    return pq.PQresultErrorField(result, 'C');
}
int farm_pq_rows(const struct pg_result *result) { return pq.PQntuples(result); }
int farm_pq_columns(const struct pg_result *result) { return pq.PQnfields(result); }
int farm_pq_is_null(const struct pg_result *result, int row, int column) {
    return pq.PQgetisnull(result, row, column);
}
int farm_pq_length(const struct pg_result *result, int row, int column) {
    return pq.PQgetlength(result, row, column);
}
const char *farm_pq_value(const struct pg_result *result, int row, int column) {
    return pq.PQgetvalue(result, row, column);
}
