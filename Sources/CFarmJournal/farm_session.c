// SQLite's session extension. Debian's SQLite always has its functions. On a Mac they are looked up
// at run time, so that the program still links if the library has none.
#include "farm_journal.h"

#include <string.h>

#ifdef __APPLE__
#include <dlfcn.h>
#define FUNCTION(result, name, ...) \
    typedef result (*name##_type)(__VA_ARGS__); \
    static name##_type name##_found(void) { return (name##_type)dlsym(RTLD_DEFAULT, #name); }
#define CALL(name) name##_found()
#else
#define FUNCTION(result, name, ...) result name(__VA_ARGS__);
#define CALL(name) name
#endif

struct sqlite3_changeset_iter;

FUNCTION(int, sqlite3session_create, struct sqlite3 *, const char *, struct sqlite3_session **)
FUNCTION(int, sqlite3session_attach, struct sqlite3_session *, const char *)
FUNCTION(int, sqlite3session_isempty, struct sqlite3_session *)
FUNCTION(int, sqlite3session_changeset, struct sqlite3_session *, int *, void **)
FUNCTION(void, sqlite3session_delete, struct sqlite3_session *)
FUNCTION(
    int,
    sqlite3changeset_apply,
    struct sqlite3 *,
    int,
    void *,
    int (*)(void *, const char *),
    int (*)(void *, int, struct sqlite3_changeset_iter *),
    void *
)
FUNCTION(
    int,
    sqlite3changeset_op,
    struct sqlite3_changeset_iter *,
    const char **,
    int *,
    int *,
    int *
)
FUNCTION(void, sqlite3_free, void *)

#ifdef __APPLE__
int farm_session_available(void) { return CALL(sqlite3session_create) != 0; }
#else
int farm_session_available(void) { return 1; }
#endif

int farm_session_begin(struct sqlite3 *database, struct sqlite3_session **session) {
    int code = CALL(sqlite3session_create)(database, "main", session);
    if (code != 0) return code;
    code = CALL(sqlite3session_attach)(*session, 0);
    if (code != 0) {
        CALL(sqlite3session_delete)(*session);
        *session = 0;
    }
    return code;
}

int farm_session_is_empty(struct sqlite3_session *session) {
    return CALL(sqlite3session_isempty)(session);
}

int farm_session_changeset(struct sqlite3_session *session, int *count, void **bytes) {
    return CALL(sqlite3session_changeset)(session, count, bytes);
}

void farm_session_end(struct sqlite3_session *session) { CALL(sqlite3session_delete)(session); }

void farm_changeset_free(void *bytes) { CALL(sqlite3_free)(bytes); }

struct application {
    const char *const *tables;
    int count;
    struct farm_changeset_conflict *conflict;
};

// Notes a table that is not among the expected ones. SQLite itself skips a missing table silently.
static int is_known(void *context, const char *table) {
    struct application *application = context;
    for (int i = 0; i < application->count; i++)
        if (strcmp(application->tables[i], table) == 0) return 1;
    application->conflict->unknown = 1;
    strncpy(application->conflict->table, table, sizeof application->conflict->table - 1);
    return 0;
}

static int note_conflict(void *context, int kind, struct sqlite3_changeset_iter *change) {
    struct application *application = context;
    const char *table = 0;
    int columns, operation, indirect;
    application->conflict->kind = kind;
    // SQLITE_CHANGESET_FOREIGN_KEY comes without a change.
    if (kind != 5 && CALL(sqlite3changeset_op)(change, &table, &columns, &operation, &indirect) == 0)
        strncpy(application->conflict->table, table, sizeof application->conflict->table - 1);
    return 2; // SQLITE_CHANGESET_ABORT
}

int farm_changeset_apply(
    struct sqlite3 *database,
    const void *bytes,
    int count,
    const char *const *tables,
    int table_count,
    struct farm_changeset_conflict *conflict
) {
    memset(conflict, 0, sizeof *conflict);
    struct application application = {tables, table_count, conflict};
    // SQLite only reads the bytes, although its parameter is not const.
    int code = CALL(sqlite3changeset_apply)(
        database, count, (void *)bytes, is_known, note_conflict, &application);
    return code == 0 && conflict->unknown ? 4 : code;
}
