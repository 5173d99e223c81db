// Inflates the pixels of a plain picture in one piece. libdeflate is six times as fast as zlib on
// screenshots, and inflating is most of a comparison's cost.
#include "farm_png_stream.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

static uint32_t big32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

size_t farm_png_plain(const struct farm_png_info *info) {
    if (info->bit_depth != 8 || info->interlaced || info->transparency || info->palette)
        return 0;
    return info->colour_type == 6 ? 4 : info->colour_type == 2 ? 3 : 0;
}

// Returns the compressed bytes of all IDAT chunks in one piece, or NULL without memory. The caller
// frees `*owned` unless it is NULL.
static const uint8_t *joined_data(
    const uint8_t *bytes, const struct farm_png_info *info, uint8_t **owned) {
    uint8_t *joined = NULL;
    size_t used = 0;
    for (size_t at = 8;;) {
        uint32_t length = big32(bytes + at);
        const uint8_t *type = bytes + at + 4;
        if (memcmp(type, "IEND", 4) == 0) break;
        if (memcmp(type, "IDAT", 4) == 0) {
            if (length == info->data_bytes) return type + 4;
            if (joined == NULL) joined = malloc(info->data_bytes ? info->data_bytes : 1);
            if (joined == NULL) return NULL;
            memcpy(joined + used, type + 4, length);
            used += length;
        }
        at += (size_t)length + 12;
    }
    *owned = joined;
    return joined;
}

int farm_png_inflate(const uint8_t *bytes, const struct farm_png_info *info, uint8_t *stream) {
    if (info->data_bytes == 0) return FARM_PNG_INVALID;
    size_t stream_bytes = ((size_t)info->width * farm_png_plain(info) + 1) * info->height;
    uint8_t *owned = NULL;
    const uint8_t *data = joined_data(bytes, info, &owned);
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    int status = FARM_PNG_NO_MEMORY;
    if (data && inflater) {
        // libdeflate ignores the window size that a stream declares, and zlib rejects distances
        // beyond it. Only streams with the largest window mean the same to both.
        int whole_window = info->data_bytes > 2 && data[0] == 0x78;
        enum libdeflate_result result = LIBDEFLATE_BAD_DATA;
        if (whole_window)
            result = libdeflate_zlib_decompress(
                inflater, data, info->data_bytes, stream, stream_bytes, NULL);
        // libdeflate returns nothing of a stream that goes on after the last row; zlib then
        // inflates it.
        int surplus, is_whole = result == LIBDEFLATE_SUCCESS
            || (result == LIBDEFLATE_INSUFFICIENT_SPACE
                && farm_stream_fault(bytes, info, stream, &surplus) == NULL);
        status = is_whole ? FARM_PNG_OK : FARM_PNG_INVALID;
    }
    libdeflate_free_decompressor(inflater);
    free(owned);
    return status;
}
