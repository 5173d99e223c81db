#pragma once
// PNG in C, for two reasons only: libpng reports errors by longjmp, which must never cross a
// Swift frame, and undoing the row filters needs loops that are fast in every build.
//
// Nothing here allocates before the caller has checked the header's width and height.
#include <stddef.h>
#include <stdint.h>

enum farm_png_status {
    FARM_PNG_OK = 0,
    // The file ends inside a chunk, or has no IEND; `offset` is the number of bytes there are.
    FARM_PNG_TRUNCATED,
    // The checksum of `chunk` does not match its bytes.
    FARM_PNG_CHECKSUM,
    // Anything else; `text` says what.
    FARM_PNG_INVALID,
    FARM_PNG_NO_MEMORY,
};

struct farm_png_info {
    uint32_t width;
    uint32_t height;
    uint8_t bit_depth;
    uint8_t colour_type;
    uint8_t interlaced;
    // Whether a tRNS chunk gives some colours no opacity.
    uint8_t transparency;
    // Compressed bytes in all IDAT chunks together.
    size_t data_bytes;
    size_t offset;
    char chunk[5];
    char text[120];
};

// Reads every chunk's frame and checks every checksum; decodes nothing. Bytes after IEND are
// ignored, as all viewers do.
int farm_png_scan(const uint8_t *bytes, size_t count, struct farm_png_info *info);

// Decodes a scanned file to straight RGBA without colour management.
// `high` takes width * height * 4 bytes: the samples, or of 16-bit samples the upper halves.
// `low` takes as many for a 16-bit file (the lower halves) and is NULL for all others.
int farm_png_decode(
    const uint8_t *bytes, size_t count, struct farm_png_info *info, uint8_t *high, uint8_t *low);

// Bytes that `farm_png_encode` may need for its result.
size_t farm_png_encode_bound(uint32_t width, uint32_t height);

// Encodes straight RGBA8 as one IDAT; the same pixels always give the same bytes.
// Returns the size of the file, or 0 when there is no memory.
size_t farm_png_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, int level, uint8_t *out, size_t room);

// Bytes that `farm_png_recode` may need for its result.
size_t farm_png_recode_bound(uint32_t width, uint32_t height, size_t kept_bytes);

// Encodes straight RGBA8 as small as it can, as grey only where `may_be_grey`; `kept` are whole
// chunks that come before the pixels. Slow: about a second for 10 million pixels.
// Returns the size of the file, or 0 when there is no memory.
size_t farm_png_recode(
    const uint8_t *pixels, uint32_t width, uint32_t height, int may_be_grey,
    const uint8_t *kept, size_t kept_bytes, uint8_t *out, size_t room);
