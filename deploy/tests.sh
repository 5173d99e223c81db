#!/bin/sh
# Runs a command of tests and says at the end which were skipped and why, and, when one failed, which,
# and what it said: a CI keeps the end of a log, and 750 tests that pass hide the one that does not.
set -u
log=$(mktemp)
trap 'rm -f "$log" "$log.rc"' EXIT
{ "$@"; echo $? >"$log.rc"; } 2>&1 | tee "$log"
status=$(cat "$log.rc" 2>/dev/null || echo 1)
skipped=$(grep -a -E '^[^ ]+ (Test|Suite) .* skipped(:|\.|$)' "$log" | cut -c 1-300 | head -n 40)
[ -z "$skipped" ] || printf '\n== what was skipped ==\n%s\n' "$skipped"
[ "$status" = 0 ] || {
  echo
  echo "== what failed (exit status $status) =="
  grep -a -A 3 '^✘' "$log" | grep -a -v '^[✔◇]' | cut -c 1-600 | head -n 100
  [ "$status" != 124 ] || echo "The time limit of the whole command ended it."
} >&2
exit "$status"
