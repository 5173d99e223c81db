// Inflates the pixels of a scanned PNG with zlib and stops where they end by the header, because a
// file of 60 MB may go on for 60 GB. The rest is ignored, as libpng and all viewers do.
#include "farm_png_stream.h"

#include <string.h>
#include <zlib.h>

static uint32_t big32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

size_t farm_pixel_bits(const struct farm_png_info *info) {
    static const uint8_t channels[] = {1, 0, 3, 1, 2, 0, 4};
    uint8_t depth = info->bit_depth;
    if (info->colour_type > 6 || info->interlaced > 1) return 0;
    if (depth != 1 && depth != 2 && depth != 4 && depth != 8 && depth != 16) return 0;
    return (size_t)channels[info->colour_type] * depth;
}

// Returns the bytes of `width` x `height` pixels, with a filter byte before each row.
static size_t rows_bytes(size_t width, size_t height, size_t bits) {
    return width && height ? ((width * bits + 7) / 8 + 1) * height : 0;
}

size_t farm_stream_bytes(const struct farm_png_info *info) {
    size_t width = info->width, height = info->height, bits = farm_pixel_bits(info);
    if (!info->interlaced) return rows_bytes(width, height, bits);
    // Adam7: for each pass the first column and row, and the steps between columns and rows.
    static const uint8_t passes[7][4] = {
        {0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
        {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
    size_t sum = 0;
    for (int i = 0; i < 7; i++) {
        const uint8_t *pass = passes[i];
        size_t columns = width > pass[0] ? (width - pass[0] + pass[2] - 1) / pass[2] : 0;
        size_t rows = height > pass[1] ? (height - pass[1] + pass[3] - 1) / pass[3] : 0;
        sum += rows_bytes(columns, rows, bits);
    }
    return sum;
}

const char *farm_stream_fault(
    const uint8_t *bytes, const struct farm_png_info *info, uint8_t *rows, int *surplus) {
    uint8_t scrap[1 << 14];
    size_t left = farm_stream_bytes(info);
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    if (inflateInit(&stream) != Z_OK) return "there is no memory to inflate it";
    *surplus = 0;
    int status = Z_OK;
    for (size_t at = 8; status == Z_OK && !*surplus;) {
        uint32_t length = big32(bytes + at);
        const uint8_t *type = bytes + at + 4;
        if (memcmp(type, "IEND", 4) == 0) break;
        if (memcmp(type, "IDAT", 4) == 0) {
            stream.next_in = (Bytef *)(type + 4);
            stream.avail_in = length;
            // Inflates until zlib neither takes nor gives any byte. Asks for one byte more than the
            // header promises, at the end into `scrap`, to notice a surplus.
            do {
                size_t room = rows && left > 0 ? left : left < sizeof scrap ? left + 1 : sizeof scrap;
                if (room > 1 << 30) room = 1 << 30;
                stream.next_out = rows && left > 0 ? rows : scrap;
                stream.avail_out = (uInt)room;
                status = inflate(&stream, Z_NO_FLUSH);
                size_t made = room - stream.avail_out;
                *surplus = made > left;
                if (rows && left > 0) rows += made;
                left -= *surplus ? left : made;
            } while (!*surplus && status == Z_OK && (stream.avail_in > 0 || stream.avail_out == 0));
            if (status == Z_BUF_ERROR) status = Z_OK;
        }
        at += (size_t)length + 12;
    }
    const char *fault = NULL;
    if (*surplus)
        fault = NULL;
    else if (status == Z_STREAM_END)
        fault = left > 0 ? "it has too few bytes of pixels" : NULL;
    else if (status == Z_OK)
        fault = "its compressed pixels break off";
    else if (stream.msg && strcmp(stream.msg, "incorrect data check") == 0)
        fault = "the checksum of the pixels is wrong";
    else
        fault = "its compressed pixels are damaged";
    inflateEnd(&stream);
    return fault;
}
