#!/bin/sh
# The main job, as a new user sees it: record references, verify them, change the app, look.
set -eu
snapfarm=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")/.."
state=pipelines/.snapfarm/demo
out=snapfarm-out/demo

step() { printf '\n== %s\n' "$1" >&2; }

rm -rf "$state" "$out"
step "1 of 3  record: the wallet app on six devices, light and dark, Japanese and English"
"$snapfarm" run pipelines/demo.yaml --mode record --data "$state/data" --output "$out/record"
step "2 of 3  verify: the same app; every picture must be identical"
"$snapfarm" run pipelines/demo.yaml --data "$state/data" --output "$out/verify"
step "3 of 3  a change in the app's style and in one text"
code=0
"$snapfarm" run pipelines/demo-changed.yaml --data "$state/data" --output "$out/changed" || code=$?
[ "$code" = 1 ] || { echo "expected differences (exit 1), got exit $code" >&2; exit 1; }

first=$(cd "$out/changed" && find FailureDiffs -name 'diff_*.png' | LC_ALL=C sort | head -n 1)
opener=xdg-open
[ "$(uname)" = Darwin ] && opener=open
changed=$(cd "$out/changed" && find FailureDiffs -name 'diff_*.png' | wc -l | tr -d ' ')
cat <<TXT

The demo is through: the change shows in $changed pictures.
  report   $out/changed/report/index.html
  zip      $out/changed/FailureDiffs.zip
  look     $opener $out/changed/$first
TXT
