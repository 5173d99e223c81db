// Functions of libgit2 and zlib that Swift cannot call: variadic options, and the checksum of a
// zlib stream. git2.h stays out of this header, because Swift gets its types from CGit2 alone.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Sets libgit2's process-wide options: strict hashes, durable writes, no owner check (in a
// container, a checkout often belongs to another user), the limits of mapped pack memory in bytes,
// and which extensions a repository may have (`extensions.*`, gitrepository-layout(5)). Returns 0,
// or libgit2's error code.
int farm_git_set_options(size_t window_bytes, size_t mapped_bytes);

// Returns the Adler-32 checksum that ends a zlib stream.
uint32_t farm_git_adler32(const void *bytes, size_t count);
