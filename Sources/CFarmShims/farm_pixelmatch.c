// pixelmatch 7.2.0 and 5.3.0 (https://github.com/mapbox/pixelmatch, ISC), written from their
// description: colour distance in YIQ (Kotsarenko and Ramos 2010) and a detector of anti-aliased
// pixels (Vysniauskas 2009). The two versions blend translucent pixels on different grounds and
// round differently, and the unreleased successor computes something else: the version is a
// contract.
#include "farm_policies.h"

#include <string.h>

// A fused multiply-add rounds differently; a verdict must not depend on the processor.
#pragma STDC FP_CONTRACT OFF

struct view {
    const uint8_t *pixels;
    size_t stride;
    uint32_t width, height;
    int on_white;
};

static const uint8_t *pixel(const struct view *view, uint32_t x, uint32_t y) {
    return view->pixels + y * view->stride + (size_t)x * 4;
}

// Returns the background behind translucent pixels, a checkerboard that depends on the position, so
// that no colour can hide in it. `k` is the byte offset of the first compared pixel.
static double board(size_t k, double ratio) {
    return 48 + 159 * (double)((size_t)((double)k / ratio) % 2);
}

struct change {
    double red, green, blue;
};

static struct change change_of(const uint8_t *a, const uint8_t *b, size_t k) {
    struct change change = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    if (a[3] == 255 && b[3] == 255) return change;
    double alpha = a[3] - b[3];
    change.red = (a[0] * a[3] - b[0] * b[3] - board(k, 1) * alpha) / 255;
    change.green = (a[1] * a[3] - b[1] * b[3] - board(k, 1.618033988749895) * alpha) / 255;
    change.blue = (a[2] * a[3] - b[2] * b[3] - board(k, 2.618033988749895) * alpha) / 255;
    return change;
}

// Returns a colour blended on the white ground of 5.3.0.
static struct change on_white(const uint8_t *pixel) {
    struct change colour = {pixel[0], pixel[1], pixel[2]};
    if (pixel[3] == 255) return colour;
    double alpha = pixel[3] / 255.0;
    colour.red = 255 + (colour.red - 255) * alpha;
    colour.green = 255 + (colour.green - 255) * alpha;
    colour.blue = 255 + (colour.blue - 255) * alpha;
    return colour;
}

static double luma(struct change c) {
    return c.red * 0.29889531 + c.green * 0.58662247 + c.blue * 0.11448223;
}

static double in_phase(struct change c) {
    return c.red * 0.59597799 - c.green * 0.27417610 - c.blue * 0.32180189;
}

static double quadrature(struct change c) {
    return c.red * 0.21147017 - c.green * 0.52261711 + c.blue * 0.31114694;
}

// 5.3.0 subtracts after weighting, 7.2.0 before. The last bits differ, and callers compare with 0.
static double luma_change(const struct view *view, const uint8_t *a, const uint8_t *b, size_t k) {
    if (memcmp(a, b, 4) == 0) return 0;
    if (view->on_white) return luma(on_white(a)) - luma(on_white(b));
    return luma(change_of(a, b, k));
}

static double colour_distance(
    const struct view *view, const uint8_t *a, const uint8_t *b, size_t k) {
    double y, i, q;
    if (view->on_white) {
        struct change one = on_white(a), two = on_white(b);
        y = luma(one) - luma(two);
        i = in_phase(one) - in_phase(two);
        q = quadrature(one) - quadrature(two);
    } else {
        struct change c = change_of(a, b, k);
        y = luma(c), i = in_phase(c), q = quadrature(c);
    }
    return 0.5053 * y * y + 0.299 * i * i + 0.1957 * q * q;
}

// The columns and rows of a pixel and its up to eight neighbours; both ends are inclusive.
struct around {
    uint32_t x0, y0, x1, y1;
    int border;
};

static struct around around_of(const struct view *view, uint32_t x, uint32_t y) {
    struct around around = {
        .x0 = x > 0 ? x - 1 : 0,
        .y0 = y > 0 ? y - 1 : 0,
        .x1 = x + 1 < view->width ? x + 1 : x,
        .y1 = y + 1 < view->height ? y + 1 : y,
    };
    around.border = around.x0 == x || around.x1 == x || around.y0 == y || around.y1 == y;
    return around;
}

// Whether three or more neighbours have the pixel's colour; a border counts as one of them.
static int many_siblings(const struct view *view, uint32_t x, uint32_t y) {
    struct around around = around_of(view, x, y);
    int equal = around.border;
    for (uint32_t i = around.x0; i <= around.x1; i++)
        for (uint32_t j = around.y0; j <= around.y1; j++) {
            if (i == x && j == y) continue;
            equal += memcmp(pixel(view, i, j), pixel(view, x, y), 4) == 0;
            if (equal > 2) return 1;
        }
    return 0;
}

static int anti_aliased(
    const struct view *view, const struct view *other, uint32_t x, uint32_t y) {
    struct around around = around_of(view, x, y);
    int equal = around.border;
    double darkest = 0, brightest = 0;
    uint32_t dark_x = 0, dark_y = 0, bright_x = 0, bright_y = 0;
    size_t k = ((size_t)y * view->width + x) * 4;
    for (uint32_t i = around.x0; i <= around.x1; i++)
        for (uint32_t j = around.y0; j <= around.y1; j++) {
            if (i == x && j == y) continue;
            double delta = luma_change(view, pixel(view, x, y), pixel(view, i, j), k);
            if (delta == 0) {
                if (++equal > 2) return 0;
            } else if (delta < darkest) {
                darkest = delta, dark_x = i, dark_y = j;
            } else if (delta > brightest) {
                brightest = delta, bright_x = i, bright_y = j;
            }
        }
    if (darkest == 0 || brightest == 0) return 0;
    return (many_siblings(view, dark_x, dark_y) && many_siblings(other, dark_x, dark_y))
        || (many_siblings(view, bright_x, bright_y) && many_siblings(other, bright_x, bright_y));
}

size_t farm_pixels_pixelmatch(
    struct farm_picture a, struct farm_picture b, uint32_t width, uint32_t height,
    double max_delta, int include_aa, int on_white) {
    struct view one = {a.high, a.stride, width, height, on_white};
    struct view two = {b.high, b.stride, width, height, on_white};
    size_t count = 0;
    for (uint32_t y = 0; y < height; y++) {
        if (memcmp(pixel(&one, 0, y), pixel(&two, 0, y), (size_t)width * 4) == 0) continue;
        for (uint32_t x = 0; x < width; x++) {
            const uint8_t *pa = pixel(&one, x, y), *pb = pixel(&two, x, y);
            if (memcmp(pa, pb, 4) == 0) continue;
            size_t k = ((size_t)y * width + x) * 4;
            if (!(colour_distance(&one, pa, pb, k) > max_delta)) continue;
            if (!include_aa && (anti_aliased(&one, &two, x, y) || anti_aliased(&two, &one, x, y)))
                continue;
            count++;
        }
    }
    return count;
}
