#pragma once
// Per-pixel arithmetic over straight RGBA8. It is in C because tests compare hundreds of megapixels
// in debug builds; FarmImaging decides what the numbers mean.
//
// All pictures of one call have the same `width` and `height`. Their pointers point to the first
// pixel; `stride` is the bytes from one row to the next.
#include <stddef.h>
#include <stdint.h>

// One picture. `low` holds the lower halves of 16-bit samples; NULL if each lower half equals its
// upper half, which is how 8-bit samples widen.
struct farm_picture {
    const uint8_t *high;
    const uint8_t *low;
    size_t stride;
};

// The range of rows that differ; `last` is exclusive, and both are 0 if none differs. `flags` has a
// byte for each row of the picture, 0 if the row is equal; NULL if only the range is known.
struct farm_rows {
    uint32_t first, last;
    const uint8_t *flags;
};

struct farm_difference {
    size_t differing;
    uint32_t largest_delta;
};

// Counts the pixels of `rows` that differ in any sample.
struct farm_difference farm_pixels_count(
    struct farm_picture a, struct farm_picture b, uint32_t width, struct farm_rows rows);

// Whether any sample differs.
int farm_pixels_equal(
    struct farm_picture a, struct farm_picture b, uint32_t width, uint32_t height);

// Whether all pixels of a picture equal the first.
int farm_pixels_flat(struct farm_picture picture, uint32_t width, uint32_t height);

// Whether `count` bytes are equal.
int farm_bytes_equal(const uint8_t *a, const uint8_t *b, size_t count);

// Scales a picture down to `to_width` x `to_height` (each at least 1 and at most the picture's) by
// area averaging. Writes straight RGBA8 to `out`, in rows without gaps.
//
// Colours are weighted by alpha, so that invisible colours do not show through. `sums` is scratch
// memory for 4 * `to_width` numbers.
void farm_scale(
    struct farm_picture picture, uint32_t width, uint32_t height, uint32_t to_width,
    uint32_t to_height, uint64_t *sums, uint8_t *out);
