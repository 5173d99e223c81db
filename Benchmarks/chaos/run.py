#!/usr/bin/env python3
"""Kills workers and coordinators while one run goes on, and counts what was lost.

    Benchmarks/chaos/run.py SNAPFARM [--tests 2000] [--cells 3] [--worker-kills 20]
                            [--coordinator-kills 10] [--workers 4] [--seed N] [--keep]

Every test case of every cell appends a line when it has run. A kill is SIGKILL at a random moment:
of one worker, or of `snapfarm run`, which is then started again with `--resume`. In the end every
(test case x cell) must have exactly one verdict, the one it has without kills:

    lost        planned, but without a verdict
    duplicate   more than one row in summary.json
    spurious    another verdict than without kills (`flaky` is none: its test ran when a worker died,
                and is counted beside)
    unrun       called passed, but no process ever ran it

Any of them, or a `snapfarm check` that finds something, makes the exit status 1.
"""
import argparse, json, os, random, shutil, signal, subprocess, sys, tempfile, time

parser = argparse.ArgumentParser()
parser.add_argument("snapfarm")
parser.add_argument("--tests", type=int, default=2000)
parser.add_argument("--cells", type=int, default=3)
parser.add_argument("--worker-kills", type=int, default=20)
parser.add_argument("--coordinator-kills", type=int, default=10)
parser.add_argument("--workers", type=int, default=4)
parser.add_argument("--failing", type=int, default=20, help="tests that fail on every cell")
parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
parser.add_argument("--minutes", type=float, default=20)
parser.add_argument("--keep", action="store_true")
options = parser.parse_args()
snapfarm = os.path.abspath(options.snapfarm)
chance = random.Random(options.seed)
work = tempfile.mkdtemp(prefix="snapfarm-chaos-")
limit = time.monotonic() + options.minutes * 60

cells = [f"D{n}" for n in range(options.cells)]
tests = [f"suite/t{n:04}" for n in range(options.tests)]
failing = set(tests[:: max(1, options.tests // max(1, options.failing))][: options.failing])
with open(f"{work}/tests", "w") as file:
    file.write("\n".join(tests) + "\n")
with open(f"{work}/failing", "w") as file:
    file.write("".join(f"{name}\n" for name in sorted(failing)))
with open(f"{work}/one.sh", "w") as file:
    file.write("""
echo "$1" >> "$2/ran-$SNAPFARM_CELL"
! grep -qx "$1" "$2/failing"
""")
with open(f"{work}/app.yaml", "w") as file:
    devices = "\n".join(f"  - {{name: {cell}, width: 8, height: 8, scale: 1}}" for cell in cells)
    file.write(f"""version: 1
name: chaos
devices:
{devices}
jobs:
  chaos:
    kind: unit
    matrix: all
    driver: command
    discover: cat tests
    run: sh one.sh {{tests}} {work}
""")
environment = {key: value for key, value in os.environ.items()
               if not key.startswith(("CI", "SNAPFARM", "GITHUB", "BITRISE", "BUILDKITE"))}


def start(*more):
    log = open(f"{work}/log", "ab")
    return subprocess.Popen(
        [snapfarm, "run", "app.yaml", "--workers", str(options.workers), *more],
        cwd=work, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        start_new_session=True)


def workers():
    """Process ids; a test that a worker has just forked still has the worker's words."""
    found = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            words = open(f"/proc/{entry}/cmdline", "rb").read().split(b"\0")
            parent = int(open(f"/proc/{entry}/stat").read().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        if len(words) > 2 and words[1] == b"worker" and work.encode() in b" ".join(words):
            found[int(entry)] = parent
    return [worker for worker, parent in found.items() if parent not in found]


def ran():
    count = 0
    for cell in cells:
        try:
            count += open(f"{work}/ran-{cell}").read().count("\n")
        except OSError:
            pass
    return count


kills = ["worker"] * options.worker_kills + ["coordinator"] * options.coordinator_kills
chance.shuffle(kills)
total = len(tests) * len(cells)
# Kills are spread over the work, not over time: the run must still be going at the last one.
moments = sorted(chance.uniform(0.02, 0.85) for _ in kills)
killed = {"worker": 0, "coordinator": 0}
print(f"seed {options.seed}, {len(tests)} tests x {len(cells)} cells, {len(kills)} kills, {work}",
      flush=True)
began = time.monotonic()
run = start()
restarts = 0
for kind, moment in zip(kills, moments):
    while ran() < moment * total and run.poll() is None and time.monotonic() < limit:
        time.sleep(0.02)
    if time.monotonic() >= limit:
        break
    if run.poll() is not None:
        print(f"the run ended early with {run.returncode}", flush=True)
        break
    if kind == "worker":
        alive = workers()
        if not alive:
            time.sleep(0.5)
            alive = workers()
        if alive:
            try:
                os.kill(chance.choice(alive), signal.SIGKILL)
                killed["worker"] += 1
            except ProcessLookupError:
                pass
    else:
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        killed["coordinator"] += 1
        run = start("--resume")
        restarts += 1
while run.poll() is None and time.monotonic() < limit:
    time.sleep(0.05)
if run.poll() is None:
    os.killpg(run.pid, signal.SIGKILL)
    sys.exit(f"the run did not end within {options.minutes} minutes; see {work}/log")
seconds = time.monotonic() - began

summary = json.load(open(f"{work}/snapfarm-out/summary.json"))
rows = {}
for row in summary["tests"]:
    rows.setdefault((row["cell"], row["test"]), []).append(row)
ids = sorted({row["cell"] for row in summary["tests"]})
planned = [(cell, name) for cell in ids for name in tests]
executed = {}
for cell in ids:
    lines = open(f"{work}/ran-{cell}").read().split("\n")
    for name in lines:
        if name:
            executed[(cell, name)] = executed.get((cell, name), 0) + 1
lost = duplicate = spurious = unrun = flaky = attempts = 0
if len(ids) != len(cells):
    lost += (len(cells) - len(ids)) * len(tests)
for key in planned:
    found = rows.get(key, [])
    duplicate += max(0, len(found) - 1)
    verdict = found[0].get("verdict") if found else None
    if verdict is None:
        lost += 1
        continue
    attempts += found[0]["attempts"]
    if verdict == "flaky":
        flaky += 1
    elif verdict != ("failed" if key[1] in failing else "passed"):
        spurious += 1
        print(f"spurious: {key} is {verdict}: {found[0]['message']}")
    if key not in executed:
        unrun += 1
checked = "not in this binary"
known = subprocess.run([snapfarm, "--help"], capture_output=True, text=True).stdout
if "\n  check " in known:
    ended = subprocess.run([snapfarm, "check", "--data", f"{work}/.snapfarm"], cwd=work,
                           env=environment, capture_output=True, text=True, timeout=600)
    checked = "clean" if ended.returncode == 0 else f"status {ended.returncode}: {ended.stderr}"
again = sum(executed.values()) - len(executed)
print(f"killed {killed['worker']} workers, {killed['coordinator']} coordinators in {seconds:.1f} s; "
      f"exit {run.returncode}, state {summary['state']}")
print(f"planned {len(planned)}, lost {lost}, duplicate {duplicate}, spurious {spurious}, "
      f"unrun {unrun}; flaky {flaky}, attempts {attempts}, run again {again}; check: {checked}")
print("problems: " + (", ".join(sorted({p['code'] for p in summary['problems']})) or "none"))
bad = lost + duplicate + spurious + unrun > 0 or checked.startswith("status")
bad = bad or run.returncode != (1 if failing else 0)
bad = bad or killed != {"worker": options.worker_kills, "coordinator": options.coordinator_kills}
if not options.keep and not bad:
    shutil.rmtree(work)
sys.exit(1 if bad else 0)
