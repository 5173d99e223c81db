// What process trees need and Swift cannot say: calls that are variadic, and work between fork(2)
// and _exit(2), where no Swift may run.
#ifndef FARM_PROCESS_H
#define FARM_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

// The variable that names a process's owners: of each its mark and, of each but the last, the
// number of its child, as in `4026531836-17-90210.3.4026531836-44-90377.`.
#define FARM_COOKIE "SNAPFARM_COOKIE"

// Makes orphaned descendants of this process its own children instead of init's, so that it can
// find, end and reap them. Returns 0, or -1 where the system has no such thing.
int farm_become_subreaper(void);

// The number of the namespace that this process's ids belong to; 0 where there are none.
uint64_t farm_process_namespace(void);

// When a process began, as a number that no other process of this id has had since the machine
// started; 0 for one that is gone or has ended and waits to be reaped, and where nothing tells.
uint64_t farm_process_start(pid_t pid);

// Reads the cookie a process was started with into FARM_COOKIE_MAX bytes. Returns its length, or -1
// where it has none that fits, or may not be looked into, and always off Linux. Safe between fork(2)
// and _exit(2).
#define FARM_COOKIE_MAX 4096
int farm_process_cookie(pid_t pid, char *cookie);

// Overwrites the value of a variable in the block that /proc/<pid>/environ and ps(1) show, then
// forgets the variable. Copies made before are the caller's. Not beside other threads.
void farm_hide_variable(const char *name);

// Lets no other process of this user read the memory of this one, and writes no core file. Root
// still reads it. Returns 0, or -1 where the system has no such thing.
int farm_hide_memory(void);

// The cookie that every child of this process begins with. The first call starts the guard: a
// process that waits for the end of this one, however it ends, and then ends its children.
const char *farm_mark(void);

// The guard's process; -1 where it could not be started.
pid_t farm_guard_pid(void);

// From now on the guard ends this process group too. At most 4,096 at a time, the rest is not
// watched. Whoever watches one takes it back before its leader is reaped by somebody else.
void farm_guard_watch(pid_t group);
void farm_guard_release(pid_t group);

// The file in a temporary folder that its owner holds locked.
#define FARM_OWNER_FILE ".snapfarm-owner"

// Marks a folder as used until `farm_leave_folder`, at the latest until the end of this process.
// Returns -1 with errno where that cannot be.
int farm_own_folder(const char *folder);

// Takes over a marked folder whose owner is gone: returns the descriptor that now holds it. Returns
// -1 for a folder that has no mark, belongs to somebody else, or is still used.
int farm_inherit_folder(const char *folder);

// Gives up a folder that one of the two calls above returned: from now on nobody uses it.
void farm_leave_folder(int owner);

#endif
