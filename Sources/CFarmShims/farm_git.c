#include "farm_git.h"

#include <git2.h>
#include <zlib.h>

// Repository extensions that do not change how a repository is read: objects that a partial clone
// left out are missing for every reader, and the others concern paths and settings of single work
// trees.
static const char *const extensions[] = {
    "noop", "noop-v1", "partialclone", "relativeworktrees", "worktreeconfig",
};

int farm_git_set_options(size_t window_bytes, size_t mapped_bytes) {
    int code = git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 1);
    if (code == 0) code = git_libgit2_opts(GIT_OPT_ENABLE_STRICT_OBJECT_CREATION, 1);
    if (code == 0) code = git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 1);
    if (code == 0) code = git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
    if (code == 0) code = git_libgit2_opts(GIT_OPT_SET_MWINDOW_SIZE, window_bytes);
    if (code == 0) code = git_libgit2_opts(GIT_OPT_SET_MWINDOW_MAPPED_LIMIT, mapped_bytes);
    if (code == 0) {
        const size_t count = sizeof extensions / sizeof extensions[0];
        code = git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, (const char **)extensions, count);
    }
    return code;
}

uint32_t farm_git_adler32(const void *bytes, size_t count) {
    return (uint32_t)adler32_z(adler32_z(0, Z_NULL, 0), bytes, count);
}
