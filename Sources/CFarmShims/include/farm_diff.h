#pragma once
// The one diff picture: a faded grey reference, and on it in colours what each pixel is.
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
// Of the colours of Okabe and Ito (2008), which all kinds of colour vision tell apart.
#define FARM_DIFF_LEFT {213, 94, 0, 255}
#define FARM_DIFF_REACHED {0, 114, 178, 255}

// Colours of a diff picture; its pixels are their indices.
#define FARM_DIFF_COLOURS 134

// Writes the colours, three bytes each.
void farm_diff_palette(uint8_t *rgb);

// Draws `count` rows of the canvas from row `first` on into `out`, a byte for each pixel, `stride`
// bytes apart. `classes` has one byte for each pixel of the canvas; those of bands are not looked
// at.
void farm_diff_draw(
    const struct farm_pair *pair, const uint8_t *classes, uint32_t first, uint32_t count,
    uint8_t *out, size_t stride);

// Turns indices into RGBA8.
void farm_diff_colour(
    const uint8_t *palette, const uint8_t *indices, uint32_t count, uint8_t *rgba);

// Draws reference, capture and diff side by side, each `width` x `height` (at least 1, at most the
// canvas) by area averaging, with `gap` columns between them, opaque, into `out`.
//
// `row` is scratch of a row of the canvas (4 bytes per pixel), `sums` of 4 * `width` numbers.
void farm_three_up(
    const struct farm_pair *pair, const uint8_t *classes, uint32_t width, uint32_t height,
    uint32_t gap, uint8_t *row, uint64_t *sums, uint8_t *out, size_t stride);
