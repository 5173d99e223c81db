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

// Deflates a filtered stream.
static size_t encode(
    const uint8_t *stream, uint32_t width, uint32_t height, int level, uint8_t *out, size_t room) {
    struct libdeflate_compressor *deflater = libdeflate_alloc_compressor(level);
    size_t packed = 0;
    uint8_t *data = out + 8 + 25;
    if (deflater && room > frame_bytes)
        packed = libdeflate_zlib_compress(
            deflater, stream, raw_size(width, height), data + 8, room - frame_bytes);
    libdeflate_free_compressor(deflater);
    if (packed == 0) return 0;
    uint8_t *next = farm_put_head(out, width, height, 6);
    next = farm_close_chunk(next, "IDAT", packed);
    return (size_t)(farm_close_chunk(next, "IEND", 0) - out);
}

size_t farm_png_encode_stream(
    uint8_t *stream, uint32_t width, uint32_t height, int level, uint8_t *out, size_t room) {
    size_t row_bytes = (size_t)width * 4;
    // From the last row up, because a row is compared with the row above as it was.
    for (uint32_t y = height; y-- > 0;) {
        uint8_t *row = stream + y * (row_bytes + 1) + 1;
        // A row like the one above becomes zeros (filter Up); any other stays as it is.
        int repeats = y > 0 && memcmp(row, row - row_bytes - 1, row_bytes) == 0;
        row[-1] = repeats ? 2 : 0;
        if (repeats) memset(row, 0, row_bytes);
    }
    return encode(stream, width, height, level, out, room);
}

size_t farm_png_encode(
    const uint8_t *pixels, size_t stride, uint32_t width, uint32_t height, int level, uint8_t *out,
    size_t room) {
    size_t row_bytes = (size_t)width * 4;
    uint8_t *stream = malloc(raw_size(width, height));
    if (stream == NULL) return 0;
    for (uint32_t y = 0; y < height; y++)
        memcpy(stream + y * (row_bytes + 1) + 1, pixels + y * stride, row_bytes);
    size_t size = farm_png_encode_stream(stream, width, height, level, out, room);
    free(stream);
    return size;
}
