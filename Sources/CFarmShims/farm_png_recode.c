// Writes pixels as the smallest PNG that we can make: fewest channels, the best of three ways to
// filter, deflate at its slowest level. The same input always gives the same bytes.
#include "farm_png.h"
#include "farm_png_write.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

static int paeth(int left, int up, int corner) {
    int toLeft = abs(up - corner), toUp = abs(left - corner);
    int toCorner = abs(left + up - 2 * corner);
    if (toLeft <= toUp && toLeft <= toCorner) return left;
    return toUp <= toCorner ? up : corner;
}

// Filters one row with one of PNG's five filters. Returns the sum of the bytes' distances from zero
// as signed values, libpng's estimate of how well the row compresses.
static uint64_t filter_row(
    int kind, const uint8_t *row, const uint8_t *above, size_t bytes, size_t step, uint8_t *to) {
    uint64_t sum = 0;
    to[0] = (uint8_t)kind;
    for (size_t i = 0; i < bytes; i++) {
        int left = i >= step ? row[i - step] : 0;
        int up = above ? above[i] : 0;
        int corner = above && i >= step ? above[i - step] : 0;
        int guess = 0;
        if (kind == 1) guess = left;
        else if (kind == 2) guess = up;
        else if (kind == 3) guess = (left + up) / 2;
        else if (kind == 4) guess = paeth(left, up, corner);
        uint8_t value = (uint8_t)(row[i] - guess);
        to[1 + i] = value;
        sum += value < 128 ? value : 256 - value;
    }
    return sum;
}

// Filters a picture; `way` is 0 for no filter, 1 for `Up`, 2 for the best filter of each row.
static void filter(
    int way, const uint8_t *rows, uint32_t height, size_t bytes, size_t step, uint8_t *trial,
    uint8_t *out) {
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *row = rows + y * bytes;
        const uint8_t *above = y > 0 ? row - bytes : NULL;
        uint8_t *to = out + y * (bytes + 1);
        if (way < 2) {
            filter_row(way == 0 ? 0 : 2, row, above, bytes, step, to);
            continue;
        }
        uint64_t best = UINT64_MAX;
        for (int kind = 0; kind < 5; kind++) {
            uint64_t sum = filter_row(kind, row, above, bytes, step, trial);
            if (sum >= best) continue;
            best = sum;
            memcpy(to, trial, bytes + 1);
        }
    }
}

size_t farm_png_recode_bound(uint32_t width, uint32_t height, size_t kept_bytes) {
    size_t raw = ((size_t)width * 4 + 1) * height;
    return 8 + 25 + 12 + 12 + kept_bytes + libdeflate_zlib_compress_bound(NULL, raw);
}

size_t farm_png_recode(
    const uint8_t *pixels, uint32_t width, uint32_t height, int may_be_grey,
    const uint8_t *kept, size_t kept_bytes, uint8_t *out, size_t room) {
    size_t count = (size_t)width * height;
    int grey = may_be_grey, opaque = 1;
    for (size_t i = 0; i < count && (grey || opaque); i++) {
        const uint8_t *at = pixels + i * 4;
        grey = grey && at[0] == at[1] && at[1] == at[2];
        opaque = opaque && at[3] == 255;
    }
    size_t step = (grey ? 1 : 3) + (opaque ? 0 : 1);
    size_t row_bytes = width * step;
    size_t raw = (row_bytes + 1) * height;
    size_t bound = libdeflate_zlib_compress_bound(NULL, raw);
    uint8_t *rows = malloc(row_bytes * height);
    uint8_t *trial = malloc(row_bytes + 1);
    uint8_t *filtered = malloc(raw);
    uint8_t *packed = malloc(bound);
    struct libdeflate_compressor *deflater = libdeflate_alloc_compressor(12);
    size_t best = 0;
    uint8_t *data = out + 8 + 25 + kept_bytes;
    size_t frame = 8 + 25 + 12 + 12 + kept_bytes;
    if (rows && trial && filtered && packed && deflater && room >= frame + bound) {
        for (size_t i = 0; i < count; i++) {
            const uint8_t *from = pixels + i * 4;
            uint8_t *to = rows + i * step;
            memcpy(to, from, grey ? 1 : 3);
            if (!opaque) to[step - 1] = from[3];
        }
        for (int way = 0; way < 3; way++) {
            filter(way, rows, height, row_bytes, step, trial, filtered);
            size_t size = libdeflate_zlib_compress(deflater, filtered, raw, packed, bound);
            if (size == 0 || (best != 0 && size >= best)) continue;
            best = size;
            memcpy(data + 8, packed, size);
        }
    }
    libdeflate_free_compressor(deflater);
    free(packed);
    free(filtered);
    free(trial);
    free(rows);
    if (best == 0) return 0;
    uint8_t type = (uint8_t)((grey ? 0 : 2) + (opaque ? 0 : 4));
    uint8_t *head_end = farm_put_head(out, width, height, type);
    if (kept_bytes > 0) memcpy(head_end, kept, kept_bytes);
    uint8_t *next = farm_close_chunk(data, "IDAT", best);
    return (size_t)(farm_close_chunk(next, "IEND", 0) - out);
}
