#!/bin/sh
# Prunes the real re-record history to "live pins + 30 newest", against `git gc --prune=now` on
# copies of the same store with the same references. Interleaved rounds; CPU is user + system.
#
#   Benchmarks/prune/run.sh [--record] BINARY HISTORY.tsv.gz FOLDER [SCALE] [ROUNDS]
#
# FOLDER keeps store.git and main.git of make-history.py, so that the next run finds them; SCALE is
# of the bodies' sizes. PRUNE is another command that prunes: it gets the store and the main
# repository as arguments, and keeps branches and the 30 newest sets, without grace.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
record=
if [ "$1" = --record ]; then
    record=--record
    shift
fi
binary=$1 history=$2 folder=$3 scale=${4:-0.25} rounds=${5:-3}
export LC_ALL=C GIT_CONFIG_GLOBAL=/dev/null
[ -d "$folder" ] || python3 "$here/make-history.py" "$history" "$folder" --scale "$scale"
: "${PRUNE:=sh $folder/prune.sh $binary}"
cat > "$folder/prune.sh" <<'EOF'
exec "$1" refs prune --store "$2" --pin "$3/snapfarm.refs" --main "$3" --yes \
    --keep-days 0 --keep-newest 30 --young-days 0 --grace-days 0
EOF

references() { git -C "$1" for-each-ref --format='%(refname)' refs/snapfarm/sets | sort; }
bytes() { du -sb "$1/objects" | cut -f1; }
measure() { # NAME COMMAND...: appends "NAME user system maxrss-KB" to times
    name=$1
    shift
    /usr/bin/env python3 - "$name" "$folder/times" "$@" <<'EOF'
import resource, subprocess, sys
subprocess.run(sys.argv[3:], check=True, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
line = f"{sys.argv[1]} {used.ru_utime:.2f} {used.ru_stime:.2f} {used.ru_maxrss}"
print(line, flush=True)
print(line, file=open(sys.argv[2], "a"))
EOF
}

rm -f "$folder/times"
before=$(bytes "$folder/store.git")
round=0
while [ "$round" -lt "$rounds" ]; do
    round=$((round + 1))
    rm -rf "$folder/ours.git" "$folder/gits.git"
    cp -a "$folder/store.git" "$folder/ours.git"
    cp -a "$folder/store.git" "$folder/gits.git"
    sync
    # shellcheck disable=SC2086 # PRUNE is words
    measure snapfarm $PRUNE "$folder/ours.git" "$folder/main.git"
    # Git gets the shorter journal, and removes the same references itself.
    git -C "$folder/gits.git" fetch --quiet --no-tags --force --update-head-ok \
        "$folder/ours.git" 'refs/heads/*:refs/heads/*' 'refs/snapfarm/pruned:refs/snapfarm/pruned'
    references "$folder/ours.git" > "$folder/kept"
    references "$folder/gits.git" | comm -23 - "$folder/kept" | sed 's/^/delete /' \
        > "$folder/gone"
    sync
    measure git-gc sh -c \
        'git -C "$1" update-ref --stdin < "$2" && git -C "$1" gc --quiet --prune=now' \
        sh "$folder/gits.git" "$folder/gone"
done
ours=$(bytes "$folder/ours.git")
gits=$(bytes "$folder/gits.git")
git -C "$folder/ours.git" for-each-ref --format='%(objectname)' refs/snapfarm/sets > "$folder/kept"
git -C "$folder/store.git" for-each-ref --format='%(objectname)' refs/snapfarm/sets | sort \
    > "$folder/all"
git -C "$folder/ours.git" fsck --full
PYTHONPATH=$here/.. python3 - "$folder/times" "$before" "$ours" "$gits" "$folder/kept" \
    "$folder/all" "$scale" "$record" <<'EOF'
import statistics, sys
from measuring import Figures, table
rows = {}
for line in open(sys.argv[1]):
    name, user, system, rss = line.split()
    rows.setdefault(name, []).append((float(user) + float(system), int(rss), float(user)))
median = {n: statistics.median(r[0] for r in rs) for n, rs in rows.items()}
before, ours, gits = map(int, sys.argv[2:5])
freed = (before - ours) / (before - gits)
ratio = median["snapfarm"] / median["git-gc"]
kept, every = (set(open(p).read().split()) for p in sys.argv[5:7])
n = len(rows["snapfarm"])
sizes = {"snapfarm": ours, "git-gc": gits}
table(
    f"Prune the real history to live pins + 30 newest, scale {sys.argv[7]}, n = {n}",
    ["", "CPU s", "user", "x git gc", "peak MB", "MB before", "MB after"],
    [
        [name, f"{median[name]:.2f}", f"{statistics.median(v[2] for v in rows[name]):.2f}",
         f"{median[name] / median['git-gc']:.2f}", f"{max(v[1] for v in rows[name]) / 1e3:.0f}",
         f"{before / 1e6:.1f}", f"{sizes[name] / 1e6:.1f}"]
        for name in ("git-gc", "snapfarm")
    ],
)
print(f"freed {freed:.4f} of what git gc frees, {(before - ours) / before:.3f} of all")
print(f"kept sets {len(kept)} of {len(every)}, ids unchanged: {kept <= every}")
figures = Figures(sys.argv[8] == "--record")
title = f"prune real history x {sys.argv[7]}"
figures.add(f"{title}: snapfarm CPU", median["snapfarm"], "s", n)
figures.add(f"{title}: git gc CPU", median["git-gc"], "s", n)
figures.add(f"{title}: snapfarm over git gc", ratio, "ratio", n)
figures.add(f"{title}: freed of freeable", freed, "ratio", 1)
figures.write()
EOF
