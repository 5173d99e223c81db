#pragma once
// The compressed pixels of a PNG: how many bytes the header promises, and inflating just those.
#include "farm_png.h"

// Returns the bits of a pixel in the file, or 0 for a header that PNG does not allow.
size_t farm_pixel_bits(const struct farm_png_info *info);

// Returns how many bytes the pixels inflate to, by the header.
size_t farm_stream_bytes(const struct farm_png_info *info);

// Inflates exactly the bytes that the header promises, into `rows` unless that is NULL. Returns a
// text about what is wrong with the bytes, or NULL. Sets `*surplus` to whether the stream goes on
// after them; if not, its checksum was verified.
const char *farm_stream_fault(
    const uint8_t *bytes, const struct farm_png_info *info, uint8_t *rows, int *surplus);
