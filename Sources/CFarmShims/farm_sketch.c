// Sketches one region on one side of the pair: its ground, the colour farthest from the ground, and
// the ink in each part of the box. Three passes over the box.
#include "farm_regions.h"

#include <string.h>

static int distance(const uint8_t *a, const uint8_t *b) {
    int most = 0;
    for (int i = 0; i < 4; i++) {
        int one = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
        if (one > most) most = one;
    }
    return most;
}

// Returns a pixel of one side of the pair: 1 the reference, 2 the capture.
static const uint8_t *pixel(const struct farm_pair *pair, int side, uint32_t x, uint32_t y) {
    return side == 1 ? farm_reference_at(pair, x, y) : farm_capture_at(pair, x, y);
}

// Finds the most frequent colour of the box, if it is over half of all (Boyer and Moore 1981).
static void find_ground(
    const struct farm_pair *pair, int side, const struct farm_box *box, uint8_t *ground) {
    size_t lead = 0;
    for (uint32_t y = box->top; y < box->bottom; y++) {
        for (uint32_t x = box->left; x < box->right; x++) {
            const uint8_t *here = pixel(pair, side, x, y);
            if (!here) continue;
            if (lead == 0) memcpy(ground, here, 4);
            if (memcmp(ground, here, 4) == 0)
                lead++;
            else
                lead--;
        }
    }
}

// Computes ink, mean and hash. Returns how far the ink is from the ground.
static int look(
    const struct farm_pair *pair, const uint8_t *classes, const struct farm_box *box, int side,
    struct farm_sketch *sketch) {
    uint32_t width = farm_axis_length(&pair->columns);
    uint64_t sums[4] = {0}, count = 0, hash = 0xCBF29CE484222325u;
    int farthest = 0;
    memcpy(sketch->ink, sketch->ground, 4);
    for (uint32_t y = box->top; y < box->bottom; y++) {
        const uint8_t *row = classes + (size_t)y * width;
        for (uint32_t x = box->left; x < box->right; x++) {
            const uint8_t *here = pixel(pair, side, x, y);
            if (!here || row[x] == FARM_IGNORED) continue;
            // FNV-1a over whole pixels.
            uint32_t bits;
            memcpy(&bits, here, 4);
            hash = (hash ^ bits) * 0x100000001B3u;
            int far = distance(here, sketch->ground);
            if (far > farthest) {
                farthest = far;
                memcpy(sketch->ink, here, 4);
            }
            if (row[x] != FARM_CHANGED && row[x] != FARM_ANTI_ALIASED) continue;
            for (int i = 0; i < 4; i++) sums[i] += here[i];
            count++;
        }
    }
    for (int i = 0; i < 4 && count; i++) sketch->mean[i] = (uint8_t)(sums[i] / count);
    for (int i = 0; i < 8; i++) sketch->hash[i] = (uint8_t)(hash >> (8 * i));
    return farthest;
}

// Returns the ink of one row in the first `column` parts, of FARM_SKETCH_ACROSS, of its width.
static double up_to(const uint32_t *sums, uint32_t width, uint32_t column) {
    double at = (double)column * width / FARM_SKETCH_ACROSS;
    uint32_t whole = (uint32_t)at;
    if (whole >= width) return sums[width];
    return sums[whole] + (at - whole) * (sums[whole + 1] - sums[whole]);
}

static void draw(
    const struct farm_pair *pair, const uint8_t *classes, const struct farm_box *box, int side,
    int farthest, uint32_t *sums, struct farm_sketch *sketch) {
    double parts[FARM_SKETCH_DOWN][FARM_SKETCH_ACROSS] = {{0}};
    uint32_t width = box->right - box->left, height = box->bottom - box->top;
    uint32_t canvas = farm_axis_length(&pair->columns);
    for (uint32_t i = 0; i < height; i++) {
        const uint8_t *row = classes + (size_t)(box->top + i) * canvas;
        sums[0] = 0;
        for (uint32_t k = 0; k < width; k++) {
            uint32_t x = box->left + k;
            const uint8_t *here = pixel(pair, side, x, box->top + i);
            int far = here && row[x] != FARM_IGNORED ? distance(here, sketch->ground) : 0;
            sums[k + 1] = sums[k] + (uint32_t)far;
        }
        if (sums[width] == 0) continue;
        // A row of pixels may span several rows of parts, and the other way round.
        double top = (double)i * FARM_SKETCH_DOWN / height;
        double bottom = (double)(i + 1) * FARM_SKETCH_DOWN / height;
        for (uint32_t down = (uint32_t)top; down < FARM_SKETCH_DOWN && down < bottom; down++) {
            double from = top > down ? top : down, to = bottom < down + 1 ? bottom : down + 1;
            double before = 0;
            for (uint32_t across = 0; across < FARM_SKETCH_ACROSS; across++) {
                double until = up_to(sums, width, across + 1);
                parts[down][across] += (to - from) * (until - before);
                before = until;
            }
        }
    }
    // A part full of ink is 255. A part is one high and 1 / FARM_SKETCH_ACROSS of the width wide.
    double full = (double)farthest * width / FARM_SKETCH_ACROSS;
    for (uint32_t down = 0; down < FARM_SKETCH_DOWN; down++) {
        for (uint32_t across = 0; across < FARM_SKETCH_ACROSS; across++) {
            double share = full > 0 ? parts[down][across] / full * 255 + 0.5 : 0;
            sketch->parts[down * FARM_SKETCH_ACROSS + across] =
                (uint8_t)(share > 255 ? 255 : share);
        }
    }
}

void farm_region_sketch(
    const struct farm_pair *pair, const uint8_t *classes, const struct farm_box *box, int side,
    uint32_t *sums, struct farm_sketch *sketch) {
    memset(sketch, 0, sizeof *sketch);
    find_ground(pair, side, box, sketch->ground);
    int farthest = look(pair, classes, box, side, sketch);
    draw(pair, classes, box, side, farthest, sums, sketch);
}
