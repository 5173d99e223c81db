#!/bin/bash
# Fuzzes the decoder and the comparison by libFuzzer with the address sanitizer:
#     Tests/Fuzzing/run.sh SECONDS [FOLDER]
# FOLDER keeps inputs and findings (default: a new one under /tmp). Every finding becomes a test.
#
# FarmImaging and the C it calls are compiled as they are, as one module; of FarmCore only what
# they use, with a digest that needs no package.
set -euo pipefail
seconds=$1
here=$(cd "$(dirname "$0")" && pwd)
sources=$here/../../Sources
work=${2:-$(mktemp -d /tmp/snapfarm-fuzz.XXXXXX)}
mkdir -p "$work/objects" "$work/inputs"
sanitize=(-sanitize=address -sanitize=fuzzer -parse-as-library)

cd "$work/objects"
for file in "$sources"/CFarmShims/*.c "$here/png_mutator.c"; do
    case $file in *git.c | *process.c | *libc.c | *pack.c) continue ;; esac
    clang -O1 -g -fsanitize=address,fuzzer-no-link -I"$sources/CFarmShims/include" -c "$file"
done
cat >Digest.swift <<'SWIFT'
package struct Digest: Hashable, Sendable, Codable {
    package var hex: String
    package init(of value: some Any) { hex = "\(value)" }
    package init(hex: String) { self.hex = hex }
}
package struct DigestStream {
    private var count = 0
    package init() {}
    package mutating func append(_ bytes: UnsafeRawBufferPointer) { count += bytes.count }
    package func finish() -> Digest { Digest(hex: "\(count)") }
}
package struct ObjectID: Hashable, Sendable, Codable { package var text: String }
SWIFT
{
    echo 'module CFarmShims {'
    for header in "$sources"/CFarmShims/include/farm_*.h; do
        case $header in *git.h | *process.h | *libc.h | *pack.h) continue ;; esac
        echo "header \"$header\""
    done
    echo 'export * }'
} >module.modulemap
flags=(-O -g -wmo -swift-version 6 -package-name snapfarm "${sanitize[@]}" -I.
    -enable-upcoming-feature ExistentialAny
    -Xcc -fmodule-map-file="$PWD/module.modulemap" -Xcc "-I$sources/CFarmShims/include")
core=("$sources"/FarmCore/Comparison/*.swift "$sources"/FarmCore/Capture/*.swift
    "$sources"/FarmCore/FarmLimits.swift
    "$sources"/FarmCore/Identity/{ExplainedError,Glob,PathComponent,Identifiers}.swift)
swiftc "${flags[@]}" -module-name FarmCore -emit-module -c "${core[@]}" Digest.swift -o FarmCore.o
mapfile -t imaging < <(find "$sources/FarmImaging" -name '*.swift')
swiftc "${flags[@]}" -module-name FarmImaging -c "${imaging[@]}" "$here/PictureFuzzer.swift" \
    -o FarmImaging.o
swiftc "${sanitize[@]}" ./*.o -lpng -lz -ldeflate -o "$work/fuzzer" \
    2> >(grep -v 'Cannot export local symbol' >&2)

python3 "$here/seeds.py" "$here/../../../shared/corpus/compare" "$work/seeds"
cd "$work"
exec ./fuzzer -max_total_time="$seconds" -max_len=40000 -rss_limit_mb=2048 -timeout=20 \
    -print_final_stats=1 inputs seeds
