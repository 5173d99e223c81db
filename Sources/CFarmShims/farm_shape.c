// Anti-aliasing by shape: see below.
#include "farm_class_rows.h"

int farm_shape_kept(const struct farm_class_rules *rules, uint32_t x, uint32_t y) {
    (void)rules, (void)x, (void)y;
    return 0;
}
