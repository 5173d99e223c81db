// Mutates PNG files so that they stay interesting. Plain mutation ends at the first checksum, so
// this one works inside: on the header's fields, on the inflated rows, and on the division into
// chunks. Then it usually writes correct checksums.
//
// An input is two files to compare: four bytes with the length of the first (big-endian), then
// both.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);

enum { STREAM_MAX = 1 << 18 };

static uint32_t big32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void put32(uint8_t *at, uint32_t value) {
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> (24 - 8 * i));
}

static uint32_t pick(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void close_chunk(uint8_t *at, const char *type, uint32_t length) {
    put32(at, length);
    memcpy(at + 4, type, 4);
    put32(at + 8 + length, (uint32_t)crc32(0, at + 4, length + 4));
}

// Joins all IDAT data of a file; returns 0 if there is none.
static size_t join(const uint8_t *file, size_t size, uint8_t *out, size_t room, size_t *first) {
    size_t used = 0;
    *first = 0;
    for (size_t at = 8; at + 12 <= size;) {
        uint32_t length = big32(file + at);
        if (length > size - at - 12) break;
        if (memcmp(file + at + 4, "IDAT", 4) == 0 && used + length <= room) {
            if (!*first) *first = at;
            memcpy(out + used, file + at + 8, length);
            used += length;
        }
        at += (size_t)length + 12;
    }
    return used;
}

// Inflates the rows, mutates them, deflates them and cuts them into chunks.
static size_t mutate_rows(uint8_t *file, size_t size, size_t room, uint32_t *seed) {
    static uint8_t packed[STREAM_MAX], rows[STREAM_MAX + 64];
    size_t first = 0, used = join(file, size, packed, sizeof packed, &first);
    uLongf count = STREAM_MAX;
    if (!first || uncompress(rows, &count, packed, used) != Z_OK || count == 0) return 0;
    size_t longest = pick(seed) % 8 ? count : count + 64;
    size_t mutated = LLVMFuzzerMutate(rows, count, longest);
    if (pick(seed) % 4) mutated = count;  // Mostly the rows that the header promises.
    if (pick(seed) % 2) rows[0] = (uint8_t)(pick(seed) % 6);
    uLongf packed_count = sizeof packed;
    static const int levels[] = {0, 1, 6, 9};
    if (compress2(packed, &packed_count, rows, mutated, levels[pick(seed) % 4]) != Z_OK) return 0;
    size_t at = first, from = 0;
    while (from < packed_count) {
        size_t piece = pick(seed) % 3 ? packed_count - from : 1 + pick(seed) % (packed_count - from);
        if (at + piece + 24 > room) return 0;
        memmove(file + at + 8, packed + from, piece);
        close_chunk(file + at, "IDAT", (uint32_t)piece);
        from += piece;
        at += piece + 12;
    }
    close_chunk(file + at, "IEND", 0);
    return at + 12;
}

static void mutate_header(uint8_t *file, uint32_t *seed) {
    static const uint8_t depths[] = {1, 2, 4, 8, 16, 3}, types[] = {0, 2, 3, 4, 6, 1};
    switch (pick(seed) % 5) {
    case 0: put32(file + 16, 1 + pick(seed) % 64); break;
    case 1: put32(file + 20, 1 + pick(seed) % 64); break;
    case 2: file[24] = depths[pick(seed) % 6]; break;
    case 3: file[25] = types[pick(seed) % 6]; break;
    default: file[26 + pick(seed) % 3] = (uint8_t)(pick(seed) % 3); break;
    }
}

static void mend(uint8_t *file, size_t size) {
    for (size_t at = 8; at + 12 <= size;) {
        uint32_t length = big32(file + at);
        if (length > size - at - 12) return;
        put32(file + at + 8 + length, (uint32_t)crc32(0, file + at + 4, length + 4));
        at += (size_t)length + 12;
    }
}

static size_t mutate_file(uint8_t *file, size_t size, size_t room, uint32_t *seed) {
    size_t changed = 0;
    if (size >= 57 && memcmp(file + 12, "IHDR", 4) == 0) {
        uint32_t way = pick(seed) % 8;
        if (way < 4) changed = mutate_rows(file, size, room, seed);
        else if (way < 6) {
            mutate_header(file, seed);
            changed = size;
        }
    }
    if (!changed) changed = LLVMFuzzerMutate(file, size, room);
    if (pick(seed) % 16) mend(file, changed);
    return changed;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned int random) {
    uint32_t seed = random | 1;
    if (size < 4 || big32(data) > size - 4 || pick(&seed) % 64 == 0)
        return LLVMFuzzerMutate(data, size, room);
    size_t first = big32(data), second = size - 4 - first;
    uint8_t *file = malloc(room);
    if (!file) return size;
    size_t changed;
    if (pick(&seed) % 2) {
        memcpy(file, data + 4, first);
        changed = mutate_file(file, first, room - 4 - second, &seed);
        memmove(data + 4 + changed, data + 4 + first, second);
        memcpy(data + 4, file, changed);
        put32(data, (uint32_t)changed);
        changed += second;
    } else {
        memcpy(file, data + 4 + first, second);
        changed = mutate_file(file, second, room - 4 - first, &seed);
        memcpy(data + 4 + first, file, changed);
        changed += first;
    }
    free(file);
    return changed + 4;
}
