#pragma once
// The test frameworks' per-pixel arithmetic over 8-bit samples (the upper halves of 16-bit
// samples). FarmImaging decides what the counts mean and how many are allowed.
#include "farm_pixels.h"

#include <stddef.h>
#include <stdint.h>

// Counts the pixels with a premultiplied channel that differs by `delta` or more.
size_t farm_pixels_premultiplied(
    struct farm_picture a, struct farm_picture b, uint32_t width, uint32_t height,
    uint32_t delta);

// Counts the premultiplied bytes that differ.
size_t farm_bytes_premultiplied(
    struct farm_picture a, struct farm_picture b, uint32_t width, uint32_t height);

// Counts the pixels that pixelmatch finds farther apart than `max_delta`. Pixels that look like
// anti-aliasing count only if `include_aa`. Follows 5.3.0 if `on_white`, else 7.2.0.
size_t farm_pixels_pixelmatch(
    struct farm_picture a, struct farm_picture b, uint32_t width, uint32_t height,
    double max_delta, int include_aa, int on_white);

// The sides of one picture in pixels; farm_pixels_off_by_two compares two sizes.
struct farm_sides {
    uint32_t width, height;
};

struct farm_off_by_two {
    // Pixels with a channel that differs by more than 2.
    size_t different;
    // The sum of their differences in red, green and blue.
    uint64_t delta;
};

// Compares as Paparazzi's OffByTwo does, on the smallest canvas that holds both pictures.
struct farm_off_by_two farm_pixels_off_by_two(
    struct farm_picture a, struct farm_sides a_sides,
    struct farm_picture b, struct farm_sides b_sides);

// Counts the pixels farther apart than `max_distance`: Euclidean distance of RGBA in 0...1, in
// single precision.
size_t farm_pixels_distant(
    struct farm_picture a, struct farm_picture b, uint32_t width, uint32_t height,
    float max_distance);

// Counts the pixels farther apart than `max_delta` by CIE94 (graphic arts, sRGB, D65, of
// premultiplied colours).
size_t farm_pixels_cie94(
    struct farm_picture a, struct farm_picture b, uint32_t width, uint32_t height,
    double max_delta);
