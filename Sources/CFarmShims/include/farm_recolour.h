#pragma once
// Recolourings: a colour of the reference that became another colour in the capture, with all its
// blends. The pixels are compared exactly, so that nothing else hides among them.
#include "farm_classes.h"
#include "farm_pair.h"

// The most recolourings of one picture.
#define FARM_RECOLOURS 8
// The places of a table of colour pairs.
#define FARM_PAIRS (1u << 14)

// A colour that became another one; an unchanged colour has two equal ones.
struct farm_recolour {
    uint8_t from[4], to[4];
    // The changed pixels that it explains.
    size_t pixels;
};

// Two colours at one place of the canvas, before and after, with a number about them.
struct farm_colours {
    uint8_t from[4], to[4];
    size_t count;
};

// Finds the recolourings of two pictures, and sets the changed pixels that they explain in
// `classes` to FARM_SAME.
//
// A recolouring is a pair of colours: most pixels of the first became the second, and neither
// colour lies unchanged beside them, so that shapes kept their outlines. A changed pixel is
// explained if it is the same blend of two colours before and after, and one of the two colours is
// recoloured. Pixels that kept a recoloured colour beside recoloured ones become FARM_CHANGED.
// `table` is scratch memory of FARM_PAIRS places. Writes at most FARM_RECOLOURS
// recolourings that explain a pixel, and returns how many.
size_t farm_recolours(
    const struct farm_pair *pair, uint8_t *classes, struct farm_colours *table,
    struct farm_recolour *found);
