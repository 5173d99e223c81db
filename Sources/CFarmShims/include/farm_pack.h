// The checksum and compressor for copying Git packs; libdeflate's are several times zlib's speed.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Continues a CRC-32 (0 to begin) over more bytes.
uint32_t farm_pack_crc32(uint32_t crc, const void *bytes, size_t count);

// Returns the most bytes that a zlib stream of `count` bytes can take.
size_t farm_pack_deflate_bound(size_t count);

// Writes a zlib stream of the bytes. Returns its size, or 0 if it does not fit or there is no
// memory.
size_t farm_pack_deflate(const void *bytes, size_t count, void *out, size_t capacity);

// Sets a file's time of last change, in nanoseconds since 1970. Returns 0, or -1 with errno.
int farm_pack_set_changed(const char *path, int64_t nanoseconds);
