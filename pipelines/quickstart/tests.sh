#!/bin/sh
# A test program of the smallest kind: it lists its tests, runs one, and leaves pictures.
#
# It draws nothing. Its "renderings" are small PNG files kept in pictures/, one for each device
# and appearance, so that the quick start needs no browser, no compiler and no image library:
# it shows the farm, not rendering.
#
# To see a difference, record first, then set this to chart-changed and verify.
chart=chart

set -eu
here=$(dirname -- "$0")

# What the unit tests test: a price with its tax, in whole units, rounded down.
with_tax() { echo $(($1 + $1 * $2 / 100)); }
# 1234567 → 1,234,567
grouped() {
  rest=$1
  groups=
  while [ ${#rest} -gt 3 ]; do
    head=${rest%???}
    groups=",${rest#"$head"}$groups"
    rest=$head
  done
  echo "$rest$groups"
}

equal() {
  [ "$1" = "$2" ] && return
  echo "expected $2, got $1"
  exit 1
}

# A picture lies in the capture folder as <suite>/<name>.png.
capture() {
  mkdir -p "$SNAPFARM_CAPTURE_DIR/$1"
  cp "$here/pictures/$SNAPFARM_DEVICE/$SNAPFARM_VARIANT_APPEARANCE/$3.png" \
    "$SNAPFARM_CAPTURE_DIR/$1/$2.png"
}

case "$1" in
list-units)
  echo price/tax
  echo price/tax-is-rounded-down
  echo price/no-tax
  echo price/grouped
  echo price/short-is-not-grouped
  echo price/millions
  ;;
list-scenes)
  echo widgets/badge
  echo widgets/chart
  echo widgets/table
  ;;
run)
  case "$2" in
  price/tax) equal "$(with_tax 1200 10)" 1320 ;;
  price/tax-is-rounded-down) equal "$(with_tax 99 8)" 106 ;;
  price/no-tax) equal "$(with_tax 500 0)" 500 ;;
  price/grouped) equal "$(grouped 12400)" 12,400 ;;
  price/short-is-not-grouped) equal "$(grouped 999)" 999 ;;
  price/millions) equal "$(grouped 1234567)" 1,234,567 ;;
  widgets/badge) capture widgets badge badge ;;
  widgets/chart) capture widgets chart "$chart" ;;
  widgets/table) capture widgets table table ;;
  *)
    echo "no test is called $2" >&2
    exit 64
    ;;
  esac
  ;;
*)
  echo "usage: tests.sh list-units | list-scenes | run <test>" >&2
  exit 64
  ;;
esac
