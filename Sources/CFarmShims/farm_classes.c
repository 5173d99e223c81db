// Classes of pixels. Equal rows are found as memory first; of the others each step is a plain loop
// over bytes, which compilers turn into vector code.
#include "farm_class_rows.h"

#include <string.h>

// Pixels of one step: its scratch stays in the first-level cache.
#define CHUNK 256

static uint32_t at32(const uint8_t *bytes) {
    uint32_t value;
    memcpy(&value, bytes, 4);
    return value;
}

struct rows {
    const uint8_t *a, *b;
    // Lower halves; NULL where neither picture has any.
    const uint8_t *low_a, *low_b;
};

static struct rows rows_of(const struct farm_class_rules *rules, uint32_t y) {
    struct farm_picture a = rules->a, b = rules->b;
    struct rows rows = {a.high + y * a.stride, b.high + y * b.stride, NULL, NULL};
    if (!a.low && !b.low) return rows;
    rows.low_a = (a.low ? a.low : a.high) + y * a.stride;
    rows.low_b = (b.low ? b.low : b.high) + y * b.stride;
    return rows;
}

// Classes of `count` pixels from `x` on.
static void classify(
    const struct rows *rows, uint32_t x, uint32_t count, uint8_t noise, uint8_t *classes) {
    const uint8_t *a = rows->a + (size_t)x * 4, *b = rows->b + (size_t)x * 4;
    uint8_t over[CHUNK * 4];
    for (uint32_t i = 0; i < count * 4; i++) {
        uint8_t delta = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
        over[i] = delta > noise;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint8_t small = at32(a + i * 4) != at32(b + i * 4) ? FARM_NOISE : FARM_SAME;
        classes[i] = at32(over + i * 4) ? FARM_CHANGED : small;
    }
    if (!rows->low_a) return;
    const uint8_t *low_a = rows->low_a + (size_t)x * 4, *low_b = rows->low_b + (size_t)x * 4;
    // Less than one 8-bit step is a difference, as everywhere, and no more than noise.
    for (uint32_t i = 0; i < count; i++)
        if (classes[i] == FARM_SAME && at32(low_a + i * 4) != at32(low_b + i * 4))
            classes[i] = noise == 0 ? FARM_CHANGED : FARM_NOISE;
}

static void ignore(const struct farm_class_rules *rules, uint32_t y, uint8_t *row) {
    for (size_t i = 0; i < rules->ignored_count; i++) {
        const struct farm_box *box = rules->ignored + i;
        if (y < box->top || y >= box->bottom) continue;
        uint32_t right = box->right < rules->width ? box->right : rules->width;
        if (box->left < right) memset(row + box->left, FARM_IGNORED, right - box->left);
    }
}

int farm_class_row(const struct farm_class_rules *rules, uint32_t y, uint8_t *row) {
    struct rows rows = rows_of(rules, y);
    size_t bytes = (size_t)rules->width * 4;
    int equal = memcmp(rows.a, rows.b, bytes) == 0
        && (!rows.low_a || memcmp(rows.low_a, rows.low_b, bytes) == 0);
    if (equal) {
        memset(row, FARM_SAME, rules->width);
        ignore(rules, y, row);
        return 0;
    }
    uint8_t noise = rules->noise < 255 ? (uint8_t)rules->noise : 255;
    for (uint32_t x = 0; x < rules->width; x += CHUNK) {
        uint32_t left = rules->width - x;
        classify(&rows, x, left < CHUNK ? left : CHUNK, noise, row + x);
    }
    ignore(rules, y, row);
    return 1;
}

static int beyond(uint8_t class) { return class == FARM_CHANGED || class == FARM_ANTI_ALIASED; }

// Three changed pixels of a column.
static int column(const uint8_t *above, const uint8_t *row, const uint8_t *below, uint32_t x) {
    return beyond(above[x]) && beyond(row[x]) && beyond(below[x]);
}

// In the middle of nine changed pixels: no edge is as thick, and most pixels of a large change are
// settled by this alone.
static int thick(
    const uint8_t *above, const uint8_t *row, const uint8_t *below, uint32_t x, uint32_t width) {
    if (!above || !below || x == 0 || x + 1 == width) return 0;
    return column(above, row, below, x) && column(above, row, below, x - 1)
        && column(above, row, below, x + 1);
}

size_t farm_class_settle(
    const struct farm_class_rules *rules, uint32_t y, const uint8_t *above, uint8_t *row,
    const uint8_t *below) {
    if (!rules->anti_aliasing) return 0;
    size_t settled = 0;
    for (uint32_t x = 0; x < rules->width; x++) {
        if (row[x] != FARM_CHANGED || thick(above, row, below, x, rules->width)) continue;
        if (!farm_shape_kept(rules, x, y)) continue;
        row[x] = FARM_ANTI_ALIASED;
        settled++;
    }
    return settled;
}

void farm_classes_fill(
    struct farm_picture a, struct farm_picture b, uint32_t width, uint32_t height,
    uint32_t noise, int anti_aliasing, const struct farm_box *ignored, size_t ignored_count,
    uint8_t *classes) {
    struct farm_class_rules rules = {
        a, b, width, height, noise, anti_aliasing, ignored, ignored_count};
    for (uint32_t y = 0; y < height; y++)
        farm_class_row(&rules, y, classes + (size_t)y * width);
    for (uint32_t y = 0; y < height; y++) {
        uint8_t *row = classes + (size_t)y * width;
        if (!memchr(row, FARM_CHANGED, width)) continue;
        const uint8_t *above = y > 0 ? row - width : NULL;
        farm_class_settle(&rules, y, above, row, y + 1 < height ? row + width : NULL);
    }
}
