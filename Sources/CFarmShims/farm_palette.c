// Explains the two colours of a changed pixel as a blend of the colours of a palette.
#include "farm_palette.h"

#include <stdlib.h>

// Renderers round blends to whole numbers, some twice.
#define ROUNDING 3
// The least difference between the changes of two channels by which a recolouring changes the hue.
#define HUE_MIN 48

static int within(const uint8_t *colour, const double *wanted, double most) {
    for (int i = 0; i < 4; i++)
        if (colour[i] - wanted[i] > most || wanted[i] - colour[i] > most) return 0;
    return 1;
}

// Whether a pixel is the same blend, before and after, of a recoloured colour and `other`.
static int is_blend(
    const uint8_t *from, const uint8_t *to, const struct farm_flat *flat, const uint8_t *other_from,
    const uint8_t *other_to) {
    int length = distance(flat->from, other_from), channel = 0;
    if (length == 0) return 0;
    for (int i = 1; i < 4; i++)
        if (abs(flat->from[i] - other_from[i]) > abs(flat->from[channel] - other_from[channel]))
            channel = i;
    double share = (double)(from[channel] - other_from[channel]) /
                   (flat->from[channel] - other_from[channel]);
    double slack = (double)ROUNDING / length;
    if (share < -slack || share > 1 + slack) return 0;
    if (share < 0) share = 0;
    if (share > 1) share = 1;
    double before[4], after[4];
    for (int i = 0; i < 4; i++) {
        before[i] = other_from[i] + share * (flat->from[i] - other_from[i]);
        after[i] = other_to[i] + share * (flat->to[i] - other_to[i]);
    }
    // A share is as exact as the distance of its colours is long.
    double most = ROUNDING + 0.5 * distance(flat->to, other_to) / length;
    return within(from, before, ROUNDING) && within(to, after, most);
}

// Returns the share of a recoloured colour in a pixel that changed along with it, whatever it is
// blended with, or 0 if the pixel changed in another way.
static double share_of(const uint8_t *from, const uint8_t *to, const struct farm_flat *flat) {
    int channel = 0;
    for (int i = 1; i < 4; i++)
        if (abs(flat->to[i] - flat->from[i]) > abs(flat->to[channel] - flat->from[channel]))
            channel = i;
    double share =
        (double)(to[channel] - from[channel]) / (flat->to[channel] - flat->from[channel]);
    if (share <= 0 || share >= 1) return 0;
    for (int i = 0; i < 4; i++) {
        double off = to[i] - from[i] - share * (flat->to[i] - flat->from[i]);
        // The rest of the pixel is a colour, too.
        double rest = from[i] - share * flat->from[i];
        if (off > ROUNDING || off < -ROUNDING) return 0;
        if (rest < -ROUNDING || rest > (1 - share) * 255 + ROUNDING) return 0;
    }
    return share;
}

// Whether a recolouring changes the hue: then no other change goes the same way by chance, as
// changes of greys do.
static int changes_hue(const struct farm_flat *flat) {
    int least = 255, most = -255;
    for (int i = 0; i < 3; i++) {
        int step = flat->to[i] - flat->from[i];
        if (step < least) least = step;
        if (step > most) most = step;
    }
    return most - least >= HUE_MIN;
}

const struct farm_flat *farm_flat_of(const struct farm_palette *palette, const uint8_t *from) {
    for (size_t i = 0; i < palette->flat_count; i++)
        if (number(from) == number(palette->flats[i].from)) return &palette->flats[i];
    return NULL;
}

const struct farm_flat *farm_flat_explaining(
    const struct farm_palette *palette, const uint8_t *from, const uint8_t *to) {
    const struct farm_flat *flats = palette->flats, *own = farm_flat_of(palette, from);
    if (number(from) == number(to)) return NULL;
    if (own && distance(to, own->to) <= 1) return own;
    for (size_t i = 0; i < palette->flat_count; i++) {
        if (&flats[i] == own) continue;
        for (size_t k = 0; k < palette->steady_count; k++) {
            const struct farm_colours *steady = &palette->steady[k];
            if (is_blend(from, to, &flats[i], steady->from, steady->to)) return &flats[i];
        }
        for (size_t k = 0; k < i; k++)
            if (&flats[k] != own && is_blend(from, to, &flats[i], flats[k].from, flats[k].to))
                return &flats[i];
        // At round corners three colours blend.
        if (!own && changes_hue(&flats[i]) && share_of(from, to, &flats[i]) > 0) return &flats[i];
    }
    return NULL;
}

const struct farm_flat *farm_flat_tinted_by(
    const struct farm_palette *palette, const uint8_t *from, const uint8_t *to) {
    for (size_t i = 0; i < palette->flat_count; i++)
        if (share_of(from, to, &palette->flats[i]) > 0) return &palette->flats[i];
    return NULL;
}
