#!/bin/sh
# The farm looks at its own pages. First at itself alone: it records the pages of the fixed run, which
# takes each picture twice, then draws one thing of the style in another way and must find exactly
# that. With SNAPFARM_STORE it also compares the pages with what people approved. Another browser or
# other fonts than those of the references draw other pixels: that is said, and is not red.
set -eu
snapfarm=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")/.."
root=$PWD
out=snapfarm-out/dogfood
store=${SNAPFARM_STORE:-}
unset SNAPFARM_STORE

# The pipeline and the pages, in a folder of their own: what is recorded there is of this run alone.
alone=.build/dogfood
pages=.snapfarm/dogfood/pages
rm -rf "$alone" "$out"
mkdir -p "$alone"
cp -R pipelines/dogfood pipelines/dogfood.yaml "$alone/"
SNAPFARM_DOGFOOD="$root/$alone/$pages" ${SWIFT:-swift} test --skip-build --filter DogfoodTests >&2
[ -f "$alone/$pages/report.html" ] || { echo "the pages were not written" >&2; exit 1; }

"$snapfarm" run "$alone/dogfood.yaml" --mode record --quiet --output "$out/record"
# The state of a run becomes a box with corners, on two pages that say it in two languages.
planted='.state { border-radius: 0; }'
for language in en ja; do
  page="$alone/$pages/$language/report/index.html"
  sed "s|</style>|$planted</style>|" "$page" >"$page.new" && mv "$page.new" "$page"
  echo "$planted" >>"$alone/$pages/$language/assets/page.css"
done
code=0
"$snapfarm" run "$alone/dogfood.yaml" --quiet --output "$out/planted" >"$out/planted.txt" 2>&1 || code=$?
if [ "$code" != 1 ] || ! grep -qx '## 4 changes in 24 pictures' "$out/planted/report.md"; then
  cat "$out/planted.txt" >&2
  echo "expected 4 changes in 24 pictures (exit 1), got exit $code:" >&2
  grep '^## ' "$out/planted/report.md" >&2
  exit 1
fi
echo "The pages draw the same twice; the planted change was 4 changes in 24 pictures."
[ -n "$store" ] || exit 0

# What people approved.
export SNAPFARM_STORE="$store"
SNAPFARM_DOGFOOD="$root/pipelines/$pages" ${SWIFT:-swift} test --skip-build --filter DogfoodTests >&2
mode=verify
[ -f pipelines/dogfood.refs ] || mode=record
code=0
"$snapfarm" run pipelines/dogfood.yaml --mode "$mode" --output "$out/approved" || code=$?
# Only pictures that look different may be the renderer's doing.
if [ "$code" = 1 ] && grep -q '"renderer-mismatch"' "$out/approved/summary.json" \
  && ! grep -qE '"verdict": ?"(failed|errored|missing|unreached|new|flaky)"' "$out/approved/summary.json"
then
  echo "Another browser or other fonts drew these pages than the references: nothing is proven." >&2
  echo "Record again with these, in a change of its own: rm pipelines/dogfood.refs && make dogfood" >&2
  exit 0
fi
exit "$code"
