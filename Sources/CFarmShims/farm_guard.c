// The guard: a fork of this process that holds the reading end of a pipe; only this process holds
// the writing end. The guard reads end-of-file when this process is gone, for whatever reason, and
// then kills what is left of its children:
//   - the watched process groups, from a table in shared memory, and
//   - on Linux, every process whose environment names this process among its owners, even if it has
//     left its group or its parent is gone.
// A parent-death signal would do less, and do it wrongly: it reaches the child but not the child's
// children, and it follows the thread that forked, which may end while the child lives.
//
// Between fork(2) and _exit(2) only async-signal-safe calls are used, since other threads may have
// held any lock. Untested on macOS, where environments are not read.
#define _GNU_SOURCE
#include "farm_process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "farm_libc.h"

#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

enum {
    GROUPS_MAX = 4096,
    // On a busy machine, a killed process can take seconds to disappear.
    PASSES_MAX = 1000,
    PAUSE_MICROSECONDS = 5000,
    DESCRIPTORS_MAX = 65536,
    // Bytes for the number of a child after the mark.
    NUMBER_ROOM = 32,
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char mark[FARM_COOKIE_MAX];
static pid_t guard = -1;
static _Atomic pid_t *groups;

#ifdef __linux__
struct entry {
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

// Kills all processes that name this one among their owners. Returns how many there were.
static int end_marked(void) {
    size_t length = strlen(mark);
    int folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return 0;
    char bytes[16384] __attribute__((aligned(8)));
    int ended = 0;
    long count;
    while ((count = syscall(SYS_getdents64, folder, bytes, sizeof bytes)) > 0) {
        for (long at = 0; at < count;) {
            struct entry *entry = (struct entry *)(bytes + at);
            at += entry->length;
            pid_t pid = 0;
            const char *digit = entry->name;
            while (*digit >= '0' && *digit <= '9' && digit < entry->name + 10) {
                pid = pid * 10 + (*digit++ - '0');
            }
            if (*digit || pid <= 1 || pid == getpid()) continue;
            char cookie[FARM_COOKIE_MAX];
            if (farm_process_cookie(pid, cookie) < 0 || strncmp(cookie, mark, length)) continue;
            ended++;
            kill(pid, SIGKILL);
        }
    }
    close(folder);
    return ended;
}
#endif

static void keep_only(int descriptor) {
    dup2(descriptor, 0);
#if defined(__linux__) && defined(SYS_close_range)
    if (syscall(SYS_close_range, 1u, ~0u, 0u) == 0) return;
#endif
    long most = sysconf(_SC_OPEN_MAX);
    if (most < 0 || most > DESCRIPTORS_MAX) most = DESCRIPTORS_MAX;
    for (int other = 1; other < most; other++) close(other);
}

// Waits for the end of the guarded process, then kills its children. Never returns.
static void keep_watch(int reader) {
    // A signal that ends a whole session or stops a service must not end the guard first.
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    setsid();
    keep_only(reader);
    if (chdir("/") != 0) _exit(1);
#ifdef __linux__
    prctl(PR_SET_NAME, "farm-guard", 0, 0, 0);
#endif
    char byte;
    while (read(0, &byte, 1) < 0 && errno == EINTR) continue;
    for (int i = 0; i < GROUPS_MAX; i++) {
        pid_t group = atomic_load(&groups[i]);
        if (group > 1) kill(-group, SIGKILL);
    }
#ifdef __linux__
    for (int pass = 0; pass < PASSES_MAX && end_marked() > 0; pass++) {
        // These are not the guard's children, so no call can wait for their end.
        usleep(PAUSE_MICROSECONDS);
    }
#endif
    _exit(0);
}

static void start(void) {
    const char *above = getenv(FARM_COOKIE);
    char own[100];
    snprintf(
        own, sizeof own, "%" PRIu64 "-%d-%" PRIu64 ".", farm_process_namespace(), (int)getpid(),
        farm_process_start(getpid()));
    // A hundred nested farms fit. If the outer farms' marks do not fit, they are left out: a mark
    // cut short would be the mark of an outer farm.
    int fits = !above || strlen(above) + strlen(own) + NUMBER_ROOM < sizeof mark;
    snprintf(mark, sizeof mark, "%s%s", above && fits ? above : "", own);
    void *shared = mmap(
        NULL, GROUPS_MAX * sizeof *groups, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANON, -1, 0);
    if (shared == MAP_FAILED) return;
    groups = shared;
    // Without a guard everything else works; processes left by a kill then end at the next start.
    int ends[2];
    if (farm_pipe(ends) != 0) return;
    guard = fork();
    if (guard == 0) keep_watch(ends[0]);
    close(ends[0]);
    if (guard < 0) close(ends[1]);
}

const char *farm_mark(void) {
    pthread_once(&once, start);
    return mark;
}

pid_t farm_guard_pid(void) {
    pthread_once(&once, start);
    return guard;
}

static void replace_group(pid_t old, pid_t new) {
    pthread_once(&once, start);
    if (!groups) return;
    for (int i = 0; i < GROUPS_MAX; i++) {
        pid_t expected = old;
        if (atomic_load(&groups[i]) == old
            && atomic_compare_exchange_strong(&groups[i], &expected, new)) return;
    }
}

void farm_guard_watch(pid_t group) { replace_group(0, group); }

void farm_guard_release(pid_t group) { replace_group(group, 0); }
