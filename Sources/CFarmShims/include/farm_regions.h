#pragma once
// Changed pixels gathered into regions, and the facts of a region from which FarmImaging names its
// kind. All coordinates are the canvas'.
#include "farm_classes.h"
#include "farm_pair.h"

// Changed pixels that belong together; `right` and `bottom` are exclusive and 0 where there are
// none.
struct farm_region {
    uint32_t left, top, right, bottom;
    size_t changed, anti_aliased;
};

// Cells of a grid over the canvas; cell borders lie at equal shares of its sides, so that they
// fall on the same things whatever the scale of a device.
struct farm_grid {
    uint32_t across, down;
};

struct farm_class_counts {
    size_t noise, anti_aliased, changed, ignored;
};

// Gathers changed and anti-aliased pixels by cell into `cells`, zeroed and `across * down` long;
// those of rows that `apart` marks (a byte per row, or NULL) go into `apart_region` instead.
void farm_cells_fill(
    const uint8_t *classes, uint32_t width, uint32_t height, struct farm_grid grid,
    const uint8_t *apart, struct farm_region *cells, struct farm_region *apart_region,
    struct farm_class_counts *counts);

// Joins cells that touch each other, also at a corner, into regions; empties the cells. `pending`
// has as many places as there are cells. Writes at most `room` regions and returns how many there
// are.
size_t farm_cells_join(
    struct farm_region *cells, struct farm_grid grid, uint32_t *pending,
    struct farm_region *regions, size_t room);

// The columns in which any of `height` rows changed, and for each row how many pixels did.
void farm_changed_rows(
    const uint8_t *classes, uint32_t width, uint32_t height, uint32_t *rows, uint32_t *left,
    uint32_t *right);

// What the changed pixels of a box look like on each side. At most about `FARM_LOOK_MAX` pixels
// are looked at, in rows spread evenly; none in a box with an inserted or removed column inside.
struct farm_look {
    // Changed pixels looked at, and those where one side has its most frequent colour.
    size_t changed, reference_flat, capture_flat;
    // Unchanged pixels beside changed ones, and those that have such a colour on that side.
    size_t rim, rim_like_reference, rim_like_capture;
    // Pixels that break the rule "one colour becomes one colour", from either side; distinct
    // colours of the reference, or 0 when they are too many to tell.
    size_t broken_forth, broken_back, colours;
};

#define FARM_LOOK_MAX (1u << 16)

void farm_region_look(
    const struct farm_pair *pair, const uint8_t *classes, const struct farm_box *box,
    struct farm_look *look);

// How much of a box looks like text on one side of the pair: 1 for the reference, 2 for the
// capture.
struct farm_text {
    // Changed pixels of the box that are ink on this side.
    size_t changed_ink;
    // Pixels of the box, those in its most frequent colour, and the others ("ink").
    size_t pixels, ground, ink;
    // Runs of columns with ink between columns without, over all lines; ink in runs no wider than
    // two line heights.
    size_t runs, narrow_ink;
};

// `columns` is scratch, a number for each column of the box.
void farm_region_text(
    const struct farm_pair *pair, const uint8_t *classes, const struct farm_box *box, int side,
    uint32_t *columns, struct farm_text *text);

// Pixels of a whole box that break the rule "one colour becomes one colour"; 0 where there are too
// many colours to tell.
size_t farm_region_broken(
    const struct farm_pair *pair, const uint8_t *classes, const struct farm_box *box);

// Pixels of a box that are not what came there by a move within it.
size_t farm_region_strangers(
    const struct farm_pair *pair, const struct farm_box *box, int32_t dx, int32_t dy);

// What a region looks like on one side of the pair, in a form that is nearly the same at each
// device scale.
#define FARM_SKETCH_ACROSS 16
#define FARM_SKETCH_DOWN 8
struct farm_sketch {
    // The most frequent colour, the one farthest from it, and the mean of the changed pixels.
    uint8_t ground[4], ink[4], mean[4];
    // Of all pixels, row by row: equal for equal pixels in boxes of one size.
    uint8_t hash[8];
    // How far the pixels of each part of the box are from the ground, row by row; 255 where all of
    // a part is ink.
    uint8_t parts[FARM_SKETCH_ACROSS * FARM_SKETCH_DOWN];
};

// `side` is 1 for the reference, 2 for the capture; `sums` is scratch, a number for each column of
// the box and one more.
void farm_region_sketch(
    const struct farm_pair *pair, const uint8_t *classes, const struct farm_box *box, int side,
    uint32_t *sums, struct farm_sketch *sketch);
