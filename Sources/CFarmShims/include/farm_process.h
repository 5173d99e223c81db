// Process calls that Swift cannot make: variadic ones, and work between fork(2) and _exit(2), where
// no Swift may run.
#ifndef FARM_PROCESS_H
#define FARM_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

// The variable that names a process's owners: the mark of each owner, after each mark but the last
// the number of the owner's child, as in `4026531836-17-90210.3.4026531836-44-90377.`.
#define FARM_COOKIE "SNAPFARM_COOKIE"

// Makes this process, instead of init, the parent of its orphaned descendants, so that it can find,
// end and reap them. Returns 0, or -1 if the system does not support this.
int farm_become_subreaper(void);

// Returns the number of this process's PID namespace, or 0 if there is none.
uint64_t farm_process_namespace(void);

// Returns when a process began, as a number that no other process of this id has had since the
// machine started. Returns 0 if the process is gone, has ended and waits to be reaped, or its start
// cannot be found.
uint64_t farm_process_start(pid_t pid);

// Reads the cookie that a process was started with into FARM_COOKIE_MAX bytes. Returns its length,
// or -1 if the process has none that fits or may not be read; always -1 off Linux. Safe between
// fork(2) and _exit(2).
#define FARM_COOKIE_MAX 4096
int farm_process_cookie(pid_t pid, char *cookie);

// Overwrites the value of a variable in the block that /proc/<pid>/environ and ps(1) show, then
// unsets the variable. Copies made before remain. Not safe beside other threads.
void farm_hide_variable(const char *name);

// Keeps other processes of this user from reading this one's memory, and disables core files. Root
// can still read it. Returns 0, or -1 if the system does not support this.
int farm_hide_memory(void);

// Returns the text that the cookie of every child of this process begins with. The first call
// starts the guard: a process that waits for the end of this one, for whatever reason, and then
// kills its children.
const char *farm_mark(void);

// Returns the guard's process id, or -1 if it could not be started.
pid_t farm_guard_pid(void);

// Makes the guard kill this process group too when this process ends. Groups beyond 4,096 at a time
// are not watched. The caller releases a group when its leader has been reaped, because the id may
// then be used again.
void farm_guard_watch(pid_t group);
void farm_guard_release(pid_t group);

// The file by which an owner holds a temporary folder, by a lock on it.
#define FARM_OWNER_FILE ".snapfarm-owner"

// Marks a folder as used until `farm_leave_folder`, or until this process ends. Returns the
// descriptor that holds it, or -1 with errno.
int farm_own_folder(const char *folder);

// Takes over a marked folder whose owner is gone. Returns the descriptor that now holds it, or -1
// if the folder has no mark, belongs to another user, or is still used.
int farm_inherit_folder(const char *folder);

// Releases the folder that a descriptor of one of the two calls above holds.
void farm_leave_folder(int owner);

#endif
