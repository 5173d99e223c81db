#!/bin/sh
# 6,000 no-op test cases over two workers, beside two bare processes of the same command over
# halves of the list, interleaved; medians. Then the processes' peak memory. A test case is a
# program that does nothing, in three kinds: a Bash script, a shell script (`:`), which is the least
# that anyone calls a test, and /bin/true, which is the least there is.
# Appends one line per figure to docs/benchmark-history.csv. Timings judge nothing by themselves.
set -eu
snapfarm=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
rounds=${2:-5}
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cat >run-tests <<'T'
#!/bin/sh
# run-tests PROGRAM [RESULTS]: runs PROGRAM once for each line of standard input.
{ echo '<testsuite name="noop">'
  while IFS= read -r test; do
    "$1"
    echo "<testcase classname=\"noop\" name=\"$test\" time=\"0.001\"/>"
  done
  echo '</testsuite>'; } >"${SNAPFARM_LEASE_DIR:-$PWD}/${2:-junit.xml}"
T
printf '#!/bin/sh\n:\n' >noop
printf '#!/bin/bash\n:\n' >noop-bash
chmod +x run-tests noop noop-bash
i=0; while [ $i -lt 6000 ]; do echo "t$i"; i=$((i + 1)); done >tests
head -n 3000 tests >half1; tail -n 3000 tests >half2

pipeline() {
  cat >app.yaml <<T
version: 1
name: bench
jobs:
  noop: {kind: unit, driver: command, discover: cat tests, run: ./run-tests $1, results: junit.xml}
T
}
now() { date +%s.%N; }
median() { sort -n "$1" | sed -n "$(((rounds + 1) / 2))p"; }
load=$(cut -d' ' -f1 /proc/loadavg 2>/dev/null || echo '?')
cpu=$(sed -n 's/^model name.*: //p' /proc/cpuinfo 2>/dev/null | head -n 1)
commit=$(git -C "$root" rev-parse --short HEAD 2>/dev/null || echo none)
stamp=$(date -u +%Y-%m-%d)
machine="$(nproc) x $cpu, load $load"
history=$root/docs/benchmark-history.csv
[ -e "$history" ] || echo 'date,commit,machine,benchmark,value,unit,n' >"$history"
line() { echo "$stamp,$commit,\"$machine\",$1,$2,$3,$4" | tee -a "$history"; }

compare() { # NAME PROGRAM
  pipeline "$2"
  : >bare; : >farm; : >ratio
  n=1
  while [ $n -le "$rounds" ]; do
    a=$(now)
    ./run-tests "$2" h1.xml <half1 & ./run-tests "$2" h2.xml <half2 & wait
    b=$(now)
    "$snapfarm" run app.yaml --workers 2 --quiet
    c=$(now)
    echo "$a $b" | awk '{print $2-$1}' >>bare
    echo "$b $c" | awk '{print $2-$1}' >>farm
    echo "$a $b $c" | awk '{printf "%.3f\n", ($3-$2)/($2-$1)}' >>ratio
    n=$((n + 1))
  done
  line "6000 $1 tests, two bare processes" "$(median bare)" s "$rounds"
  line "6000 $1 tests, farm with two workers" "$(median farm)" s "$rounds"
  line "6000 $1 tests, farm over bare" "$(median ratio)" ratio "$rounds"
}
[ ! -x /bin/bash ] || compare 'no-op Bash script' ./noop-bash
compare 'no-op script' ./noop
compare '/bin/true' /bin/true

# Peak resident memory, read while a run is in its middle.
coordinator=0; worker=0
"$snapfarm" run app.yaml --workers 2 --quiet & pid=$!
while kill -0 $pid 2>/dev/null; do
  for p in $pid $(pgrep -P $pid -f ' worker --coordinator' || true); do
    kb=$(awk '/VmHWM/ {print $2}' "/proc/$p/status" 2>/dev/null || echo 0)
    [ -n "$kb" ] || kb=0
    if [ "$p" = $pid ]; then [ "$kb" -gt $coordinator ] && coordinator=$kb
    elif [ "$kb" -gt $worker ]; then worker=$kb; fi
  done
  sleep 0.05
done
wait $pid
line "coordinator peak resident" "$(echo $coordinator | awk '{printf "%.1f", $1/1024}')" MB 1
line "worker peak resident" "$(echo $worker | awk '{printf "%.1f", $1/1024}')" MB 1
