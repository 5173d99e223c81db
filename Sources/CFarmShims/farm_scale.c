// Scales a picture down; each pixel counts in one pixel of the result. Sums of 64 bits hold the
// largest picture whole: 255 * 255 * 100,000,000 pixels.
#include "farm_pixels.h"

#include <string.h>

// Returns the first of `from` pixels that counts in pixel i of `to`.
static uint32_t start(uint32_t i, uint32_t from, uint32_t to) {
    return (uint32_t)((uint64_t)i * from / to);
}

static void add(const uint8_t *row, uint32_t width, uint32_t to_width, uint64_t *sums) {
    uint32_t x = 0;
    for (uint32_t i = 0; i < to_width; i++, sums += 4)
        for (uint32_t end = start(i + 1, width, to_width); x < end; x++, row += 4) {
            uint32_t alpha = row[3];
            for (int c = 0; c < 3; c++) sums[c] += row[c] * alpha;
            sums[3] += alpha;
        }
}

static void average(
    const uint64_t *sums, uint32_t width, uint32_t to_width, uint32_t rows, uint8_t *to) {
    for (uint32_t i = 0; i < to_width; i++, sums += 4, to += 4) {
        uint64_t alpha = sums[3];
        uint64_t area =
            (uint64_t)(start(i + 1, width, to_width) - start(i, width, to_width)) * rows;
        for (int c = 0; c < 3; c++)
            to[c] = alpha ? (uint8_t)((sums[c] + alpha / 2) / alpha) : 0;
        to[3] = (uint8_t)((alpha + area / 2) / area);
    }
}

void farm_scale(
    struct farm_picture picture, uint32_t width, uint32_t height, uint32_t to_width,
    uint32_t to_height, uint64_t *sums, uint8_t *out) {
    for (uint32_t i = 0; i < to_height; i++, out += (size_t)to_width * 4) {
        uint32_t top = start(i, height, to_height), bottom = start(i + 1, height, to_height);
        memset(sums, 0, (size_t)to_width * 4 * sizeof *sums);
        for (uint32_t y = top; y < bottom; y++)
            add(picture.high + y * picture.stride, width, to_width, sums);
        average(sums, width, to_width, bottom - top, out);
    }
}
