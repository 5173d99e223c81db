#!/bin/sh
# Installs the packages of `make deb` in empty Debian roots, and runs what a newcomer runs first.
#   usage: try-in-root.sh FOLDER-OF-PACKAGES [SUITE…]      (root, Linux; default: bookworm trixie)
# In each root: the .deb with all that it recommends, then without a compiler the quickstart, the web
# app of README.md, and `snapfarm init` in two apps; then, in another empty root, the .tar.gz. Prints
# seconds counted from the empty root. What the fastlane project needs of a Mac is Tests/XcodeStandIn. SNAPFARM_ROOTS=FOLDER keeps the empty roots for the next time.
set -eu
packages=$(cd "$1" && pwd)
shift
here=$(cd "$(dirname "$0")" && pwd)
repository=$(cd "$here/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
roots=${SNAPFARM_ROOTS:-$scratch/empty}
mkdir -p "$roots"

(cd "$packages" && sha256sum --check --quiet SHA256SUMS)
deb=$(echo "$packages"/snapfarm_*_"$(dpkg --print-architecture)".deb)
tarball=$(echo "$packages"/snapfarm-*-linux-"$(uname -m)".tar.gz)

# A namespace of its own: when the shell ends, its mounts and every child are gone.
inside() {
    root=$1
    shift
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        unshare --mount --pid --fork --kill-child --mount-proc --root="$root" --wd=/root "$@"
}
seconds() { echo $(($(date +%s) - started)); }
said() { printf '%s: %4d s  %s\n' "$suite" "$(seconds)" "$1"; }

# fresh NAME: an empty root of the suite, with what the newcomer has: packages and a work tree.
fresh() {
    if [ ! -d "$roots/$suite" ]; then
        debootstrap --variant=minbase "$suite" "$roots/$suite.part" http://deb.debian.org/debian \
            >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; exit 1; }
        mv "$roots/$suite.part" "$roots/$suite"
    fi
    cp -a "$roots/$suite" "$scratch/$1"
    home=$scratch/$1/root
    mkdir -p "$home/try/pipelines"
    cp "$deb" "$tarball" "$home"
    cp -R "$repository/pipelines/quickstart" "$repository/pipelines/quickstart.yaml" \
        "$home/try/pipelines"
    cp "$repository/README.md" "$here/newcomer.sh" "$home"
    cp -R "$repository/pipelines/wallet/app" "$home/wallet"
    cp -R "$here/fastlane-app" "$repository/Tests/XcodeStandIn" "$home"
    rm "$home/wallet/scenes.yaml"
}

[ $# -gt 0 ] || set -- bookworm trixie
for suite; do
    fresh "$suite-deb"
    root=$scratch/$suite-deb
    started=$(date +%s)
    inside "$root" sh -ec 'apt-get update -qq && apt-get install -y -qq ./snapfarm_*.deb' \
        >"$scratch/log" 2>&1 || { tail -n 40 "$scratch/log" >&2; exit 1; }
    said "apt-get install ./$(basename "$deb")"
    inside "$root" sh newcomer.sh quickstart
    said "the quickstart is green"
    inside "$root" sh newcomer.sh web
    said "the web app of README.md: recorded, green, a change is red, approved, green"
    inside "$root" sh newcomer.sh wallet
    said "init, plan, record and run of the wallet app: green"
    inside "$root" sh newcomer.sh fastlane
    said "init of a fastlane project; its plan asks for Xcode"
    inside "$root" sh -ec 'apt-get install -y -qq --no-install-recommends python3' >"$scratch/log" 2>&1
    inside "$root" sh newcomer.sh fastlane-run
    said "plan, record and run of the fastlane project: green, on a stand-in for Xcode"
    inside "$root" sh -ec 'apt-get remove -y -qq snapfarm >/dev/null 2>&1; ! command -v snapfarm'
    rm -rf "$root"

    fresh "$suite-tar"
    root=$scratch/$suite-tar
    started=$(date +%s)
    inside "$root" sh -ec 'apt-get update -qq && apt-get install -y -qq --no-install-recommends git
        tar -xzf snapfarm-*.tar.gz -C /usr/local --strip-components=1' >"$scratch/log" 2>&1 ||
        { tail -n 40 "$scratch/log" >&2; exit 1; }
    inside "$root" sh newcomer.sh quickstart
    said "$(basename "$tarball") runs the quickstart; only git was installed"
    rm -rf "$root"
done
