"""A run of many small tests on a farm, whose every execution leaves a line, and what is to be counted of it."""
import json
import os
import subprocess
import time

from farm import Program


class Trial:
    def __init__(self, farm, tests, cells, failing, key="trial"):
        self.farm = farm
        self.folder = f"{farm.folder}/{key}"
        os.makedirs(self.folder)
        self.cells = [f"D{n}" for n in range(cells)]
        self.tests = [f"suite/t{n:04}" for n in range(tests)]
        self.failing = set(self.tests[:: max(1, tests // max(1, failing))][:failing])
        self.write("tests", "\n".join(self.tests) + "\n")
        self.write("failing", "".join(f"{name}\n" for name in sorted(self.failing)))
        self.pause(0)
        # One write each, so lines of two workers do not mix.
        self.write("one.sh", f"""
read -r seconds < {self.folder}/pause
sleep "$seconds"
echo "$1 $SNAPFARM_CELL $EPOCHREALTIME" >> {self.folder}/ran
! grep -qx "$1" {self.folder}/failing
""")
        devices = "\n".join(f"  - {{name: {cell}, width: 8, height: 8, scale: 1}}" for cell in self.cells)
        self.write("app.yaml", f"""version: 1
name: chaos
devices:
{devices}
jobs:
  chaos:
    kind: unit
    matrix: all
    driver: command
    discover: cat tests
    bundle: [one.sh, tests]
    run: bash one.sh {{tests}}
""")
        self.process = Program(
            [farm.snapfarm, "run", "app.yaml", "--coordinator", farm.url],
            f"{self.folder}/log", farm.token, self.folder)

    def write(self, name, text):
        with open(f"{self.folder}/{name}", "w") as file:
            file.write(text)

    def pause(self, seconds):
        """How long each test takes from now on."""
        self.write("pause.new", f"{seconds:.3f}\n")
        os.replace(f"{self.folder}/pause.new", f"{self.folder}/pause")

    def start(self):
        self.process.start()

    def going(self):
        return self.process.running()

    def lines(self):
        try:
            return [line.split() for line in open(f"{self.folder}/ran").read().splitlines()]
        except OSError:
            return []

    def ran(self):
        return len(self.lines())

    def await_end(self, seconds):
        """The exit status of the run; None: it did not end."""
        try:
            return self.process.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def count(self):
        """What was lost, doubled and judged wrongly, and the longest time in which no test ended."""
        lines = self.lines()
        times = sorted(float(line[2]) for line in lines)
        executed = {(line[1], line[0]) for line in lines}
        found = {"planned": len(self.tests) * len(self.cells), "lost": 0, "doubled": 0, "spurious": 0,
                 "again": 0,
                 "gap": max((b - a for a, b in zip(times, times[1:])), default=0)}
        rows = {}
        try:
            summary = json.load(open(f"{self.folder}/snapfarm-out/summary.json"))
        except OSError:
            summary = {"tests": []}
        for row in summary["tests"]:
            rows.setdefault((row["cell"], row["test"]), []).append(row)
        # Every attempt that was kept ran once; what ran besides was forgotten, or never kept.
        found["again"] = len(lines) - sum(row.get("attempts", 1) for row in summary["tests"])
        cells = sorted({row["cell"] for row in summary["tests"]})
        found["lost"] += (len(self.cells) - len(cells)) * len(self.tests)
        for key in ((cell, name) for cell in cells for name in self.tests):
            verdicts = [row.get("verdict") for row in rows.get(key, [])]
            found["doubled"] += max(0, len(verdicts) - 1)
            if not verdicts or verdicts[0] is None:
                found["lost"] += 1
            elif verdicts[0] != ("failed" if key[1] in self.failing else "passed"):
                found["spurious"] += 1
                print(f"spurious: {key} is {verdicts[0]}: {rows[key][0].get('message')}")
            elif key not in executed:
                found["spurious"] += 1
                print(f"spurious: {key} is {verdicts[0]} and never ran")
        return found
