#!/usr/bin/env python3
"""What does a capture cost beside a plain headless screenshot, on real pages?

    Benchmarks/pages/run.py BINARY [--pages 40] [--html /usr/share/doc/python3/html]

The pages are those of the Debian package python3-doc, on three screens in two appearances, first as
the screen shows them, then whole (`fullPage`). snapfarm records and verifies them with one worker;
`chromium-headless-shell --screenshot` takes every second of them on the same screens, a process each,
which is what a script of one's own would do. For whole pages it is told their heights, which a script
would have to find out. Then snapfarm verifies once more. Wall-clock and CPU seconds are those of a
whole command with all that it has started, one after the other: on a busy machine only the ratios
count, and that of CPU most.
"""
import argparse
import ctypes
import glob
import json
import os
import resource
import shutil
import subprocess
import tempfile
import time

PIPELINE = """version: 1
name: pages
references: {store: store.git, pin: snapfarm.refs}
devices:
  - {name: Phone, width: 390, height: 844, scale: 2}
  - {name: Tablet, width: 820, height: 1180, scale: 1}
  - {name: Desktop, width: 1440, height: 900, scale: 1}
variants: {appearance: [light, dark]}
jobs:
  pages:
    kind: snapshot
    driver: webdriver
    scenes: site/scenes.yaml
    fullPage: FULL
"""
SCREENS = {"Phone": (390, 844, 2), "Tablet": (820, 1180, 1), "Desktop": (1440, 900, 1)}
SHELL = "/usr/lib/chromium/chromium-headless-shell"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("--pages", type=int, default=40)
    parser.add_argument("--html", default="/usr/share/doc/python3/html")
    options = parser.parse_args()
    # Linux: what loses its parent (a browser that was ended) becomes a child of this program, whose
    # CPU counts (PR_SET_CHILD_SUBREAPER).
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
    binary = os.path.abspath(options.binary)
    with tempfile.TemporaryDirectory(prefix="pages-") as folder:
        site = f"{folder}/site"
        os.mkdir(site)
        html = os.path.realpath(options.html)
        for name in ("_static", "library"):
            shutil.copytree(f"{html}/{name}", f"{site}/{name}")
        pages = sorted(glob.glob(f"{site}/library/*.html"), key=os.path.getsize)
        # Not the largest: the 500 KB of stdtypes.html are no usual page.
        pages = pages[len(pages) // 4:][:options.pages]
        with open(f"{site}/scenes.yaml", "w") as out:
            out.write("scenes:\n")
            for page in pages:
                name = os.path.basename(page)[:-5]
                out.write(f"  - {{suite: Library, name: \"{name}\", file: \"library/{name}.html\"}}\n")
        subprocess.run(["git", "init", "-q", folder], check=True)
        count = len(pages) * 6
        print(f"{len(pages)} pages × 6 cells = {count} pictures")
        for full in ("false", "true"):
            with open(f"{folder}/snapfarm.yaml", "w") as out:
                out.write(PIPELINE.replace("FULL", full))
            for file in ("store.git", "snapfarm.refs", ".snapfarm"):
                shutil.rmtree(f"{folder}/{file}", ignore_errors=True)
                if os.path.exists(f"{folder}/{file}"):
                    os.remove(f"{folder}/{file}")
            run(folder, binary, "refs", "init", "store.git", "--no-merge-driver")

            def verified(mode="verify"):
                spent = run(folder, binary, "run", "snapfarm.yaml", "--mode", mode,
                            "--workers", "1")
                each = [value / count for value in spent]
                print(f"fullPage {full}, {mode}: {words(each)} a picture, "
                      f"load {os.getloadavg()[0]:.1f}", flush=True)
                return each
            verified("record")
            first = verified()
            with open(f"{folder}/snapfarm-out/summary.json") as file:
                plain = screenshots(folder, json.load(file)["snapshots"], full == "true")
            print(f"  chromium-headless-shell --screenshot: {words(plain)} a picture")
            both = [sum(pair) / 2 / alone
                    for *pair, alone in zip(first, verified(), plain)]
            print("  a verified picture costs %.2f of its time, %.2f of its CPU" % tuple(both),
                  flush=True)


def words(spent):
    return "%.0f ms, %.0f ms CPU" % tuple(value * 1000 for value in spent)


def screenshots(folder, snapshots, isFull):
    """Seconds and CPU seconds that Chromium alone takes for one of the pictures."""
    heights = {(item["cell"].split("_")[0], item["name"]): item["height"] for item in snapshots}
    names = sorted({name for _, name in heights})[::2]
    spent = [0, 0]
    for name in names:
        for device, (width, height, scale) in SCREENS.items():
            if isFull:
                height = heights[device, name] // scale
            one = run(folder, SHELL, "--no-sandbox", "--hide-scrollbars",
                      f"--screenshot={folder}/plain.png", f"--window-size={width},{height}",
                      f"--force-device-scale-factor={scale}",
                      f"file://{folder}/site/library/{name}.html")
            spent = [sum(pair) for pair in zip(spent, one)]
    return [value / len(names) / len(SCREENS) for value in spent]


def run(folder, *command):
    """Wall-clock and CPU seconds of a command and of all that it has started."""
    before = cpu()
    began = time.monotonic()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    seconds = time.monotonic() - began
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: {done.returncode}\n{done.stdout}\n{done.stderr}")
    if done.returncode == 1:
        print(done.stdout[-2000:], done.stderr[-2000:])
    return seconds, cpu() - before


def cpu():
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        pass
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


main()
