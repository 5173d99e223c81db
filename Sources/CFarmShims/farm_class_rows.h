#pragma once
// One row of classes at a time, shared by the map and by the gate, which keeps no map.
#include "farm_classes.h"

struct farm_class_rules {
    struct farm_picture a, b;
    uint32_t width, height, noise;
    int anti_aliasing;
    const struct farm_box *ignored;
    size_t ignored_count;
    // As in farm_rows; NULL where rows must be compared.
    const uint8_t *flags;
    // Pixels that stayed FARM_CHANGED in the rows settled so far.
    size_t settled_changed;
};

// The classes of row `y` without anti-aliasing; answers whether the rows differ at all.
int farm_class_row(const struct farm_class_rules *rules, uint32_t y, uint8_t *row);

// Pixels of one class in a row.
size_t farm_class_count(const uint8_t *row, uint32_t width, uint8_t class);

// Turns FARM_CHANGED into FARM_ANTI_ALIASED where only the shape's edge was drawn otherwise;
// rows come from the top down. `above` and `below` are NULL at the borders; all rows are as from
// farm_class_row, or already settled.
void farm_class_settle(
    struct farm_class_rules *rules, uint32_t y, const uint8_t *above, uint8_t *row,
    const uint8_t *below);

// Whether pixel (x, y), which differs by more than the noise, differs only as anti-aliasing of the
// same shape does.
int farm_shape_kept(const struct farm_class_rules *rules, uint32_t x, uint32_t y);
