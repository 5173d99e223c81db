"""A run of many small tests, whose every execution leaves a line, and what is to be counted of it."""
import json
import os

from farm import Program
from measuring import write

# What must be nothing.
WRONG = ("lost", "doubled", "spurious")


class Trial:
    """`folder` gets the project; some of its tests fail on every cell. `words` of the run follow `run app.yaml`."""

    def __init__(self, snapfarm, folder, options, token=None, words=()):
        self.folder = folder
        self.cells = [f"D{n}" for n in range(options.cells)]
        self.tests = [f"suite/t{n:04}" for n in range(options.tests)]
        self.failing = set(self.tests[:: max(1, options.tests // max(1, options.failing))][:options.failing])
        self.planned = len(self.tests) * len(self.cells)
        devices = "\n".join(f"  - {{name: {cell}, width: 8, height: 8, scale: 1}}" for cell in self.cells)
        for name, text in {
            "tests": "\n".join(self.tests) + "\n",
            "failing": "".join(f"{name}\n" for name in sorted(self.failing)),
            # One write each, so lines of two workers do not mix.
            "one.sh": f"""
read -r seconds < {folder}/pause
[ "$seconds" = 0.000 ] || sleep "$seconds"
echo "$1 $SNAPFARM_CELL $EPOCHREALTIME" >> {folder}/ran
! grep -qx "$1" {folder}/failing
""",
            "app.yaml": f"""version: 1
name: trial
devices:
{devices}
jobs:
  trial:
    kind: unit
    matrix: all
    driver: command
    discover: cat tests
    bundle: [one.sh, tests]
    run: bash one.sh {{tests}}
""",
        }.items():
            write(f"{folder}/{name}", text)
        self.pause(0)
        self.run = Program([snapfarm, "run", "app.yaml", *words], f"{folder}/log", folder, token)

    def pause(self, seconds):
        """How long each test takes from now on."""
        write(f"{self.folder}/pause.new", f"{seconds:.3f}\n")
        os.replace(f"{self.folder}/pause.new", f"{self.folder}/pause")

    def lines(self):
        try:
            with open(f"{self.folder}/ran") as file:
                return [line.split() for line in file.read().splitlines()]
        except OSError:
            return []

    def ran(self):
        return len(self.lines())

    def wanted_exit(self):
        return 1 if self.failing else 0

    def count(self, tolerated=()):
        """What was lost, doubled and judged wrongly, and the longest time in which no test ended.

        A verdict that is tolerated is no wrong one; it is counted beside.
        """
        lines = self.lines()
        times = sorted(float(line[2]) for line in lines)
        executed = {(line[1], line[0]) for line in lines}
        found = {**dict.fromkeys([*WRONG, *tolerated], 0),
                 "gap": max((b - a for a, b in zip(times, times[1:])), default=0)}
        rows = {}
        try:
            with open(f"{self.folder}/snapfarm-out/summary.json") as file:
                summary = json.load(file)
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
            elif verdicts[0] in tolerated:
                found[verdicts[0]] += 1
            elif verdicts[0] != ("failed" if key[1] in self.failing else "passed"):
                found["spurious"] += 1
                print(f"spurious: {key} is {verdicts[0]}: {rows[key][0].get('message')}")
            elif key not in executed:
                found["spurious"] += 1
                print(f"spurious: {key} is {verdicts[0]} and never ran")
        print(f"planned {self.planned}, "
              + ", ".join(f"{name} {value}" for name, value in found.items() if name != "gap")
              + f"; the longest time without the end of a test {found['gap']:.1f} s")
        return found
