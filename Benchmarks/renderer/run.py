#!/usr/bin/env python3
"""Is a change of a page ever called drawing on the day of a new browser, and what is gained?

    run.py SNAPFARM [--pages 30] [--plants 19] [--seed 1] [--folder FOLDER] [--browser BROWSER DRIVER]

Pages of three Debian packages (python3-doc, postgresql-doc-15, sqlite3-doc) and of the shop, half of them
on a phone, half on a desktop, are recorded with one browser, and run with others: the same under another
name; one that rasters like a GPU; one that hints fonts; one that puts glyphs on fractions of a pixel; and
any that `--browser` names. Beside each page are copies of it in which `plant.js` changes one thing while the
page loads, so that the other browser draws the change as well: a digit, a dot, a border, a colour. Under the
policy `exact`, every difference must be told.

Prints which pictures the run says are only drawn differently. Exits with 1 if one of them has a change that
a person can see. Changes of a colour by at most 8 of 255 levels are counted apart.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# Folder of the package, its pages, and the folders that these need.
SITES = {
    "python": ("/usr/share/doc/python3/html", "library/*.html", ["_static", "library"]),
    "postgresql": ("/usr/share/doc/postgresql-doc-15/html", "*.html", ["."]),
    "sqlite": ("/usr/share/doc/sqlite3", "*.html", ["."]),
    "shop": (HERE.parent / "causes" / "shop", "*.html", ["."]),
}
KINDS = ["digit", "letter", "swap", "dotgone", "dotnew", "pixel", "colour24", "colour64", "hue", "border",
         "borderless", "move", "radius", "underline", "weight", "icon", "shadow", "through"]
FAINT = ["colour8", "back3", "back6"]
GPU = ("--enable-gpu-rasterization --force-gpu-rasterization --use-gl=angle --use-angle=swiftshader "
       "--enable-unsafe-swiftshader --ignore-gpu-blocklist")
BROWSERS = ["/usr/lib/chromium/chromium-headless-shell", "/usr/bin/chromium-headless-shell"]
MARK = "drawn by another renderer: "
PIPELINE = """version: 1
name: renderer
references: {store: store.git, pin: snapfarm.refs}
devices:
  - {name: Phone, width: 390, height: 844}
  - {name: Desktop, width: 1280, height: 800}
jobs:
"""
JOB = """  DEVICE:
    {kind: snapshot, driver: webdriver, scenes: DEVICE.yaml, matrix: {devices: [DEVICE]},
     probes: ["Renderer DEVICE/*"], comparison: {policy: exact}}
"""


class Project:
    """The pages, their planted copies, and the runs."""

    def __init__(self, folder, program, pages, plants, seed):
        self.folder, self.program = folder, program
        self.chance, self.copies = random.Random(seed), []
        scenes = {"Phone": [], "Desktop": []}
        for device in scenes:
            scenes[device].append(f'{{suite: "Renderer {device}", name: probe, url: "snapfarm:probe"}}')
        for number, page in enumerate(self.pages(pages)):
            device = list(scenes)[number % 2]
            place = page.relative_to(folder)
            scenes[device].append(f'{{suite: Clean, name: "{number:03}", file: {place}}}')
            kinds = KINDS + FAINT
            self.chance.shuffle(kinds)
            for turn in range(plants):
                kind, name = kinds[turn % len(kinds)], f"{number:03}-{turn:02}-{kinds[turn % len(kinds)]}"
                copy = page.with_name(f"{page.stem}--{turn:02}.html")
                shutil.copy(page, copy)
                self.copies.append((copy, kind, f"{number:03}", name))
                scenes[device].append(f'{{suite: Planted, name: "{name}", file: {copy.relative_to(folder)}}}')
        for device, lines in scenes.items():
            text = "scenes:\n" + "".join(f"  - {line}\n" for line in lines)
            (folder / f"{device}.yaml").write_text(text)
        jobs = "".join(JOB.replace("DEVICE", device) for device in scenes)
        (folder / "snapfarm.yaml").write_text(PIPELINE + jobs)
        subprocess.run(["git", "init", "-q", "."], cwd=folder, check=True)
        self.run({}, "refs", "init", "store.git", "--no-merge-driver")

    def pages(self, count):
        """`count` pages of the sites in turn, neither stubs nor the largest."""
        pools = []
        for name, (source, pattern, parts) in SITES.items():
            if not pathlib.Path(source).exists():
                continue
            for part in parts:
                shutil.copytree(pathlib.Path(source).resolve() / part, self.folder / name / part,
                                dirs_exist_ok=True, ignore_dangling_symlinks=True)
            found = sorted((self.folder / name).glob(pattern), key=lambda page: (page.stat().st_size, page.name))
            middle = found[len(found) // 4:len(found) * 3 // 4] if len(found) > 40 else found
            pools.append(middle[::max(1, len(middle) * len(SITES) // count)])
        pools = [page for turn in range(count) for pool in pools for page in pool[turn:turn + 1]]
        return pools[:count]

    def plant(self):
        """Puts the change into each planted copy; it is made when the page has loaded."""
        script = (HERE / "plant.js").read_text()
        for copy, kind, _, _ in self.copies:
            call = f'addEventListener("load", () => {{ plant("{kind}", {self.chance.randrange(1 << 30)}); }});'
            with open(copy, "a", encoding="utf-8") as file:
                file.write(f"\n<script>{{ {script}{call} }}</script>\n")

    def run(self, environment, *words, statuses=(0,)):
        ending = subprocess.run([self.program, *words], cwd=self.folder, capture_output=True, text=True,
                                env={**os.environ, **environment})
        if ending.returncode not in statuses:
            sys.exit(f"{words} ended with {ending.returncode}:\n{ending.stdout}{ending.stderr}")

    def browser(self, name, real, flags="", without="", driver=None):
        """The environment that uses a browser with other flags, under a name of its own."""
        path = self.folder / f"browser-{name}"
        keep = f'for word; do shift; [ "$word" = "{without}" ] || set -- "$@" "$word"; done\n' if without else ""
        path.write_text(f'#!/bin/sh\n{keep}exec {real} "$@" {flags}\n')
        path.chmod(0o755)
        found = {"SNAPFARM_CHROMIUM": str(path)}
        return {**found, "SNAPFARM_CHROMEDRIVER": driver} if driver else found

    def outcome(self, name, environment):
        """Counts of a run, and its planted pictures with a visible change that are called drawing."""
        self.run(environment, "run", "snapfarm.yaml", "--output", f"out-{name}", statuses=(0, 1))
        summary = json.loads((self.folder / f"out-{name}" / "summary.json").read_text())
        rows = {(row["suite"], row["name"]): row for row in summary["snapshots"]}
        drawing = {cause["id"] for cause in summary.get("causes", []) if cause["words"].startswith(MARK)}

        def state(row):
            if row["verdict"] == "passed":
                return "equal"
            return "drawn" if drawing & set(row.get("causes", [])) else "changed"

        counts, wrong = {}, []
        for (suite, _), row in rows.items():
            if suite == "Clean":
                counts["clean", state(row)] = counts.get(("clean", state(row)), 0) + 1
        for _, kind, page, picture in self.copies:
            row = rows["Planted", picture]
            # No place of the page allowed this plant.
            if row["capture"] == rows["Clean", page]["capture"]:
                continue
            part = "faint" if kind in FAINT else "plants"
            counts[part, state(row)] = counts.get((part, state(row)), 0) + 1
            if part == "plants" and state(row) == "drawn":
                wrong.append(picture)
        notes = [problem["message"] for problem in summary["problems"] if problem["code"] == "renderer-mismatch"]
        untold = sum(int(note.rsplit(", ", 1)[1].split(" ")[0]) for note in notes if "could not be told" in note)
        return counts, untold, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--pages", type=int, default=30)
    parser.add_argument("--plants", type=int, default=19)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--browser", nargs=2, metavar=("BROWSER", "DRIVER"), action="append", default=[])
    options = parser.parse_args()
    folder = (options.folder or pathlib.Path(tempfile.mkdtemp(prefix="renderer-"))).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    real = os.environ.get("SNAPFARM_CHROMIUM") or next(path for path in BROWSERS if os.path.exists(path))
    project = Project(folder, options.program.resolve(), options.pages, options.plants, options.seed)
    project.run(project.browser("recorded", real), "run", "snapfarm.yaml", "--mode", "record")
    project.plant()
    browsers = {
        "the same": project.browser("same", real),
        "GPU raster": project.browser("gpu", real, GPU),
        "hinted fonts": project.browser("hinted", real, "--font-render-hinting=full"),
        "other positions": project.browser("positions", real, "", "--disable-font-subpixel-positioning"),
    }
    for number, (browser, driver) in enumerate(options.browser):
        browsers[browser] = project.browser(f"other-{number}", browser, driver=driver)
    print(f"seed {options.seed}, {options.pages} pages, {options.plants} plants each\n")
    print("| renderer | pages: equal | drawn differently | changed | plants: equal | drawn differently | changed "
          "| 8 levels or fewer: drawn differently | changed | could not be told |")
    print("|---|" + "---:|" * 9)
    failed = []
    for number, (name, environment) in enumerate(browsers.items()):
        counts, untold, wrong = project.outcome(str(number), environment)
        figures = [counts.get(key, 0) for key in [
            ("clean", "equal"), ("clean", "drawn"), ("clean", "changed"), ("plants", "equal"), ("plants", "drawn"),
            ("plants", "changed"), ("faint", "drawn"), ("faint", "changed")]]
        print(f"| {name} | " + " | ".join(map(str, figures)) + f" | {untold} |", flush=True)
        failed += [f"{name}: {picture}" for picture in wrong]
    print(f"\nThe outputs are in {folder}.")
    if failed:
        sys.exit("called drawing though changed:\n" + "\n".join(failed))


if __name__ == "__main__":
    main()
