// Digests of whole rows and columns of a part of a picture, which find moved lines again.
#include "farm_moves.h"

#include <string.h>

#define PRIME 0x9E3779B97F4A7C15u

// Hashes in four lanes of two pixels each, so that multiplications do not wait for each other.
static uint64_t digest(const uint8_t *row, size_t bytes) {
    uint64_t lane[4] = {1, 2, 3, 4}, word;
    size_t i = 0;
    for (; i + 32 <= bytes; i += 32)
        for (int k = 0; k < 4; k++) {
            memcpy(&word, row + i + 8 * k, 8);
            lane[k] = (lane[k] ^ word) * PRIME;
            lane[k] ^= lane[k] >> 29;
        }
    for (; i < bytes; i += 4) {
        uint32_t half;
        memcpy(&half, row + i, 4);
        lane[0] = (lane[0] ^ half) * PRIME;
        lane[0] ^= lane[0] >> 29;
    }
    for (int k = 1; k < 4; k++) {
        lane[0] = (lane[0] ^ lane[k]) * PRIME;
        lane[0] ^= lane[0] >> 29;
    }
    return lane[0];
}

static const uint8_t *at(const struct farm_pair *pair, int side, uint32_t x, uint32_t y) {
    return side == 1 ? farm_reference_at(pair, x, y) : farm_capture_at(pair, x, y);
}

void farm_row_digests(
    const struct farm_pair *pair, int side, uint32_t left, uint32_t right, uint64_t *digests) {
    uint32_t height = farm_axis_length(&pair->rows);
    size_t bytes = (size_t)(right - left) * 4;
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *first = at(pair, side, left, y), *last = at(pair, side, right - 1, y);
        int is_whole = first && last && (size_t)(last - first) == bytes - 4;
        digests[y] = is_whole ? digest(first, bytes) : FARM_NO_DIGEST;
    }
}

void farm_column_digests(
    const struct farm_pair *pair, int side, uint32_t top, uint32_t bottom, uint64_t *digests) {
    uint32_t width = farm_axis_length(&pair->columns);
    for (uint32_t x = 0; x < width; x++) digests[x] = PRIME;
    for (uint32_t y = top; y < bottom; y++)
        for (uint32_t x = 0; x < width; x++) {
            const uint8_t *pixel = at(pair, side, x, y);
            if (!pixel) {
                digests[x] = FARM_NO_DIGEST;
                continue;
            }
            // A column that lacks a pixel has no digest, whatever follows.
            if (digests[x] == FARM_NO_DIGEST) continue;
            uint32_t colour;
            memcpy(&colour, pixel, 4);
            digests[x] = (digests[x] ^ colour) * PRIME;
            digests[x] ^= digests[x] >> 29;
        }
}
