// Loops over the pixels of two pictures of one size. Rows are compared as memory first: most rows
// of most pictures are equal, and then nothing else is computed.
#include "farm_pixels.h"

#include <string.h>

static uint32_t at32(const uint8_t *row, uint32_t x) {
    uint32_t value;
    memcpy(&value, row + (size_t)x * 4, 4);
    return value;
}

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

static uint32_t distance(uint8_t a, uint8_t b) { return a > b ? a - b : b - a; }

static uint32_t pixel_delta(const uint8_t *a, const uint8_t *b) {
    uint32_t delta = distance(a[0], b[0]);
    for (int i = 1; i < 4; i++) {
        uint32_t other = distance(a[i], b[i]);
        if (other > delta) delta = other;
    }
    return delta;
}

static void widen(struct farm_tile *tile, uint32_t x, uint32_t y) {
    if (tile->right == 0) {
        *tile = (struct farm_tile){x, y, x + 1, y + 1};
        return;
    }
    if (x < tile->left) tile->left = x;
    if (x + 1 > tile->right) tile->right = x + 1;
    if (y + 1 > tile->bottom) tile->bottom = y + 1;
}

struct farm_difference farm_pixels_differ(
    struct farm_picture a, struct farm_picture b, uint32_t width, uint32_t height,
    struct farm_tile *tiles) {
    struct farm_difference result = {0, 0};
    size_t across = ((size_t)width + FARM_TILE - 1) / FARM_TILE;
    for (uint32_t y = 0; y < height; y++) {
        if (row_equal(a, b, width, y)) continue;
        const uint8_t *ha = row_of(a.high, a, y), *hb = row_of(b.high, b, y);
        const uint8_t *la = row_of(low_of(a), a, y), *lb = row_of(low_of(b), b, y);
        for (uint32_t x = 0; x < width; x++) {
            if (at32(ha, x) == at32(hb, x) && at32(la, x) == at32(lb, x)) continue;
            result.differing++;
            uint32_t delta = pixel_delta(ha + (size_t)x * 4, hb + (size_t)x * 4);
            if (delta > result.largest_delta) result.largest_delta = delta;
            widen(&tiles[y / FARM_TILE * across + x / FARM_TILE], x, y);
        }
    }
    // Less than one 8-bit step is still a difference.
    if (result.differing && !result.largest_delta) result.largest_delta = 1;
    return result;
}

int farm_pixels_equal(
    struct farm_picture a, struct farm_picture b, uint32_t width, uint32_t height) {
    for (uint32_t y = 0; y < height; y++)
        if (!row_equal(a, b, width, y)) return 0;
    return 1;
}

void farm_pixels_draw(
    struct farm_picture a, struct farm_picture b, uint32_t width, uint32_t height,
    const uint8_t *colour, uint8_t *out, size_t out_stride) {
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *ha = row_of(a.high, a, y), *hb = row_of(b.high, b, y);
        const uint8_t *la = row_of(low_of(a), a, y), *lb = row_of(low_of(b), b, y);
        uint8_t *to = out + y * out_stride;
        for (uint32_t x = 0; x < width; x++, to += 4) {
            if (at32(ha, x) != at32(hb, x) || at32(la, x) != at32(lb, x)) {
                memcpy(to, colour, 4);
                continue;
            }
            const uint8_t *pixel = ha + (size_t)x * 4;
            // Luma in 1/256 (BT.601), then a quarter of its darkness on white.
            uint32_t luma = (77u * pixel[0] + 150u * pixel[1] + 29u * pixel[2]) >> 8;
            uint8_t grey = (uint8_t)(255 - (255 - luma) * pixel[3] / 255 / 4);
            to[0] = to[1] = to[2] = grey;
            to[3] = 255;
        }
    }
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
