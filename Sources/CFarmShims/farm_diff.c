// Draws the diff picture row by row: first the faded grey of a whole row, then its differences.
//
// The picture has so few colours that it is drawn and written as indices, one byte per pixel.
#include "farm_diff.h"

#include <string.h>

// The number of greys: fading keeps a quarter of each luma's darkness. The last grey is white.
#define GREYS 64
enum index { TINTED = GREYS, CHANGED = 2 * GREYS, ANTI_ALIASED, NOWHERE, HATCH, LEFT, REACHED };
_Static_assert(REACHED + 1 == FARM_DIFF_COLOURS, "all indices have a colour");

void farm_diff_palette(uint8_t *rgb) {
    static const uint8_t others[][4] = {
        FARM_DIFF_CHANGED, FARM_DIFF_ANTI_ALIASED, FARM_DIFF_NOWHERE, {96, 96, 96, 255},
        FARM_DIFF_LEFT, FARM_DIFF_REACHED};
    for (uint32_t i = 0; i < GREYS; i++) {
        uint32_t grey = 255 - GREYS + 1 + i;
        memset(rgb + (size_t)i * 3, (int)grey, 3);
        // A fifth of the changed colour, four fifths of the grey.
        uint8_t *tinted = rgb + (size_t)(TINTED + i) * 3;
        tinted[0] = tinted[2] = (uint8_t)((grey * 4 + 255) / 5);
        tinted[1] = (uint8_t)(grey * 4 / 5);
    }
    for (uint32_t i = CHANGED; i <= REACHED; i++)
        memcpy(rgb + (size_t)i * 3, others[i - CHANGED], 3);
}

// Returns the index of the faded grey: luma in 1/256 (BT.601), then a quarter of its darkness on
// white.
static uint8_t faded(const uint8_t *from) {
    uint32_t luma = (77u * from[0] + 150u * from[1] + 29u * from[2]) >> 8;
    return (uint8_t)(GREYS - 1 - (255 - luma) * from[3] / 255 / 4);
}

// Computes the grey once for each run of equal pixels, since neighbours are mostly equal.
static void fade(const uint8_t *from, uint8_t *to, uint32_t count) {
    uint32_t colour, next;
    memcpy(&colour, from, 4);
    uint8_t index = faded(from);
    for (uint32_t x = 0; x < count; x++, from += 4) {
        memcpy(&next, from, 4);
        if (next != colour) {
            colour = next;
            index = faded(from);
        }
        to[x] = index;
    }
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
        switch (classes[i]) {
        case FARM_SAME: break;
        case FARM_NOISE: to[i] += TINTED; break;
        case FARM_ANTI_ALIASED: to[i] = ANTI_ALIASED; break;
        case FARM_LEFT: to[i] = LEFT; break;
        case FARM_REACHED: to[i] = REACHED; break;
        case FARM_IGNORED:
            if (((left + i - y) & 7) < 2) to[i] = HATCH;
            break;
        default: to[i] = CHANGED;
        }
    }
}

// Draws columns left..<left + count of row y, which at most one of the pictures has.
static void draw_band(
    const struct farm_pair *pair, uint32_t left, uint32_t y, uint32_t count, uint8_t *to) {
    if (count == 0) return;
    const uint8_t *in_reference = farm_reference_at(pair, left, y);
    const uint8_t *in_capture = farm_capture_at(pair, left, y);
    if (!in_reference && !in_capture) {
        memset(to, NOWHERE, count);
        return;
    }
    fade(in_capture ? in_capture : in_reference, to, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t x = left + i, place = in_capture ? x + y : x - y;
        if ((place & 7) < 4) to[i] = CHANGED;
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
        draw_common(pair, classes, after, y, rest, to + after);
    } else {
        draw_band(pair, 0, y, columns->at, to);
        draw_band(pair, after, y, rest, to + after);
    }
    draw_band(pair, columns->at, y, band, to + columns->at);
}

void farm_diff_draw(
    const struct farm_pair *pair, const uint8_t *classes, uint32_t first, uint32_t count,
    uint8_t *out, size_t stride) {
    size_t width = farm_axis_length(&pair->columns);
    for (uint32_t i = 0; i < count; i++)
        draw_row(pair, classes + (first + i) * width, first + i, out + i * stride);
}

void farm_diff_colour(
    const uint8_t *palette, const uint8_t *indices, uint32_t count, uint8_t *rgba) {
    for (uint32_t i = 0; i < count; i++, rgba += 4) {
        memcpy(rgba, palette + (size_t)indices[i] * 3, 3);
        rgba[3] = 255;
    }
}
