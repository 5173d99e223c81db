// Reference, capture and diff side by side, scaled down. Each pixel of a picture counts in one
// pixel of its panel, and a changed pixel colours its whole place in the diff. Rows are drawn one
// at a time, so no memory of the pictures' size is needed.
#include "farm_diff.h"

#include <string.h>

static const uint8_t nowhere_colour[4] = FARM_DIFF_NOWHERE;
static const uint8_t gap_colour[4] = {64, 64, 64, 255};

// Blends a picture's row onto a light chequerboard, as viewers show pictures with transparency.
static void flatten(
    const struct farm_picture *picture, uint32_t width, uint32_t y, uint8_t *to) {
    const uint8_t *from = farm_picture_at(picture, 0, y);
    for (uint32_t x = 0; x < width; x++, from += 4, to += 4) {
        uint32_t alpha = from[3], paper = ((x ^ y) & 8) ? 255 : 238;
        for (int i = 0; i < 3; i++)
            to[i] = (uint8_t)((from[i] * alpha + paper * (255 - alpha) + 127) / 255);
        to[3] = 255;
    }
}

// Draws row y of one picture at the top left corner of the canvas.
static void place(
    const struct farm_picture *picture, uint32_t width, uint32_t height, uint32_t y,
    uint32_t canvas, uint8_t *row) {
    uint32_t covered = y < height ? width : 0;
    if (covered) flatten(picture, covered, y, row);
    for (uint32_t x = covered; x < canvas; x++) memcpy(row + (size_t)x * 4, nowhere_colour, 4);
}

static void panel_row(
    const struct farm_pair *pair, const uint8_t *classes, const uint8_t *palette, int panel,
    uint32_t y, uint8_t *row) {
    const struct farm_axis *columns = &pair->columns, *rows = &pair->rows;
    uint32_t canvas = farm_axis_length(columns);
    if (panel == 0)
        place(&pair->reference, columns->common + columns->reference_only,
            rows->common + rows->reference_only, y, canvas, row);
    else if (panel == 1)
        place(&pair->capture, columns->common + columns->capture_only,
            rows->common + rows->capture_only, y, canvas, row);
    else {
        // Indices lie in the last quarter of the row: no colour overwrites an index still to be
        // read.
        uint8_t *indices = row + (size_t)canvas * 3;
        farm_diff_draw(pair, classes, y, 1, indices, 0);
        farm_diff_colour(palette, indices, canvas, row);
    }
}

// Returns the first of `from` pixels that counts in pixel i of `to`.
static uint32_t start(uint32_t i, uint32_t from, uint32_t to) {
    return (uint32_t)((uint64_t)i * from / to);
}

static void add(const uint8_t *row, uint32_t canvas, uint32_t width, uint64_t *sums) {
    uint32_t x = 0;
    for (uint32_t i = 0; i < width; i++, sums += 4)
        for (uint32_t end = start(i + 1, canvas, width); x < end; x++)
            for (int c = 0; c < 3; c++) sums[c] += row[(size_t)x * 4 + c];
}

// Classes that averaging must not hide in the diff; the largest one of a place is shown.
enum kept { NOTHING, ANTI_ALIASED, LEFT, REACHED, CHANGED };
static const uint8_t kept_colours[][4] = {
    [ANTI_ALIASED] = FARM_DIFF_ANTI_ALIASED, [LEFT] = FARM_DIFF_LEFT,
    [REACHED] = FARM_DIFF_REACHED, [CHANGED] = FARM_DIFF_CHANGED};

static enum kept kept(uint8_t class) {
    switch (class) {
    case FARM_ANTI_ALIASED: return ANTI_ALIASED;
    case FARM_LEFT: return LEFT;
    case FARM_REACHED: return REACHED;
    case FARM_CHANGED: return CHANGED;
    default: return NOTHING;
    }
}

// Notes the largest class of each place in the fourth sum.
static void note(const uint8_t *classes, uint32_t canvas, uint32_t width, uint64_t *sums) {
    uint32_t x = 0;
    for (uint32_t i = 0; i < width; i++, sums += 4)
        for (uint32_t end = start(i + 1, canvas, width); x < end; x++) {
            enum kept here = kept(classes[x]);
            if (here > sums[3]) sums[3] = here;
        }
}

static void average(
    const uint64_t *sums, uint32_t canvas, uint32_t width, uint32_t rows, uint8_t *to) {
    for (uint32_t i = 0; i < width; i++, sums += 4, to += 4) {
        uint64_t area = (uint64_t)(start(i + 1, canvas, width) - start(i, canvas, width)) * rows;
        for (int c = 0; c < 3; c++) to[c] = (uint8_t)((sums[c] + area / 2) / area);
        to[3] = 255;
        if (sums[3]) memcpy(to, kept_colours[sums[3]], 4);
    }
}

void farm_three_up(
    const struct farm_pair *pair, const uint8_t *classes, uint32_t width, uint32_t height,
    uint32_t gap, uint8_t *row, uint64_t *sums, uint8_t *out, size_t stride) {
    uint32_t canvas = farm_axis_length(&pair->columns), rows = farm_axis_length(&pair->rows);
    uint8_t palette[FARM_DIFF_COLOURS * 3];
    farm_diff_palette(palette);
    for (uint32_t i = 0; i < height; i++, out += stride) {
        uint32_t top = start(i, rows, height), bottom = start(i + 1, rows, height);
        uint8_t *to = out;
        for (int panel = 0; panel < 3; panel++) {
            memset(sums, 0, (size_t)width * 4 * sizeof *sums);
            for (uint32_t y = top; y < bottom; y++) {
                panel_row(pair, classes, palette, panel, y, row);
                add(row, canvas, width, sums);
                if (panel == 2) note(classes + (size_t)y * canvas, canvas, width, sums);
            }
            average(sums, canvas, width, bottom - top, to);
            to += (size_t)width * 4;
            for (uint32_t x = 0; panel < 2 && x < gap; x++, to += 4) memcpy(to, gap_colour, 4);
        }
    }
}
