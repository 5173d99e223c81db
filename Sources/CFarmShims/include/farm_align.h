#pragma once
// Where pictures of different sizes fit each other best. Costs are counted here, once for each row
// or column; where to put the band is decided in FarmImaging from their sums.
#include "farm_pair.h"

// Counts for each of the `rows.common` pairs of rows how many pixels differ, when row i of the
// reference, plus `reference_from`, meets row i of the capture, plus `capture_from`. Columns meet
// as `pair->columns` says.
void farm_align_rows(
    const struct farm_pair *pair, uint32_t reference_from, uint32_t capture_from,
    uint32_t *costs);

// The same of columns, with rows that meet as `pair->rows` says; `costs` is zeroed.
void farm_align_columns(
    const struct farm_pair *pair, uint32_t reference_from, uint32_t capture_from,
    uint32_t *costs);

// Pixels that differ from their left neighbour: how much there is to see.
size_t farm_detail(struct farm_picture picture, uint32_t width, uint32_t height);
