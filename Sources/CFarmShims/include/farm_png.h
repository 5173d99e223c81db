#pragma once
// Decodes and encodes PNG. It is in C for two reasons: libpng reports errors by longjmp, which must
// never cross a Swift frame, and undoing the row filters needs loops that are fast in every build.
//
// A file is scanned first. Nothing here allocates before that, and the caller has checked the
// header's width and height before the scan. A plain picture (8-bit RGB or RGBA, not interlaced, no
// PLTE or tRNS: 99 of 100 snapshots) is then inflated to its stream, in which its filters are
// undone. libpng decodes all other pictures, and plain ones that cannot be inflated; its result is
// final.
#include "farm_pixels.h"

#include <stddef.h>
#include <stdint.h>

enum farm_png_status {
    FARM_PNG_OK = 0,
    // The file ends inside a chunk, or has no IEND; `offset` is the number of bytes there are.
    FARM_PNG_TRUNCATED,
    // The checksum of `chunk` does not match its bytes.
    FARM_PNG_CHECKSUM,
    // Anything else; `text` has the reason.
    FARM_PNG_INVALID,
    FARM_PNG_NO_MEMORY,
};

// The chunks that define how samples become colours: cHRM, gAMA, iCCP, sRGB, cICP.
#define FARM_PNG_TAGS 5

// The position of a scan relative to the IDAT chunks, which must follow each other.
enum farm_png_data {
    FARM_PNG_DATA_AHEAD = 0,
    FARM_PNG_DATA_HERE,
    FARM_PNG_DATA_PAST,
};

struct farm_png_info {
    uint32_t width;
    uint32_t height;
    uint8_t bit_depth;
    uint8_t colour_type;
    uint8_t interlaced;
    // Whether there is a tRNS chunk, which makes some colours transparent.
    uint8_t transparency;
    uint8_t palette;
    // Whether acTL stands before the pixels: these are then one frame of several.
    uint8_t animated;
    uint8_t data;
    // The checksum of each colour tag; 0 if there is none.
    uint32_t tags[FARM_PNG_TAGS];
    // The compressed bytes of all IDAT chunks together.
    size_t data_bytes;
    size_t offset;
    char chunk[5];
    char text[120];
};

// Reads every chunk's frame and verifies every checksum; decodes nothing. Ignores bytes after IEND,
// as all viewers do. Rejects a file of more than `chunks_max` chunks.
int farm_png_scan(
    const uint8_t *bytes, size_t count, size_t chunks_max, struct farm_png_info *info);

// Returns the bytes per pixel in the stream of a plain picture, 3 or 4, or 0 for any other picture.
size_t farm_png_plain(const struct farm_png_info *info);

// The bytes that a stream needs after its rows, because loops load 4 bytes at once.
#define FARM_PNG_SLACK 16

// Inflates a plain picture to its stream: for each row the filter byte, then the pixels. `stream`
// has height * (width * farm_png_plain + 1) + FARM_PNG_SLACK bytes.
int farm_png_inflate(const uint8_t *bytes, const struct farm_png_info *info, uint8_t *stream);

// Undoes the filters of a stream in place. Returns 0 for a filter that does not exist.
int farm_png_unfilter(uint8_t *stream, uint32_t width, uint32_t height, size_t pixel_bytes);

// Whether all filters that a stream names exist.
int farm_png_filters_exist(
    const uint8_t *stream, uint32_t width, uint32_t height, size_t pixel_bytes);

// Undoes the filters of two streams of one size; does only once the work that both need. Finds the
// rows that differ, and marks each in `flags` (height bytes). Returns 0 for a filter that does not
// exist.
int farm_png_unfilter_both(
    uint8_t *a, uint8_t *b, uint32_t width, uint32_t height, size_t pixel_bytes,
    uint8_t *flags, struct farm_rows *differing);

// Converts an unfiltered RGB stream to RGBA rows of width * 4 bytes.
void farm_png_widen(const uint8_t *stream, uint32_t width, uint32_t height, uint8_t *rows);

// Decodes any scanned file with libpng to straight RGBA without colour management. `high` takes
// width * height * 4 bytes: the samples, or the upper halves of 16-bit samples. `low` takes the
// lower halves of a 16-bit file, as many bytes; it is NULL for all others.
int farm_png_decode(
    const uint8_t *bytes, size_t count, struct farm_png_info *info, uint8_t *high, uint8_t *low);

// Returns the most bytes that an encoded file can have. A pixel has 4 bytes, or 1 as an index.
size_t farm_png_encode_bound(uint32_t width, uint32_t height, size_t pixel_bytes);

// Encodes straight RGBA8 with one IDAT; the same pixels always give the same bytes. `stride` is the
// bytes from one row to the next. Returns the size of the file, or 0 if there is no memory.
size_t farm_png_encode(
    const uint8_t *pixels, size_t stride, uint32_t width, uint32_t height, int level, uint8_t *out,
    size_t room);

// Encodes a stream: for each row an unused byte, then the pixels. The stream is filtered in place.
// Pixels are RGBA8 or, with a palette (three bytes per colour), indices into it. Otherwise like
// `farm_png_encode`.
size_t farm_png_encode_stream(
    uint8_t *stream, uint32_t width, uint32_t height, const uint8_t *palette, size_t colours,
    int level, uint8_t *out, size_t room);

// Returns the most bytes that a file of `farm_png_recode` can have.
size_t farm_png_recode_bound(uint32_t width, uint32_t height, size_t kept_bytes);

// Encodes straight RGBA8 as small as possible, as grey only if `may_be_grey`. `kept` are whole
// chunks that go before the pixels. Slow: about a second for 10 million pixels. Returns the size of
// the file, or 0 if there is no memory.
size_t farm_png_recode(
    const uint8_t *pixels, uint32_t width, uint32_t height, int may_be_grey,
    const uint8_t *kept, size_t kept_bytes, uint8_t *out, size_t room);
