#pragma once
// Writes the frames of a PNG's chunks.
#include <libdeflate.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void farm_put32(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 24);
    at[1] = (uint8_t)(value >> 16);
    at[2] = (uint8_t)(value >> 8);
    at[3] = (uint8_t)value;
}

// Frames `length` bytes that already lie at `at + 8`. Returns the start of the next chunk.
static inline uint8_t *farm_close_chunk(uint8_t *at, const char *type, size_t length) {
    farm_put32(at, (uint32_t)length);
    memcpy(at + 4, type, 4);
    farm_put32(at + 8 + length, libdeflate_crc32(0, at + 4, length + 4));
    return at + 12 + length;
}

// Writes signature and IHDR of a picture with 8 bits per sample. Returns the start of the next
// chunk.
static inline uint8_t *farm_put_head(
    uint8_t *out, uint32_t width, uint32_t height, uint8_t colour_type) {
    const uint8_t rest[5] = {8, colour_type, 0, 0, 0};
    memcpy(out, "\x89PNG\r\n\x1a\n", 8);
    uint8_t *head = out + 8;
    farm_put32(head + 8, width);
    farm_put32(head + 12, height);
    memcpy(head + 16, rest, sizeof rest);
    return farm_close_chunk(head, "IHDR", 13);
}
