// Gathers changed pixels into cells, and cells into regions. Rows and cells without a difference
// are skipped eight pixels at a time.
#include "farm_regions.h"

#include <string.h>

static int any(const uint8_t *classes, size_t count) {
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        uint64_t eight;
        memcpy(&eight, classes + i, 8);
        if (eight) return 1;
    }
    for (; i < count; i++)
        if (classes[i]) return 1;
    return 0;
}

static void widen(struct farm_region *region, uint32_t x, uint32_t y) {
    if (region->right == 0) {
        region->left = x, region->top = y, region->right = x + 1, region->bottom = y + 1;
        return;
    }
    if (x < region->left) region->left = x;
    if (x + 1 > region->right) region->right = x + 1;
    if (y + 1 > region->bottom) region->bottom = y + 1;
}

static void gather(
    const uint8_t *row, uint32_t from, uint32_t to, uint32_t y, struct farm_region *region,
    struct farm_class_counts *counts) {
    for (uint32_t x = from; x < to; x++) {
        switch (row[x]) {
        case FARM_SAME: continue;
        case FARM_NOISE: counts->noise++; continue;
        case FARM_IGNORED: counts->ignored++; continue;
        case FARM_ANTI_ALIASED: counts->anti_aliased++, region->anti_aliased++; break;
        default: counts->changed++, region->changed++;
        }
        widen(region, x, y);
    }
}

static uint32_t border(uint32_t cell, uint32_t cells, uint32_t pixels) {
    return (uint32_t)(((uint64_t)cell * pixels + cells - 1) / cells);
}

void farm_cells_fill(
    const uint8_t *classes, uint32_t width, uint32_t height, struct farm_grid grid,
    const uint8_t *apart, struct farm_region *cells, struct farm_region *apart_region,
    struct farm_class_counts *counts) {
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *row = classes + (size_t)y * width;
        if (!any(row, width)) continue;
        if (apart && apart[y]) {
            gather(row, 0, width, y, apart_region, counts);
            continue;
        }
        struct farm_region *cell = cells + (uint64_t)y * grid.down / height * grid.across;
        uint32_t from = 0;
        for (uint32_t i = 0; i < grid.across; i++, cell++) {
            uint32_t to = border(i + 1, grid.across, width);
            if (any(row + from, to - from)) gather(row, from, to, y, cell, counts);
            from = to;
        }
    }
}

static void join(struct farm_region *region, const struct farm_region *other) {
    if (other->left < region->left) region->left = other->left;
    if (other->top < region->top) region->top = other->top;
    if (other->right > region->right) region->right = other->right;
    if (other->bottom > region->bottom) region->bottom = other->bottom;
    region->changed += other->changed;
    region->anti_aliased += other->anti_aliased;
}

// Joins the cells around `cell` to its region. Each cell becomes pending once. Returns how many are
// pending.
static size_t spread(
    struct farm_region *cells, struct farm_grid grid, uint32_t cell, uint32_t *pending,
    size_t count, struct farm_region *region) {
    uint32_t x = cell % grid.across, y = cell / grid.across;
    for (uint32_t ny = y ? y - 1 : 0; ny <= y + 1 && ny < grid.down; ny++) {
        for (uint32_t nx = x ? x - 1 : 0; nx <= x + 1 && nx < grid.across; nx++) {
            uint32_t near = ny * grid.across + nx;
            if (cells[near].right == 0) continue;
            join(region, cells + near);
            cells[near].right = 0;
            pending[count++] = near;
        }
    }
    return count;
}

size_t farm_cells_join(
    struct farm_region *cells, struct farm_grid grid, uint32_t *pending,
    struct farm_region *regions, size_t room) {
    size_t found = 0;
    uint32_t all = grid.across * grid.down;
    for (uint32_t start = 0; start < all; start++) {
        if (cells[start].right == 0) continue;
        struct farm_region region = cells[start];
        cells[start].right = 0;
        size_t count = 0;
        pending[count++] = start;
        while (count) {
            uint32_t cell = pending[--count];
            count = spread(cells, grid, cell, pending, count, &region);
        }
        if (found < room) regions[found] = region;
        found++;
    }
    return found;
}

void farm_changed_rows(
    const uint8_t *classes, uint32_t width, uint32_t height, uint32_t *rows, uint32_t *left,
    uint32_t *right) {
    *left = width;
    *right = 0;
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *row = classes + (size_t)y * width;
        rows[y] = 0;
        if (!any(row, width)) continue;
        for (uint32_t x = 0; x < width; x++) {
            if (row[x] != FARM_CHANGED && row[x] != FARM_ANTI_ALIASED) continue;
            rows[y]++;
            if (x < *left) *left = x;
            if (x + 1 > *right) *right = x + 1;
        }
    }
}
