#!/usr/bin/env python3
"""What a run costs the coordinator: bytes on its disk, and CPU.

    Benchmarks/scale/run.py SNAPFARM [--pictures 2000] [--cells 3] [--changed 0.01] [--workers 2] [--side 220]

A coordinator and workers of its own on this machine. Pictures of noise (48 KB with the usual side)
are recorded, verified as they are, and verified where a share has changed. For each run: the growth
of the ledger (after a checkpoint) and of the blobs, the coordinator's CPU, and its memory. What it
prints is what docs/scale.md calculates with. The workers' and the tests' CPU is not in it.
"""
import os
import sqlite3
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from farm import Farm  # noqa: E402
from measuring import Failed, Workplace, arguments, machine, measure, picture, write  # noqa: E402


def disk(state):
    """Bytes of the ledger's used pages, of blobs, and how many blobs."""
    ledger = sqlite3.connect(f"{state}/ledger.sqlite", timeout=20)
    pages, free, size = (ledger.execute(f"PRAGMA {name}").fetchone()[0]
                         for name in ("page_count", "freelist_count", "page_size"))
    ledger.close()
    sizes = [os.path.getsize(f"{folder}/{name}") for folder, _, names in os.walk(f"{state}/blobs") for name in names]
    return (pages - free) * size, sum(sizes), len(sizes)


def make_project(project, options, cells):
    """Draws all pictures; returns how to draw those of one cell anew."""
    def draw(cell, numbers, seed=""):
        for number in numbers:
            write(f"{project}/pictures/{cell}/{number}.png",
                  picture(f"{seed}{cell}{number}", options.side, options.side))

    per_cell = options.pictures // options.cells
    for cell in cells:
        draw(cell, range(per_cell))
    write(f"{project}/scenes", "".join(f"{number}\n" for number in range(per_cell)))
    write(f"{project}/test.sh", f"""set -eu
mkdir -p "$SNAPFARM_CAPTURE_DIR/Suite"
cp "{project}/pictures/$SNAPFARM_DEVICE/$1.png" "$SNAPFARM_CAPTURE_DIR/Suite/$1.png"
""")
    devices = "\n".join(
        f"  - {{name: {cell}, width: {options.side}, height: {options.side}, scale: 1}}" for cell in cells)
    write(f"{project}/app.yaml", f"""version: 1
name: app
references: {{store: ../store.git, pin: snapfarm.refs}}
devices:
{devices}
jobs:
  screens: {{kind: snapshot, driver: command, discover: cat scenes, run: "sh test.sh {{tests}}", bundle: [test.sh, scenes]}}
""")
    return draw


def main():
    options = arguments(__doc__.splitlines()[0], pictures=2000, cells=3, changed=0.01, workers=2, side=220)
    with Workplace(options) as place:
        cells, project = [f"D{number}" for number in range(options.cells)], place("main")
        per_cell = options.pictures // options.cells
        draw = make_project(project, options, cells)
        count, size = per_cell * options.cells, os.path.getsize(f"{project}/pictures/D0/0.png")
        with Farm([options.binary], place.path, more=f"stores: {{app: {place('store.git')}}}\n") as farm:
            farm.start(options.workers)
            server = farm.coordinators[0]
            print(f"{count} pictures of {size} B on {options.cells} cells; {machine()}")
            print("run                     wall s  coordinator CPU s  ms/picture  ledger B/picture  blobs  blob B/picture  peak MB")
            for name, mode, exit_code in (("record", "record", 0), ("verify", "verify", 0), ("verify again", "verify", 0),
                                          (f"{options.changed:.0%} changed", "verify", 1)):
                if exit_code:
                    for cell in cells:
                        draw(cell, range(round(per_cell * options.changed)), "new")
                before, (ledger, blobs, blob_count) = server.used(), disk(server.data)
                began = time.monotonic()
                run = farm.submitted(project, "--mode", mode, "--quiet")
                if run.end(3600) != exit_code:
                    raise Failed(f"{name}: {run.said(3000)}")
                wall = time.monotonic() - began
                after, (ledger_after, blobs_after, count_after) = server.used(), disk(server.data)
                cpu = after["CPU s"] - before["CPU s"]
                print(f"{name:22} {wall:7.1f} {cpu:18.2f} {1000 * cpu / count:11.2f} {(ledger_after - ledger) / count:17.0f}"
                      f" {count_after - blob_count:6} {(blobs_after - blobs) / count:15.0f} {after['peak MB']:8.0f}", flush=True)
            print(f"beside the coordinator, with {4 * count} test cases and {disk(server.data)[2]} blobs:")
            for name, words in (("check", ["check"]), ("check --deep", ["check", "--deep"]),
                                ("first backup", ["backup", "--to", place("backups")]),
                                ("next backup", ["backup", "--to", place("backups")])):
                # A second of the clock names a backup.
                time.sleep(1.1)
                began = time.monotonic()
                cost = measure([options.binary, *words, "--data", server.data])
                print(f"{name:22} {time.monotonic() - began:7.2f} s, {cost.cpu:.2f} s of CPU, {cost.megabytes:.0f} MB", flush=True)


if __name__ == "__main__":
    main()
