#!/bin/sh
# Prints the Homebrew formula of a release.
#   usage: formula.sh VERSION SHA256SUMS ADDRESS     (of the repository, https://github.com/OWNER/snapfarm)
set -eu
version=$1
address=$3
sum() {
    found=$(awk -v name="snapfarm-$version-macos-$1.tar.gz" '$2 == name { print $1 }' "$2")
    [ -n "$found" ] || { echo "$2 has no checksum for macos-$1" >&2; exit 65; }
    echo "$found"
}
arm=$(sum arm64 "$2")
intel=$(sum x86_64 "$2")
sed -e "s|https://github.com/OWNER/snapfarm|$address|g" -e "s|0\.1\.0|$version|g" \
    -e "/on_arm/,/end/s|sha256 \"0*\"|sha256 \"$arm\"|" \
    -e "/on_intel/,/end/s|sha256 \"0*\"|sha256 \"$intel\"|" \
    -e '/^# The release workflow writes/,/^#   deploy/d' \
    "$(dirname "$0")/../homebrew/snapfarm.rb"
