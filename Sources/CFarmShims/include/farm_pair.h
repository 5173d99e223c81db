#pragma once
// Two pictures laid over each other, even if one has rows or columns that the other lacks. The
// canvas is the area that both cover together; regions and diff pictures use its coordinates.
#include "farm_pixels.h"

#include <stddef.h>
#include <stdint.h>

// One axis of the canvas: `common` rows or columns that both pictures have and, from `at` on, a
// band that only one has. One of the band's two lengths is 0; both are 0 for equal sizes.
struct farm_axis {
    uint32_t common, at, reference_only, capture_only;
};

struct farm_pair {
    struct farm_picture reference, capture;
    struct farm_axis columns, rows;
};

// Stands for the position of a row or column that a picture lacks.
#define FARM_NOWHERE UINT32_MAX

static inline uint32_t farm_axis_length(const struct farm_axis *axis) {
    return axis->common + axis->reference_only + axis->capture_only;
}

static inline uint32_t farm_axis_in_reference(const struct farm_axis *axis, uint32_t i) {
    if (i < axis->at) return i;
    return i - axis->at < axis->capture_only ? FARM_NOWHERE : i - axis->capture_only;
}

static inline uint32_t farm_axis_in_capture(const struct farm_axis *axis, uint32_t i) {
    if (i < axis->at) return i;
    return i - axis->at < axis->reference_only ? FARM_NOWHERE : i - axis->reference_only;
}

static inline const uint8_t *farm_picture_at(
    const struct farm_picture *picture, uint32_t x, uint32_t y) {
    return picture->high + y * picture->stride + (size_t)x * 4;
}

// Returns the reference's pixel at a place of the canvas, or NULL if the reference lacks it.
static inline const uint8_t *farm_reference_at(
    const struct farm_pair *pair, uint32_t x, uint32_t y) {
    uint32_t column = farm_axis_in_reference(&pair->columns, x);
    uint32_t row = farm_axis_in_reference(&pair->rows, y);
    if (column == FARM_NOWHERE || row == FARM_NOWHERE) return NULL;
    return farm_picture_at(&pair->reference, column, row);
}

static inline const uint8_t *farm_capture_at(
    const struct farm_pair *pair, uint32_t x, uint32_t y) {
    uint32_t column = farm_axis_in_capture(&pair->columns, x);
    uint32_t row = farm_axis_in_capture(&pair->rows, y);
    if (column == FARM_NOWHERE || row == FARM_NOWHERE) return NULL;
    return farm_picture_at(&pair->capture, column, row);
}
