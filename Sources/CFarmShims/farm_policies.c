// The test frameworks' loops over the pixels of two pictures. Equal rows are skipped with memcmp:
// no framework counts a pixel that is equal in every byte.
#include "farm_policies.h"

#include <math.h>
#include <string.h>

// A fused multiply-add rounds differently; a verdict must not depend on the processor.
#pragma STDC FP_CONTRACT OFF

static const uint8_t *row_of(struct farm_picture picture, uint32_t y) {
    return picture.high + y * picture.stride;
}

static uint32_t distance(uint8_t a, uint8_t b) { return a > b ? a - b : b - a; }

static void premultiply(const uint8_t *from, uint8_t *to) {
    for (int i = 0; i < 3; i++) to[i] = (uint8_t)((from[i] * from[3] + 127) / 255);
    to[3] = from[3];
}

static uint32_t largest(const uint8_t *a, const uint8_t *b) {
    uint32_t delta = 0;
    for (int i = 0; i < 4; i++)
        if (distance(a[i], b[i]) > delta) delta = distance(a[i], b[i]);
    return delta;
}

size_t farm_pixels_premultiplied(
    struct farm_picture a, struct farm_picture b, uint32_t width, uint32_t height,
    uint32_t delta) {
    size_t count = 0;
    uint8_t one[4], other[4];
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *ra = row_of(a, y), *rb = row_of(b, y);
        if (memcmp(ra, rb, (size_t)width * 4) == 0) continue;
        for (uint32_t x = 0; x < width; x++, ra += 4, rb += 4) {
            if (memcmp(ra, rb, 4) == 0) continue;
            premultiply(ra, one);
            premultiply(rb, other);
            count += largest(one, other) >= delta;
        }
    }
    return count;
}

size_t farm_bytes_premultiplied(
    struct farm_picture a, struct farm_picture b, uint32_t width, uint32_t height) {
    size_t count = 0;
    uint8_t one[4], other[4];
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *ra = row_of(a, y), *rb = row_of(b, y);
        if (memcmp(ra, rb, (size_t)width * 4) == 0) continue;
        for (uint32_t x = 0; x < width; x++, ra += 4, rb += 4) {
            if (memcmp(ra, rb, 4) == 0) continue;
            premultiply(ra, one);
            premultiply(rb, other);
            for (int i = 0; i < 4; i++) count += one[i] != other[i];
        }
    }
    return count;
}

// Adds a pixel as Paparazzi does (OffByTwo.kt): a place outside one picture is transparent grey;
// the colours of fully transparent pixels do not count; alpha decides whether a pixel differs but
// is not added.
static void off_by_two(const uint8_t *a, const uint8_t *b, struct farm_off_by_two *sum) {
    if (memcmp(a, b, 4) == 0 || (a[3] == 0 && b[3] == 0)) return;
    if (largest(a, b) <= 2) return;
    sum->different++;
    for (int i = 0; i < 3; i++) sum->delta += distance(a[i], b[i]);
}

struct farm_off_by_two farm_pixels_off_by_two(
    struct farm_picture a, struct farm_sides a_sides,
    struct farm_picture b, struct farm_sides b_sides) {
    static const uint8_t nothing[4] = {128, 128, 128, 0};
    struct farm_off_by_two sum = {0, 0};
    uint32_t width = a_sides.width > b_sides.width ? a_sides.width : b_sides.width;
    uint32_t height = a_sides.height > b_sides.height ? a_sides.height : b_sides.height;
    int same_width = a_sides.width == b_sides.width;
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *ra = y < a_sides.height ? row_of(a, y) : NULL;
        const uint8_t *rb = y < b_sides.height ? row_of(b, y) : NULL;
        if (ra && rb && same_width && memcmp(ra, rb, (size_t)width * 4) == 0) continue;
        for (uint32_t x = 0; x < width; x++) {
            const uint8_t *pa = ra && x < a_sides.width ? ra + (size_t)x * 4 : nothing;
            const uint8_t *pb = rb && x < b_sides.width ? rb + (size_t)x * 4 : nothing;
            off_by_two(pa, pb, &sum);
        }
    }
    return sum;
}

// Roborazzi (SimpleImageComparator of dropbox/differ): single precision throughout, as in the
// original.
size_t farm_pixels_distant(
    struct farm_picture a, struct farm_picture b, uint32_t width, uint32_t height,
    float max_distance) {
    size_t count = 0;
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *ra = row_of(a, y), *rb = row_of(b, y);
        if (memcmp(ra, rb, (size_t)width * 4) == 0) continue;
        for (uint32_t x = 0; x < width; x++, ra += 4, rb += 4) {
            if (memcmp(ra, rb, 4) == 0) continue;
            float sum = 0;
            for (int i = 0; i < 4; i++) {
                float change = (float)ra[i] / 255.0f - (float)rb[i] / 255.0f;
                sum += change * change;
            }
            count += sqrtf(sum) > max_distance;
        }
    }
    return count;
}

struct lab {
    double l, a, b;
};

// A term of CIE 1976 L*a*b*: the cube root, with a straight line near black.
static double lab_share(double t) {
    return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

// Converts sRGB to L*a*b*: IEC 61966-2-1 primaries on the D65 white; `linear` undoes the transfer
// curve of one byte.
static struct lab lab_of(const uint8_t *c, const double *linear) {
    double r = linear[c[0]], g = linear[c[1]], b = linear[c[2]];
    double x = lab_share((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
    double y = lab_share(0.2126729 * r + 0.7151522 * g + 0.0721750 * b);
    double z = lab_share((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883);
    return (struct lab){116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

// Returns the CIE 1994 distance with the weights of graphic arts; the first colour is the standard.
static double cie94(struct lab one, struct lab two) {
    double l = one.l - two.l, a = one.a - two.a, b = one.b - two.b;
    double chroma = sqrt(one.a * one.a + one.b * one.b);
    double c = chroma - sqrt(two.a * two.a + two.b * two.b);
    double h2 = a * a + b * b - c * c;
    double sc = 1 + 0.045 * chroma, sh = 1 + 0.015 * chroma;
    return sqrt(l * l + c * c / (sc * sc) + (h2 > 0 ? h2 / (sh * sh) : 0));
}

size_t farm_pixels_cie94(
    struct farm_picture a, struct farm_picture b, uint32_t width, uint32_t height,
    double max_delta) {
    double linear[256];
    for (int i = 0; i < 256; i++) {
        double v = i / 255.0;
        linear[i] = v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
    }
    size_t count = 0;
    uint8_t one[4], other[4];
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *ra = row_of(a, y), *rb = row_of(b, y);
        if (memcmp(ra, rb, (size_t)width * 4) == 0) continue;
        for (uint32_t x = 0; x < width; x++, ra += 4, rb += 4) {
            if (memcmp(ra, rb, 4) == 0) continue;
            premultiply(ra, one);
            premultiply(rb, other);
            if (memcmp(one, other, 3) == 0) continue;
            count += cie94(lab_of(one, linear), lab_of(other, linear)) > max_delta;
        }
    }
    return count;
}
