#!/usr/bin/env python3
"""How many causes does one edit of a style sheet have on real pages, and are two edits ever joined?

    sites.py SNAPFARM [--edits 20] [--seed 1] [--folder FOLDER]

Eight pages of each of three Debian packages (python3-doc, postgresql-doc-15, sqlite3-doc) on a phone, light
and dark, and on a desktop. Random declarations of their style sheets get another value, each alone: one
edit is one decision of its author. Edits that change no picture are not counted. Then two edits are made
together, which is where causes may go wrong: a picture that only the first edit changes and one that only
the second changes must share no cause.
"""
import argparse
import itertools
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

# Folder of the package, its pages, its style sheets, and the folders that these need.
SITES = {
    "python": (
        "/usr/share/doc/python3/html", "library/*.html",
        ["_static/pydoctheme.css", "_static/classic.css", "_static/basic.css"], ["_static", "library"]),
    "postgresql": ("/usr/share/doc/postgresql-doc-15/html", "*.html", ["stylesheet.css"], ["."]),
    "sqlite": ("/usr/share/doc/sqlite3", "*.html", ["sqlite.css"], ["."]),
}
PAGES = 8
PIPELINE = """version: 1
name: site
references: {store: store.git, pin: snapfarm.refs}
devices:
  - {name: Phone, width: 390, height: 844}
  - {name: Desktop, width: 1280, height: 800}
variants: {appearance: [light, dark]}
exclude: [{device: Desktop, appearance: dark}]
jobs:
  pages: {kind: snapshot, driver: webdriver, scenes: scenes.yaml}
"""
COLOURS = ["#b7410e", "#008080", "#5b2a86", "#2f6f2f", "#e8e3d0", "#30353a"]


class Site:
    """Pages of a package in a folder of their own, recorded once."""

    def __init__(self, name, folder, program):
        self.name, self.folder, self.program = name, folder / name, program
        source, pages, self.sheets, parts = SITES[name]
        for part in parts:
            shutil.copytree(pathlib.Path(source).resolve() / part, self.folder / "site" / part,
                            dirs_exist_ok=True, ignore_dangling_symlinks=True)
        found = sorted((self.folder / "site").glob(pages), key=lambda page: (page.stat().st_size, page.name))
        # Neither stubs nor the largest pages.
        middle = found[len(found) // 4:len(found) * 3 // 4]
        lines = ["scenes:"]
        for page in middle[::max(1, len(middle) // PAGES)][:PAGES]:
            lines.append(f'  - {{suite: Site, name: "{page.stem}", file: {page.relative_to(self.folder)}}}')
        (self.folder / "scenes.yaml").write_text("\n".join(lines) + "\n")
        (self.folder / "snapfarm.yaml").write_text(PIPELINE)
        subprocess.run(["git", "init", "-q", "."], cwd=self.folder, check=True)
        self.run("refs", "init", "store.git", "--no-merge-driver")
        self.run("run", "snapfarm.yaml", "--mode", "record")

    def run(self, *words, statuses=(0,)):
        ending = subprocess.run([self.program, *words], cwd=self.folder, capture_output=True, text=True)
        if ending.returncode not in statuses:
            sys.exit(f"{words} ended with {ending.returncode}:\n{ending.stdout}{ending.stderr}")

    def declarations(self):
        """(style sheet, place of the value, property, value) of each declaration."""
        for name in self.sheets:
            path = self.folder / "site" / name
            code = re.sub(r"/\*.*?\*/", lambda comment: " " * len(comment[0]), path.read_text(), flags=re.S)
            for match in re.finditer(r"([\w-]+)\s*:\s*([^;{}]+?)\s*[;}]", code):
                yield path, match.span(2), match[1], match[2]

    def summary(self, *edits):
        """The summary of a run with these edits, which are then taken back."""
        before = {path: path.read_text() for path, *_ in edits}
        for path, (start, end), value in sorted(edits, key=lambda edit: edit[1], reverse=True):
            text = path.read_text()
            path.write_text(text[:start] + value + text[end:])
        self.run("run", "snapfarm.yaml", "--output", "out", statuses=(0, 1))
        for path, text in before.items():
            path.write_text(text)
        return json.loads((self.folder / "out" / "summary.json").read_text())


def edited(name, value, chance):
    """Another value for a property, or None where this script changes none."""
    if "var(" in value or value in ("inherit", "transparent", "auto", "none", "0"):
        return "underline" if name == "text-decoration" and value == "none" else None
    if name in ("color", "background", "background-color", "border-color") and re.fullmatch(r"#?\w+", value):
        return chance.choice([colour for colour in COLOURS if colour != value])
    if re.fullmatch(r"font-size|line-height|letter-spacing|border-radius|(margin|padding)(-\w+)?", name):
        number = re.search(r"\d*\.?\d+", value)
        if number and float(number[0]):
            other = float(number[0]) * chance.choice([0.6, 1.3, 1.6])
            return f"{value[:number.start()]}{other:.3g}{value[number.end():]}"
    if name == "font-weight":
        return "normal" if value == "bold" else "bold"
    if name == "text-align":
        return "right" if value != "right" else "left"
    return None


def changed(summary):
    return {row["id"]: row for row in summary["snapshots"] if row["verdict"] != "passed"}


def single(sites, count, chance):
    """Makes edits, each alone, and returns those of each site with the pictures that they change."""
    print("| site | edit | pictures | changes | causes | not explained |\n|---|---|---:|---:|---:|---:|")
    effects, total, tries = {site: [] for site in sites}, [0] * 4, 0
    while sum(map(len, effects.values())) < count and tries < count * 10:
        site, tries = sites[tries % len(sites)], tries + 1
        path, place, name, old = chance.choice(list(site.declarations()))
        value = edited(name, old, chance)
        summary = site.summary((path, place, value)) if value else {"snapshots": []}
        rows = changed(summary)
        if not rows:
            continue
        effects[site].append(((path, place, value), f"{name}: {old} → {value}", set(rows)))
        open_ = sum(1 for row in rows.values() if "causes" not in row or row.get("unexplained"))
        figures = [len(rows), len(summary["changes"]), len(summary.get("causes", [])), open_]
        total = [one + other for one, other in zip(total, figures)]
        print(f"| {site.name} | {effects[site][-1][1]} | " + " | ".join(map(str, figures)) + " |", flush=True)
    print("| all | | " + " | ".join(map(str, total)) + " |")
    return effects


def together(effects, chance):
    """Makes two edits at once, three times on each site."""
    print("\n| site | two edits | pictures | causes | wrongly joined |\n|---|---|---:|---:|---:|")
    for site, pool in effects.items():
        pairs = [(one, other) for one, other in itertools.combinations(pool, 2)
                 if one[2] - other[2] and other[2] - one[2]]
        for one, other in chance.sample(pairs, min(3, len(pairs))):
            summary = site.summary(one[0], other[0])
            rows = changed(summary)

            def causes(names):
                return {cause for name in names if name in rows for cause in rows[name].get("causes", [])}

            wrong = causes(one[2] - other[2]) & causes(other[2] - one[2])
            print(f"| {site.name} | {one[1]}, {other[1]} | {len(rows)} | {len(summary.get('causes', []))} "
                  f"| {len(wrong)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--edits", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=pathlib.Path)
    options = parser.parse_args()
    folder = options.folder or pathlib.Path(tempfile.mkdtemp(prefix="sites-"))
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(options.seed)
    sites = [Site(name, folder, options.program.resolve()) for name in SITES]
    print(f"seed {options.seed}")
    together(single(sites, options.edits, chance), chance)
    print(f"\nThe outputs are in {folder}.")


if __name__ == "__main__":
    main()
