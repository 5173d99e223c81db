#!/bin/sh
# Prints the options of `swift build` that link a release with the libraries in the folder $1.
# Linux has them from lld, which Package.swift names. Without symbols, and exporting none: nothing
# loads this program, and what is exported is kept. Relocations take a hundredth of the room in
# the form that the loader reads since glibc 2.36.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ "$(uname)" = Linux ]; then
    printf ' -Xlinker %s' -s --no-export-dynamic -z pack-relative-relocs \
        "-T$here/no-unwinding.ld" "$1/icu_data.o" "$(cat "$1/icu_data.option")" "-L$1"
else
    # Never tried.
    printf ' -Xlinker %s' -S -x
fi
