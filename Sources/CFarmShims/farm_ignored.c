// Copies pictures and ignored boxes, and reads masks.
#include "farm_ignored.h"

#include <string.h>

static const uint8_t *lower(struct farm_picture picture) {
    return picture.low ? picture.low : picture.high;
}

void farm_picture_copy(
    struct farm_picture from, uint32_t width, uint32_t rows, uint8_t *high, uint8_t *low) {
    size_t bytes = (size_t)width * 4;
    for (uint32_t y = 0; y < rows; y++) {
        memcpy(high + y * bytes, from.high + y * from.stride, bytes);
        if (low) memcpy(low + y * bytes, lower(from) + y * from.stride, bytes);
    }
}

void farm_boxes_take(
    struct farm_picture from, const struct farm_box *boxes, size_t count, struct farm_box within,
    uint32_t width, uint8_t *high, uint8_t *low) {
    for (size_t i = 0; i < count; i++) {
        uint32_t right = boxes[i].right < within.right ? boxes[i].right : within.right;
        uint32_t bottom = boxes[i].bottom < within.bottom ? boxes[i].bottom : within.bottom;
        if (boxes[i].left >= right) continue;
        size_t left = (size_t)boxes[i].left * 4, bytes = (size_t)right * 4 - left;
        for (uint32_t y = boxes[i].top; y < bottom; y++) {
            size_t to = (size_t)y * width * 4 + left;
            memcpy(high + to, from.high + y * from.stride + left, bytes);
            if (low) memcpy(low + to, lower(from) + y * from.stride + left, bytes);
        }
    }
}

void farm_mask_row(struct farm_picture mask, uint32_t y, uint32_t width, uint8_t *flags) {
    const uint8_t *pixel = mask.high + y * mask.stride;
    for (uint32_t x = 0; x < width; x++, pixel += 4) {
        // BT.601 in 1/256.
        uint32_t luma = (77u * pixel[0] + 150u * pixel[1] + 29u * pixel[2]) >> 8;
        flags[x] = luma >= 128 && pixel[3] >= 128;
    }
}
