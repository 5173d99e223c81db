#pragma once
// The pages of docs/ that lie in the program.
#include <stddef.h>

/// A page: its path in docs/ and its text, both UTF-8 that ends with NUL.
struct farm_doc {
    const char *_Nonnull name;
    const char *_Nonnull text;
};

/// Returns a page, or NULL after the last one.
const struct farm_doc *_Nullable farm_doc_at(size_t index);
