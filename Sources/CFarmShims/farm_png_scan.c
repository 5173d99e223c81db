// Walks the chunks of a PNG and verifies every checksum, once for both decoders.
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

static void note_tag(struct farm_png_info *info, const uint8_t *type, uint32_t checksum) {
    static const char names[FARM_PNG_TAGS][5] = {"cHRM", "gAMA", "iCCP", "sRGB", "cICP"};
    for (int i = 0; i < FARM_PNG_TAGS; i++)
        // 0 stands for a missing tag.
        if (memcmp(type, names[i], 4) == 0) info->tags[i] = checksum ? checksum : 1;
}

// Whether the compressed bytes can hold the pixels that the header promises: deflate makes at most
// 1032 bytes out of one. Nothing is allocated for a file that only claims to be large.
static int can_hold_pixels(const struct farm_png_info *info) {
    size_t channels[] = {1, 0, 3, 1, 2, 0, 4};
    if (info->colour_type > 6 || info->bit_depth > 16) return 1;
    size_t bits = channels[info->colour_type] * info->bit_depth;
    return (size_t)info->width * info->height * bits / 8 / 1032 <= info->data_bytes;
}

// Notes in `info` what a chunk says. `seen` is the number of chunks before it.
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
        if (data[10] != 0 || data[11] != 0)
            return invalid(info, "IHDR names a compression or filter that does not exist");
        return FARM_PNG_OK;
    }
    if (memcmp(type, "IHDR", 4) == 0) return invalid(info, "there are two IHDR chunks");
    if (memcmp(type, "IDAT", 4) == 0) {
        if (info->data == FARM_PNG_DATA_PAST)
            return invalid(info, "other chunks stand between its IDAT chunks");
        info->data = FARM_PNG_DATA_HERE;
        info->data_bytes += length;
        return FARM_PNG_OK;
    }
    if (info->data == FARM_PNG_DATA_HERE) info->data = FARM_PNG_DATA_PAST;
    if (memcmp(type, "PLTE", 4) == 0) {
        info->palette = 1;
        return FARM_PNG_OK;
    }
    if (memcmp(type, "tRNS", 4) == 0) {
        info->transparency = 1;
        return FARM_PNG_OK;
    }
    if (memcmp(type, "acTL", 4) == 0 && info->data == FARM_PNG_DATA_AHEAD) info->animated = 1;
    // A capital first letter marks a chunk without which the picture cannot be shown.
    if (memcmp(type, "IEND", 4) != 0 && (type[0] & 0x20) == 0) {
        snprintf(
            info->text, sizeof info->text, "the critical chunk %s is not known", info->chunk);
        return FARM_PNG_INVALID;
    }
    return FARM_PNG_OK;
}

int farm_png_scan(
    const uint8_t *bytes, size_t count, size_t chunks_max, struct farm_png_info *info) {
    memset(info, 0, sizeof *info);
    size_t at = 8;
    for (size_t seen = 0;; seen++) {
        if (seen == chunks_max) return invalid(info, "it has too many chunks");
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
        note_tag(info, type, big32(type + 4 + length));
        if (memcmp(type, "IEND", 4) == 0)
            return can_hold_pixels(info) ? FARM_PNG_OK
                                         : invalid(info, "it has too few bytes of pixels");
        at += (size_t)length + 12;
    }
}
