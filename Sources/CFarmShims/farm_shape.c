// Anti-aliasing by shape: whether a changed pixel is the same edge, drawn by another rasteriser.
//
// An edge is where two flat colours meet. Its pixels are mixtures of the two, and rasterisers
// disagree about how much of each. An edge crosses a straight line through the pixel if, at most
// REACH pixels away on either side, the line meets a plateau (an unchanged pixel with neighbours of
// exactly its colour), and the pixel changed by at most 1 / SHIFT of the way from one plateau's
// colour to the other's.
//
// A change is excused if an edge crosses at least one of the four straight lines through the pixel,
// and on every line that an edge crosses:
//   - in both pictures the pixel, and the pixels between it and the plateaus, are mixtures of the
//     plateaus' colours, and the mixtures run one way from plateau to plateau;
//   - in AREA by AREA pixels around it, mixtures changed by at most half a pixel's worth in all,
//     and by a quarter on balance. A shape exceeds this when it moves by a tenth of a pixel or
//     grows by a thirtieth.
// Moreover the pixel must not belong to a straight line of LINE pixels that changed alike: that is
// a hairline or a border in another colour, or an edge that moved by part of a pixel.
//
// Content that vanished, appeared, moved or has another colour breaks one of these rules: its own
// plateau changed, or it lies between two plateaus of one colour, or its mixture went all the way.
#include "farm_class_rows.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define REACH 2
#define SHIFT 4
#define LINE 6
#define AREA 9
// A plateau has at least this many neighbours of its colour: the middle of a stroke one pixel wide
// has two.
#define PLATEAU 2
// Each program rounds once when it mixes, and once more when it premultiplies.
#define ROUNDING 2
// The farthest step of all checks.
#define FARTHEST (LINE - 1)
_Static_assert(FARTHEST >= AREA / 2 && FARTHEST > REACH, "nothing looks farther");

// The pixel under test. Steps to other pixels are relative to it.
struct spot {
    const struct farm_class_rules *rules;
    const uint8_t *a, *b;
    int64_t x, y;
    // Whether no step leaves the pictures.
    int inner;
};

struct step {
    int x, y;
};

// A premultiplied colour: only then do mixtures with transparent pixels lie on straight lines.
struct colour {
    int32_t sample[4];
};

static uint32_t at32(const uint8_t *bytes) {
    uint32_t value;
    memcpy(&value, bytes, 4);
    return value;
}

static int inside(const struct spot *spot, struct step to) {
    if (spot->inner) return 1;
    int64_t x = spot->x + to.x, y = spot->y + to.y;
    return x >= 0 && y >= 0 && x < spot->rules->width && y < spot->rules->height;
}

static const uint8_t *in_a(const struct spot *spot, struct step to) {
    return spot->a + to.y * (ptrdiff_t)spot->rules->a.stride + to.x * 4;
}

static const uint8_t *in_b(const struct spot *spot, struct step to) {
    return spot->b + to.y * (ptrdiff_t)spot->rules->b.stride + to.x * 4;
}

static struct colour colour_of(const uint8_t *bytes) {
    struct colour colour = {{bytes[0], bytes[1], bytes[2], bytes[3]}};
    if (bytes[3] == 255) return colour;
    for (int i = 0; i < 3; i++) colour.sample[i] = farm_blended(bytes, i);
    return colour;
}

static int changed(const struct spot *spot, struct step to) {
    const uint8_t *a = in_a(spot, to), *b = in_b(spot, to);
    if (at32(a) == at32(b)) return 0;
    for (int i = 0; i < 4; i++)
        if ((uint32_t)abs(a[i] - b[i]) > spot->rules->noise)
            return !farm_blended_alike(a, b, spot->rules->noise);
    return 0;
}

// Whether two places have the same colour in each picture.
static int alike(const struct spot *spot, struct step one, struct step other) {
    return at32(in_a(spot, one)) == at32(in_a(spot, other))
        && at32(in_b(spot, one)) == at32(in_b(spot, other));
}

static int plateau(const struct spot *spot, struct step at) {
    static const struct step around[8] = {
        {-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, -1}, {1, -1}, {-1, 1}, {1, 1}};
    if (changed(spot, at)) return 0;
    int siblings = 0;
    for (int i = 0; i < 8 && siblings < PLATEAU; i++) {
        struct step near = {at.x + around[i].x, at.y + around[i].y};
        siblings += inside(spot, near) && alike(spot, at, near);
    }
    return siblings == PLATEAU;
}

// Returns the steps along `axis` to the first plateau, or 0 if none is within REACH.
static int reach(const struct spot *spot, struct step axis) {
    for (int count = 1; count <= REACH; count++) {
        struct step to = {count * axis.x, count * axis.y};
        if (!inside(spot, to)) return 0;
        if (plateau(spot, to)) return count;
    }
    return 0;
}

static int mixture(struct colour colour, struct colour from, struct colour to, int channel) {
    int32_t whole = to.sample[channel] - from.sample[channel];
    int32_t part = colour.sample[channel] - from.sample[channel];
    for (int i = 0; i < 4; i++) {
        int32_t low = from.sample[i] < to.sample[i] ? from.sample[i] : to.sample[i];
        int32_t high = from.sample[i] < to.sample[i] ? to.sample[i] : from.sample[i];
        if (colour.sample[i] < low - 1 || colour.sample[i] > high + 1) return 0;
        int32_t error = (colour.sample[i] - from.sample[i]) * whole
            - (to.sample[i] - from.sample[i]) * part;
        if (abs(error) > ROUNDING * abs(whole)) return 0;
    }
    return 1;
}

// Whether all pixels between the plateaus are mixtures of the two, each at least as far on as the
// one before.
static int one_way(
    const struct spot *spot, struct step axis, int back, int forth, int channel,
    const uint8_t *(*in)(const struct spot *, struct step)) {
    struct colour first = colour_of(in(spot, (struct step){-back * axis.x, -back * axis.y}));
    struct colour last = colour_of(in(spot, (struct step){forth * axis.x, forth * axis.y}));
    int rising = last.sample[channel] > first.sample[channel];
    int32_t before = first.sample[channel];
    for (int count = 1 - back; count < forth; count++) {
        struct colour colour = colour_of(in(spot, (struct step){count * axis.x, count * axis.y}));
        if (!mixture(colour, first, last, channel)) return 0;
        int32_t here = colour.sample[channel];
        if (rising ? here + 1 < before : here > before + 1) return 0;
        before = here;
    }
    return 1;
}

// Counts the pixels next to this one along `axis` that have its colours in both pictures, up to
// LINE - 1.
static int run(const struct spot *spot, struct step axis) {
    int count = 1;
    for (; count < LINE; count++) {
        struct step to = {count * axis.x, count * axis.y};
        if (!inside(spot, to) || !alike(spot, (struct step){0, 0}, to)) break;
    }
    return count - 1;
}

static int on_line(const struct spot *spot) {
    return run(spot, (struct step){-1, 0}) + 1 + run(spot, (struct step){1, 0}) >= LINE
        || run(spot, (struct step){0, -1}) + 1 + run(spot, (struct step){0, 1}) >= LINE;
}

// The changes around the pixel, in one channel.
struct around {
    int32_t sum, balance;
};

static void add_row(const struct spot *spot, int y, int channel, struct around *around) {
    for (int x = -AREA / 2; x <= AREA / 2; x++) {
        struct step to = {x, y};
        if (!inside(spot, to)) continue;
        const uint8_t *a = in_a(spot, to), *b = in_b(spot, to);
        if (at32(a) == at32(b)) continue;
        int32_t change = colour_of(a).sample[channel] - colour_of(b).sample[channel];
        around->sum += abs(change);
        around->balance += change;
    }
}

// Whether the mixtures around the pixel changed by little. Stops once they changed too much: the
// nearest rows settle most pixels.
static int little_around(const struct spot *spot, int channel, int32_t whole) {
    struct around around = {0, 0};
    add_row(spot, 0, channel, &around);
    for (int y = 1; y <= AREA / 2 && around.sum * 2 <= whole; y++) {
        add_row(spot, -y, channel, &around);
        add_row(spot, y, channel, &around);
    }
    return around.sum * 2 <= whole && abs(around.balance) * 4 <= whole;
}

// Returns the largest change of the pixel in any channel.
static int32_t largest_shift(const struct spot *spot) {
    struct colour a = colour_of(spot->a), b = colour_of(spot->b);
    int32_t largest = 0;
    for (int i = 0; i < 4; i++) {
        int32_t shift = abs(a.sample[i] - b.sample[i]);
        if (shift > largest) largest = shift;
    }
    return largest;
}

// Returns the channel in which two colours are farthest apart.
static int widest(struct colour from, struct colour to) {
    int channel = 0;
    for (int i = 1; i < 4; i++)
        if (abs(to.sample[i] - from.sample[i])
            > abs(to.sample[channel] - from.sample[channel]))
            channel = i;
    return channel;
}

// The result of one straight line through the pixel; NOTHING if no edge crosses it.
enum line { NOTHING, KEPT, BROKEN };

static enum line look_along(const struct spot *spot, int32_t shift, struct step axis) {
    int back = reach(spot, (struct step){-axis.x, -axis.y});
    if (!back) return NOTHING;
    int forth = reach(spot, axis);
    if (!forth) return NOTHING;
    struct colour first = colour_of(in_a(spot, (struct step){-back * axis.x, -back * axis.y}));
    struct colour last = colour_of(in_a(spot, (struct step){forth * axis.x, forth * axis.y}));
    int channel = widest(first, last);
    int32_t whole = abs(last.sample[channel] - first.sample[channel]);
    if (shift * SHIFT > whole) return NOTHING;
    int kept = one_way(spot, axis, back, forth, channel, in_a)
        && one_way(spot, axis, back, forth, channel, in_b)
        && little_around(spot, channel, whole);
    return kept ? KEPT : BROKEN;
}

int farm_shape_kept(const struct farm_class_rules *rules, uint32_t x, uint32_t y) {
    static const struct step axes[4] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
    struct spot spot = {
        .rules = rules,
        .a = rules->a.high + y * rules->a.stride + (size_t)x * 4,
        .b = rules->b.high + y * rules->b.stride + (size_t)x * 4,
        .x = x,
        .y = y,
        .inner = x >= FARTHEST && y >= FARTHEST && (uint64_t)x + FARTHEST < rules->width
            && (uint64_t)y + FARTHEST < rules->height,
    };
    int32_t shift = largest_shift(&spot);
    // Two colours are at most 255 apart: this settles most of a real change.
    if (shift * SHIFT > 255 || on_line(&spot)) return 0;
    int kept = 0;
    for (int i = 0; i < 4; i++) {
        enum line line = look_along(&spot, shift, axes[i]);
        if (line == BROKEN) return 0;
        kept += line == KEPT;
    }
    return kept > 0;
}
