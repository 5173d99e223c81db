#!/bin/sh
# The main job, as a new user sees it: record references, verify them, change the app, look,
# approve the change, and drop the references that no commit needs any more.
set -eu
snapfarm=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")/.."
state=pipelines/.snapfarm/demo
out=snapfarm-out/demo

step() { printf '\n== %s\n' "$1" >&2; }

rm -rf "$state" "$out"
step "1 of 6  record: the wallet app on six devices, light and dark, Japanese and English"
"$snapfarm" run pipelines/demo.yaml --mode record --data "$state/data" --output "$out/record"
step "2 of 6  verify: the same app; every picture must be identical"
"$snapfarm" run pipelines/demo.yaml --data "$state/data" --output "$out/verify"
step "3 of 6  a change in the app's style and in one text"
code=0
"$snapfarm" run pipelines/demo-changed.yaml --data "$state/data" --output "$out/changed" || code=$?
[ "$code" = 1 ] || { echo "expected differences (exit 1), got exit $code" >&2; exit 1; }
grep -qx '## 5 changes in 120 pictures' "$out/changed/report.md" || {
  echo "expected 5 changes in 120 pictures: $(grep '^## .* in ' "$out/changed/report.md")" >&2
  exit 1
}

# A commit of the pin, in a repository of the demo's own instead of yours.
commit() {
  git -C "$state" add snapfarm.refs
  git -C "$state" -c user.name=demo -c user.email=demo@example.org -c commit.gpgsign=false \
    commit -qm "$1"
}
git init -q "$state"
commit "The references of the wallet app"
step "4 of 6  approve: the changed pictures become the references"
"$snapfarm" approve pipelines/demo-changed.yaml --from "$out/changed" --data "$state/data" \
  --reason "a new style"
commit "Approve a new style"
step "5 of 6  verify: the changed app is green"
"$snapfarm" run pipelines/demo-changed.yaml --data "$state/data" --output "$out/approved"
step "6 of 6  prune: the references that no branch pins go"
"$snapfarm" refs prune --pipeline pipelines/demo-changed.yaml --main "$state" --yes \
  --keep-days 0 --young-days 0 --grace-days 0
git -C "$state/references.git" fsck --full --no-dangling --no-progress

first=$(cd "$out/changed" && find FailureDiffs -name 'diff_*.png' | LC_ALL=C sort | head -n 1)
opener=xdg-open
[ "$(uname)" = Darwin ] && opener=open
changed=$(cd "$out/changed" && find FailureDiffs -name 'diff_*.png' | wc -l | tr -d ' ')
cat <<TXT

The demo is through: the changes showed in $changed pictures, were approved, and are green.
  report   $out/changed/report/index.html
  zip      $out/changed/FailureDiffs.zip
  look     $opener $out/changed/$first
TXT
