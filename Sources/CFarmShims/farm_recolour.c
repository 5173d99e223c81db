// Finds recolourings in three passes: count the pairs of colours at changed pixels; check the
// frequent ones; explain each changed pixel by them.
#include "farm_palette.h"

#include <stdlib.h>
#include <string.h>

// The probes of a table; a pair without a place is not counted, so it is no recolouring.
#define PROBES 8
// The fewest pixels of a recolouring, and the most pairs that are checked.
#define PIXELS_MIN 12
#define CANDIDATES 48
// The fewest pixels of an unchanged colour.
#define STEADY_MIN 4
// The fewest pixels of a tint: a blend that covers areas and blends with other colours itself.
#define TINT_PIXELS_MIN 64

static int is_changed(uint8_t class) { return class == FARM_CHANGED || class == FARM_ANTI_ALIASED; }

// Returns the place of a pair of colours, a free one for a new pair, or NULL if there is no room.
static struct farm_colours *place(
    struct farm_colours *table, const uint8_t *from, const uint8_t *to) {
    uint64_t key = ((uint64_t)number(from) << 32 | number(to)) * 0x9E3779B97F4A7C15u;
    for (uint32_t i = 0; i < PROBES; i++) {
        struct farm_colours *at = &table[((key >> 40) + i) % FARM_PAIRS];
        if (at->count == 0) {
            memcpy(at->from, from, 4);
            memcpy(at->to, to, 4);
            return at;
        }
        if (number(at->from) == number(from) && number(at->to) == number(to)) return at;
    }
    return NULL;
}

static int by_count(const void *one, const void *other) {
    const struct farm_colours *a = one, *b = other;
    if (a->count != b->count) return a->count < b->count ? 1 : -1;
    int order = memcmp(a->from, b->from, 4);
    return order ? order : memcmp(a->to, b->to, 4);
}

// The longest first: the blends of a recolouring are shorter than it.
static int by_length(const void *one, const void *other) {
    const struct farm_colours *a = one, *b = other;
    int lengths = distance(b->from, b->to) - distance(a->from, a->to);
    return lengths ? lengths : by_count(one, other);
}

static const int beside[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};

// Returns the class of the pixel on side `i` of another, or FARM_IGNORED outside the canvas.
static uint8_t class_beside(
    const struct farm_pair *pair, const uint8_t *classes, uint32_t x, uint32_t y, int i) {
    uint32_t width = farm_axis_length(&pair->columns), height = farm_axis_length(&pair->rows);
    int64_t to_x = (int64_t)x + beside[i][0], to_y = (int64_t)y + beside[i][1];
    if (to_x < 0 || to_y < 0 || to_x >= width || to_y >= height) return FARM_IGNORED;
    return classes[(size_t)to_y * width + (size_t)to_x];
}

// Whether a pixel is unchanged and beside a changed one: what changed may blend with it. Runs for most
// pixels of a picture, so the sides are written out.
static int is_rim(
    const uint8_t *classes, uint32_t width, uint32_t height, uint32_t x, uint32_t y) {
    const uint8_t *here = classes + (size_t)y * width + x;
    if (*here != FARM_SAME) return 0;
    return (x > 0 && is_changed(here[-1])) || (x + 1 < width && is_changed(here[1])) ||
           (y > 0 && is_changed(*(here - width))) || (y + 1 < height && is_changed(here[width]));
}

static int has_changed(const uint8_t *row, uint32_t width) {
    return memchr(row, FARM_CHANGED, width) || memchr(row, FARM_ANTI_ALIASED, width);
}

// Counts the pairs of changed pixels, or (`steady`) the colours of the rim, and writes the most
// frequent ones.
static size_t count_pairs(
    const struct farm_pair *pair, const uint8_t *classes, int steady, struct farm_colours *table,
    struct farm_colours *most, size_t room) {
    uint32_t width = farm_axis_length(&pair->columns), height = farm_axis_length(&pair->rows);
    memset(table, 0, FARM_PAIRS * sizeof *table);
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *row = classes + (size_t)y * width;
        int is_near = has_changed(row, width) || (steady && y > 0 && has_changed(row - width, width)) ||
                      (steady && y + 1 < height && has_changed(row + width, width));
        if (!is_near) continue;
        struct farm_colours *last = NULL;
        for (uint32_t x = 0; x < width; x++) {
            if (steady ? !is_rim(classes, width, height, x, y) : !is_changed(row[x])) continue;
            const uint8_t *from = farm_reference_at(pair, x, y);
            const uint8_t *to = farm_capture_at(pair, x, y);
            if (!from || !to) continue;
            if (!last || number(last->from) != number(from) || number(last->to) != number(to))
                last = place(table, from, to);
            if (last) last->count++;
        }
    }
    size_t count = 0, least = steady ? STEADY_MIN : PIXELS_MIN;
    for (uint32_t i = 0; i < FARM_PAIRS; i++)
        if (table[i].count >= least) table[count++] = table[i];
    qsort(table, count, sizeof *table, by_count);
    if (count > room) count = room;
    memcpy(most, table, count * sizeof *most);
    return count;
}

// The pixels around which a pair of colours is checked.
struct evidence {
    // All pixels of the first colour, and those of them that became the second.
    size_t all, recoloured;
    // Unchanged pixels beside the recoloured shape, and those with one of its colours.
    size_t rim, rim_alike;
};

static void look_at_rim(
    const struct farm_pair *pair, const uint8_t *classes, uint32_t x, uint32_t y,
    const struct farm_colours *colours, struct evidence *evidence) {
    for (int i = 0; i < 4; i++) {
        if (class_beside(pair, classes, x, y, i) != FARM_SAME) continue;
        const uint8_t *here = farm_capture_at(
            pair, (uint32_t)((int64_t)x + beside[i][0]), (uint32_t)((int64_t)y + beside[i][1]));
        if (!here) continue;
        evidence->rim++;
        evidence->rim_alike +=
            number(here) == number(colours->from) || number(here) == number(colours->to);
    }
}

// Collects the evidence about every candidate in one pass.
static void collect(
    const struct farm_pair *pair, const uint8_t *classes, const struct farm_colours *candidates,
    size_t count, struct evidence *evidence) {
    uint32_t width = farm_axis_length(&pair->columns), height = farm_axis_length(&pair->rows);
    // The candidates of the last pixel's colour: neighbours mostly have the same one.
    size_t alike[CANDIDATES], alike_count = 0;
    const uint8_t *last = NULL;
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *row = classes + (size_t)y * width;
        for (uint32_t x = 0; x < width; x++) {
            const uint8_t *from = farm_reference_at(pair, x, y);
            const uint8_t *to = farm_capture_at(pair, x, y);
            if (!from || !to) continue;
            if (!last || number(last) != number(from)) {
                alike_count = 0;
                for (size_t i = 0; i < count; i++)
                    if (number(candidates[i].from) == number(from)) alike[alike_count++] = i;
                last = from;
            }
            for (size_t i = 0; i < alike_count; i++) evidence[alike[i]].all++;
            if (!is_changed(row[x])) continue;
            for (size_t i = 0; i < count; i++) {
                int is_from = number(from) == number(candidates[i].from);
                int is_to = number(to) == number(candidates[i].to);
                evidence[i].recoloured += is_from && is_to;
                if (is_from || is_to)
                    look_at_rim(pair, classes, x, y, &candidates[i], &evidence[i]);
            }
        }
    }
}

// Chooses the candidates that are recolourings. A blend of longer ones is no recolouring of its
// own, but a tint of one.
static void choose(
    struct farm_palette *palette, const struct farm_colours *candidates, size_t count,
    const struct evidence *evidence) {
    for (size_t i = 0; i < count && palette->flat_count < FARM_FLATS; i++) {
        const struct evidence *here = &evidence[i];
        if (here->recoloured * 4 < here->all * 3 || here->rim_alike * 10 > here->rim) continue;
        const struct farm_flat *longer =
            farm_flat_explaining(palette, candidates[i].from, candidates[i].to);
        if (longer && here->recoloured < TINT_PIXELS_MIN) continue;
        if (!longer) longer = farm_flat_tinted_by(palette, candidates[i].from, candidates[i].to);
        if (!longer && palette->count == FARM_RECOLOURS) continue;
        struct farm_flat *flat = &palette->flats[palette->flat_count];
        memcpy(flat->from, candidates[i].from, 4);
        memcpy(flat->to, candidates[i].to, 4);
        flat->number = longer ? longer->number : palette->count;
        palette->flat_count++;
        if (longer) continue;
        struct farm_recolour *found = &palette->found[palette->count++];
        memcpy(found->from, flat->from, 4);
        memcpy(found->to, flat->to, 4);
        found->pixels = 0;
    }
}

// While pixels are explained, the class of an explained one is EXPLAINED, the number of its
// recolouring, and whether only its anti-aliasing had changed.
#define EXPLAINED 0x80
#define SOFT 0x40
// Added to the count of a pair whose first colour was recoloured to another than the second.
#define OTHER 0x100

// Whether a pixel lies beside one of the same colour that was recoloured: then it is a part of that
// area, and no blend.
static int is_in_area(
    const struct farm_pair *pair, const struct farm_palette *palette, const uint8_t *from, uint32_t x,
    uint32_t y) {
    const struct farm_flat *own = farm_flat_of(palette, from);
    for (int i = 0; i < 4; i++) {
        int64_t at_x = (int64_t)x + beside[i][0], at_y = (int64_t)y + beside[i][1];
        if (at_x < 0 || at_y < 0 || at_x >= farm_axis_length(&pair->columns) ||
            at_y >= farm_axis_length(&pair->rows)) continue;
        const uint8_t *before = farm_reference_at(pair, (uint32_t)at_x, (uint32_t)at_y);
        const uint8_t *after = farm_capture_at(pair, (uint32_t)at_x, (uint32_t)at_y);
        if (before && after && number(before) == number(from) && number(after) == number(own->to))
            return 1;
    }
    return 0;
}

static void explain(
    const struct farm_pair *pair, uint8_t *classes, const struct farm_palette *palette,
    struct farm_colours *table) {
    uint32_t width = farm_axis_length(&pair->columns), height = farm_axis_length(&pair->rows);
    // The count of a pair is one more than the number of the recolouring that explains it.
    size_t none = palette->count + 1;
    memset(table, 0, FARM_PAIRS * sizeof *table);
    for (uint32_t y = 0; y < height; y++) {
        uint8_t *row = classes + (size_t)y * width;
        for (uint32_t x = 0; x < width; x++) {
            if (!is_changed(row[x])) continue;
            const uint8_t *from = farm_reference_at(pair, x, y);
            const uint8_t *to = farm_capture_at(pair, x, y);
            struct farm_colours *known = from && to ? place(table, from, to) : NULL;
            if (!known) continue;
            if (known->count == 0) {
                const struct farm_flat *flat = farm_flat_explaining(palette, from, to);
                const struct farm_flat *own = farm_flat_of(palette, from);
                known->count = !flat ? none : flat->number + 1 + (own && own != flat ? OTHER : 0);
            }
            if (known->count == none) continue;
            if (known->count & OTHER && is_in_area(pair, palette, from, x, y)) continue;
            size_t recolouring = (known->count & ~(size_t)OTHER) - 1;
            palette->found[recolouring].pixels++;
            row[x] = (uint8_t)(EXPLAINED | (row[x] == FARM_CHANGED ? 0 : SOFT) | recolouring);
        }
    }
}

static int is_beside_explained(
    const uint8_t *classes, uint32_t width, uint32_t height, uint32_t x, uint32_t y) {
    const uint8_t *here = classes + (size_t)y * width + x;
    return (x > 0 && here[-1] & EXPLAINED) || (x + 1 < width && here[1] & EXPLAINED) ||
           (y > 0 && *(here - width) & EXPLAINED) || (y + 1 < height && here[width] & EXPLAINED);
}

// Makes pixels FARM_CHANGED that kept a recoloured colour beside pixels that did not: they show no
// difference, but a stroke of the old colour in the new one is a fault.
static void mark_kept(
    const struct farm_pair *pair, uint8_t *classes, const struct farm_recolour *found,
    size_t count) {
    uint32_t width = farm_axis_length(&pair->columns), height = farm_axis_length(&pair->rows);
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            uint8_t *class = &classes[(size_t)y * width + x];
            if (*class != FARM_SAME || !is_beside_explained(classes, width, height, x, y)) continue;
            const uint8_t *here = farm_reference_at(pair, x, y);
            if (!here) continue;
            for (size_t i = 0; i < count; i++) {
                if (number(here) != number(found[i].from)) continue;
                for (int k = 0; k < 4; k++)
                    if (class_beside(pair, classes, x, y, k) == (EXPLAINED | i))
                        *class = FARM_CHANGED;
            }
        }
    }
}

// Drops the recolourings that lie among other changed pixels, such as a shade of letters that
// became other letters, and makes the pixels of the others FARM_SAME.
static void settle(
    const struct farm_pair *pair, uint8_t *classes, struct farm_recolour *found, size_t count) {
    size_t pixels = (size_t)farm_axis_length(&pair->columns) * farm_axis_length(&pair->rows);
    uint32_t width = farm_axis_length(&pair->columns);
    size_t loose[FARM_RECOLOURS] = {0};
    for (size_t i = 0; i < pixels; i++) {
        if (!(classes[i] & EXPLAINED)) continue;
        for (int k = 0; k < 4; k++)
            loose[classes[i] & (FARM_RECOLOURS - 1)] += (size_t)is_changed(class_beside(
                pair, classes, (uint32_t)(i % width), (uint32_t)(i / width), k));
    }
    for (size_t i = 0; i < count; i++)
        if (loose[i] * 4 > found[i].pixels) found[i].pixels = 0;
    for (size_t i = 0; i < pixels; i++) {
        if (!(classes[i] & EXPLAINED)) continue;
        if (found[classes[i] & (FARM_RECOLOURS - 1)].pixels)
            classes[i] = FARM_SAME;
        else
            classes[i] = classes[i] & SOFT ? FARM_ANTI_ALIASED : FARM_CHANGED;
    }
}

size_t farm_recolours(
    const struct farm_pair *pair, uint8_t *classes, struct farm_colours *table,
    struct farm_recolour *found) {
    struct farm_palette palette = {.found = found};
    struct farm_colours candidates[CANDIDATES];
    struct evidence evidence[CANDIDATES] = {{0}};
    size_t count = count_pairs(pair, classes, 0, table, candidates, CANDIDATES);
    if (count == 0) return 0;
    qsort(candidates, count, sizeof *candidates, by_length);
    collect(pair, classes, candidates, count, evidence);
    palette.steady_count = count_pairs(pair, classes, 1, table, palette.steady, FARM_STEADY);
    choose(&palette, candidates, count, evidence);
    if (palette.count == 0) return 0;
    explain(pair, classes, &palette, table);
    mark_kept(pair, classes, found, palette.count);
    settle(pair, classes, found, palette.count);
    size_t kept = 0;
    for (size_t i = 0; i < palette.count; i++)
        if (found[i].pixels) found[kept++] = found[i];
    return kept;
}
