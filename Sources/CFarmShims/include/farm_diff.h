#pragma once
// The one diff picture: a faded grey reference, and on it in colours what each pixel is.
//
//   changed       magenta (255, 0, 255)
//   anti-aliased  gold (255, 176, 0)
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

// Draws `count` rows of the canvas from row `first` on as RGBA8 into `out`, `stride` bytes apart.
// `classes` has one byte for each pixel of the canvas; those of bands are not looked at.
//
// `out` may be the same rows of one of the two pictures, when that picture is as large as the
// canvas: a pixel is read before it is written, and never again.
void farm_diff_draw(
    const struct farm_pair *pair, const uint8_t *classes, uint32_t first, uint32_t count,
    uint8_t *out, size_t stride);

// Draws reference, capture and diff side by side, each `width` x `height` (at least 1, at most the
// canvas) by area averaging, with `gap` columns between them, opaque, into `out`.
//
// `row` is scratch of a row of the canvas (4 bytes per pixel), `sums` of 4 * `width` numbers.
void farm_three_up(
    const struct farm_pair *pair, const uint8_t *classes, uint32_t width, uint32_t height,
    uint32_t gap, uint8_t *row, uint64_t *sums, uint8_t *out, size_t stride);
