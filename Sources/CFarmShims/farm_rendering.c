// Measures bands of rows that differ, with the rows and columns near enough to share a square with a
// differing pixel. A ring of rows holds what the largest square needs; sums of columns move down
// with it, and each row is then summed along.
#include "farm_rendering.h"

#include <stdlib.h>
#include <string.h>

// The most pixels from the middle of a square to its side.
#define REACH 10
// The rows of the ring: those of the largest square, and the one that has just left it.
#define RING (2 * REACH + 2)

static const int reaches[FARM_SQUARES] = {2, 5, REACH};

// A band that is measured: rows `top` to `bottom` and columns `left` to `right`, exclusive.
struct band {
    uint32_t top, bottom, left, right;
};

struct work {
    struct farm_picture reference, capture;
    uint32_t width, height;
    struct band band;
    // The bytes of a row of the band with REACH pixels on each side.
    size_t bytes;
    // The rows of the ring: the higher and the lower sample of both pictures, and the difference.
    uint8_t *high[RING], *low[RING];
    int16_t *difference[RING];
    // The sums of each column in the rows of each square.
    int16_t *columns[FARM_SQUARES];
    // The extremes in the rows of a square, then in the square that begins at each pixel.
    uint8_t *most[FARM_SQUARES], *least[FARM_SQUARES];
    // The class of each column of the band in each square.
    uint8_t *classes[FARM_SQUARES];
    // The largest difference of any channel at each column of the band.
    uint32_t *largest;
    // The class of each contrast.
    uint8_t class_of[256];
};

static uint32_t clamped(int64_t at, uint32_t count) {
    return at < 0 ? 0 : at >= count ? count - 1 : (uint32_t)at;
}

// Copies a row of a picture with REACH pixels on each side of the band.
static void copy_row(const struct work *work, struct farm_picture picture, uint32_t row, uint8_t *to) {
    const uint8_t *from = picture.high + row * picture.stride;
    int64_t first = (int64_t)work->band.left - REACH;
    size_t count = work->bytes / 4;
    for (size_t i = 0; i < count; i++) {
        int64_t x = first + (int64_t)i;
        if (x >= 0 && x < work->width) {
            // The rest of the row up to the edge.
            size_t inside = work->width - (size_t)x;
            if (inside > count - i) inside = count - i;
            memcpy(to + 4 * i, from + 4 * x, 4 * inside);
            i += inside - 1;
        } else {
            memcpy(to + 4 * i, from + 4 * (size_t)clamped(x, work->width), 4);
        }
    }
}

static void combine(
    uint8_t *restrict high, uint8_t *restrict low, int16_t *restrict difference, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        uint8_t a = high[i], b = low[i];
        difference[i] = (int16_t)(b - a);
        high[i] = a > b ? a : b;
        low[i] = a > b ? b : a;
    }
}

static void load(struct work *work, uint32_t row) {
    uint8_t *high = work->high[row % RING], *low = work->low[row % RING];
    copy_row(work, work->reference, row, high);
    copy_row(work, work->capture, row, low);
    combine(high, low, work->difference[row % RING], work->bytes);
}

// Adds a row of differences to the sums of the columns.
static void add(int16_t *restrict sums, const int16_t *restrict row, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) sums[i] += row[i];
}

// Moves the sums of the columns by a row: adds the one that enters, takes the one that leaves.
static void move(
    int16_t *restrict sums, const int16_t *restrict in, const int16_t *restrict out,
    size_t bytes) {
    for (size_t i = 0; i < bytes; i++) sums[i] += in[i] - out[i];
}

// Returns the differences of a row of the ring; beyond an edge, those of the edge.
static const int16_t *differences(const struct work *work, int64_t row) {
    return work->difference[clamped(row, work->height) % RING];
}

static void take_most(uint8_t *restrict into, const uint8_t *restrict from, size_t count) {
    for (size_t i = 0; i < count; i++) into[i] = into[i] > from[i] ? into[i] : from[i];
}

static void take_least(uint8_t *restrict into, const uint8_t *restrict from, size_t count) {
    for (size_t i = 0; i < count; i++) into[i] = into[i] < from[i] ? into[i] : from[i];
}

// Makes each pixel of a row the extreme of the `side` pixels that begin with it, by windows that
// double. `take` may read ahead of what it writes.
static void widen(
    uint8_t *row, uint8_t *copy, size_t bytes, int side,
    void (*take)(uint8_t *restrict, const uint8_t *restrict, size_t)) {
    int span = 1;
    while (span < side) {
        int by = 2 * span <= side ? span : side - span;
        memcpy(copy, row, bytes);
        take(row, copy + 4 * (size_t)by, bytes - 4 * (size_t)by);
        span += by;
    }
}

// Finds the class of contrast of each column of a row, in each square around it.
static void classify(struct work *work, uint32_t row, uint8_t *copy) {
    size_t count = work->band.right - work->band.left;
    for (int square = 0, done = 0; square < FARM_SQUARES; square++) {
        uint8_t *most = work->most[square], *least = work->least[square];
        if (square) {
            memcpy(most, work->most[square - 1], work->bytes);
            memcpy(least, work->least[square - 1], work->bytes);
        } else {
            memcpy(most, work->high[row % RING], work->bytes);
            memcpy(least, work->low[row % RING], work->bytes);
        }
        while (done < reaches[square]) {
            done++;
            uint32_t near[2] = {
                clamped((int64_t)row - done, work->height),
                clamped((int64_t)row + done, work->height)};
            for (int i = 0; i < 2; i++) {
                take_most(most, work->high[near[i] % RING], work->bytes);
                take_least(least, work->low[near[i] % RING], work->bytes);
            }
        }
    }
    for (int square = 0; square < FARM_SQUARES; square++) {
        int reach = reaches[square];
        uint8_t *most = work->most[square], *least = work->least[square];
        widen(most, copy, work->bytes, 2 * reach + 1, take_most);
        widen(least, copy, work->bytes, 2 * reach + 1, take_least);
        for (size_t x = 0; x < count; x++) {
            size_t at = 4 * (x + (size_t)(REACH - reach));
            int range = 0;
            for (int c = 0; c < 4; c++) {
                int own = most[at + c] - least[at + c];
                if (own > range) range = own;
            }
            work->classes[square][x] = work->class_of[range];
        }
    }
}

// Sums the `side` pixels that begin at each place of a row, without the sign of the sum; of the four
// channels, the largest.
static void sum_along(
    const int16_t *restrict row, size_t count, int side, uint32_t *restrict largest) {
    int32_t sums[4] = {0};
    const int16_t *in = row, *out = row;
    for (int i = 0; i < side - 1; i++, in += 4)
        for (int c = 0; c < 4; c++) sums[c] += in[c];
    for (size_t x = 0; x < count; x++, in += 4, out += 4) {
        int32_t own[4];
        for (int c = 0; c < 4; c++) sums[c] += in[c];
        for (int c = 0; c < 4; c++) own[c] = sums[c] < 0 ? -sums[c] : sums[c];
        for (int c = 0; c < 4; c++) sums[c] -= out[c];
        int32_t one = own[0] > own[1] ? own[0] : own[1], other = own[2] > own[3] ? own[2] : own[3];
        largest[x] = (uint32_t)(one > other ? one : other);
    }
}

static void raise(
    uint32_t *restrict most, const uint8_t *restrict classes, const uint32_t *restrict values,
    size_t count) {
    for (size_t x = 0; x < count; x++)
        if (values[x] > most[classes[x]]) most[classes[x]] = values[x];
}

static void measure_row(struct work *work, uint32_t row, struct farm_rendering *found) {
    size_t count = work->band.right - work->band.left;
    const int16_t *difference = work->difference[row % RING] + 4 * REACH;
    sum_along(difference, count, 1, work->largest);
    raise(found->pixels, work->classes[0], work->largest, count);
    for (int square = 0; square < FARM_SQUARES; square++) {
        int reach = reaches[square];
        const int16_t *columns = work->columns[square] + 4 * (REACH - reach);
        sum_along(columns, count, 2 * reach + 1, work->largest);
        raise(found->sums[square], work->classes[square], work->largest, count);
    }
}

static void measure_band(struct work *work, uint8_t *copy, struct farm_rendering *found) {
    work->bytes = 4 * (size_t)(work->band.right - work->band.left + 2 * REACH);
    uint32_t first = clamped((int64_t)work->band.top - REACH - 1, work->height);
    uint32_t loaded = first;
    for (; loaded < work->height && loaded < work->band.top + REACH; loaded++) load(work, loaded);
    for (int square = 0; square < FARM_SQUARES; square++) {
        memset(work->columns[square], 0, work->bytes * sizeof(int16_t));
        // Those of the square around the row above: each step moves them down by one.
        for (int64_t i = -reaches[square] - 1; i < reaches[square]; i++)
            add(work->columns[square], differences(work, work->band.top + i), work->bytes);
    }
    for (uint32_t row = work->band.top; row < work->band.bottom; row++) {
        if (loaded < work->height && loaded <= row + REACH) load(work, loaded++);
        for (int square = 0; square < FARM_SQUARES; square++) {
            const int16_t *in = differences(work, (int64_t)row + reaches[square]);
            const int16_t *out = differences(work, (int64_t)row - reaches[square] - 1);
            move(work->columns[square], in, out, work->bytes);
        }
        classify(work, row, copy);
        measure_row(work, row, found);
    }
}

// Finds the columns of a row that differ. Returns whether any does.
static int differs(const struct work *work, uint32_t row, uint32_t *first, uint32_t *last) {
    const uint8_t *one = work->reference.high + row * work->reference.stride;
    const uint8_t *other = work->capture.high + row * work->capture.stride;
    if (memcmp(one, other, 4 * (size_t)work->width) == 0) return 0;
    uint32_t from = 0, to = work->width - 1;
    while (memcmp(one + 4 * (size_t)from, other + 4 * (size_t)from, 4) == 0) from++;
    while (memcmp(one + 4 * (size_t)to, other + 4 * (size_t)to, 4) == 0) to--;
    if (from < *first) *first = from;
    if (to > *last) *last = to;
    return 1;
}

// Allots the rows of a work from one block of memory; returns the first free byte.
static uint8_t *allot(struct work *work, uint8_t *memory, size_t bytes) {
    for (int i = 0; i < RING; i++, memory += 2 * bytes)
        work->difference[i] = (int16_t *)(void *)memory;
    for (int i = 0; i < FARM_SQUARES; i++, memory += 2 * bytes)
        work->columns[i] = (int16_t *)(void *)memory;
    for (int i = 0; i < RING; i++, memory += 2 * bytes) {
        work->high[i] = memory;
        work->low[i] = memory + bytes;
    }
    for (int i = 0; i < FARM_SQUARES; i++, memory += 3 * bytes) {
        work->most[i] = memory;
        work->least[i] = memory + bytes;
        work->classes[i] = memory + 2 * bytes;
    }
    work->largest = (uint32_t *)(void *)memory;
    return memory + bytes;
}

int farm_rendering_measure(
    struct farm_picture reference, struct farm_picture capture, uint32_t width, uint32_t height,
    struct farm_rendering *found) {
    memset(found, 0, sizeof *found);
    struct work work = {
        .reference = reference, .capture = capture, .width = width, .height = height};
    size_t bytes = 4 * ((size_t)width + 2 * REACH);
    uint8_t *memory = malloc(bytes * (4 * RING + 5 * FARM_SQUARES + 2));
    if (!memory) return 0;
    uint8_t *copy = allot(&work, memory, bytes);
    for (int range = 0; range < 256; range++) {
        int class = 0;
        while (class < FARM_CONTRASTS - 1 && range >= 4 << class) class++;
        work.class_of[range] = (uint8_t)class;
    }
    for (uint32_t row = 0; row < height; row++) {
        uint32_t first = width, last = 0;
        if (!differs(&work, row, &first, &last)) continue;
        // The band ends where no row differs that shares a square with one of its rows.
        uint32_t end = row + 1;
        for (uint32_t y = end; y < height && y < end + 2 * REACH; y++)
            if (differs(&work, y, &first, &last)) end = y + 1;
        work.band = (struct band){
            .top = clamped((int64_t)row - REACH, height),
            .bottom = end + REACH < height ? end + REACH : height,
            .left = clamped((int64_t)first - REACH, width),
            .right = last + REACH + 1 < width ? last + REACH + 1 : width};
        measure_band(&work, copy, found);
        row = end - 1;
    }
    free(memory);
    return 1;
}
