// What libgit2 holds when it is built without SSH and Kerberos. The released program takes these in
// the place of Debian's, which need three more libraries: snapfarm reaches remotes through git.
#include <git2.h>
#include <git2/sys/transport.h>

static int absent(void) {
    git_error_set_str(GIT_ERROR_INVALID, "this libgit2 has no SSH transport");
    return GIT_ERROR;
}

int git_transport_ssh_global_init(void) { return 0; }

int git_smart_subtransport_ssh(git_smart_subtransport **out, git_transport *owner, void *param) {
    (void)owner, (void)param;
    *out = NULL;
    return absent();
}

int git_transport_ssh_with_paths(git_transport **out, git_remote *owner, void *payload) {
    (void)owner, (void)payload;
    *out = NULL;
    return absent();
}

// libgit2 goes on to the next way of authentication.
int git_http_auth_negotiate(void **out, const void *url) {
    (void)url;
    *out = NULL;
    return GIT_PASSTHROUGH;
}
