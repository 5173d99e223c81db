#define _GNU_SOURCE
#include "farm_process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#elif defined(__APPLE__)
#include <libproc.h>
#endif

extern char **environ;

int farm_become_subreaper(void) {
#ifdef __linux__
    return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0 ? 0 : -1;
#else
    return -1;
#endif
}

uint64_t farm_process_namespace(void) {
#ifdef __linux__
    struct stat status;
    return stat("/proc/self/ns/pid", &status) == 0 ? (uint64_t)status.st_ino : 0;
#else
    return 0;
#endif
}

uint64_t farm_process_start(pid_t pid) {
#ifdef __linux__
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    if (count <= 0) return 0;
    text[count] = 0;
    // The name, in parentheses, may hold anything, so fields are counted from its end.
    const char *field = strrchr(text, ')');
    if (!field || strlen(field) < 3 || field[2] == 'Z' || field[2] == 'X') return 0;
    // The state is field 3, the start time field 22.
    for (int number = 2; number < 22; number++) {
        field = strchr(field + 1, ' ');
        if (!field) return 0;
    }
    return strtoull(field + 1, NULL, 10);
#elif defined(__APPLE__)
    struct proc_bsdinfo info;
    if (proc_pidinfo(pid, PROC_PIDTBSDINFO, 0, &info, sizeof info) != sizeof info) return 0;
    return info.pbi_start_tvsec * 1000000 + info.pbi_start_tvusec;
#else
    (void)pid;
    return 0;
#endif
}

int farm_process_cookie(pid_t pid, char *cookie) {
#ifdef __linux__
    char digits[12], path[32] = "/proc/";
    char *digit = digits + sizeof digits;
    *--digit = 0;
    for (pid_t rest = pid; rest > 0; rest /= 10) *--digit = (char)('0' + rest % 10);
    strcat(strcat(path, digit), "/environ");
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    static const char key[] = FARM_COOKIE "=";
    const size_t key_length = sizeof key - 1;
    char bytes[16384];
    // Bytes read of the current variable, while it still matches the key.
    size_t at = 0;
    int differs = 0, length = -1;
    ssize_t count;
    while (length < 0 && (count = read(file, bytes, sizeof bytes)) > 0) {
        for (ssize_t i = 0; i < count && length < 0; i++) {
            char byte = bytes[i];
            if (byte == 0) {
                if (!differs && at >= key_length) {
                    cookie[at - key_length] = 0;
                    length = (int)(at - key_length);
                }
                at = 0;
                differs = 0;
            } else if (!differs && at < key_length) {
                differs = byte != key[at++];
            } else if (!differs) {
                cookie[at++ - key_length] = byte;
                differs = at - key_length >= FARM_COOKIE_MAX;
            }
        }
    }
    close(file);
    return length;
#else
    (void)pid;
    (void)cookie;
    return -1;
#endif
}

void farm_hide_variable(const char *name) {
    size_t length = strlen(name);
    for (char **entry = environ; entry && *entry; entry++) {
        if (strncmp(*entry, name, length) != 0 || (*entry)[length] != '=') continue;
        // Volatile, so that the compiler keeps these writes, although no code reads the bytes
        // again.
        for (volatile char *byte = *entry + length + 1; *byte; byte++) *byte = 0;
    }
    unsetenv(name);
}

int farm_hide_memory(void) {
#ifdef __linux__
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 ? 0 : -1;
#else
    return -1;
#endif
}

int farm_own_folder(const char *folder) {
    char path[4096], marked[4096];
    int made = snprintf(path, sizeof path, "%s/%s.new", folder, FARM_OWNER_FILE);
    if (made < 0 || (size_t)made >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    snprintf(marked, sizeof marked, "%s/%s", folder, FARM_OWNER_FILE);
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return -1;
    // Renamed only after it is locked, so no process ever sees an owner file that its owner does
    // not hold.
    if (flock(file, LOCK_EX | LOCK_NB) == 0 && rename(path, marked) == 0) return file;
    int code = errno;
    close(file);
    errno = code;
    return -1;
}

int farm_inherit_folder(const char *folder) {
    int place = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (place < 0) return -1;
    struct stat status;
    int file = -1;
    if (fstat(place, &status) == 0 && status.st_uid == geteuid()) {
        file = openat(place, FARM_OWNER_FILE, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    }
    close(place);
    if (file < 0) return -1;
    // A file without a name was removed by another process between these calls.
    if (flock(file, LOCK_EX | LOCK_NB) == 0 && fstat(file, &status) == 0 && status.st_nlink > 0) {
        return file;
    }
    close(file);
    return -1;
}

void farm_leave_folder(int owner) {
    // Closing alone would leave the lock to a child that was just forked, until its exec(2).
    flock(owner, LOCK_UN);
    close(owner);
}
