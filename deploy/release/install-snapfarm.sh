#!/bin/sh
# Installs a released snapfarm without root and without a compiler. Copy it into your repository.
#   usage: install-snapfarm.sh VERSION [FOLDER]    (default: ~/.cache/snapfarm/VERSION)
# Prints the folder of the program:  export PATH="$(sh ci/install-snapfarm.sh 0.1.0):$PATH"
# A CI job keeps FOLDER in its cache under a key with VERSION, system and machine: what is there
# already is not fetched again.
#   SNAPFARM_RELEASES   where releases lie: an https:// or file:// address above v0.1.0/
#   SNAPFARM_SHA256     the archive's checksum, where you do not want to trust the one beside it
set -eu
version=${1:?usage: install-snapfarm.sh VERSION [FOLDER]}
folder=${2:-${XDG_CACHE_HOME:-$HOME/.cache}/snapfarm/$version}
if [ "$("$folder/bin/snapfarm" --version 2>/dev/null)" = "$version" ]; then
    echo "$folder/bin"
    exit 0
fi
: "${SNAPFARM_RELEASES:?set it to the address that your releases of snapfarm lie under}"
case $(uname) in
    Darwin) system=macos ;;
    Linux) system=linux ;;
    *) echo "no snapfarm is built for $(uname)" >&2; exit 69 ;;
esac
name=snapfarm-$version-$system-$(uname -m)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fetch() {
    curl --fail --silent --show-error --location --retry 3 --max-time 300 \
        --output "$scratch/$1" "$SNAPFARM_RELEASES/v$version/$1"
}
fetch "$name.tar.gz"
if [ -n "${SNAPFARM_SHA256:-}" ]; then
    wanted=$SNAPFARM_SHA256
else
    fetch SHA256SUMS
    wanted=$(awk -v name="$name.tar.gz" '$2 == name { print $1 }' "$scratch/SHA256SUMS")
fi
if command -v sha256sum >/dev/null 2>&1; then sum=sha256sum; else sum="shasum -a 256"; fi
found=$($sum "$scratch/$name.tar.gz" | cut -d ' ' -f 1)
[ "$found" = "$wanted" ] || {
    echo "$name.tar.gz has the checksum $found, not ${wanted:-the one of a release}: not installed" >&2
    exit 65
}
mkdir -p "$folder"
tar -xzf "$scratch/$name.tar.gz" -C "$folder" --strip-components=1
[ "$("$folder/bin/snapfarm" --version)" = "$version" ]
echo "$folder/bin"
