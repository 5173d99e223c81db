#!/usr/bin/env python3
"""How many leases a second a coordinator gives out, durably, over HTTP.

    Benchmarks/dispatch/run.py SNAPFARM DISPATCH-LOAD [--seconds 5] [--workers 1,10,100,500] [--runs 4]

A `snapfarm serve` of its own on a port of this machine; `dispatch-load` plays the workers, which
claim leases of at most five tests and complete them as fast as they are let, until the runs' work
or the time is used up. A cycle is two calls, as a worker makes them that is quicker than the
coordinator: a claim, and the completion with the reports. `p50` and `p99` are of a call. `--runs` runs for each number of workers. Then as many
idle workers as the last number: the coordinator's memory and CPU. Beside it the bare GRDB loop of
`dispatch-load`, which writes the same rows without HTTP and rules. Both share this machine's cores.
"""
import argparse, json, os, re, resource, shutil, signal, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
from ports import reserved_port  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("snapfarm")
parser.add_argument("load")
parser.add_argument("--seconds", type=float, default=5)
parser.add_argument("--workers", default="1,10,100,500")
parser.add_argument("--tests", type=int, default=5, help="per cell: the most a lease can get")
parser.add_argument("--cells", type=int, default=1000)
parser.add_argument("--runs", type=int, default=1, help="open at once: more work, so that none runs dry")
options = parser.parse_args()
snapfarm, load = os.path.abspath(options.snapfarm), os.path.abspath(options.load)
counts = [int(word) for word in options.workers.split(",")]
work = tempfile.mkdtemp(prefix="snapfarm-dispatch-")


def played(*words):
    done = subprocess.run([load, *map(str, words)], capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"dispatch-load {' '.join(map(str, words))}: {done.stderr[-2000:]}")
    return json.loads(done.stdout) if done.stdout.strip().startswith("{") else {}


def cost(pid):
    """CPU seconds and resident megabytes."""
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    pages = int(open(f"/proc/{pid}/statm").read().split()[1])
    ticks = os.sysconf("SC_CLK_TCK")
    return (int(fields[11]) + int(fields[12])) / ticks, pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def children():
    """CPU seconds of the load programs that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


port = reserved_port()
token = subprocess.run(
    [snapfarm, "tokens", "create", "load", "--data", f"{work}/state", "--scope", "submit", "--scope", "work"],
    capture_output=True, text=True, check=True,
).stdout.strip()
environment = {**os.environ, "SNAPFARM_TOKEN": token}
url = f"http://127.0.0.1:{port}"
with open(f"{work}/farm.yaml", "w") as file:
    file.write(f"version: 1\nlisten: 127.0.0.1:{port}\ndata: state\n")
with open(f"{work}/log", "w") as log:
    server = subprocess.Popen([snapfarm, "serve", "--config", f"{work}/farm.yaml"], stderr=log)
try:
    for _ in range(200):
        if "listening" in open(f"{work}/log").read():
            break
        time.sleep(0.05)
    load_average = os.getloadavg()[0]
    print(f"{os.cpu_count()} cores, load {load_average:.2f}, {options.seconds:g} s each")
    print("workers  cycles/s  tests/s  p50 ms  p99 ms  coordinator CPU s  load's CPU s  MB")
    for count in counts:
        for _ in range(options.runs):
            played("open", url, options.tests, options.cells)
        before, _ = cost(server.pid)
        own = children()
        found = played("cycles", url, count, options.seconds)
        after, memory = cost(server.pid)
        dry = "  (ran dry)" if found["ranDry"] else ""
        print(
            f"{count:7}  {found['cyclesPerSecond']:8.0f}  {found['testsPerSecond']:7.0f}"
            f"  {found['p50']:6.2f}  {found['p99']:6.2f}  {after - before:17.2f}  {children() - own:12.2f}  {memory:3.0f}{dry}"
        )
        # What is left of this run is not the next one's business.
        listed = subprocess.run(
            [snapfarm, "runs", "--json", "--coordinator", url],
            capture_output=True, text=True, env=environment, check=True,
        )
        for run in json.loads(listed.stdout)["runs"]:
            if run["state"] == "running":
                subprocess.run(
                    [snapfarm, "cancel", run["run"], "--coordinator", url],
                    env=environment, capture_output=True, check=True,
                )
    played("open", url, 1, 1)
    played("cycles", url, 1, 1)
    # Two rounds of their parked claims, after all have come.
    idle = 40
    parked = subprocess.Popen(
        [load, "idle", url, str(counts[-1]), str(idle + 6)], stdout=subprocess.DEVNULL, env=environment
    )
    time.sleep(5)
    before, _ = cost(server.pid)
    time.sleep(idle)
    after, memory = cost(server.pid)
    parked.wait()
    share = 100 * (after - before) / idle
    print(f"{counts[-1]} idle workers: {memory:.0f} MB, {share:.1f} % of one core")
    bare = played("bare", f"{work}/bare.sqlite", options.seconds)
    print("bare GRDB loop:", ", ".join(f"{name} {value:.0f}" for name, value in bare.items()))
finally:
    server.send_signal(signal.SIGTERM)
    server.wait(20)
    shutil.rmtree(work, ignore_errors=True)
