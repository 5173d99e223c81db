#!/bin/sh
# 6,000 no-op test cases over two workers, beside two bare processes of the same command over
# halves of the list, interleaved, five rounds; medians. Then the processes' peak memory.
# Appends one line per figure to docs/benchmark-history.csv. Timings judge nothing by themselves.
set -eu
snapfarm=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# One test case is one process start, which is what the cheapest real test costs.
cat >run-tests <<'T'
#!/bin/sh
{ echo '<testsuite name="noop">'
  while IFS= read -r test; do
    /bin/true
    echo "<testcase classname=\"noop\" name=\"$test\" time=\"0.001\"/>"
  done
  echo '</testsuite>'; } >"${SNAPFARM_LEASE_DIR:-$PWD}/${1:-junit.xml}"
T
chmod +x run-tests
i=0; while [ $i -lt 6000 ]; do echo "t$i"; i=$((i + 1)); done >tests
head -n 3000 tests >half1; tail -n 3000 tests >half2
cat >app.yaml <<'T'
version: 1
name: bench
jobs:
  noop: {kind: unit, driver: command, discover: cat tests, run: ./run-tests, results: junit.xml}
T

now() { date +%s.%N; }
rounds=5; n=1
: >bare; : >farm
while [ $n -le $rounds ]; do
  a=$(now)
  ./run-tests h1.xml <half1 & ./run-tests h2.xml <half2 & wait
  b=$(now)
  "$snapfarm" run app.yaml --workers 2 --quiet
  c=$(now)
  echo "$a $b" | awk '{print $2-$1}' >>bare
  echo "$b $c" | awk '{print $2-$1}' >>farm
  n=$((n + 1))
done
median() { sort -n "$1" | sed -n "$(((rounds + 1) / 2))p"; }
bare=$(median bare); farm=$(median farm)

# Peak resident memory, read while a run is in its middle.
coordinator=0; worker=0
"$snapfarm" run app.yaml --workers 2 --quiet & pid=$!
while kill -0 $pid 2>/dev/null; do
  for p in $pid $(pgrep -P $pid -f 'snapfarm worker' || true); do
    kb=$(awk '/VmHWM/ {print $2}' "/proc/$p/status" 2>/dev/null || echo 0)
    [ -n "$kb" ] || kb=0
    if [ "$p" = $pid ]; then [ "$kb" -gt $coordinator ] && coordinator=$kb
    elif [ "$kb" -gt $worker ]; then worker=$kb; fi
  done
  sleep 0.05
done
wait $pid

load=$(cut -d' ' -f1 /proc/loadavg 2>/dev/null || echo '?')
cpu=$(sed -n 's/^model name.*: //p' /proc/cpuinfo 2>/dev/null | head -n 1)
commit=$(git -C "$root" rev-parse --short HEAD 2>/dev/null || echo none)
stamp=$(date -u +%Y-%m-%d)
machine="$(nproc) x $cpu, load $load"
history=$root/docs/benchmark-history.csv
[ -e "$history" ] || echo 'date,commit,machine,benchmark,value,unit,n' >"$history"
line() { echo "$stamp,$commit,\"$machine\",$1,$2,$3,$4" | tee -a "$history"; }
line "6000 no-op tests, two bare processes" "$bare" s $rounds
line "6000 no-op tests, farm with two workers" "$farm" s $rounds
line "6000 no-op tests, farm over bare" "$(echo "$farm $bare" | awk '{printf "%.3f", $1/$2}')" ratio $rounds
line "coordinator peak resident" "$(echo $coordinator | awk '{printf "%.1f", $1/1024}')" MB 1
line "worker peak resident" "$(echo $worker | awk '{printf "%.1f", $1/1024}')" MB 1
