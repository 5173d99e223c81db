// Classifies pixels. Equal rows are found with memcmp; every other step is a plain loop over bytes,
// which compilers turn into vector code.
#include "farm_class_rows.h"

#include <string.h>

// Pixels per step: so few that the scratch memory stays in the first-level cache.
#define CHUNK 256

static uint32_t at32(const uint8_t *bytes) {
    uint32_t value;
    memcpy(&value, bytes, 4);
    return value;
}

struct rows {
    const uint8_t *a, *b;
    // Lower halves; NULL if neither picture has any.
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

// A class combines two answers, so it is computed without a branch.
_Static_assert(
    FARM_SAME == 0 && FARM_NOISE == 1 && FARM_CHANGED == 3, "differs at all, and beyond the noise");
_Static_assert(
    (FARM_ANTI_ALIASED & 2) && !(FARM_IGNORED & 2), "the second bit is: beyond the noise");
#define BEYOND 2

// Each pixel as four bytes and as one number.
union samples {
    uint8_t bytes[CHUNK * 4];
    uint32_t pixels[CHUNK];
};

// Turns FARM_CHANGED into FARM_NOISE for translucent pixels that are alike when premultiplied.
static void blend(
    const uint8_t *a, const uint8_t *b, uint32_t count, uint8_t noise, uint8_t *classes) {
    if (noise == 0) return;
    uint8_t translucent = 0;
    for (uint32_t i = 0; i < count; i++)
        translucent |= (classes[i] == FARM_CHANGED) & ((a[i * 4 + 3] & b[i * 4 + 3]) != 255);
    if (!translucent) return;
    for (uint32_t i = 0; i < count; i++)
        if (classes[i] == FARM_CHANGED && farm_blended_alike(a + i * 4, b + i * 4, noise))
            classes[i] = FARM_NOISE;
}

// Writes the classes of `count` pixels from column `x` on.
static void classify(
    const struct rows *rows, uint32_t x, uint32_t count, uint8_t noise,
    uint8_t *restrict classes) {
    const uint8_t *restrict a = rows->a + (size_t)x * 4;
    const uint8_t *restrict b = rows->b + (size_t)x * 4;
    union samples differs, over;
    for (uint32_t i = 0; i < count * 4; i++) {
        uint8_t delta = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
        differs.bytes[i] = delta;
        over.bytes[i] = delta > noise;
    }
    for (uint32_t i = 0; i < count; i++)
        classes[i] = (uint8_t)((differs.pixels[i] != 0) + BEYOND * (over.pixels[i] != 0));
    blend(a, b, count, noise, classes);
    if (!rows->low_a) return;
    const uint8_t *low_a = rows->low_a + (size_t)x * 4, *low_b = rows->low_b + (size_t)x * 4;
    // Lower halves differ by less than one 8-bit step. That is a difference, but within any noise.
    for (uint32_t i = 0; i < count; i++)
        if (classes[i] == FARM_SAME && at32(low_a + i * 4) != at32(low_b + i * 4))
            classes[i] = noise == 0 ? FARM_CHANGED : FARM_NOISE;
}

size_t farm_class_count(const uint8_t *row, uint32_t width, uint8_t class) {
    size_t count = 0;
    for (uint32_t x = 0; x < width; x += CHUNK / 2) {
        uint32_t end = width - x < CHUNK / 2 ? width : x + CHUNK / 2;
        // CHUNK / 2 pixels at most: their count fits a byte, and bytes are added as vectors.
        uint8_t few = 0;
        for (uint32_t i = x; i < end; i++) few += row[i] == class;
        count += few;
    }
    return count;
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
    int equal = rules->flags
        ? !rules->flags[y]
        : memcmp(rows.a, rows.b, bytes) == 0
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

// Marks the changed pixels of a chunk that may lie on an edge. The middle of nine changed pixels
// does not, because no edge is that thick; this settles most pixels of a large change. The result
// is padded with zeros to a multiple of eight.
static void mark_edges(
    const uint8_t *above, const uint8_t *row, const uint8_t *below, uint32_t x, uint32_t count,
    uint32_t width, uint8_t *restrict edges) {
    uint8_t columns[CHUNK + 2] = {0};
    uint32_t first = x > 0 ? x - 1 : 0, last = x + count < width ? x + count + 1 : width;
    if (above && below)
        for (uint32_t i = first; i < last; i++)
            columns[i + 1 - x] = above[i] & row[i] & below[i] & BEYOND;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t thick = columns[i] & columns[i + 1] & columns[i + 2];
        edges[i] = (row[x + i] == FARM_CHANGED) & !thick;
    }
    for (uint32_t i = count; i % 8; i++) edges[i] = 0;
}

// Once more than one pixel in this many has changed, edges cannot alter the verdict. They are no
// longer looked for: they would be most of the cost of a large change.
#define CHANGED_ANYWAY 64

static int changed_anyway(const struct farm_class_rules *rules) {
    return rules->settled_changed > (size_t)rules->width * rules->height / CHANGED_ANYWAY;
}

void farm_class_settle(
    struct farm_class_rules *rules, uint32_t y, const uint8_t *above, uint8_t *row,
    const uint8_t *below) {
    static const uint8_t none[8] = {0};
    if (!rules->anti_aliasing || changed_anyway(rules)) return;
    uint8_t edges[CHUNK];
    for (uint32_t x = 0; x < rules->width; x += CHUNK) {
        uint32_t left = rules->width - x, count = left < CHUNK ? left : CHUNK;
        mark_edges(above, row, below, x, count, rules->width, edges);
        for (uint32_t i = 0; i < count; i++) {
            if (i % 8 == 0 && memcmp(edges + i, none, 8) == 0) {
                i += 7;
                continue;
            }
            if (edges[i] && farm_shape_kept(rules, x + i, y)) row[x + i] = FARM_ANTI_ALIASED;
        }
    }
    rules->settled_changed += farm_class_count(row, rules->width, FARM_CHANGED);
}

void farm_classes_fill(
    struct farm_picture a, struct farm_picture b, uint32_t width, uint32_t height,
    uint32_t noise, int anti_aliasing, const struct farm_box *ignored, size_t ignored_count,
    uint8_t *classes) {
    struct farm_class_rules rules = {
        a, b, width, height, noise, anti_aliasing, ignored, ignored_count, NULL, 0};
    for (uint32_t y = 0; y < height; y++)
        farm_class_row(&rules, y, classes + (size_t)y * width);
    for (uint32_t y = 0; y < height; y++) {
        uint8_t *row = classes + (size_t)y * width;
        if (!memchr(row, FARM_CHANGED, width)) continue;
        const uint8_t *above = y > 0 ? row - width : NULL;
        farm_class_settle(&rules, y, above, row, y + 1 < height ? row + width : NULL);
    }
}
