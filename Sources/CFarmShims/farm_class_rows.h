#pragma once
// The classes of one row at a time, for the class map and for the gate, which keeps no map.
#include "farm_classes.h"

struct farm_class_rules {
    struct farm_picture a, b;
    uint32_t width, height, noise;
    int anti_aliasing;
    const struct farm_box *ignored;
    size_t ignored_count;
    // The flags of farm_rows; NULL if the equal rows are not known.
    const uint8_t *flags;
    // Pixels that are still FARM_CHANGED in the rows settled so far.
    size_t settled_changed;
};

// Writes the classes of row `y` without anti-aliasing. Returns whether the rows differ at all.
int farm_class_row(const struct farm_class_rules *rules, uint32_t y, uint8_t *row);

// Returns a sample premultiplied by alpha. The colours of transparent pixels are invisible, and a
// program that stores them premultiplied rounds them to few values.
static inline uint8_t farm_blended(const uint8_t *pixel, int channel) {
    return channel == 3 ? pixel[3] : (uint8_t)((pixel[channel] * pixel[3] + 127) / 255);
}

// Whether no channel of two pixels, premultiplied, differs by more than `noise`. Always 0 for two
// opaque pixels, and if `noise` is 0: then even an invisible difference counts.
static inline int farm_blended_alike(const uint8_t *a, const uint8_t *b, uint32_t noise) {
    if (noise == 0 || (a[3] == 255 && b[3] == 255)) return 0;
    for (int i = 0; i < 4; i++) {
        int delta = farm_blended(a, i) - farm_blended(b, i);
        if ((uint32_t)(delta < 0 ? -delta : delta) > noise) return 0;
    }
    return 1;
}

// Counts the pixels of one class in a row.
size_t farm_class_count(const uint8_t *row, uint32_t width, uint8_t class);

// Turns FARM_CHANGED into FARM_ANTI_ALIASED where only the edge of the same shape is drawn
// differently. Rows must be settled from the top down. `above` and `below` are NULL at the borders;
// each row is as farm_class_row wrote it, or already settled.
void farm_class_settle(
    struct farm_class_rules *rules, uint32_t y, const uint8_t *above, uint8_t *row,
    const uint8_t *below);

// Whether pixel (x, y), which differs by more than the noise, differs only by the anti-aliasing of
// the same shape.
int farm_shape_kept(const struct farm_class_rules *rules, uint32_t x, uint32_t y);
