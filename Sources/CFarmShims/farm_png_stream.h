#pragma once
// The compressed pixels of a PNG: how many bytes the header promises, and those bytes, no more.
#include "farm_png.h"

// Bits of a pixel in the file; 0 of headers that PNG does not have, which libpng refuses.
size_t farm_pixel_bits(const struct farm_png_info *info);

// Bytes that the pixels inflate to, by the header.
size_t farm_stream_bytes(const struct farm_png_info *info);

// Inflates exactly the bytes that the header promises, to `rows` unless that is NULL. Returns what
// is wrong with them, or NULL. `*surplus` says whether the stream goes on after them; where it does
// not, its checksum is right.
const char *farm_stream_fault(
    const uint8_t *bytes, const struct farm_png_info *info, uint8_t *rows, int *surplus);
