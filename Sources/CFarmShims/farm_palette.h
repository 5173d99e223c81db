#pragma once
// The recoloured and the unchanged colours of two pictures, by which changed pixels are explained.
#include "farm_recolour.h"

#include <string.h>

// The most recoloured colours, tints included, and the most unchanged colours.
#define FARM_FLATS 32
#define FARM_STEADY 24

// A colour that became another one, and the number of the recolouring that it belongs to.
struct farm_flat {
    uint8_t from[4], to[4];
    size_t number;
};

struct farm_palette {
    struct farm_recolour *found;
    size_t count;
    // The recolourings and their tints, the longest first.
    struct farm_flat flats[FARM_FLATS];
    size_t flat_count;
    // Unchanged colours, the most frequent first.
    struct farm_colours steady[FARM_STEADY];
    size_t steady_count;
};

static inline uint32_t number(const uint8_t *colour) {
    uint32_t value;
    memcpy(&value, colour, 4);
    return value;
}

// Returns the largest difference between two channels.
static inline int distance(const uint8_t *a, const uint8_t *b) {
    int most = 0;
    for (int i = 0; i < 4; i++) {
        int one = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
        if (one > most) most = one;
    }
    return most;
}

// Returns the recoloured colour that a pixel had, or NULL.
const struct farm_flat *farm_flat_of(const struct farm_palette *palette, const uint8_t *from);

// Returns the recoloured colour that explains a changed pixel, or NULL.
//
// A pixel may have a recoloured colour and be a blend of others, as where smoothed letters are as
// grey as a line.
const struct farm_flat *farm_flat_explaining(
    const struct farm_palette *palette, const uint8_t *from, const uint8_t *to);

// Returns the recolouring whose tint a recoloured colour is, or NULL.
const struct farm_flat *farm_flat_tinted_by(
    const struct farm_palette *palette, const uint8_t *from, const uint8_t *to);
