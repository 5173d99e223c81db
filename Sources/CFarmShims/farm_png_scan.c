// Walks the chunks of a PNG. Every checksum is checked here, once, for both decoders.
#include "farm_png.h"

#include <libdeflate.h>
#include <stdio.h>
#include <string.h>

static uint32_t big32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static int invalid(struct farm_png_info *info, const char *text) {
    snprintf(info->text, sizeof info->text, "%s", text);
    return FARM_PNG_INVALID;
}

static int truncated(struct farm_png_info *info, size_t count) {
    info->offset = count;
    return FARM_PNG_TRUNCATED;
}

// What the chunk `type` means for the decoders. `seen` counts chunks before this one.
static int take_chunk(
    struct farm_png_info *info, const uint8_t *type, const uint8_t *data, uint32_t length,
    size_t seen) {
    if (seen == 0) {
        if (memcmp(type, "IHDR", 4) != 0 || length != 13)
            return invalid(info, "the first chunk is not IHDR");
        info->width = big32(data);
        info->height = big32(data + 4);
        info->bit_depth = data[8];
        info->colour_type = data[9];
        info->interlaced = data[12];
        return FARM_PNG_OK;
    }
    if (memcmp(type, "IHDR", 4) == 0) return invalid(info, "there are two IHDR chunks");
    if (memcmp(type, "IDAT", 4) == 0) {
        info->data_bytes += length;
        return FARM_PNG_OK;
    }
    if (memcmp(type, "tRNS", 4) == 0) {
        info->transparency = 1;
        return FARM_PNG_OK;
    }
    int known = memcmp(type, "PLTE", 4) == 0 || memcmp(type, "IEND", 4) == 0;
    // A capital first letter means: whoever does not know this chunk cannot show the picture.
    if (!known && (type[0] & 0x20) == 0) {
        snprintf(
            info->text, sizeof info->text, "the critical chunk %s is not known", info->chunk);
        return FARM_PNG_INVALID;
    }
    return FARM_PNG_OK;
}

int farm_png_scan(const uint8_t *bytes, size_t count, struct farm_png_info *info) {
    memset(info, 0, sizeof *info);
    size_t at = 8;
    for (size_t seen = 0;; seen++) {
        if (count < at || count - at < 12) return truncated(info, count);
        uint32_t length = big32(bytes + at);
        const uint8_t *type = bytes + at + 4;
        for (int i = 0; i < 4; i++) {
            uint8_t letter = type[i] | 0x20;
            if (letter < 'a' || letter > 'z') {
                snprintf(
                    info->text, sizeof info->text, "there is no chunk at byte %zu", at);
                return FARM_PNG_INVALID;
            }
        }
        memcpy(info->chunk, type, 4);
        if (length > count - at - 12) return truncated(info, count);
        if (libdeflate_crc32(0, type, (size_t)length + 4) != big32(type + 4 + length))
            return FARM_PNG_CHECKSUM;
        int status = take_chunk(info, type, type + 4, length, seen);
        if (status != FARM_PNG_OK) return status;
        if (memcmp(type, "IEND", 4) == 0) return FARM_PNG_OK;
        at += (size_t)length + 12;
    }
}
