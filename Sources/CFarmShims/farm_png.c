// Decodes a scanned PNG. 8-bit RGB and RGBA, which 99 of 100 snapshots are, go through libdeflate
// and the loops below; what they do not take, or refuse, goes through libpng, whose word is final.
#include "farm_png.h"

#include <libdeflate.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t big32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

// ---- fast path -------------------------------------------------------------------------------

// The compressed bytes of all IDAT chunks in one piece; `*owned` must be freed when not NULL.
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

static int paeth(int left, int up, int corner) {
    int estimate = left + up - corner;
    int a = abs(estimate - left), b = abs(estimate - up), c = abs(estimate - corner);
    return a <= b && a <= c ? left : b <= c ? up : corner;
}

// Undoes the filter of one row in place; `above` is the finished row before it, or zeros.
static int unfilter(int filter, uint8_t *row, const uint8_t *above, size_t count, size_t bpp) {
    size_t i = 0;
    switch (filter) {
    case 0: return 1;
    case 1:
        for (i = bpp; i < count; i++) row[i] = (uint8_t)(row[i] + row[i - bpp]);
        return 1;
    case 2:
        for (i = 0; i < count; i++) row[i] = (uint8_t)(row[i] + above[i]);
        return 1;
    case 3:
        for (i = 0; i < bpp; i++) row[i] = (uint8_t)(row[i] + above[i] / 2);
        for (; i < count; i++) row[i] = (uint8_t)(row[i] + (row[i - bpp] + above[i]) / 2);
        return 1;
    case 4:
        for (i = 0; i < bpp; i++) row[i] = (uint8_t)(row[i] + above[i]);
        for (; i < count; i++)
            row[i] = (uint8_t)(row[i] + paeth(row[i - bpp], above[i], above[i - bpp]));
        return 1;
    default: return 0;
    }
}

static int unfilter_all(
    uint8_t *raw, const struct farm_png_info *info, size_t bpp, uint8_t *zeros, uint8_t *out) {
    size_t row_bytes = (size_t)info->width * bpp;
    const uint8_t *above = zeros;
    for (uint32_t y = 0; y < info->height; y++) {
        uint8_t *row = raw + y * (row_bytes + 1) + 1;
        if (!unfilter(row[-1], row, above, row_bytes, bpp)) return 0;
        if (bpp == 4) {
            memcpy(out, row, row_bytes);
        } else {
            for (uint32_t x = 0; x < info->width; x++) {
                out[4 * x] = row[3 * x];
                out[4 * x + 1] = row[3 * x + 1];
                out[4 * x + 2] = row[3 * x + 2];
                out[4 * x + 3] = 255;
            }
        }
        out += (size_t)info->width * 4;
        above = row;
    }
    return 1;
}

// 1 when the picture was decoded; 0 leaves it to libpng.
static int decode_fast(const uint8_t *bytes, const struct farm_png_info *info, uint8_t *out) {
    size_t bpp = info->colour_type == 6 ? 4 : info->colour_type == 2 ? 3 : 0;
    if (bpp == 0 || info->bit_depth != 8 || info->interlaced || info->transparency) return 0;
    size_t row_bytes = (size_t)info->width * bpp;
    size_t raw_bytes = (row_bytes + 1) * info->height;
    uint8_t *owned = NULL;
    const uint8_t *data = joined_data(bytes, info, &owned);
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    uint8_t *raw = malloc(raw_bytes);
    uint8_t *zeros = calloc(1, row_bytes);
    int done = data && inflater && raw && zeros
        && libdeflate_zlib_decompress(inflater, data, info->data_bytes, raw, raw_bytes, NULL)
            == LIBDEFLATE_SUCCESS
        && unfilter_all(raw, info, bpp, zeros, out);
    free(zeros);
    free(raw);
    libdeflate_free_decompressor(inflater);
    free(owned);
    return done;
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

// Compressed texts and profiles can be bombs, and none of these changes a sample.
static const png_byte ignored[] = "iCCP\0zTXt\0iTXt\0tEXt\0sPLT\0eXIf\0hIST\0pCAL\0sCAL\0"
                                  "gAMA\0cHRM\0sRGB\0sBIT\0bKGD\0pHYs\0tIME\0oFFs";

static void read_rows(png_structp png, png_infop head, struct source *source, uint8_t **rows) {
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
    png_read_image(png, rows);
    png_read_end(png, NULL);
}

static int decode_libpng(
    const uint8_t *bytes, size_t count, struct farm_png_info *info, uint8_t *pixels) {
    struct source source = {.bytes = bytes, .count = count, .at = 0, .info = info};
    size_t row_bytes = (size_t)info->width * (info->bit_depth == 16 ? 8 : 4);
    uint8_t **rows = malloc(info->height * sizeof *rows);
    if (rows == NULL) return FARM_PNG_NO_MEMORY;
    for (uint32_t y = 0; y < info->height; y++) rows[y] = pixels + y * row_bytes;
    png_structp volatile png = NULL;
    png_infop volatile head = NULL;
    volatile int status = FARM_PNG_INVALID;
    if (setjmp(source.out) == 0) {
        png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, on_error, on_warning);
        head = png ? png_create_info_struct(png) : NULL;
        status = FARM_PNG_NO_MEMORY;
        if (head) {
            status = FARM_PNG_INVALID;
            read_rows(png, head, &source, rows);
            status = FARM_PNG_OK;
        }
    }
    png_structp made = png;
    png_infop made_head = head;
    if (made) png_destroy_read_struct(&made, &made_head, NULL);
    free(rows);
    return status;
}

int farm_png_decode(
    const uint8_t *bytes, size_t count, struct farm_png_info *info, uint8_t *high, uint8_t *low) {
    if (low == NULL) {
        if (decode_fast(bytes, info, high)) return FARM_PNG_OK;
        return decode_libpng(bytes, count, info, high);
    }
    size_t samples = (size_t)info->width * info->height * 4;
    uint8_t *wide = malloc(samples * 2);
    if (wide == NULL) return FARM_PNG_NO_MEMORY;
    int status = decode_libpng(bytes, count, info, wide);
    for (size_t i = 0; status == FARM_PNG_OK && i < samples; i++) {
        high[i] = wide[2 * i];
        low[i] = wide[2 * i + 1];
    }
    free(wide);
    return status;
}
