#!/bin/sh
# Packs a built program for people who have no compiler.
#   usage: package.sh PROGRAM FOLDER     (SNAPFARM_MAINTAINER="name <address>" signs them)
# On Linux: snapfarm_VERSION_ARCH.deb and snapfarm-VERSION-linux-MACHINE.tar.gz; on a Mac the
# latter. Both hold program, manual page, completions, licences, docs/, pipelines/ and the scripts of
# launchers. Their checksums are in SHA256SUMS. The same program at the same commit gives the same bytes.
set -eu
program=$1
mkdir -p "$2"
into=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
umask 022
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

version=$("$program" --version)
case $version in
    *[!0-9.a-z~+]* | '') echo "the program says no version: $version" >&2; exit 65 ;;
esac
# All files are as old as the commit that is packed.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH
# GNU's date, or else a Mac's.
date_as() {
    date -u -d "@$SOURCE_DATE_EPOCH" "$1" 2>/dev/null || date -u -r "$SOURCE_DATE_EPOCH" "$1"
}
maintainer=${SNAPFARM_MAINTAINER:-The snapfarm authors <snapfarm@example.org>}

# tree FOLDER: what both packages hold, as it lies below /usr.
tree() {
    mkdir -p "$1/bin" "$1/share/man/man1" "$1/share/doc/snapfarm" \
        "$1/share/bash-completion/completions" "$1/share/zsh/vendor-completions" \
        "$1/share/fish/vendor_completions.d" "$1/share/snapfarm/launchers"
    install -m 755 "$root"/deploy/launchers/* "$1/share/snapfarm/launchers"
    install -m 755 "$program" "$1/bin/snapfarm"
    "$program" --experimental-dump-help | "$here/man-page.py" "$version" "$(date_as +%Y-%m-%d)" |
        gzip -9n >"$1/share/man/man1/snapfarm.1.gz"
    # A file that is read by a shell names none.
    "$program" --generate-completion-script bash | sed '1{/^#!/d;}' \
        >"$1/share/bash-completion/completions/snapfarm"
    "$program" --generate-completion-script zsh >"$1/share/zsh/vendor-completions/_snapfarm"
    "$program" --generate-completion-script fish >"$1/share/fish/vendor_completions.d/snapfarm.fish"
    "$here/licences.sh" "$root/.build/checkouts" | gzip -9n >"$1/share/doc/snapfarm/licences.txt.gz"
    # What messages and pages name: docs/ci.md, pipelines/circleci/config.yml.
    (cd "$root" && git ls-files -z README.md docs pipelines | xargs -0 tar -cf - --) |
        tar -xf - -C "$1/share/doc/snapfarm"
    find "$1/share/doc/snapfarm" -type d -exec chmod 755 {} + -o -type f -perm -u+x \
        -exec chmod 755 {} + -o -type f -exec chmod 644 {} +
    cat >"$1/share/doc/snapfarm/copyright" <<TXT
Copyright (C) $(date_as +%Y) the authors of snapfarm.

snapfarm is free software under the Apache License, Version 2.0. On Debian, its text is in
/usr/share/common-licenses/Apache-2.0.

The program holds libraries of others. Their licences are in licences.txt.gz beside this file.
libgit2 is Debian's or Homebrew's source, unchanged, under the GPL 2 with its linking exception.
TXT
}

# foreign_libraries FILE: the shared libraries that a program names and a bare Debian lacks.
foreign_libraries() {
    readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
        grep -vE '^(libc|libm|libstdc\+\+|libgcc_s|ld-linux-.*)\.so\.[0-9]+$' || true
}
# The newest version of glibc that a program calls; 2.36 was the first to read DT_RELR.
glibc() {
    readelf -V "$1" | sed 's/GLIBC_ABI_DT_RELR/GLIBC_2.36/' | grep -o 'GLIBC_2\.[0-9]*' |
        sort -uV | tail -n 1 | sed 's/GLIBC_//'
}

deb() {
    arch=$(dpkg --print-architecture)
    folder=$scratch/deb
    tree "$folder/usr"
    mkdir -p "$folder/DEBIAN" "$folder/usr/share/lintian/overrides"
    cat >"$folder/usr/share/lintian/overrides/snapfarm" <<'TXT'
# One package for Debian 12 and 13, whose libgit2 have different names.
snapfarm: embedded-library
TXT
    printf 'snapfarm (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md in the sources.\n\n' \
        "$version" >"$scratch/changelog"
    printf ' -- %s  %s\n' "$maintainer" "$(date_as '+%a, %d %b %Y %H:%M:%S +0000')" \
        >>"$scratch/changelog"
    gzip -9n <"$scratch/changelog" >"$folder/usr/share/doc/snapfarm/changelog.gz"
    examples=$folder/usr/share/doc/snapfarm/examples
    mkdir "$examples"
    cp "$root"/deploy/systemd/* "$root/deploy/nginx/snapfarm.conf" "$root/deploy/snapfarm.yaml" \
        "$examples"
    cp "$root/deploy/kubernetes/launcher.yaml" "$examples/kubernetes-launcher.yaml"
    sed -i 's|/usr/local/bin/snapfarm|/usr/bin/snapfarm|' "$examples"/*.service
    chmod 644 "$examples"/*
    needed="libc6 (>= $(glibc "$program")), libstdc++6 (>= 12), libgcc-s1"
    # chromedriver and a browser are for jobs whose driver is `webdriver`: recommended.
    cat >"$folder/DEBIAN/control" <<TXT
Package: snapfarm
Version: $version
Architecture: $arch
Maintainer: $maintainer
Installed-Size: $(du -sk --apparent-size "$folder/usr" | cut -f 1)
Depends: $needed, git (>= 1:2.39), ca-certificates
Recommends: chromium-driver, chromium-headless-shell, fonts-noto-cjk, fontconfig
Suggests: openssh-client
Section: devel
Priority: optional
Description: runs snapshot and unit tests on a farm of workers
 snapfarm runs snapshot (image) tests and unit tests on many workers at once,
 on every device configuration that you list. It compares each picture with a
 reference picture in a Git repository of its own, and reports with an exit
 code, JUnit, one page and a zip of the differences.
TXT
    (cd "$folder" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
    find "$folder" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Zxz --build "$folder" "$into/snapfarm_${version}_$arch.deb" \
        >/dev/null
}

tarball() {
    name=snapfarm-$version-$1
    tree "$scratch/$name"
    # Where zsh looks outside Debian.
    mkdir "$scratch/$name/share/zsh/site-functions"
    mv "$scratch/$name/share/zsh/vendor-completions/_snapfarm" \
        "$scratch/$name/share/zsh/site-functions/"
    rmdir "$scratch/$name/share/zsh/vendor-completions"
    if tar --version 2>/dev/null | grep -q GNU; then
        tar -C "$scratch" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 \
            --numeric-owner -cf - "$name"
    else
        tar -C "$scratch" -cf - "$name"
    fi | gzip -9n >"$into/$name.tar.gz"
}

machine=$(uname -m)
if [ "$(uname)" = Linux ]; then
    foreign=$(foreign_libraries "$program")
    [ -z "$foreign" ] || {
        echo "the program needs libraries that the package does not bring: $foreign" >&2
        exit 65
    }
    deb
    tarball "linux-$machine"
else
    tarball "macos-$machine"
fi
cd "$into"
if command -v sha256sum >/dev/null 2>&1; then sum=sha256sum; else sum="shasum -a 256"; fi
for file in snapfarm_"$version"_*.deb snapfarm-"$version"-*.tar.gz; do
    [ ! -f "$file" ] || $sum "$file"
done >SHA256SUMS
cat SHA256SUMS
