// The costs of aligning pictures of different sizes. The pixels are read twice per axis, however
// many positions are possible; equal runs are found with memcmp.
#include "farm_align.h"

#include <string.h>

// The samples of one row; `low` is NULL if neither picture has lower halves.
struct row {
    const uint8_t *high, *low;
};

static struct row row_of(const struct farm_picture *picture, uint32_t y, int deep) {
    const uint8_t *low = picture->low ? picture->low : picture->high;
    return (struct row){
        picture->high + y * picture->stride, deep ? low + y * picture->stride : NULL};
}

static uint32_t at32(const uint8_t *row, uint32_t x) {
    uint32_t value;
    memcpy(&value, row + (size_t)x * 4, 4);
    return value;
}

// Counts the differing pixels of `n` columns, from `from_a` on in one row and from `from_b` on in
// the other.
static uint32_t differing(
    struct row a, uint32_t from_a, struct row b, uint32_t from_b, uint32_t n) {
    const uint8_t *ha = a.high + (size_t)from_a * 4, *hb = b.high + (size_t)from_b * 4;
    uint32_t count = 0;
    if (!a.low) {
        if (memcmp(ha, hb, (size_t)n * 4) == 0) return 0;
        for (uint32_t x = 0; x < n; x++) count += at32(ha, x) != at32(hb, x);
        return count;
    }
    const uint8_t *la = a.low + (size_t)from_a * 4, *lb = b.low + (size_t)from_b * 4;
    for (uint32_t x = 0; x < n; x++)
        count += at32(ha, x) != at32(hb, x) || at32(la, x) != at32(lb, x);
    return count;
}

void farm_align_rows(
    const struct farm_pair *pair, uint32_t reference_from, uint32_t capture_from,
    uint32_t *costs) {
    const struct farm_axis *columns = &pair->columns;
    int deep = pair->reference.low || pair->capture.low;
    uint32_t a = columns->at + columns->reference_only, b = columns->at + columns->capture_only;
    for (uint32_t i = 0; i < pair->rows.common; i++) {
        struct row one = row_of(&pair->reference, i + reference_from, deep);
        struct row other = row_of(&pair->capture, i + capture_from, deep);
        costs[i] = differing(one, 0, other, 0, columns->at)
            + differing(one, a, other, b, columns->common - columns->at);
    }
}

void farm_align_columns(
    const struct farm_pair *pair, uint32_t reference_from, uint32_t capture_from,
    uint32_t *costs) {
    int deep = pair->reference.low || pair->capture.low;
    uint32_t width = pair->columns.common, height = farm_axis_length(&pair->rows);
    for (uint32_t y = 0; y < height; y++) {
        uint32_t ya = farm_axis_in_reference(&pair->rows, y);
        uint32_t yb = farm_axis_in_capture(&pair->rows, y);
        if (ya == FARM_NOWHERE || yb == FARM_NOWHERE) continue;
        struct row a = row_of(&pair->reference, ya, deep), b = row_of(&pair->capture, yb, deep);
        const uint8_t *ha = a.high + (size_t)reference_from * 4;
        const uint8_t *hb = b.high + (size_t)capture_from * 4;
        if (!deep && memcmp(ha, hb, (size_t)width * 4) == 0) continue;
        for (uint32_t x = 0; x < width; x++) costs[x] += at32(ha, x) != at32(hb, x);
        if (!deep) continue;
        const uint8_t *la = a.low + (size_t)reference_from * 4;
        const uint8_t *lb = b.low + (size_t)capture_from * 4;
        for (uint32_t x = 0; x < width; x++)
            costs[x] += at32(ha, x) == at32(hb, x) && at32(la, x) != at32(lb, x);
    }
}

size_t farm_detail(struct farm_picture picture, uint32_t width, uint32_t height) {
    size_t count = 0;
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *row = picture.high + y * picture.stride;
        if (width < 2 || memcmp(row, row + 4, (size_t)(width - 1) * 4) == 0) continue;
        uint32_t found = 0;
        for (uint32_t x = 1; x < width; x++) found += at32(row, x) != at32(row, x - 1);
        count += found;
    }
    return count;
}
