#pragma once
// Calls of the C library that its Swift overlay does not offer.
#include <spawn.h>

// Flushes the file system that `descriptor` lies on, so that all its bytes survive a power cut; off
// Linux, only that one file. Returns 0, or -1 with errno.
int farm_flush_file_system(int descriptor);

// Keeps a program that these actions start from inheriting any descriptor from `first` on. Returns
// 0 or an error number. Off Linux it does nothing, because POSIX_SPAWN_CLOEXEC_DEFAULT does the
// same.
int farm_spawn_closes_from(posix_spawn_file_actions_t *actions, int first);

// Starts the program of these actions in `folder`. Returns 0 or an error number.
int farm_spawn_starts_in(posix_spawn_file_actions_t *actions, const char *folder);

// Opens a pipe that no program started later inherits: bytes written to `ends[1]` are read from
// `ends[0]`. Returns 0, or -1 with errno.
int farm_pipe(int ends[2]);
