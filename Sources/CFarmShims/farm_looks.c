// Facts about the pixels of one region: whether it is flat, whether each colour became one other
// colour, whether it is text. One or two passes over a box, which the caller bounds.
#include "farm_regions.h"

#include <string.h>

// Colours with channels at most this far apart are one colour: roundings of the same blend.
#define CLOSE 3
// Ink is farther than this from its ground; shadows and rounded edges are nearer.
#define INK 40

static int close_to(const uint8_t *a, const uint8_t *b, int most) {
    for (int i = 0; i < 4; i++) {
        int distance = a[i] - b[i];
        if (distance > most || distance < -most) return 0;
    }
    return 1;
}

// The most frequent value, if it is over half of all (majority vote, Boyer and Moore 1981).
struct majority {
    uint8_t colour[4];
    size_t lead;
};

static void vote(struct majority *majority, const uint8_t *colour) {
    if (majority->lead == 0) memcpy(majority->colour, colour, 4);
    if (memcmp(majority->colour, colour, 4) == 0)
        majority->lead++;
    else
        majority->lead--;
}

static int is_changed(uint8_t class) { return class == FARM_CHANGED || class == FARM_ANTI_ALIASED; }

static uint32_t row_step(const struct farm_box *box) {
    uint64_t area = (uint64_t)(box->right - box->left) * (box->bottom - box->top);
    uint32_t rows = box->bottom - box->top;
    uint64_t step = (area + FARM_LOOK_MAX - 1) / FARM_LOOK_MAX;
    return step > rows ? rows : (uint32_t)(step ? step : 1);
}

// Maps each colour to the colour it became where first seen. Open addressing, never more than half
// full.
#define MAP_SIZE 1024
struct map {
    uint8_t from[MAP_SIZE][4], to[MAP_SIZE][4];
    uint8_t used[MAP_SIZE];
    size_t count;
};

static uint8_t *becomes(struct map *map, const uint8_t *from, const uint8_t *to) {
    uint32_t key;
    memcpy(&key, from, 4);
    uint32_t at = (key * 0x9E3779B1u) >> 22;
    while (map->used[at] && memcmp(map->from[at], from, 4) != 0) at = (at + 1) % MAP_SIZE;
    if (!map->used[at]) {
        if (map->count >= MAP_SIZE / 2) return NULL;
        map->used[at] = 1;
        map->count++;
        memcpy(map->from[at], from, 4);
        memcpy(map->to[at], to, 4);
    }
    return map->to[at];
}

// Returns the pixels of a box in row y on one side (1 the reference, 2 the capture), or NULL if
// that side lacks the row or a band of columns lies between the ends of the box.
static const uint8_t *run(
    const struct farm_pair *pair, int side, const struct farm_box *box, uint32_t y) {
    const uint8_t *first, *last;
    if (side == 1) {
        first = farm_reference_at(pair, box->left, y);
        last = farm_reference_at(pair, box->right - 1, y);
    } else {
        first = farm_capture_at(pair, box->left, y);
        last = farm_capture_at(pair, box->right - 1, y);
    }
    size_t bytes = (size_t)(box->right - 1 - box->left) * 4;
    return first && last && (size_t)(last - first) == bytes ? first : NULL;
}

static void look_at_rim(
    const struct farm_pair *pair, const uint8_t *classes, uint32_t x, uint32_t y,
    const struct majority *reference, const struct majority *capture, struct farm_look *look) {
    uint32_t width = farm_axis_length(&pair->columns), height = farm_axis_length(&pair->rows);
    const int32_t steps[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    for (int i = 0; i < 4; i++) {
        uint32_t nx = x + (uint32_t)steps[i][0], ny = y + (uint32_t)steps[i][1];
        if (nx >= width || ny >= height) continue;
        uint8_t class = classes[(size_t)ny * width + nx];
        if (class != FARM_SAME && class != FARM_NOISE) continue;
        const uint8_t *a = farm_reference_at(pair, nx, ny), *b = farm_capture_at(pair, nx, ny);
        if (!a || !b) continue;
        look->rim++;
        look->rim_like_reference += close_to(a, reference->colour, CLOSE);
        look->rim_like_capture += close_to(b, capture->colour, CLOSE);
    }
}

// Maps the colours of a box from the reference to the capture, and back.
struct maps {
    struct map forth, back;
    // The last pair of colours and its answers, since interfaces are runs of one colour.
    uint32_t last_from, last_to;
    int is_known, broke_forth, broke_back, full;
};

static void follow(
    struct maps *maps, const uint8_t *a, const uint8_t *b, struct farm_look *look) {
    uint32_t from, to;
    memcpy(&from, a, 4);
    memcpy(&to, b, 4);
    if (!maps->is_known || from != maps->last_from || to != maps->last_to) {
        const uint8_t *there = becomes(&maps->forth, a, b), *origin = becomes(&maps->back, b, a);
        maps->full = !there || !origin;
        if (maps->full) return;
        maps->broke_forth = !close_to(there, b, CLOSE);
        maps->broke_back = !close_to(origin, a, CLOSE);
        maps->last_from = from;
        maps->last_to = to;
        maps->is_known = 1;
    }
    look->broken_forth += (size_t)maps->broke_forth;
    look->broken_back += (size_t)maps->broke_back;
}

void farm_region_look(
    const struct farm_pair *pair, const uint8_t *classes, const struct farm_box *box,
    struct farm_look *look) {
    struct majority reference = {{0}, 0}, capture = {{0}, 0};
    struct maps maps;
    uint32_t step = row_step(box), width = farm_axis_length(&pair->columns);
    memset(look, 0, sizeof *look);
    memset(&maps, 0, sizeof maps);
    for (uint32_t y = box->top; y < box->bottom; y += step) {
        const uint8_t *a = run(pair, 1, box, y), *b = run(pair, 2, box, y);
        if (!a || !b) continue;
        const uint8_t *row = classes + (size_t)y * width + box->left;
        for (uint32_t i = 0; i < box->right - box->left; i++, a += 4, b += 4) {
            if (row[i] == FARM_IGNORED) continue;
            if (is_changed(row[i])) vote(&reference, a), vote(&capture, b), look->changed++;
            if (!maps.full) follow(&maps, a, b, look);
        }
    }
    look->colours = maps.full ? 0 : maps.forth.count;
    for (uint32_t y = box->top; y < box->bottom; y += step) {
        const uint8_t *a = run(pair, 1, box, y), *b = run(pair, 2, box, y);
        if (!a || !b) continue;
        const uint8_t *row = classes + (size_t)y * width + box->left;
        for (uint32_t i = 0; i < box->right - box->left; i++, a += 4, b += 4) {
            if (!is_changed(row[i])) continue;
            look->reference_flat += close_to(a, reference.colour, CLOSE);
            look->capture_flat += close_to(b, capture.colour, CLOSE);
            look_at_rim(pair, classes, box->left + i, y, &reference, &capture, look);
        }
    }
}

size_t farm_region_broken(
    const struct farm_pair *pair, const uint8_t *classes, const struct farm_box *box) {
    struct farm_look look;
    struct maps maps;
    uint32_t width = farm_axis_length(&pair->columns);
    memset(&look, 0, sizeof look);
    memset(&maps, 0, sizeof maps);
    for (uint32_t y = box->top; y < box->bottom; y++) {
        const uint8_t *a = run(pair, 1, box, y), *b = run(pair, 2, box, y);
        if (!a || !b) continue;
        const uint8_t *row = classes + (size_t)y * width + box->left;
        for (uint32_t i = 0; i < box->right - box->left; i++, a += 4, b += 4) {
            if (row[i] != FARM_IGNORED) follow(&maps, a, b, &look);
            if (maps.full) return 0;
        }
    }
    return look.broken_forth + look.broken_back;
}

size_t farm_region_strangers(
    const struct farm_pair *pair, const struct farm_box *box, int32_t dx, int32_t dy) {
    size_t strangers = 0;
    for (uint32_t y = box->top; y < box->bottom; y++) {
        for (uint32_t x = box->left; x < box->right; x++) {
            int64_t from_x = (int64_t)x - dx, from_y = (int64_t)y - dy;
            if (from_x < box->left || from_x >= box->right || from_y < box->top ||
                from_y >= box->bottom)
                continue;
            const uint8_t *now = farm_capture_at(pair, x, y);
            const uint8_t *old = farm_reference_at(pair, (uint32_t)from_x, (uint32_t)from_y);
            if (now && old && !close_to(now, old, CLOSE)) strangers++;
        }
    }
    return strangers;
}

// Counts the runs of one text line from its ink per column, and clears `columns`.
static void end_line(
    uint32_t *columns, uint32_t width, uint32_t line_height, struct farm_text *text) {
    uint32_t run = 0;
    size_t ink = 0;
    for (uint32_t x = 0; x <= width; x++) {
        if (x < width && columns[x]) {
            run++;
            ink += columns[x];
            columns[x] = 0;
            continue;
        }
        if (run) text->runs++;
        if (run && run <= 2 * line_height) text->narrow_ink += ink;
        run = 0;
        ink = 0;
    }
}

void farm_region_text(
    const struct farm_pair *pair, const uint8_t *classes, const struct farm_box *box, int side,
    uint32_t *columns, struct farm_text *text) {
    struct majority ground = {{0}, 0};
    uint32_t width = box->right - box->left, line_height = 0;
    uint32_t canvas = farm_axis_length(&pair->columns);
    memset(text, 0, sizeof *text);
    memset(columns, 0, (size_t)width * sizeof *columns);
    for (uint32_t y = box->top; y < box->bottom; y++) {
        const uint8_t *pixel = run(pair, side, box, y);
        if (!pixel) continue;
        for (uint32_t i = 0; i < width; i++, pixel += 4) vote(&ground, pixel);
        text->pixels += width;
    }
    for (uint32_t y = box->top; y < box->bottom; y++) {
        const uint8_t *row = classes + (size_t)y * canvas + box->left;
        const uint8_t *pixel = run(pair, side, box, y), *before = ground.colour;
        int is_ink = 0;
        uint32_t ink = 0;
        for (uint32_t i = 0; pixel && i < width; i++, pixel += 4) {
            if (memcmp(pixel, before, 4) != 0) is_ink = !close_to(pixel, ground.colour, INK);
            before = pixel;
            if (!is_ink) continue;
            columns[i]++;
            ink++;
            text->changed_ink += is_changed(row[i]);
        }
        text->ink += ink;
        if (ink) line_height++;
        if ((!ink || y + 1 == box->bottom) && line_height) {
            end_line(columns, width, line_height, text);
            line_height = 0;
        }
    }
    text->ground = text->pixels - text->ink;
}
