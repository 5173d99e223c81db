// The fast checksum and compressor for copying Git packs; libdeflate's is several times zlib's.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Continues a CRC-32 (0 to begin) over more bytes.
uint32_t farm_pack_crc32(uint32_t crc, const void *bytes, size_t count);

// Bytes that a zlib stream of `count` bytes takes at most.
size_t farm_pack_deflate_bound(size_t count);

// Writes a zlib stream of the bytes; returns its size, or 0 where it does not fit or memory ends.
size_t farm_pack_deflate(const void *bytes, size_t count, void *out, size_t capacity);

// Restores the time of last change of a file, in nanoseconds since 1970. Returns 0, or -1 (errno).
int farm_pack_set_changed(const char *path, int64_t nanoseconds);
