#!/usr/bin/env python3
"""What does --isolate cost: for a short test, and for a run of the demo?

One coordinator, and one worker at a time, free or isolated, in turn: a new one for each run. The run that fills
the cache of bundles does not count.
"""
import os
import pathlib
import re
import shutil
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from farm import Farm, until  # noqa: E402
from measuring import ROOT, Failed, run, write  # noqa: E402

SHORT = """version: 1
name: short
jobs:
  short:
    kind: unit
    driver: command
    discover: seq -f t%g 500
    run: "true {tests}"
    bundle: [app.yaml]
"""
MODES = {"free": [], "isolated": ["--isolate"]}


def cpu(worker):
    """CPU seconds of a worker with all its children that have ended."""
    with open(f"/proc/{worker.process.pid}/stat") as file:
        ticks = file.read().rsplit(")", 1)[1].split()[11:15]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def measured(farm, project, words):
    """Seconds, CPU seconds and leases of a run by a new worker with these options."""
    worker = farm.program(
        ["worker", "--coordinator", farm.url, "--id", f"w{time.monotonic_ns()}", "--scratch",
         f"{farm.folder}/scratch", "--cache", f"{farm.folder}/cache", *words], "worker", farm.folder).start()
    try:
        until(lambda: " offers " in worker.said(), 60, lambda: worker.said(3000))
        began, used = time.monotonic(), cpu(worker)
        if farm.submitted(project).end(1_200) != 0:
            raise Failed(f"the run is not green:\n{worker.said(3000)}")
        leases = len(re.findall(r"^\S+: \d+ tests? of ", worker.said(), re.M))
        return time.monotonic() - began, cpu(worker) - used, leases
    finally:
        worker.signal(15)
        worker.end(60)


def main():
    snapfarm = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    kinds = sys.argv[3:] or ["short", "demo"]
    folder = tempfile.mkdtemp(prefix="isolation-")
    write(f"{folder}/short/app.yaml", SHORT)
    shutil.copytree(f"{ROOT}/pipelines/wallet", f"{folder}/demo/wallet",
                    ignore=shutil.ignore_patterns(".build"))
    shutil.copy(f"{ROOT}/pipelines/demo.yaml", f"{folder}/demo/app.yaml")
    try:
        with Farm([snapfarm], folder, more=f"stores: {{wallet: {folder}/store.git}}\n").start() as farm:
            if "demo" in kinds:
                first = farm.program(["worker", "--coordinator", farm.url], "first", folder).start()
                if farm.submitted(f"{folder}/demo", "--mode", "record").end(1_200) != 0:
                    raise Failed(f"the demo was not recorded:\n{first.said(3000)}")
                first.signal(15)
                first.end(60)
            print("| run | worker | s | CPU s | leases | load |\n|---|---|---:|---:|---:|---:|")
            for kind in kinds:
                measured(farm, f"{folder}/{kind}", [])
                found = {mode: [] for mode in MODES}
                for n in range(rounds):
                    for mode in sorted(MODES, reverse=n % 2 == 1):
                        found[mode].append(measured(farm, f"{folder}/{kind}", MODES[mode]))
                        seconds, used, leases = found[mode][-1]
                        print(f"| {kind} {n + 1} | {mode} | {seconds:.2f} | {used:.2f} | {leases} "
                              f"| {os.getloadavg()[0]:.1f} |", flush=True)
                for mode, values in found.items():
                    middle = [statistics.median(column) for column in zip(*values)]
                    print(f"| {kind}, median | {mode} | {middle[0]:.2f} | {middle[1]:.2f} | {middle[2]:.0f} | |")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
