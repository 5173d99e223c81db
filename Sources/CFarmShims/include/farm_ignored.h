#pragma once
// What a comparison does not look at: boxes laid over a picture, and masks read as boxes.
#include "farm_classes.h"
#include "farm_pixels.h"

#include <stddef.h>
#include <stdint.h>

// Copies `rows` rows of a picture of `width` into planes without padding. `low` may be NULL when
// the picture has no lower halves; otherwise they are written, equal to the upper ones without any.
void farm_picture_copy(
    struct farm_picture from, uint32_t width, uint32_t rows, uint8_t *high, uint8_t *low);

// Overwrites the boxes of planes `width` wide, as from farm_picture_copy, with `from`; boxes are
// clipped to `within`, which lies inside both.
void farm_boxes_take(
    struct farm_picture from, const struct farm_box *boxes, size_t count, struct farm_box within,
    uint32_t width, uint8_t *high, uint8_t *low);

// 1 for each pixel of a row that is light (luma 128 or more) and opaque (alpha 128 or more), and 0
// for all others.
void farm_mask_row(struct farm_picture mask, uint32_t y, uint32_t width, uint8_t *flags);
