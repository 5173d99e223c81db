#pragma once
// Measures of the drawing of two pictures of one size: numbers that grow if ink appears, vanishes or
// changes its colour, and that stay small if a program draws the same shapes in another way.
#include "farm_pixels.h"

// The classes of contrast: under 4, 8, 16, 32, 64 and 128 levels, and more.
#define FARM_CONTRASTS 7
// The squares whose sums are compared: of 5, 11 and 21 pixels a side.
#define FARM_SQUARES 3

// The largest differences of any channel, in each class of contrast.
//
// The contrast of a place is the range of the values that one channel has near it in either
// picture: in the same square, and for a single pixel in that of 5.
struct farm_rendering {
    uint32_t pixels[FARM_CONTRASTS];
    uint32_t sums[FARM_SQUARES][FARM_CONTRASTS];
};

// Measures two pictures of one size; only the upper halves of samples count. Beyond an edge the
// pictures are continued with the pixels of the edge.
//
// Returns 0 without memory.
int farm_rendering_measure(
    struct farm_picture reference, struct farm_picture capture, uint32_t width, uint32_t height,
    struct farm_rendering *found);
