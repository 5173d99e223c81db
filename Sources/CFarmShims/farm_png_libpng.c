// Decodes with libpng every PNG that is not plain, and every plain one that the fast way rejects.
#include "farm_png_stream.h"
#include "farm_png_write.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static uint32_t big32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

// ---- libpng ----------------------------------------------------------------------------------

struct source {
    const uint8_t *bytes;
    size_t count;
    size_t at;
    jmp_buf out;
    struct farm_png_info *info;
};

static void on_error(png_structp png, png_const_charp text) {
    struct source *source = png_get_error_ptr(png);
    snprintf(source->info->text, sizeof source->info->text, "%s", text);
    longjmp(source->out, 1);
}

static void on_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

static void on_read(png_structp png, png_bytep to, size_t wanted) {
    struct source *source = png_get_io_ptr(png);
    if (wanted > source->count - source->at) png_error(png, "the file ends too early");
    memcpy(to, source->bytes + source->at, wanted);
    source->at += wanted;
}

// Compressed texts and profiles can be bombs, and none of these chunks changes a sample.
static const png_byte ignored[] = "iCCP\0zTXt\0iTXt\0tEXt\0sPLT\0eXIf\0hIST\0pCAL\0sCAL\0"
                                  "gAMA\0cHRM\0sRGB\0sBIT\0bKGD\0pHYs\0tIME\0oFFs";

// The destinations of the rows. `wide` is one row of 16-bit samples, or all rows of an interlaced
// picture.
struct rows {
    uint8_t *high, *low, *wide;
};

static void split(const uint8_t *wide, size_t samples, uint8_t *high, uint8_t *low) {
    for (size_t i = 0; i < samples; i++) {
        high[i] = wide[2 * i];
        low[i] = wide[2 * i + 1];
    }
}

static void set_up(png_structp png, png_infop head, struct source *source) {
    const struct farm_png_info *info = source->info;
    png_set_user_limits(png, info->width, info->height);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, ignored, (int)sizeof ignored / 5);
    png_set_read_fn(png, source, on_read);
    png_read_info(png, head);
    if (info->colour_type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
    if (!(info->colour_type & PNG_COLOR_MASK_COLOR)) {
        if (info->bit_depth < 8) png_set_expand_gray_1_2_4_to_8(png);
        png_set_gray_to_rgb(png);
    }
    if (png_get_valid(png, head, PNG_INFO_tRNS)) png_set_tRNS_to_alpha(png);
    png_set_add_alpha(png, 0xffff, PNG_FILLER_AFTER);
    png_set_interlace_handling(png);
    png_read_update_info(png, head);
    size_t sample_bytes = info->bit_depth == 16 ? 8 : 4;
    if (png_get_rowbytes(png, head) != (size_t)info->width * sample_bytes)
        png_error(png, "the rows have an unexpected size");
}

static void read_rows(png_structp png, const struct farm_png_info *info, struct rows rows) {
    size_t samples = (size_t)info->width * 4;
    size_t wide_bytes = info->interlaced ? samples * 2 : 0;
    int passes = info->interlaced ? 7 : 1;
    for (int pass = 0; pass < passes; pass++)
        for (uint32_t y = 0; y < info->height; y++) {
            if (!rows.low) {
                png_read_row(png, rows.high + y * samples, NULL);
                continue;
            }
            uint8_t *wide = rows.wide + y * wide_bytes;
            png_read_row(png, wide, NULL);
            if (pass + 1 == passes)
                split(wide, samples, rows.high + y * samples, rows.low + y * samples);
        }
}

static int decode(
    const uint8_t *bytes, size_t count, struct farm_png_info *info, struct rows rows) {
    struct source source = {.bytes = bytes, .count = count, .at = 0, .info = info};
    png_structp volatile png = NULL;
    png_infop volatile head = NULL;
    volatile int status = FARM_PNG_INVALID;
    if (setjmp(source.out) == 0) {
        png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, on_error, on_warning);
        head = png ? png_create_info_struct(png) : NULL;
        status = FARM_PNG_NO_MEMORY;
        if (head) {
            status = FARM_PNG_INVALID;
            set_up(png, head, &source);
            read_rows(png, info, rows);
            png_read_end(png, NULL);
            status = FARM_PNG_OK;
        }
    }
    png_structp made = png;
    png_infop made_head = head;
    if (made) png_destroy_read_struct(&made, &made_head, NULL);
    return status;
}

// Returns a copy of the file with uncompressed pixels that end where the header says, because
// libpng inflates whatever follows the last row. Returns NULL without memory.
static uint8_t *without_surplus(
    const uint8_t *bytes, const struct farm_png_info *info, size_t *count) {
    size_t head = 8;
    while (memcmp(bytes + head + 4, "IDAT", 4) != 0) head += (size_t)big32(bytes + head) + 12;
    size_t pixels = farm_stream_bytes(info);
    uLongf packed = compressBound(pixels);
    uint8_t *rows = malloc(pixels), *file = malloc(head + 12 + packed + 12);
    int surplus;
    if (rows == NULL || file == NULL || farm_stream_fault(bytes, info, rows, &surplus)
        || compress2(file + head + 8, &packed, rows, pixels, 0) != Z_OK) {
        free(file);
        file = NULL;
    } else {
        memcpy(file, bytes, head);
        uint8_t *end = farm_close_chunk(file + head, "IDAT", packed);
        *count = (size_t)(farm_close_chunk(end, "IEND", 0) - file);
    }
    free(rows);
    return file;
}

int farm_png_decode(
    const uint8_t *bytes, size_t count, struct farm_png_info *info, uint8_t *high, uint8_t *low) {
    uint8_t *shorter = NULL;
    if (farm_pixel_bits(info)) {
        int surplus;
        const char *fault = farm_stream_fault(bytes, info, NULL, &surplus);
        if (fault) {
            snprintf(info->text, sizeof info->text, "%s", fault);
            return FARM_PNG_INVALID;
        }
        if (surplus) {
            shorter = without_surplus(bytes, info, &count);
            if (shorter == NULL) return FARM_PNG_NO_MEMORY;
            bytes = shorter;
        }
    }
    struct rows rows = {high, low, NULL};
    if (low) {
        size_t wide_rows = info->interlaced ? info->height : 1;
        rows.wide = malloc((size_t)info->width * 8 * wide_rows);
    }
    int status = low && rows.wide == NULL ? FARM_PNG_NO_MEMORY : decode(bytes, count, info, rows);
    free(rows.wide);
    free(shorter);
    // A header whose pixel size is unknown is invalid, whatever libpng says of it.
    return status == FARM_PNG_OK && !farm_pixel_bits(info) ? FARM_PNG_INVALID : status;
}
