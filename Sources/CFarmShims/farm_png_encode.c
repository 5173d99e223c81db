// Writes RGBA8 pixels or palette indices as a PNG with one IDAT: small enough, quick, and always
// the same bytes.
#include "farm_png.h"
#include "farm_png_write.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

// Bytes of signature, IHDR, PLTE, IEND and the frame of IDAT.
static const size_t frame_bytes = 8 + 25 + (12 + 256 * 3) + 12 + 12;

static size_t stream_bytes(uint32_t width, uint32_t height, size_t pixel_bytes) {
    return ((size_t)width * pixel_bytes + 1) * height;
}

size_t farm_png_encode_bound(uint32_t width, uint32_t height, size_t pixel_bytes) {
    size_t count = stream_bytes(width, height, pixel_bytes);
    return frame_bytes + libdeflate_zlib_compress_bound(NULL, count);
}

// Turns a row that equals the one above into zeros (filter Up); leaves any other row as it is.
static void filter(uint8_t *stream, uint32_t height, size_t row_bytes) {
    // From the last row up, because a row is compared with the row above before that is filtered.
    for (uint32_t y = height; y-- > 0;) {
        uint8_t *row = stream + y * (row_bytes + 1) + 1;
        int repeats = y > 0 && memcmp(row, row - row_bytes - 1, row_bytes) == 0;
        row[-1] = repeats ? 2 : 0;
        if (repeats) memset(row, 0, row_bytes);
    }
}

size_t farm_png_encode_stream(
    uint8_t *stream, uint32_t width, uint32_t height, const uint8_t *palette, size_t colours,
    int level, uint8_t *out, size_t room) {
    size_t pixel_bytes = palette ? 1 : 4, count = stream_bytes(width, height, pixel_bytes);
    struct libdeflate_compressor *deflater = libdeflate_alloc_compressor(level);
    if (!deflater || room <= frame_bytes || colours > 256) {
        libdeflate_free_compressor(deflater);
        return 0;
    }
    filter(stream, height, width * pixel_bytes);
    uint8_t *next = farm_put_head(out, width, height, palette ? 3 : 6);
    if (palette) {
        memcpy(next + 8, palette, colours * 3);
        next = farm_close_chunk(next, "PLTE", colours * 3);
    }
    size_t packed =
        libdeflate_zlib_compress(deflater, stream, count, next + 8, room - frame_bytes);
    libdeflate_free_compressor(deflater);
    if (packed == 0) return 0;
    next = farm_close_chunk(next, "IDAT", packed);
    return (size_t)(farm_close_chunk(next, "IEND", 0) - out);
}

size_t farm_png_encode(
    const uint8_t *pixels, size_t stride, uint32_t width, uint32_t height, int level, uint8_t *out,
    size_t room) {
    size_t row_bytes = (size_t)width * 4;
    uint8_t *stream = malloc(stream_bytes(width, height, 4));
    if (stream == NULL) return 0;
    for (uint32_t y = 0; y < height; y++)
        memcpy(stream + y * (row_bytes + 1) + 1, pixels + y * stride, row_bytes);
    size_t size = farm_png_encode_stream(stream, width, height, NULL, 0, level, out, room);
    free(stream);
    return size;
}
