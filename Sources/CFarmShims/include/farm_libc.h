#pragma once
// Calls that the Swift overlay of the C library does not show.
#include <spawn.h>

// Returns 0 once all bytes of the file system that `descriptor` lies on would survive a power cut;
// else -1 with errno. Off Linux it flushes that one file only.
int farm_flush_file_system(int descriptor);

// Makes a program that these actions start inherit no descriptor from `first` on, whoever opened
// it. Returns 0 or an error number; off Linux it does nothing, because a flag does the same there.
int farm_spawn_closes_from(posix_spawn_file_actions_t *actions, int first);

// Makes a program that these actions start begin in `folder`. Returns 0 or an error number.
int farm_spawn_starts_in(posix_spawn_file_actions_t *actions, const char *folder);

// A pipe that no program started later inherits: what is written to `ends[1]` is read from
// `ends[0]`. Returns 0, or -1 with errno.
int farm_pipe(int ends[2]);
