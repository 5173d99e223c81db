// Classes of pixels. Equal rows are found as memory first; only differing pixels are looked at.
#include "farm_classes.h"

#include <string.h>

static uint32_t distance(uint8_t a, uint8_t b) { return a > b ? a - b : b - a; }

static int within(const uint8_t *a, const uint8_t *b, uint32_t noise) {
    for (int i = 0; i < 4; i++)
        if (distance(a[i], b[i]) > noise) return 0;
    return 1;
}

static void ignore(
    const struct farm_box *box, uint32_t width, uint32_t height, uint8_t *classes) {
    uint32_t right = box->right < width ? box->right : width;
    uint32_t bottom = box->bottom < height ? box->bottom : height;
    if (box->left >= right) return;
    for (uint32_t y = box->top; y < bottom; y++)
        memset(classes + (size_t)y * width + box->left, FARM_IGNORED, right - box->left);
}

void farm_classes_fill(
    struct farm_picture a, struct farm_picture b, uint32_t width, uint32_t height,
    uint32_t noise, int anti_aliasing, const struct farm_box *ignored, size_t ignored_count,
    uint8_t *classes) {
    (void)anti_aliasing;
    memset(classes, FARM_SAME, (size_t)width * height);
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *ra = a.high + y * a.stride, *rb = b.high + y * b.stride;
        const uint8_t *la = (a.low ? a.low : a.high) + y * a.stride;
        const uint8_t *lb = (b.low ? b.low : b.high) + y * b.stride;
        size_t bytes = (size_t)width * 4;
        if (memcmp(ra, rb, bytes) == 0 && memcmp(la, lb, bytes) == 0) continue;
        uint8_t *row = classes + (size_t)y * width;
        for (uint32_t x = 0; x < width; x++) {
            size_t at = (size_t)x * 4;
            if (memcmp(ra + at, rb + at, 4) == 0 && memcmp(la + at, lb + at, 4) == 0) continue;
            row[x] = within(ra + at, rb + at, noise) ? FARM_NOISE : FARM_CHANGED;
        }
    }
    for (size_t i = 0; i < ignored_count; i++) ignore(ignored + i, width, height, classes);
}
