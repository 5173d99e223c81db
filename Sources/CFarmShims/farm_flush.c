#define _GNU_SOURCE
#include "farm_flush.h"

#include <unistd.h>

int farm_flush_file_system(int descriptor) {
#ifdef __linux__
    return syncfs(descriptor);
#else
    return fsync(descriptor);
#endif
}
