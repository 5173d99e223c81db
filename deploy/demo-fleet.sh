#!/bin/sh
# The demo's record, verify and change over a fleet: the coordinator here, the worker in an empty
# folder in a network namespace of its own, joined by one cable. Linux, root, iproute2.
set -eu
snapfarm=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")/.."
state=pipelines/.snapfarm/demo
out=snapfarm-out/demo-fleet
tag=$(printf %04x $$ | tail -c 4)
[ "$(id -u)" = 0 ] && command -v ip >/dev/null || {
  echo "error: a network of its own takes root and ip (apt-get install iproute2)" >&2
  exit 1
}
work=$(mktemp -d)
server= worker=
end() {
  [ -z "$worker" ] || kill "$worker" 2>/dev/null || true
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  wait
  ip link del "sf${tag}a" 2>/dev/null || true
  ip netns del "snapfarm-$tag" 2>/dev/null || true
  rm -rf "$work"
}
trap end EXIT
trap 'exit 1' INT TERM

step() { printf '\n== %s\n' "$1" >&2; }

step "a network of its own, joined to this machine by one cable"
ip netns add "snapfarm-$tag"
ip link add "sf${tag}a" type veth peer name "sf${tag}b" netns "snapfarm-$tag"
ip addr add 10.213.78.1/30 dev "sf${tag}a"
ip link set "sf${tag}a" up
ip -n "snapfarm-$tag" addr add 10.213.78.2/30 dev "sf${tag}b"
ip -n "snapfarm-$tag" link set "sf${tag}b" up
ip -n "snapfarm-$tag" link set lo up

step "a coordinator that listens on that cable"
rm -rf "$state" "$out"
mkdir -p "$work/empty" "$out"
cat >"$work/farm.yaml" <<TXT
version: 1
listen: 10.213.78.1:7420
data: data
stores:
  wallet: $PWD/$state/references.git
TXT
token() { "$snapfarm" tokens create "$1" --scope "$1" --config "$work/farm.yaml"; }
submit=$(token submit)
work_token=$(token work)
"$snapfarm" serve --config "$work/farm.yaml" --insecure 2>"$out/coordinator.log" &
server=$!
n=0
until grep -q listening "$out/coordinator.log"; do
  n=$((n + 1))
  [ $n -lt 100 ] || { cat "$out/coordinator.log" >&2; exit 1; }
  sleep 0.1
done

step "a worker in an empty folder on the other end"
(cd "$work/empty" && SNAPFARM_TOKEN=$work_token exec ip netns exec "snapfarm-$tag" \
  "$snapfarm" worker --coordinator http://10.213.78.1:7420) 2>"$out/worker.log" &
worker=$!

run() { SNAPFARM_TOKEN=$submit "$snapfarm" run "$@" --coordinator http://10.213.78.1:7420; }
step "1 of 3  record"
run pipelines/demo.yaml --mode record --output "$out/record"
step "2 of 3  verify: the same app; every picture must be identical"
run pipelines/demo.yaml --output "$out/verify"
step "3 of 3  a change in the app's style and in one text"
code=0
run pipelines/demo-changed.yaml --output "$out/changed" || code=$?
[ "$code" = 1 ] || { echo "expected differences (exit 1), got exit $code" >&2; exit 1; }
left=$(find "$work/empty" -mindepth 1 | wc -l | tr -d ' ')
printf '\nThe demo ran on the other end of the cable; in the empty folder lie %s files.\n' "$left"
