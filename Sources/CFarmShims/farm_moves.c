// Searches for content that moved. Cheap samples reject nearly all moves; only the rest is compared
// pixel by pixel.
#include "farm_moves.h"

#include <string.h>

#define SAMPLES 48
// The most moves that agree on all samples and are then compared in full.
#define TRIES 16

struct point {
    uint32_t x, y;
};

static int is_changed(uint8_t class) { return class == FARM_CHANGED || class == FARM_ANTI_ALIASED; }

static int same(const uint8_t *a, const uint8_t *b) {
    for (int i = 0; i < 4; i++) {
        int distance = a[i] - b[i];
        if (distance > 2 || distance < -2) return 0;
    }
    return 1;
}

static int holds(const struct farm_box *box, uint32_t x, uint32_t y) {
    return x >= box->left && x < box->right && y >= box->top && y < box->bottom;
}

// Returns the part of the box whose content is still in the box after moving by (dx, dy).
static struct farm_box origin(const struct farm_box *box, int32_t dx, int32_t dy) {
    struct farm_box part = *box;
    if (dx > 0) part.right -= (uint32_t)dx;
    if (dx < 0) part.left += (uint32_t)-dx;
    if (dy > 0) part.bottom -= (uint32_t)dy;
    if (dy < 0) part.top += (uint32_t)-dy;
    return part;
}

// Picks at most SAMPLES changed pixels, spread over the box. Returns how many.
static int take_samples(
    const uint8_t *classes, uint32_t width, const struct farm_box *box, struct point *samples) {
    size_t changed = 0;
    uint32_t step = 1 + (box->bottom - box->top) / 512;
    for (uint32_t y = box->top; y < box->bottom; y += step)
        for (uint32_t x = box->left; x < box->right; x++)
            changed += is_changed(classes[(size_t)y * width + x]);
    size_t every = changed / SAMPLES + 1, seen = 0;
    int count = 0;
    for (uint32_t y = box->top; y < box->bottom; y += step)
        for (uint32_t x = box->left; x < box->right; x++) {
            if (!is_changed(classes[(size_t)y * width + x])) continue;
            if (seen++ % every == 0 && count < SAMPLES) samples[count++] = (struct point){x, y};
        }
    return count;
}

static int moved_pixel(
    const struct farm_pair *pair, uint32_t x, uint32_t y, int32_t dx, int32_t dy) {
    const uint8_t *a = farm_reference_at(pair, x, y);
    const uint8_t *b = farm_capture_at(pair, x + (uint32_t)dx, y + (uint32_t)dy);
    return a && b && same(a, b);
}

// Whether no sample contradicts the move.
static int samples_agree(
    const struct farm_pair *pair, const struct farm_box *from, const struct point *samples,
    int count, int32_t dx, int32_t dy) {
    for (int i = 0; i < count; i++) {
        uint32_t x = samples[i].x, y = samples[i].y;
        uint32_t ox = x - (uint32_t)dx, oy = y - (uint32_t)dy;
        int left = holds(from, x, y), reached = holds(from, ox, oy);
        if (!left && !reached) return 0;
        if (left && !moved_pixel(pair, x, y, dx, dy)) return 0;
        if (reached && !moved_pixel(pair, ox, oy, dx, dy)) return 0;
    }
    return 1;
}

// Whether at least 98 % of the changed pixels lie in the part that the content left or the part
// that it reached, and at least 30 % in each.
static int covers(
    const uint8_t *classes, uint32_t width, const struct farm_box *box,
    const struct farm_box *from, int32_t dx, int32_t dy) {
    size_t changed = 0, left = 0, reached = 0, either = 0;
    for (uint32_t y = box->top; y < box->bottom; y++)
        for (uint32_t x = box->left; x < box->right; x++) {
            if (!is_changed(classes[(size_t)y * width + x])) continue;
            int in_left = holds(from, x, y);
            int in_reached = holds(from, x - (uint32_t)dx, y - (uint32_t)dy);
            changed++;
            left += in_left;
            reached += in_reached;
            either += in_left || in_reached;
        }
    return either * 100 >= changed * 98 && left * 10 >= changed * 3 && reached * 10 >= changed * 3;
}

static int on_canvas(const struct farm_pair *pair, uint32_t x, uint32_t y) {
    return x < farm_axis_length(&pair->columns) && y < farm_axis_length(&pair->rows);
}

int farm_content_moved(
    const struct farm_pair *pair, const struct farm_box *box, int32_t dx, int32_t dy) {
    size_t inside = 0, inside_same = 0, rim = 0, rim_same = 0, edges = 0, rim_edges = 0;
    uint32_t left = box->left ? box->left - 1 : 0, top = box->top ? box->top - 1 : 0;
    for (uint32_t y = top; y < box->bottom + 1; y++) {
        for (uint32_t x = left; x < box->right + 1; x++) {
            int in = holds(box, x, y);
            if (!on_canvas(pair, x, y)
                || !on_canvas(pair, x + (uint32_t)dx, y + (uint32_t)dy)) {
                if (in) return 0;
                continue;
            }
            int equal = moved_pixel(pair, x, y, dx, dy);
            if (in)
                inside++, inside_same += equal;
            else
                rim++, rim_same += equal;
            if (x == left) continue;
            const uint8_t *here = farm_reference_at(pair, x, y);
            const uint8_t *before = farm_reference_at(pair, x - 1, y);
            int edge = here && before && !same(here, before);
            if (in && x > box->left) edges += edge;
            rim_edges += edge;
        }
        // Stops early: more than 1 % of the pixels differ.
        if ((inside - inside_same) * 100 > (size_t)(box->right - box->left)
                * (box->bottom - box->top)) return 0;
    }
    return edges >= 4 || (rim_edges >= 4 && rim_same * 10 >= rim * 9);
}

static int explains(
    const struct farm_pair *pair, const uint8_t *classes, const struct farm_box *box,
    const struct farm_box *from, int32_t dx, int32_t dy) {
    return covers(classes, farm_axis_length(&pair->columns), box, from, dx, dy)
        && farm_content_moved(pair, from, dx, dy);
}

int farm_region_moves(
    const struct farm_pair *pair, const uint8_t *classes, const struct farm_box *box,
    uint32_t most, struct farm_move *moves) {
    struct point samples[SAMPLES];
    int32_t wide = (int32_t)(box->right - box->left) - 1, limit = (int32_t)most;
    int32_t high = (int32_t)(box->bottom - box->top) - 1;
    int count = take_samples(classes, farm_axis_length(&pair->columns), box, samples);
    int tries = 0, found = 0;
    if (count < 8) return 0;
    if (wide > limit) wide = limit;
    if (high > limit) high = limit;
    for (int32_t sum = 1; sum <= wide + high; sum++) {
        for (int32_t x = -(sum < wide ? sum : wide); x <= wide && x <= sum; x++) {
            int32_t rest = sum - (x < 0 ? -x : x);
            if (rest > high) continue;
            for (int sign = rest ? -1 : 1; sign <= 1; sign += 2) {
                struct farm_box from = origin(box, x, sign * rest);
                if (!samples_agree(pair, &from, samples, count, x, sign * rest)) continue;
                if (++tries > TRIES) return found;
                if (!explains(pair, classes, box, &from, x, sign * rest)) continue;
                moves[found++] = (struct farm_move){x, sign * rest};
                if (found == FARM_MOVES) return found;
            }
        }
    }
    return found;
}

// Returns the most frequent colour (Boyer and Moore 1981) of the reference in the frame around a
// box, taken as the ground on which the content moved; NULL if the box fills the canvas.
static const uint8_t *ground_around(const struct farm_pair *pair, const struct farm_box *box) {
    const uint8_t *ground = NULL;
    size_t lead = 0;
    uint32_t left = box->left ? box->left - 1 : 0, top = box->top ? box->top - 1 : 0;
    for (uint32_t y = top; y < box->bottom + 1; y++)
        for (uint32_t x = left; x < box->right + 1; x++) {
            // Skips the inside of the box.
            if (holds(box, x, y)) x = box->right;
            if (!on_canvas(pair, x, y)) continue;
            const uint8_t *colour = farm_reference_at(pair, x, y);
            if (!colour) continue;
            if (lead == 0) ground = colour;
            if (memcmp(ground, colour, 4) == 0)
                lead++;
            else
                lead--;
        }
    return ground;
}

void farm_move_mark(
    const struct farm_pair *pair, const struct farm_box *box, struct farm_move move,
    uint8_t *classes) {
    uint32_t width = farm_axis_length(&pair->columns);
    const uint8_t *ground = ground_around(pair, box);
    for (uint32_t y = box->top; y < box->bottom; y++)
        for (uint32_t x = box->left; x < box->right; x++) {
            uint8_t *class = classes + (size_t)y * width + x;
            if (!is_changed(*class)) continue;
            const uint8_t *before = farm_reference_at(pair, x, y);
            const uint8_t *after = farm_capture_at(pair, x, y);
            if (!before || !after) continue;
            uint32_t fx = x - (uint32_t)move.dx, fy = y - (uint32_t)move.dy;
            uint32_t tx = x + (uint32_t)move.dx, ty = y + (uint32_t)move.dy;
            int came = on_canvas(pair, fx, fy) && moved_pixel(pair, fx, fy, move.dx, move.dy);
            int went = on_canvas(pair, tx, ty) && moved_pixel(pair, x, y, move.dx, move.dy);
            // Ground that equals ground has not moved.
            if (came && !(ground && same(after, ground)))
                *class = FARM_REACHED;
            else if (went && !(ground && same(before, ground)))
                *class = FARM_LEFT;
        }
}
