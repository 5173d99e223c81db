#pragma once
// The parts of a picture that a comparison ignores: boxes over a picture, and rows of masks.
#include "farm_classes.h"
#include "farm_pixels.h"

#include <stddef.h>
#include <stdint.h>

// Copies `rows` rows of a picture `width` pixels wide into planes without padding. `low` may be
// NULL if the picture has no lower halves; otherwise it gets them, or copies of the upper halves.
void farm_picture_copy(
    struct farm_picture from, uint32_t width, uint32_t rows, uint8_t *high, uint8_t *low);

// Overwrites the boxes with pixels of `from`, in planes `width` pixels wide that farm_picture_copy
// wrote. Boxes are clipped to `within`, which lies inside both pictures.
void farm_boxes_take(
    struct farm_picture from, const struct farm_box *boxes, size_t count, struct farm_box within,
    uint32_t width, uint8_t *high, uint8_t *low);

// Writes 1 for each pixel of a mask's row that is light (luma 128 or more) and opaque (alpha 128 or
// more), and 0 for all others.
void farm_mask_row(struct farm_picture mask, uint32_t y, uint32_t width, uint8_t *flags);
