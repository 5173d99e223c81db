#!/usr/bin/env python3
"""What does a capture cost beside a plain headless screenshot, on real pages?

    Benchmarks/pages/run.py BINARY [--pages 40] [--html /usr/share/doc/python3/html]

The pages are those of the Debian package python3-doc, whole (`fullPage`), on three screens in two
appearances. snapfarm records them and verifies them again, with one worker; then
`chromium-headless-shell --screenshot` takes the screens of as many pages, a process each, which is
what a script of one's own would do. Both are wall-clock seconds of the same minute: on a busy
machine only the ratio counts.
"""
import argparse
import glob
import os
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
SHELL = "/usr/lib/chromium/chromium-headless-shell"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("--pages", type=int, default=40)
    parser.add_argument("--html", default="/usr/share/doc/python3/html")
    options = parser.parse_args()
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
        for full in ("true", "false"):
            with open(f"{folder}/snapfarm.yaml", "w") as out:
                out.write(PIPELINE.replace("FULL", full))
            for file in ("store.git", "snapfarm.refs", ".snapfarm"):
                shutil.rmtree(f"{folder}/{file}", ignore_errors=True)
                if os.path.exists(f"{folder}/{file}"):
                    os.remove(f"{folder}/{file}")
            run(folder, binary, "refs", "init", "store.git", "--no-merge-driver")
            for mode in ("record", "verify"):
                seconds = run(folder, binary, "run", "snapfarm.yaml", "--mode", mode, "--workers", "1")
                print(f"fullPage {full}, {mode}: {seconds:.0f} s, "
                      f"{seconds / count * 1000:.0f} ms a picture", flush=True)
        sample = pages[:20]
        began = time.monotonic()
        for page in sample:
            subprocess.run(
                [SHELL, "--no-sandbox", "--hide-scrollbars", f"--screenshot={folder}/plain.png",
                 "--window-size=390,844", "--force-device-scale-factor=2", f"file://{page}"],
                check=True, capture_output=True)
        plain = (time.monotonic() - began) / len(sample)
        print(f"chromium-headless-shell --screenshot: {plain * 1000:.0f} ms a screen")


def run(folder, *command):
    began = time.monotonic()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: {done.returncode}\n{done.stdout}\n{done.stderr}")
    if done.returncode == 1:
        print(done.stdout[-2000:], done.stderr[-2000:])
    return time.monotonic() - began


main()
