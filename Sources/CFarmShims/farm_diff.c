// The diff picture, row by row: first the faded grey of a whole row, then what differs on it.
#include "farm_diff.h"

#include <string.h>

static const uint8_t changed_colour[4] = FARM_DIFF_CHANGED;
static const uint8_t anti_aliased_colour[4] = FARM_DIFF_ANTI_ALIASED;
static const uint8_t nowhere_colour[4] = FARM_DIFF_NOWHERE;
static const uint8_t hatch_colour[4] = {96, 96, 96, 255};

// Luma in 1/256 (BT.601), then a quarter of its darkness on white.
static void fade(const uint8_t *from, uint8_t *to, uint32_t count) {
    for (uint32_t x = 0; x < count; x++, from += 4, to += 4) {
        uint32_t luma = (77u * from[0] + 150u * from[1] + 29u * from[2]) >> 8;
        uint8_t grey = (uint8_t)(255 - (255 - luma) * from[3] / 255 / 4);
        to[0] = to[1] = to[2] = grey;
        to[3] = 255;
    }
}

static void fill(uint8_t *to, uint32_t count, const uint8_t *colour) {
    for (uint32_t x = 0; x < count; x++) memcpy(to + (size_t)x * 4, colour, 4);
}

// A fifth of the changed colour on the grey.
static void tint(uint8_t *pixel) {
    pixel[0] = pixel[2] = (uint8_t)((pixel[0] * 4 + 255) / 5);
    pixel[1] = (uint8_t)(pixel[1] * 4 / 5);
}

static int is_same(const uint8_t *classes) {
    uint64_t eight;
    memcpy(&eight, classes, 8);
    return eight == 0;
}

static void mark(const uint8_t *classes, uint32_t left, uint32_t y, uint32_t count, uint8_t *to) {
    for (uint32_t i = 0; i < count; i++) {
        if (i + 8 <= count && is_same(classes + i)) {
            i += 7;
            continue;
        }
        uint8_t *pixel = to + (size_t)i * 4;
        switch (classes[i]) {
        case FARM_SAME: break;
        case FARM_NOISE: tint(pixel); break;
        case FARM_ANTI_ALIASED: memcpy(pixel, anti_aliased_colour, 4); break;
        case FARM_IGNORED:
            if (((left + i - y) & 7) < 2) memcpy(pixel, hatch_colour, 4);
            break;
        default: memcpy(pixel, changed_colour, 4);
        }
    }
}

// Columns left..<left + count of row y, which only one picture has or neither.
static void draw_band(
    const struct farm_pair *pair, uint32_t left, uint32_t y, uint32_t count, uint8_t *to) {
    if (count == 0) return;
    const uint8_t *in_reference = farm_reference_at(pair, left, y);
    const uint8_t *in_capture = farm_capture_at(pair, left, y);
    if (!in_reference && !in_capture) {
        fill(to, count, nowhere_colour);
        return;
    }
    fade(in_capture ? in_capture : in_reference, to, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t x = left + i, place = in_capture ? x + y : x - y;
        if ((place & 7) < 4) memcpy(to + (size_t)i * 4, changed_colour, 4);
    }
}

static void draw_common(
    const struct farm_pair *pair, const uint8_t *classes, uint32_t left, uint32_t y,
    uint32_t count, uint8_t *to) {
    if (count == 0) return;
    fade(farm_reference_at(pair, left, y), to, count);
    mark(classes + left, left, y, count, to);
}

static void draw_row(
    const struct farm_pair *pair, const uint8_t *classes, uint32_t y, uint8_t *to) {
    const struct farm_axis *columns = &pair->columns;
    uint32_t band = columns->reference_only + columns->capture_only;
    uint32_t after = columns->at + band, rest = columns->common - columns->at;
    int both = farm_axis_in_reference(&pair->rows, y) != FARM_NOWHERE
        && farm_axis_in_capture(&pair->rows, y) != FARM_NOWHERE;
    if (both) {
        draw_common(pair, classes, 0, y, columns->at, to);
        draw_common(pair, classes, after, y, rest, to + (size_t)after * 4);
    } else {
        draw_band(pair, 0, y, columns->at, to);
        draw_band(pair, after, y, rest, to + (size_t)after * 4);
    }
    draw_band(pair, columns->at, y, band, to + (size_t)columns->at * 4);
}

void farm_diff_draw(
    const struct farm_pair *pair, const uint8_t *classes, uint32_t first, uint32_t count,
    uint8_t *out, size_t stride) {
    size_t width = farm_axis_length(&pair->columns);
    for (uint32_t i = 0; i < count; i++)
        draw_row(pair, classes + (first + i) * width, first + i, out + i * stride);
}
