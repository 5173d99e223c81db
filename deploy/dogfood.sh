#!/bin/sh
# The farm's own pages, compared with how they looked when somebody last approved them. Writes the
# pages of the fixed run, then records where there are no references yet, else verifies. Another
# browser or other fonts than those of the references draw other pixels: that is said, and is not red.
set -eu
snapfarm=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")/.."
state=pipelines/.snapfarm/dogfood
out=snapfarm-out/dogfood

rm -rf "$state/pages" "$out"
SNAPFARM_DOGFOOD="$PWD/$state/pages" ${SWIFT:-swift} test --skip-build --filter DogfoodTests >&2
[ -f "$state/pages/report.html" ] || { echo "the pages were not written" >&2; exit 1; }

mode=verify
[ -f "$state/snapfarm.refs" ] || mode=record
code=0
"$snapfarm" run pipelines/dogfood.yaml --mode "$mode" --data "$state/data" --output "$out" || code=$?
if [ "$code" = 1 ] && grep -q '"renderer-mismatch"' "$out/summary.json"; then
  echo "Another browser or other fonts drew these pages than the references: nothing is proven." >&2
  echo "Record again with these, in a change of its own: rm $state/snapfarm.refs && make dogfood" >&2
  exit 0
fi
exit "$code"
