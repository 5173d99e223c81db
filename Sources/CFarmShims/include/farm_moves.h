#pragma once
// Finds content of the reference at another place of the capture.
#include "farm_classes.h"
#include "farm_pair.h"

// Searches the smallest move of at most `most` pixels along each axis that explains a box: what
// the reference shows in the part of the box that the move leaves, the capture shows in the part
// that it reaches, and both together hold the changed pixels. Returns whether there is one.
int farm_region_move(
    const struct farm_pair *pair, const uint8_t *classes, const struct farm_box *box,
    uint32_t most, int32_t *dx, int32_t *dy);

// Whether what the reference shows in `box` is what the capture shows (dx, dy) from there, and is
// more than one flat colour without an edge.
int farm_content_moved(
    const struct farm_pair *pair, const struct farm_box *box, int32_t dx, int32_t dy);
