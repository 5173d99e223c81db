#pragma once
// The costs of aligning pictures of different sizes, for each row or column. FarmImaging decides
// from their sums where to put the band.
#include "farm_pair.h"

// Writes, for each of the `rows.common` pairs of rows, how many pixels differ if row i +
// `reference_from` of the reference meets row i + `capture_from` of the capture. Columns meet as
// `pair->columns` says.
void farm_align_rows(
    const struct farm_pair *pair, uint32_t reference_from, uint32_t capture_from,
    uint32_t *costs);

// Adds the same for columns, with rows that meet as `pair->rows` says. `costs` must be zeroed.
void farm_align_columns(
    const struct farm_pair *pair, uint32_t reference_from, uint32_t capture_from,
    uint32_t *costs);

// Counts the pixels that differ from their left neighbour, a measure of the picture's detail.
size_t farm_detail(struct farm_picture picture, uint32_t width, uint32_t height);
