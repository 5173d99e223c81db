#pragma once
// The frameworks' per-pixel arithmetic over 8-bit samples (of 16-bit samples the upper halves).
// What the counts mean, and how many are allowed, is decided in FarmImaging.
#include "farm_pixels.h"

#include <stddef.h>
#include <stdint.h>

// Pixels of which a premultiplied channel differs by `delta` or more.
size_t farm_pixels_premultiplied(
    struct farm_picture a, struct farm_picture b, uint32_t width, uint32_t height,
    uint32_t delta);

// Premultiplied bytes that differ.
size_t farm_bytes_premultiplied(
    struct farm_picture a, struct farm_picture b, uint32_t width, uint32_t height);

// Pixels that pixelmatch counts beyond `max_delta`; pixels that look like anti-aliasing count only
// when `include_aa`. 5.3.0 when `on_white`, else 7.2.0.
size_t farm_pixels_pixelmatch(
    struct farm_picture a, struct farm_picture b, uint32_t width, uint32_t height,
    double max_delta, int include_aa, int on_white);

// Sides in pixels; farm_off_by_two compares pictures of two sizes.
struct farm_sides {
    uint32_t width, height;
};

struct farm_off_by_two {
    // Pixels with a channel that differs by more than 2.
    size_t different;
    // Their sum of differences of red, green and blue.
    uint64_t delta;
};

// Paparazzi's OffByTwo over the smallest canvas that holds both pictures.
struct farm_off_by_two farm_pixels_off_by_two(
    struct farm_picture a, struct farm_sides a_sides,
    struct farm_picture b, struct farm_sides b_sides);

// Pixels whose Euclidean distance of RGBA in 0...1, in single precision, is over `max_distance`.
size_t farm_pixels_distant(
    struct farm_picture a, struct farm_picture b, uint32_t width, uint32_t height,
    float max_distance);

// Pixels whose distance by CIE94 (graphic arts, sRGB, D65, of premultiplied colours) is over
// `max_delta`.
size_t farm_pixels_cie94(
    struct farm_picture a, struct farm_picture b, uint32_t width, uint32_t height,
    double max_delta);
