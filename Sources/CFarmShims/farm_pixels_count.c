// Counts differing pixels, four at a time. This is the one loop whose speed shows in a run, because
// it runs over every picture that differs; where the pixels lie is found later, for failures only.
#include "farm_pixels.h"

#include <string.h>

typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint32_t pixels4 __attribute__((vector_size(16)));

struct count {
    pixels4 differing;
    bytes16 largest;
};

static inline bytes16 load(const uint8_t *at) {
    bytes16 value;
    memcpy(&value, at, 16);
    return value;
}

// Adds four pixels. The mask of a differing pixel is all ones, which is -1.
static inline void add(
    struct count *count, bytes16 a, bytes16 b, bytes16 low_a, bytes16 low_b) {
    bytes16 delta = __builtin_elementwise_max(a, b) - __builtin_elementwise_min(a, b);
    count->largest = __builtin_elementwise_max(count->largest, delta);
    pixels4 mask = (pixels4)((pixels4)a != (pixels4)b) | (pixels4)((pixels4)low_a != (pixels4)low_b);
    count->differing -= mask;
}

struct row {
    const uint8_t *high, *low;
};

static inline void add_row(
    struct count *count, struct row a, struct row b, size_t bytes, int deep) {
    size_t i = 0;
    for (; i + 16 <= bytes; i += 16) {
        bytes16 zero = {0};
        add(count, load(a.high + i), load(b.high + i), deep ? load(a.low + i) : zero,
            deep ? load(b.low + i) : zero);
    }
    if (i == bytes) return;
    uint8_t rest[4][16] = {{0}};
    memcpy(rest[0], a.high + i, bytes - i);
    memcpy(rest[1], b.high + i, bytes - i);
    memcpy(rest[2], a.low + i, bytes - i);
    memcpy(rest[3], b.low + i, bytes - i);
    add(count, load(rest[0]), load(rest[1]), load(rest[2]), load(rest[3]));
}

static struct row row_of(struct farm_picture picture, uint32_t y) {
    const uint8_t *low = picture.low ? picture.low : picture.high;
    return (struct row){picture.high + y * picture.stride, low + y * picture.stride};
}

struct farm_difference farm_pixels_count(
    struct farm_picture a, struct farm_picture b, uint32_t width, struct farm_rows rows) {
    struct farm_difference result = {0, 0};
    bytes16 largest = {0};
    size_t bytes = (size_t)width * 4;
    // If neither picture has lower halves, pixels differ only by the upper ones.
    int deep = a.low || b.low;
    for (uint32_t y = rows.first; y < rows.last; y++) {
        if (rows.flags && !rows.flags[y]) continue;
        struct row one = row_of(a, y), other = row_of(b, y);
        if (!rows.flags && memcmp(one.high, other.high, bytes) == 0
            && (!deep || memcmp(one.low, other.low, bytes) == 0))
            continue;
        struct count count = {{0}, largest};
        add_row(&count, one, other, bytes, deep);
        largest = count.largest;
        for (int i = 0; i < 4; i++) result.differing += count.differing[i];
    }
    for (int i = 0; i < 16; i++)
        if (largest[i] > result.largest_delta) result.largest_delta = largest[i];
    // A difference of less than one 8-bit step still counts as 1.
    if (result.differing && !result.largest_delta) result.largest_delta = 1;
    return result;
}
