// Loops over the pixels of two pictures of one size. Rows are compared with memcmp first: most rows
// of most pictures are equal and need nothing else.
#include "farm_pixels.h"

#include <string.h>

static const uint8_t *row_of(const uint8_t *start, struct farm_picture picture, uint32_t y) {
    return start + y * picture.stride;
}

static const uint8_t *low_of(struct farm_picture picture) {
    return picture.low ? picture.low : picture.high;
}

static int row_equal(
    struct farm_picture a, struct farm_picture b, uint32_t width, uint32_t y) {
    size_t bytes = (size_t)width * 4;
    if (memcmp(row_of(a.high, a, y), row_of(b.high, b, y), bytes) != 0) return 0;
    if (!a.low && !b.low) return 1;
    return memcmp(row_of(low_of(a), a, y), row_of(low_of(b), b, y), bytes) == 0;
}

int farm_pixels_equal(
    struct farm_picture a, struct farm_picture b, uint32_t width, uint32_t height) {
    for (uint32_t y = 0; y < height; y++)
        if (!row_equal(a, b, width, y)) return 0;
    return 1;
}

static int plane_flat(const uint8_t *plane, size_t stride, uint32_t width, uint32_t height) {
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *row = plane + y * stride;
        if (memcmp(plane, row, 4) != 0 || memcmp(row, row + 4, ((size_t)width - 1) * 4) != 0)
            return 0;
    }
    return 1;
}

int farm_pixels_flat(struct farm_picture picture, uint32_t width, uint32_t height) {
    return plane_flat(picture.high, picture.stride, width, height)
        && (!picture.low || plane_flat(picture.low, picture.stride, width, height));
}

int farm_bytes_equal(const uint8_t *a, const uint8_t *b, size_t count) {
    return memcmp(a, b, count) == 0;
}
