// Writes RGBA8 as a PNG of one IDAT: small enough, quick, and always the same bytes.
#include "farm_png.h"
#include "farm_png_write.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

// Signature, IHDR, IEND and the frame of IDAT.
static const size_t frame_bytes = 8 + 25 + 12 + 12;

static size_t raw_size(uint32_t width, uint32_t height) {
    return ((size_t)width * 4 + 1) * height;
}

size_t farm_png_encode_bound(uint32_t width, uint32_t height) {
    return frame_bytes + libdeflate_zlib_compress_bound(NULL, raw_size(width, height));
}

size_t farm_png_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, int level, uint8_t *out, size_t room) {
    size_t row_bytes = (size_t)width * 4;
    uint8_t *raw = malloc(raw_size(width, height));
    struct libdeflate_compressor *deflater = libdeflate_alloc_compressor(level);
    size_t packed = 0;
    uint8_t *data = out + 8 + 25;
    if (raw && deflater && room > frame_bytes) {
        for (uint32_t y = 0; y < height; y++) {
            const uint8_t *row = pixels + y * row_bytes;
            uint8_t *to = raw + y * (row_bytes + 1);
            // A row like the one above becomes zeros (filter Up); any other stays as it is.
            int repeats = y > 0 && memcmp(row, row - row_bytes, row_bytes) == 0;
            to[0] = repeats ? 2 : 0;
            if (repeats) memset(to + 1, 0, row_bytes);
            else memcpy(to + 1, row, row_bytes);
        }
        packed = libdeflate_zlib_compress(
            deflater, raw, raw_size(width, height), data + 8, room - frame_bytes);
    }
    libdeflate_free_compressor(deflater);
    free(raw);
    if (packed == 0) return 0;
    uint8_t *next = farm_put_head(out, width, height, 6);
    next = farm_close_chunk(next, "IDAT", packed);
    return (size_t)(farm_close_chunk(next, "IEND", 0) - out);
}
