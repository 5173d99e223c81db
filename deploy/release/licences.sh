#!/bin/sh
# Prints the licence of each library that the released program holds; equal texts once, under all
# names. Swift packages are looked for in the folder $1 (.build/checkouts); Debian's libraries and
# Swift's own where they are installed.
set -eu
checkouts=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# kept NAME FILE: under the text's hash, so that equal texts meet.
kept() {
    hash=$(cksum <"$2" | tr ' ' -)
    echo "$1" >>"$scratch/$hash.names"
    cp "$2" "$scratch/$hash.text"
}
for file in "$checkouts"/*/LICENSE* "$checkouts"/*/NOTICE*; do
    [ -f "$file" ] && kept "$(basename "$(dirname "$file")")" "$file"
done
for name in libgit2-dev libmbedtls-dev libpcre2-dev libhttp-parser-dev libpng-dev libdeflate-dev \
    zlib1g-dev libsqlite3-dev; do
    file=/usr/share/doc/$name/copyright
    [ -f "$file" ] && kept "$name (Debian)" "$file"
done
if command -v swiftc >/dev/null 2>&1; then
    file=$(dirname "$(readlink -f "$(command -v swiftc)")")/../share/swift/LICENSE.txt
    [ -f "$file" ] && kept "Swift, Foundation and ICU" "$file"
fi
for names in "$scratch"/*.names; do
    [ -f "$names" ] || continue
    printf '==== %s ====\n\n' "$(sort "$names" | paste -sd, - | sed 's/,/, /g')"
    cat "${names%.names}.text"
    printf '\n'
done
