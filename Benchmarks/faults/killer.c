// Preloaded into a program, it kills it at the n-th call that changes a disk, in the middle of
// whatever it does: before the call, by SIGKILL. Counts calls where it is not to kill.
//
//   KILL_IN=snapfarm KILL_AT=12 KILL_COUNT=/tmp/count LD_PRELOAD=./killer.so snapfarm …
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls;
static long limit = 0;
static int counts = 0;
// Read at the start, because snapfarm wipes its environment.
static char path[4096];

__attribute__((constructor)) static void begin(void) {
    const char *name = getenv("KILL_IN"), *at = getenv("KILL_AT");
    counts = name && strcmp(name, program_invocation_short_name) == 0;
    limit = counts && at ? atol(at) : 0;
    if (counts && getenv("KILL_COUNT")) snprintf(path, sizeof path, "%s", getenv("KILL_COUNT"));
}

__attribute__((destructor)) static void end(void) {
    if (!counts || !path[0]) return;
    // Of several processes of the name, the one with most calls says how many there are.
    long most = 0;
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%ld", &most) != 1) most = 0;
    if (file) fclose(file);
    counts = 0;
    if (atomic_load(&calls) <= most || !(file = fopen(path, "w"))) return;
    fprintf(file, "%ld\n", atomic_load(&calls));
    fclose(file);
}

static void step(void) {
    if (counts && atomic_fetch_add(&calls, 1) + 1 == limit) kill(getpid(), SIGKILL);
}

#define WRAP(type, name, parameters, arguments)                  \
    type name parameters {                                       \
        static type(*real) parameters;                           \
        if (!real) real = (type(*) parameters)dlsym(RTLD_NEXT, #name); \
        step();                                                  \
        return real arguments;                                   \
    }

WRAP(int, rename, (const char *a, const char *b), (a, b))
WRAP(int, renameat, (int a, const char *b, int c, const char *d), (a, b, c, d))
WRAP(int, link, (const char *a, const char *b), (a, b))
WRAP(int, linkat, (int a, const char *b, int c, const char *d, int e), (a, b, c, d, e))
WRAP(int, symlink, (const char *a, const char *b), (a, b))
WRAP(int, unlink, (const char *a), (a))
WRAP(int, unlinkat, (int a, const char *b, int c), (a, b, c))
WRAP(int, mkdir, (const char *a, mode_t b), (a, b))
WRAP(int, mkdirat, (int a, const char *b, mode_t c), (a, b, c))
WRAP(int, rmdir, (const char *a), (a))
WRAP(int, fsync, (int a), (a))
WRAP(int, fdatasync, (int a), (a))
WRAP(int, syncfs, (int a), (a))
WRAP(int, ftruncate, (int a, off_t b), (a, b))
WRAP(int, ftruncate64, (int a, off64_t b), (a, b))
WRAP(int, chmod, (const char *a, mode_t b), (a, b))
WRAP(int, fchmod, (int a, mode_t b), (a, b))
WRAP(ssize_t, pwrite, (int a, const void *b, size_t c, off_t d), (a, b, c, d))
WRAP(ssize_t, pwrite64, (int a, const void *b, size_t c, off64_t d), (a, b, c, d))
WRAP(ssize_t, writev, (int a, const struct iovec *b, int c), (a, b, c))

// Not what is said on the terminal.
ssize_t write(int a, const void *b, size_t c) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) real = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    if (a > 2) step();
    return real(a, b, c);
}

#define WRAP_OPEN(name, before, parameters, arguments)           \
    int name parameters {                                        \
        static int (*real)(before const char *, int, ...);       \
        if (!real) real = (int (*)(before const char *, int, ...))dlsym(RTLD_NEXT, #name); \
        mode_t mode = 0;                                         \
        if (flags & (O_CREAT | O_TMPFILE)) {                     \
            va_list rest;                                        \
            va_start(rest, flags);                               \
            mode = va_arg(rest, mode_t);                         \
            va_end(rest);                                        \
            step();                                              \
        }                                                        \
        return real arguments;                                   \
    }
#define COMMA ,
WRAP_OPEN(open, , (const char *path, int flags, ...), (path, flags, mode))
WRAP_OPEN(open64, , (const char *path, int flags, ...), (path, flags, mode))
WRAP_OPEN(openat, int COMMA, (int at, const char *path, int flags, ...), (at, path, flags, mode))
WRAP_OPEN(openat64, int COMMA, (int at, const char *path, int flags, ...), (at, path, flags, mode))
