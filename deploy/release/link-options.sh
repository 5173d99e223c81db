#!/bin/sh
# Prints the options of `swift build` that link a release with the libraries in the folder $1.
# Without symbols, and exporting none: nothing loads this program, and what is exported is kept.
set -eu
printf ' -Xlinker %s' -s
if [ "$(uname)" = Linux ]; then
    # lld writes relocations in a hundredth of the room, which the loader reads since glibc 2.36.
    printf ' -Xswiftc -use-ld=lld'
    printf ' -Xlinker %s' --no-export-dynamic -z pack-relative-relocs "$1/icu_data.o" \
        "$(cat "$1/icu_data.option")"
fi
