#pragma once
// Finds content of the reference at another place of the capture.
#include "farm_classes.h"
#include "farm_pair.h"

// The digest of what a picture does not have.
#define FARM_NO_DIGEST 0

// One number for the pixels (8 bits) of columns left..<right of each row of the canvas, on one side
// of the pair (1 the reference, 2 the capture): equal for equal rows, and for others with a chance
// of 2^-64. FARM_NO_DIGEST where that side lacks the row, or a band of columns lies within.
void farm_row_digests(
    const struct farm_pair *pair, int side, uint32_t left, uint32_t right, uint64_t *digests);

// The same of rows top..<bottom of each column; FARM_NO_DIGEST where the side lacks a pixel.
void farm_column_digests(
    const struct farm_pair *pair, int side, uint32_t top, uint32_t bottom, uint64_t *digests);

// So many pixels to the right and down.
struct farm_move {
    int32_t dx, dy;
};

// The most moves that farm_region_moves finds.
#define FARM_MOVES 8

// Searches moves of at most `most` pixels along each axis that may explain a box: what the
// reference shows in the part of the box that the move leaves, the capture shows in the part that
// it reaches, and both together hold the changed pixels. Writes up to FARM_MOVES of them, the
// smallest first, and returns how many. Ground fits ground, and rows that repeat fit each other, so
// the caller must see which of them is the content's.
int farm_region_moves(
    const struct farm_pair *pair, const uint8_t *classes, const struct farm_box *box,
    uint32_t most, struct farm_move *moves);

// Makes the changed pixels of a box FARM_LEFT and FARM_REACHED where the move explains them.
void farm_move_mark(
    const struct farm_pair *pair, const struct farm_box *box, struct farm_move move,
    uint8_t *classes);

// Whether what the reference shows in `box` is what the capture shows (dx, dy) from there, and is
// more than one flat colour without an edge.
int farm_content_moved(
    const struct farm_pair *pair, const struct farm_box *box, int32_t dx, int32_t dy);
