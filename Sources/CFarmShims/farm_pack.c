#define _GNU_SOURCE
#include "farm_pack.h"

#include <fcntl.h>
#include <libdeflate.h>
#include <sys/stat.h>

// Trees and commits are small; level 6 is Git's own default.
static const int level = 6;

uint32_t farm_pack_crc32(uint32_t crc, const void *bytes, size_t count) {
    return libdeflate_crc32(crc, bytes, count);
}

size_t farm_pack_deflate_bound(size_t count) { return libdeflate_zlib_compress_bound(NULL, count); }

size_t farm_pack_deflate(const void *bytes, size_t count, void *out, size_t capacity) {
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(level);
    if (compressor == NULL) return 0;
    size_t size = libdeflate_zlib_compress(compressor, bytes, count, out, capacity);
    libdeflate_free_compressor(compressor);
    return size;
}

int farm_pack_set_changed(const char *path, int64_t nanoseconds) {
    struct timespec times[2];
    times[0].tv_sec = 0;
    times[0].tv_nsec = UTIME_OMIT;
    times[1].tv_sec = nanoseconds / 1000000000;
    times[1].tv_nsec = nanoseconds % 1000000000;
    return utimensat(AT_FDCWD, path, times, 0);
}
