#pragma once
// The class of each pixel of two pictures. Gates, regions and diff pictures all use these classes,
// so that they cannot disagree.
#include "farm_pixels.h"

#include <stddef.h>
#include <stdint.h>

enum farm_class {
    // No sample differs.
    FARM_SAME = 0,
    // No channel differs by more than the noise floor, as stored or as premultiplied.
    FARM_NOISE,
    // Differs by more, but only by the anti-aliasing of the same shape.
    FARM_ANTI_ALIASED,
    FARM_CHANGED,
    // Inside an ignored region, whether it differs or not.
    FARM_IGNORED,
    // Only in maps for drawing: changed pixels that moved content left or reached.
    FARM_LEFT,
    FARM_REACHED,
};

// A rectangle of pixels; `right` and `bottom` are exclusive.
struct farm_box {
    uint32_t left, top, right, bottom;
};

// Fills `classes`, width * height bytes in rows without padding. `noise` is the largest channel
// difference that is noise, 0...255. FARM_ANTI_ALIASED occurs only if `anti_aliasing` is set. Boxes
// may overlap and may reach beyond the pictures.
void farm_classes_fill(
    struct farm_picture a, struct farm_picture b, uint32_t width, uint32_t height,
    uint32_t noise, int anti_aliasing, const struct farm_box *ignored, size_t ignored_count,
    uint8_t *classes);

// The edge of the gate's window in pixels; equals VisibleLimits.window of FarmCore.
#define FARM_WINDOW 16

struct farm_gate {
    // Pixels by class, each counted once.
    size_t changed, noise, anti_aliased;
    // The smallest box around the changed pixels; `right` is 0 if there are none.
    struct farm_box box;
    // The most changed pixels in any window that lies within the picture, and the first such window
    // in reading order.
    uint32_t worst, worst_x, worst_y;
};

// Returns the bytes of scratch memory that farm_gate_judge needs.
size_t farm_gate_scratch(uint32_t width, uint32_t height);

// Counts the classes that farm_classes_fill would write, without keeping the map. `scratch` need
// not be zeroed. Outside `rows`, no pixel may differ.
struct farm_gate farm_gate_judge(
    struct farm_picture a, struct farm_picture b, uint32_t width, uint32_t height,
    struct farm_rows rows, uint32_t noise, int anti_aliasing, const struct farm_box *ignored,
    size_t ignored_count, uint8_t *scratch);
