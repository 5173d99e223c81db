#!/bin/sh
# Lays the libraries that the released program holds into the folder $1, as archives only, so that
# the linker finds no shared ones: Debian 12 and 13 have libgit2 under different names, and
# Homebrew replaces it whenever it likes. They are Debian's, with Debian's security updates.
set -eu
mkdir -p "$1"
into=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# libgit2 without networks, in one archive with what it calls: the program names no more. Of two
# members mbedtls.c.o the second speaks TLS; the first computes SHA-256.
debian_libgit2() {
    cp "$system/libgit2.a" "$scratch/libgit2.a"
    ar d "$scratch/libgit2.a" ssh.c.o auth_negotiate.c.o http.c.o httpclient.c.o auth.c.o git.c.o \
        tls.c.o
    ar dN 2 "$scratch/libgit2.a" mbedtls.c.o
    gcc -O2 -fPIC -Wall -Werror -c "$here/without_networks.c" -o "$scratch/without_networks.o"
    {
        echo "create $into/libgit2.a"
        echo "addlib $scratch/libgit2.a"
        echo "addmod $scratch/without_networks.o"
        for name in mbedcrypto pcre2-8 http_parser; do
            echo "addlib $system/lib$name.a"
        done
        echo save
        echo end
    } | ar -M
}

# Never tried. Built without networks from Homebrew's source.
mac_libgit2() {
    brew unpack libgit2 --destdir "$scratch"
    cmake -S "$scratch"/libgit2-* -B "$scratch/build" -DCMAKE_BUILD_TYPE=Release \
        -DBUILD_SHARED_LIBS=OFF -DBUILD_CLI=OFF -DBUILD_TESTS=OFF -DREGEX_BACKEND=builtin \
        -DUSE_HTTP_PARSER=builtin -DUSE_HTTPS=OFF -DUSE_SSH=OFF -DUSE_GSSAPI=OFF -DUSE_ICONV=OFF
    cmake --build "$scratch/build" --parallel
    cp "$scratch/build/libgit2.a" "$into/libgit2.a"
}

# Swift's build asks pkg-config where libraries lie: it is told of this folder.
described() {
    mkdir -p "$into/pkgconfig"
    for name in libgit2 libpng libdeflate zlib; do
        folder=$(pkg-config --variable=pcfiledir "$name") || continue
        sed "s|^libdir=.*|libdir=$into|" "$folder/$name.pc" >"$into/pkgconfig/$name.pc"
    done
}

if [ "$(uname)" = Linux ]; then
    system=$(dirname "$(gcc -print-file-name=libgit2.a)")
    debian_libgit2
    for name in png16 deflate z sqlite3; do ln -sf "$system/lib$name.a" "$into/lib$name.a"; done
    "$here/icu-data.py" "$(dirname "$(readlink -f "$(command -v swiftc)")")/.." "$into"
else
    mac_libgit2
    for name in png16 deflate; do
        ln -sf "$(brew --prefix)/lib/lib$name.a" "$into/lib$name.a"
    done
fi
described
