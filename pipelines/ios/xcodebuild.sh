#!/bin/sh
# Between the farm and xcodebuild. `list TARGET` prints one Target/Class/method a line; `test FILE`
# runs the tests named in FILE on the cell's simulator and leaves junit.xml in the lease's folder.
#
# xcodebuild passes TEST_RUNNER_<NAME> on to the tests as <NAME>; the farm has set those already.
# The same values go in as build settings, for schemes that expand $(SNAPSHOT_TEST_RECORD_MODE).
set -eu
xcodebuild=${XCODEBUILD:-xcodebuild}
[ -x "$xcodebuild" ] || command -v "$xcodebuild" >/dev/null || {
  echo "xcodebuild is not installed: run this pipeline on a Mac with Xcode" >&2; exit 1; }
case $xcodebuild in */*) xcodebuild=$(cd "$(dirname "$xcodebuild")" && pwd)/$(basename "$xcodebuild");; esac
xctestrun=${XCTESTRUN:-build/Build/Products/App.xctestrun}
destination="platform=iOS Simulator,name=${SNAPFARM_DEVICE:-${UNIT_DEVICE:-iPhone 8}},OS=${SNAPFARM_OS:-${UNIT_OS:-latest}}"

case $1 in
list)
  out=$(mktemp)
  "$xcodebuild" test-without-building -xctestrun "$xctestrun" -destination "$destination" \
    -only-testing "$2" -enumerate-tests -test-enumeration-style flat \
    -test-enumeration-format json -test-enumeration-output-path "$out" >/dev/null
  # One identifier a line; enumeration writes them as {"identifier":"Target/Class/method()"}.
  tr '{' '\n' <"$out" | sed -n 's/.*"identifier" *: *"\([^"]*\)".*/\1/p' | sed 's/()$//; s#\\/#/#g'
  rm -f "$out"
  ;;
test)
  set -- "$2"
  only=""
  while IFS= read -r test; do only="$only -only-testing $test"; done <"$1"
  log=$SNAPFARM_LEASE_DIR/xcodebuild.log
  code=0
  # shellcheck disable=SC2086
  NSUnbufferedIO=YES "$xcodebuild" test-without-building -xctestrun "$xctestrun" \
    -destination "$destination" -parallel-testing-enabled NO -collect-test-diagnostics never \
    -resultBundlePath "$SNAPFARM_LEASE_DIR/result.xcresult" $only \
    "SNAPSHOT_TEST_RECORD_MODE=$SNAPSHOT_TEST_RECORD_MODE" \
    "RECORD_MODE_ENV=$RECORD_MODE_ENV" >"$log" 2>&1 || code=$?
  cat "$log"
  # Test Case '-[Module.Class method]' passed (0.123 seconds).   → one testcase
  awk '
    function xml(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s)
      gsub(/"/, "\\&quot;", s); return s }
    BEGIN { print "<testsuites><testsuite name=\"xcodebuild\">" }
    /: error: -\[/ { text = text $0 "\n" }
    /^Test Case .* (passed|failed|skipped) \(/ {
      name = $0; sub(/^.*-\[/, "", name); sub(/\].*$/, "", name)
      split(name, part, " "); seconds = $0; sub(/^.*\(/, "", seconds); sub(/ seconds.*$/, "", seconds)
      class = part[1]; sub(/^[^.]*\./, "", class)
      target = part[1]; if (sub(/\..*$/, "", target) == 0) target = ""
      printf "<testcase classname=\"%s/%s\" name=\"%s\" time=\"%s\">", xml(target), xml(class), xml(part[2]), seconds
      if ($0 ~ / failed \(/) printf "<failure>%s</failure>", xml(text)
      if ($0 ~ / skipped \(/) printf "<skipped/>"
      print "</testcase>"; text = ""
    }
    END { print "</testsuite></testsuites>" }' "$log" >"$SNAPFARM_LEASE_DIR/junit.xml"
  # 65 is both "tests failed" and "runner never started": the farm compares the set of results with
  # the set it leased, so a runner that never started shows as tests without a result.
  [ "$code" = 0 ] || [ "$code" = 65 ] || exit "$code"
  ;;
esac
