#pragma once
// Changed pixels gathered into regions, and the facts by which FarmImaging derives a region's
// kind. All coordinates are those of the canvas.
#include "farm_classes.h"
#include "farm_pair.h"

// Changed pixels that belong together; `right` and `bottom` are exclusive, and 0 if there are no
// pixels.
struct farm_region {
    uint32_t left, top, right, bottom;
    size_t changed, anti_aliased;
};

// The cells of a grid over the canvas. Cell borders lie at equal shares of its sides, so that they
// fall on the same content at every device scale.
struct farm_grid {
    uint32_t across, down;
};

struct farm_class_counts {
    size_t noise, anti_aliased, changed, ignored;
};

// Gathers changed and anti-aliased pixels by cell into `cells`, zeroed and `across * down` long.
// Pixels of rows that `apart` marks (a byte per row, or NULL) go into `apart_region` instead.
void farm_cells_fill(
    const uint8_t *classes, uint32_t width, uint32_t height, struct farm_grid grid,
    const uint8_t *apart, struct farm_region *cells, struct farm_region *apart_region,
    struct farm_class_counts *counts);

// Joins cells that touch each other, also at a corner, into regions, and empties the cells.
// `pending` has as many places as there are cells. Writes at most `room` regions and returns how
// many there are.
size_t farm_cells_join(
    struct farm_region *cells, struct farm_grid grid, uint32_t *pending,
    struct farm_region *regions, size_t room);

// Writes how many pixels changed in each of `height` rows, and the range of columns that changed.
void farm_changed_rows(
    const uint8_t *classes, uint32_t width, uint32_t height, uint32_t *rows, uint32_t *left,
    uint32_t *right);

// The look of a box's changed pixels on each side. At most about `FARM_LOOK_MAX` pixels are read,
// in rows spread evenly; none in a box with an inserted or removed column inside.
struct farm_look {
    // The changed pixels read, and how many have their side's most frequent colour.
    size_t changed, reference_flat, capture_flat;
    // The unchanged pixels beside changed ones, and how many have that colour on their side.
    size_t rim, rim_like_reference, rim_like_capture;
    // Pixels that break the rule "one colour becomes one colour", in each direction; the distinct
    // colours of the reference, or 0 if they are too many to count.
    size_t broken_forth, broken_back, colours;
};

#define FARM_LOOK_MAX (1u << 16)

void farm_region_look(
    const struct farm_pair *pair, const uint8_t *classes, const struct farm_box *box,
    struct farm_look *look);

// The ink of a box, by which text is recognised, on one side of the pair: 1 the reference, 2 the
// capture.
struct farm_text {
    // Changed pixels of the box that are ink on this side.
    size_t changed_ink;
    // The box's pixels: all, those in the most frequent colour (the ground), and the others (the
    // ink).
    size_t pixels, ground, ink;
    // Runs of columns with ink between columns without, over all lines; the ink in runs no wider
    // than two line heights.
    size_t runs, narrow_ink;
};

// `columns` is scratch memory: one number for each column of the box.
void farm_region_text(
    const struct farm_pair *pair, const uint8_t *classes, const struct farm_box *box, int side,
    uint32_t *columns, struct farm_text *text);

// Counts the pixels of a whole box that break the rule "one colour becomes one colour"; 0 if there
// are too many colours to count.
size_t farm_region_broken(
    const struct farm_pair *pair, const uint8_t *classes, const struct farm_box *box);

// Counts the pixels of a box that differ from the content that a move within the box brought there.
size_t farm_region_strangers(
    const struct farm_pair *pair, const struct farm_box *box, int32_t dx, int32_t dy);

// A region on one side of the pair, in a form that is nearly the same at each device scale.
#define FARM_SKETCH_ACROSS 16
#define FARM_SKETCH_DOWN 8
struct farm_sketch {
    // The most frequent colour, the colour farthest from it, and the mean of the changed pixels.
    uint8_t ground[4], ink[4], mean[4];
    // A hash of all pixels, row by row: equal for equal pixels in boxes of one size.
    uint8_t hash[8];
    // The distance of each part's pixels from the ground, row by row; 255 if the whole part is ink.
    uint8_t parts[FARM_SKETCH_ACROSS * FARM_SKETCH_DOWN];
};

// `side` is 1 for the reference, 2 for the capture. `sums` is scratch memory: one number for each
// column of the box and one more.
void farm_region_sketch(
    const struct farm_pair *pair, const uint8_t *classes, const struct farm_box *box, int side,
    uint32_t *sums, struct farm_sketch *sketch);
