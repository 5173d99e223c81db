// What process trees need and Swift cannot call: prctl(2) is variadic.
#ifndef FARM_PROCESS_H
#define FARM_PROCESS_H

// Makes orphaned descendants of this process its own children instead of init's, so that it can
// find, end and reap them. Returns 0, or -1 where the system has no such thing.
int farm_become_subreaper(void);

#endif
