// The gate of the policy `visible`: counts changed pixels and finds the window with most of them.
//
// Rows stream through a ring as high as the window. The changed pixels of each column within the
// ring are known (one row enters, one leaves), and sums over FARM_WINDOW columns are built by
// doubling: 2, 4, 8, 16. So every window at every position is examined in a few vector steps per
// row, and rows without changes cost nothing.
#include "farm_class_rows.h"

#include <string.h>

// The doubling below is written for a window of 16.
_Static_assert(FARM_WINDOW == 16, "sums are doubled four times");

// The rows needed to settle one: the row above, the row itself, the row below.
#define NEAR 3

struct gate {
    struct farm_class_rules rules;
    struct farm_gate result;
    uint32_t ring_height;
    // 1 if the pixel counts as changed; `ring_height` rows.
    uint8_t *ring;
    size_t in_ring[FARM_WINDOW];
    // Changed pixels in all rows of the ring.
    size_t counted;
    // Changed pixels by column, and scratch for doubling them; both end with FARM_WINDOW zeros.
    uint8_t *columns, *sums;
    // The classes of rows y - 1, y and y + 1, as farm_class_row wrote them.
    uint8_t *near[NEAR];
    int differs[NEAR];
};

size_t farm_gate_scratch(uint32_t width, uint32_t height) {
    size_t ring = height < FARM_WINDOW ? height : FARM_WINDOW;
    // One more row for the settled classes.
    return (ring + NEAR + 1) * width + 2 * ((size_t)width + FARM_WINDOW);
}

static void widen(struct farm_box *box, const uint8_t *row, uint32_t width, uint32_t y) {
    uint32_t left = 0, right = width;
    while (!row[left]) left++;
    while (!row[right - 1]) right--;
    if (box->right == 0) {
        *box = (struct farm_box){left, y, right, y + 1};
        return;
    }
    if (left < box->left) box->left = left;
    if (right > box->right) box->right = right;
    box->bottom = y + 1;
}

// Counts the classes of a settled row, and sets `flags` to 1 where a pixel counts as changed.
static size_t count(struct gate *gate, const uint8_t *restrict settled, uint8_t *restrict flags) {
    uint32_t width = gate->rules.width;
    size_t changed = farm_class_count(settled, width, FARM_CHANGED);
    for (uint32_t x = 0; x < width; x++) flags[x] = settled[x] == FARM_CHANGED;
    gate->result.changed += changed;
    gate->result.noise += farm_class_count(settled, width, FARM_NOISE);
    gate->result.anti_aliased += farm_class_count(settled, width, FARM_ANTI_ALIASED);
    return changed;
}

static void add(uint8_t *restrict columns, const uint8_t *restrict row, uint32_t width) {
    for (uint32_t x = 0; x < width; x++) columns[x] += row[x];
}

static void subtract(uint8_t *restrict columns, const uint8_t *restrict row, uint32_t width) {
    for (uint32_t x = 0; x < width; x++) columns[x] -= row[x];
}

// Adds to each sum the one `step` further on. Works in place: each is read before it changes.
static inline void double_sums(uint8_t *sums, size_t length, size_t step) {
    for (size_t x = 0; x + step < length; x++) sums[x] += sums[x + step];
}

// Keeps the best window that ends at row `y`, if it beats the best so far.
static void look(struct gate *gate, uint32_t y) {
    uint32_t width = gate->rules.width;
    uint32_t last = width > FARM_WINDOW ? width - FARM_WINDOW : 0;
    size_t length = (size_t)width + FARM_WINDOW;
    uint8_t *sums = gate->sums;
    memcpy(sums, gate->columns, length);
    // Eight columns hold at most 8 * 16 pixels, so their sum fits a byte.
    double_sums(sums, length, 1);
    double_sums(sums, length, 2);
    double_sums(sums, length, 4);
    int16_t best = 0;
    for (uint32_t x = 0; x <= last; x++) {
        int16_t sum = (int16_t)(sums[x] + sums[x + FARM_WINDOW / 2]);
        best = sum > best ? sum : best;
    }
    if ((uint32_t)best <= gate->result.worst) return;
    uint32_t x = 0;
    while (sums[x] + sums[x + FARM_WINDOW / 2] != best) x++;
    gate->result.worst = (uint32_t)best;
    gate->result.worst_x = x;
    gate->result.worst_y = y + 1 - gate->ring_height;
}

static void enter(struct gate *gate, uint32_t y, uint8_t *settled) {
    uint32_t slot = y % gate->ring_height;
    uint8_t *row = gate->ring + (size_t)slot * gate->rules.width;
    size_t leaving = gate->in_ring[slot], entering = 0;
    if (leaving) subtract(gate->columns, row, gate->rules.width);
    if (settled) entering = count(gate, settled, row);
    if (entering) {
        add(gate->columns, row, gate->rules.width);
        widen(&gate->result.box, row, gate->rules.width, y);
    }
    gate->in_ring[slot] = entering;
    gate->counted += entering;
    gate->counted -= leaving;
    // No window holds more than the ring, nor more than all its own pixels.
    if (y + 1 >= gate->ring_height && gate->counted > gate->result.worst
        && gate->result.worst < FARM_WINDOW * FARM_WINDOW)
        look(gate, y);
}

static void classify(struct gate *gate, uint32_t y) {
    if (y < gate->rules.height)
        gate->differs[y % NEAR] = farm_class_row(&gate->rules, y, gate->near[y % NEAR]);
}

struct farm_gate farm_gate_judge(
    struct farm_picture a, struct farm_picture b, uint32_t width, uint32_t height,
    struct farm_rows rows, uint32_t noise, int anti_aliasing, const struct farm_box *ignored,
    size_t ignored_count, uint8_t *scratch) {
    struct gate gate = {
        .rules = {a, b, width, height, noise, anti_aliasing, ignored, ignored_count, rows.flags, 0},
        .ring_height = height < FARM_WINDOW ? height : FARM_WINDOW,
    };
    gate.columns = scratch;
    gate.sums = gate.columns + width + FARM_WINDOW;
    memset(gate.columns, 0, (size_t)width + FARM_WINDOW);
    for (int i = 0; i < NEAR; i++)
        gate.near[i] = gate.sums + width + FARM_WINDOW + (size_t)i * width;
    uint8_t *settled = gate.near[NEAR - 1] + width;
    gate.ring = settled + width;
    // Windows that end above the first differing row hold nothing. Windows that end below the last
    // one hold no more than the window that ends there, or than the topmost one.
    uint32_t end = rows.last < gate.ring_height ? gate.ring_height : rows.last;
    if (rows.first > 0) classify(&gate, rows.first - 1);
    classify(&gate, rows.first);
    for (uint32_t y = rows.first; y < end; y++) {
        classify(&gate, y + 1);
        const uint8_t *row = gate.near[y % NEAR];
        if (!gate.differs[y % NEAR]) {
            enter(&gate, y, NULL);
            continue;
        }
        memcpy(settled, row, width);
        farm_class_settle(
            &gate.rules, y, y > 0 ? gate.near[(y + NEAR - 1) % NEAR] : NULL, settled,
            y + 1 < height ? gate.near[(y + 1) % NEAR] : NULL);
        enter(&gate, y, settled);
    }
    return gate.result;
}
