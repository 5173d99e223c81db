#!/bin/sh
# Prunes the real re-record history to "live pins + 30 newest", against `git gc --prune=now` on
# copies of the same store with the same references. Interleaved rounds; CPU is user + system.
#
#   Benchmarks/prune/run.sh HISTORY.tsv.gz FOLDER [SCALE] [ROUNDS]
#
# PRUNE is the command that prunes: it gets the store and the main repository as arguments, and
# keeps branches and the 30 newest sets, without grace.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
history=$1 folder=$2 scale=${3:-0.25} rounds=${4:-3}
: "${PRUNE:?set PRUNE to the command that prunes}"
export LC_ALL=C GIT_CONFIG_GLOBAL=/dev/null
[ -d "$folder" ] || python3 "$here/make-history.py" "$history" "$folder" --scale "$scale"

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
python3 - "$folder/times" "$before" "$ours" "$gits" "$folder/kept" "$folder/all" <<'EOF'
import statistics, sys
rows = {}
for line in open(sys.argv[1]):
    name, user, system, rss = line.split()
    rows.setdefault(name, []).append((float(user) + float(system), int(rss), float(user)))
median = {n: statistics.median(r[0] for r in rs) for n, rs in rows.items()}
for name, values in rows.items():
    print(f"{name}: CPU {median[name]:.2f} s (user {statistics.median(v[2] for v in values):.2f}),"
          f" {max(v[1] for v in values) / 1024:.0f} MB")
before, ours, gits = map(int, sys.argv[2:5])
print(f"CPU ratio {median['snapfarm'] / median['git-gc']:.2f}")
print(f"bytes {before} -> snapfarm {ours}, git gc {gits}; freed {(before - ours) / (before - gits):.4f}"
      f" of what git gc frees, {(before - ours) / before:.3f} of all")
kept, every = (set(open(p).read().split()) for p in sys.argv[5:7])
print(f"kept sets {len(kept)} of {len(every)}, ids unchanged: {kept <= every}")
EOF
