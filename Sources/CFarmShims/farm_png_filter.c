// Undoes PNG's row filters in place: unfiltered rows, nine of ten from Apple's encoder, cost
// nothing. The vectors are an extension of clang: the same source is SSE on x86 and NEON on arm.
#include "farm_png.h"

#include <string.h>

typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint8_t bytes4 __attribute__((vector_size(4)));
typedef int16_t words4 __attribute__((vector_size(8)));

// Loads one pixel of three or four bytes. The fourth byte of a three-byte pixel is not its own and
// is never stored.
static inline words4 load(const uint8_t *at) {
    bytes4 value;
    memcpy(&value, at, 4);
    return __builtin_convertvector(value, words4);
}

static inline void store(uint8_t *at, words4 value, size_t pixel_bytes) {
    bytes4 narrow = __builtin_convertvector(value, bytes4);
    memcpy(at, &narrow, pixel_bytes);
}

static inline words4 choose(words4 mask, words4 yes, words4 no) {
    return (mask & yes) | (~mask & no);
}

// Undoes Sub four pixels at once: each becomes the sum of itself and all before it.
static void undo_sub_rgba(uint8_t *row, size_t count) {
    const bytes16 zero = {0};
    bytes16 carry = {0};
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        bytes16 v;
        memcpy(&v, row + i, 16);
        v += __builtin_shufflevector(
            zero, v, 0, 1, 2, 3, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27);
        v += __builtin_shufflevector(
            zero, v, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
        v += carry;
        memcpy(row + i, &v, 16);
        carry = __builtin_shufflevector(
            v, v, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15);
    }
    for (i = i < 4 ? 4 : i; i < count; i++) row[i] = (uint8_t)(row[i] + row[i - 4]);
}

static void undo_up(uint8_t *restrict row, const uint8_t *restrict above, size_t count) {
    for (size_t i = 0; i < count; i++) row[i] = (uint8_t)(row[i] + above[i]);
}

static inline void undo_average(
    uint8_t *row, const uint8_t *above, size_t count, size_t pixel_bytes) {
    words4 left = {0};
    for (size_t i = 0; i < count; i += pixel_bytes) {
        left = (load(row + i) + ((left + load(above + i)) >> 1)) & 255;
        store(row + i, left, pixel_bytes);
    }
}

static inline void undo_paeth(
    uint8_t *row, const uint8_t *above, size_t count, size_t pixel_bytes) {
    words4 left = {0}, corner = {0};
    for (size_t i = 0; i < count; i += pixel_bytes) {
        words4 up = load(above + i);
        words4 to_left = up - corner, to_up = left - corner;
        words4 to_corner = __builtin_elementwise_abs(to_left + to_up);
        to_left = __builtin_elementwise_abs(to_left);
        to_up = __builtin_elementwise_abs(to_up);
        words4 least =
            __builtin_elementwise_min(to_corner, __builtin_elementwise_min(to_left, to_up));
        words4 guess = choose(least == to_left, left, choose(least == to_up, up, corner));
        corner = up;
        left = (load(row + i) + guess) & 255;
        store(row + i, left, pixel_bytes);
    }
}

// Undoes one filter. `above` is the finished row above, or NULL for the first row, which means
// zeros. Returns 0 for a filter that does not exist.
static int undo(
    int filter, uint8_t *row, const uint8_t *above, size_t count, size_t pixel_bytes) {
    switch (filter) {
    case 0: return 1;
    case 1:
        if (pixel_bytes == 4) undo_sub_rgba(row, count);
        else
            for (size_t i = pixel_bytes; i < count; i++)
                row[i] = (uint8_t)(row[i] + row[i - pixel_bytes]);
        return 1;
    case 2:
        if (above) undo_up(row, above, count);
        return 1;
    case 3:
        if (!above)
            for (size_t i = pixel_bytes; i < count; i++)
                row[i] = (uint8_t)(row[i] + row[i - pixel_bytes] / 2);
        else if (pixel_bytes == 4) undo_average(row, above, count, 4);
        else undo_average(row, above, count, 3);
        return 1;
    case 4:
        // Without a row above, Paeth's prediction is the pixel to the left.
        if (!above) return undo(1, row, NULL, count, pixel_bytes);
        if (pixel_bytes == 4) undo_paeth(row, above, count, 4);
        else undo_paeth(row, above, count, 3);
        return 1;
    default: return 0;
    }
}

int farm_png_unfilter(uint8_t *stream, uint32_t width, uint32_t height, size_t pixel_bytes) {
    size_t count = (size_t)width * pixel_bytes;
    const uint8_t *above = NULL;
    for (uint32_t y = 0; y < height; y++) {
        uint8_t *row = stream + y * (count + 1) + 1;
        if (!undo(row[-1], row, above, count, pixel_bytes)) return 0;
        above = row;
    }
    return 1;
}

int farm_png_filters_exist(
    const uint8_t *stream, uint32_t width, uint32_t height, size_t pixel_bytes) {
    for (uint32_t y = 0; y < height; y++)
        if (stream[y * ((size_t)width * pixel_bytes + 1)] > 4) return 0;
    return 1;
}

int farm_png_unfilter_both(
    uint8_t *a, uint8_t *b, uint32_t width, uint32_t height, size_t pixel_bytes,
    uint8_t *flags, struct farm_rows *differing) {
    size_t count = (size_t)width * pixel_bytes;
    const uint8_t *above_a = NULL, *above_b = NULL;
    int same_above = 1;
    *differing = (struct farm_rows){0, 0, flags};
    for (uint32_t y = 0; y < height; y++) {
        uint8_t *row_a = a + y * (count + 1) + 1, *row_b = b + y * (count + 1) + 1;
        int filter = row_a[-1];
        // Rows are equal if their filtered bytes are equal and the rows above are.
        int same = same_above && memcmp(row_a - 1, row_b - 1, count + 1) == 0;
        if (!undo(filter, row_a, above_a, count, pixel_bytes)) return 0;
        if (same) {
            if (filter != 0) memcpy(row_b, row_a, count);
        } else {
            if (!undo(row_b[-1], row_b, above_b, count, pixel_bytes)) return 0;
            same = memcmp(row_a, row_b, count) == 0;
        }
        flags[y] = !same;
        if (!same) {
            if (differing->last == 0) differing->first = y;
            differing->last = y + 1;
        }
        same_above = same;
        above_a = row_a;
        above_b = row_b;
    }
    return 1;
}

void farm_png_widen(const uint8_t *stream, uint32_t width, uint32_t height, uint8_t *rows) {
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *row = stream + y * ((size_t)width * 3 + 1) + 1;
        uint8_t *to = rows + (size_t)y * width * 4;
        for (uint32_t x = 0; x < width; x++) {
            // A fourth byte is always there, because the stream has slack at its end; it is
            // replaced.
            memcpy(to + (size_t)x * 4, row + (size_t)x * 3, 4);
            to[(size_t)x * 4 + 3] = 255;
        }
    }
}
