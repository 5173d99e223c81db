#pragma once
// The diff picture: a faded grey reference, and on it the class of each pixel in colour.
//
//   changed       magenta (255, 0, 255)
//   anti-aliased  gold (255, 176, 0)
//   moved         vermilion (213, 94, 0) where it was, blue (0, 114, 178) where it is
//   noise         the faded grey, tinted magenta a little
//   ignored       the faded grey under dark lines that fall to the right
//   only in the capture    magenta stripes that rise to the right, over the faded capture
//   only in the reference  magenta stripes that fall to the right, over the faded reference
//   in neither             grey (128, 128, 128)
#include "farm_classes.h"
#include "farm_pair.h"

#define FARM_DIFF_CHANGED {255, 0, 255, 255}
#define FARM_DIFF_ANTI_ALIASED {255, 176, 0, 255}
#define FARM_DIFF_NOWHERE {128, 128, 128, 255}
// Colours of Okabe and Ito (2008), distinct for every kind of colour vision.
#define FARM_DIFF_LEFT {213, 94, 0, 255}
#define FARM_DIFF_REACHED {0, 114, 178, 255}

// The number of colours of a diff picture. Its pixels are indices into its palette.
#define FARM_DIFF_COLOURS 134

// Writes the palette, three bytes per colour.
void farm_diff_palette(uint8_t *rgb);

// Draws `count` rows of the canvas, from row `first` on, into `out`: one byte per pixel, rows
// `stride` bytes apart. `classes` has one byte for each pixel of the canvas; those of bands are not
// read.
void farm_diff_draw(
    const struct farm_pair *pair, const uint8_t *classes, uint32_t first, uint32_t count,
    uint8_t *out, size_t stride);

// Converts indices to RGBA8.
void farm_diff_colour(
    const uint8_t *palette, const uint8_t *indices, uint32_t count, uint8_t *rgba);

// Draws reference, capture and diff side by side into `out`, opaque, with `gap` columns between
// them. Each is `width` x `height` (at least 1, at most the canvas), by area averaging.
//
// `row` is scratch memory for one row of the canvas (4 bytes per pixel), `sums` for 4 * `width`
// numbers.
void farm_three_up(
    const struct farm_pair *pair, const uint8_t *classes, uint32_t width, uint32_t height,
    uint32_t gap, uint8_t *row, uint64_t *sums, uint8_t *out, size_t stride);
