#pragma once
// Finds content of the reference at another place of the capture.
#include "farm_classes.h"
#include "farm_pair.h"

// Stands for a line that a picture lacks, or has only in part.
#define FARM_NO_DIGEST 0

// Writes one number for the pixels (8 bits) of columns left..<right of each row of the canvas, on
// one side of the pair (1 the reference, 2 the capture). Equal rows have equal numbers, different
// rows with a chance of 2^-64. The number is FARM_NO_DIGEST if that side lacks the row, or if a
// band of columns lies within.
void farm_row_digests(
    const struct farm_pair *pair, int side, uint32_t left, uint32_t right, uint64_t *digests);

// Does the same for rows top..<bottom of each column; FARM_NO_DIGEST if that side lacks a pixel.
void farm_column_digests(
    const struct farm_pair *pair, int side, uint32_t top, uint32_t bottom, uint64_t *digests);

// A move in pixels, to the right and down.
struct farm_move {
    int32_t dx, dy;
};

// The most moves that farm_region_moves finds.
#define FARM_MOVES 8

// Finds moves of at most `most` pixels along each axis that may explain a box. The capture must
// show, in the part that the move reaches, the reference's content of the part that it leaves, and
// both parts together must hold the changed pixels. Writes up to FARM_MOVES moves, the smallest
// first, and returns how many. Flat ground fits other ground, and repeated rows fit each other, so
// the caller must check which move is the content's.
int farm_region_moves(
    const struct farm_pair *pair, const uint8_t *classes, const struct farm_box *box,
    uint32_t most, struct farm_move *moves);

// Turns the changed pixels of a box that the move explains into FARM_LEFT and FARM_REACHED.
void farm_move_mark(
    const struct farm_pair *pair, const struct farm_box *box, struct farm_move move,
    uint8_t *classes);

// Whether the capture shows, moved by (dx, dy), the reference's content of `box`, and the content
// is more than one flat colour without an edge.
int farm_content_moved(
    const struct farm_pair *pair, const struct farm_box *box, int32_t dx, int32_t dy);
