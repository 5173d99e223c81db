// The part of libgit2 that a build without networks has. The released program takes it in the place
// of Debian's, which need a TLS library and four more: snapfarm reaches remotes through git.
#include <git2.h>
#include <git2/sys/transport.h>
#include <stdbool.h>

static int absent(void) {
    git_error_set_str(GIT_ERROR_INVALID, "this libgit2 has no networks");
    return GIT_ERROR;
}

#define ABSENT_TRANSPORT(name) \
    int name(git_smart_subtransport **out, git_transport *owner, void *param) { \
        (void)owner, (void)param; \
        *out = NULL; \
        return absent(); \
    }

ABSENT_TRANSPORT(git_smart_subtransport_git)
ABSENT_TRANSPORT(git_smart_subtransport_http)
ABSENT_TRANSPORT(git_smart_subtransport_ssh)

int git_transport_ssh_with_paths(git_transport **out, git_remote *owner, void *payload) {
    (void)owner, (void)payload;
    *out = NULL;
    return absent();
}

// Called at the start, and by options that snapfarm does not set.
bool git_http__expect_continue = false;
int git_transport_ssh_global_init(void) { return 0; }
int git_mbedtls_stream_global_init(void) { return 0; }
int git_mbedtls__set_cert_location(const char *file, const char *path) {
    (void)file, (void)path;
    return absent();
}
