#!/bin/sh
# Builds both images with Debian's buildah, which needs neither a daemon nor a registry, and starts
# their programs once.
#   usage: build-without-engine.sh FOLDER-OF-PACKAGES     (root, Linux)
# The base image is an empty Debian root named debian:12-slim, in a store that goes again.
# SNAPFARM_ROOTS=FOLDER has the empty root, as deploy/release/try-in-root.sh leaves it.
set -eu
packages=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=${SNAPFARM_ROOTS:-$scratch}/bookworm

[ -d "$root" ] || debootstrap --variant=minbase bookworm "$root" http://deb.debian.org/debian \
    >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; exit 1; }
b() { buildah --root "$scratch/store" --runroot "$scratch/run" --storage-driver vfs "$@"; }
base=$(b from scratch)
tar -C "$root" --exclude=./var/cache/apt/archives/*.deb --exclude=./dev/* -cf "$scratch/root.tar" .
b add --quiet "$base" "$scratch/root.tar" / >/dev/null
rm "$scratch/root.tar"
b commit --quiet --rm "$base" docker.io/library/debian:12-slim >/dev/null

# Chroot isolation: no namespaces of its own, so a build works where this script does.
for target in coordinator worker; do
    b bud --isolation chroot --pull-never --layers --file "$here/Dockerfile" --target "$target" \
        --tag "snapfarm-$target" "$packages" >"$scratch/log" 2>&1 ||
        { tail -n 40 "$scratch/log" >&2; exit 1; }
    container=$(b from --pull-never "snapfarm-$target")
    echo "$target: snapfarm $(b run --isolation chroot "$container" -- snapfarm --version), user \
$(b run --isolation chroot "$container" -- id -u)"
    [ "$target" = coordinator ] ||
        b run --isolation chroot "$container" -- chromedriver --version
done
