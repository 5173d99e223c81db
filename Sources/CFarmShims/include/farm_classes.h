#pragma once
// What each pixel of two pictures is: the one map from which gates are judged, regions are found
// and diff pictures are drawn, so that no two of them can disagree.
#include "farm_pixels.h"

#include <stddef.h>
#include <stdint.h>

enum farm_class {
    // No sample differs.
    FARM_SAME = 0,
    // Every channel differs by no more than the noise floor, as it is stored or as it is blended.
    FARM_NOISE,
    // Differs by more, but only as anti-aliasing of the same shape does.
    FARM_ANTI_ALIASED,
    FARM_CHANGED,
    // Inside an ignored region, whether it differs or not.
    FARM_IGNORED,
    // Only in maps that are drawn: changed pixels that content left or reached by a known move.
    FARM_LEFT,
    FARM_REACHED,
};

// A rectangle of pixels; `right` and `bottom` are exclusive.
struct farm_box {
    uint32_t left, top, right, bottom;
};

// Fills `classes`, width * height bytes in rows without padding. `noise` is the largest channel
// difference that is noise, 0...255; nothing is FARM_ANTI_ALIASED unless `anti_aliasing`. Boxes
// may overlap and may reach beyond the pictures.
void farm_classes_fill(
    struct farm_picture a, struct farm_picture b, uint32_t width, uint32_t height,
    uint32_t noise, int anti_aliasing, const struct farm_box *ignored, size_t ignored_count,
    uint8_t *classes);

// Edge of the gate's window in pixels; VisibleLimits.window of FarmCore.
#define FARM_WINDOW 16

struct farm_gate {
    // Pixels by class, each counted once.
    size_t changed, noise, anti_aliased;
    // The smallest box around the changed pixels; `right` is 0 without any.
    struct farm_box box;
    // Most changed pixels in any window that lies within the picture, and the first such window in
    // the order of reading.
    uint32_t worst, worst_x, worst_y;
};

// Bytes that farm_gate_judge needs.
size_t farm_gate_scratch(uint32_t width, uint32_t height);

// What farm_classes_fill finds, counted, without keeping the map; `scratch` need not be zeroed.
// Nothing differs outside of `rows`.
struct farm_gate farm_gate_judge(
    struct farm_picture a, struct farm_picture b, uint32_t width, uint32_t height,
    struct farm_rows rows, uint32_t noise, int anti_aliasing, const struct farm_box *ignored,
    size_t ignored_count, uint8_t *scratch);
