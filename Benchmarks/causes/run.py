#!/usr/bin/env python3
"""How many cards does a shop's redesign ask people to look at, and how many causes?

    run.py SNAPFARM [FOLDER]

Eight pages of a small shop (shop/) on three widths, light and dark, in English and Japanese: 96
pictures in real Chromium. Records them, then makes one edit after the other, and the three of a
redesign together, and prints pictures, changes, causes, and the pictures that no causes explain wholly.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PAGES = ["home", "list", "product", "cart", "checkout", "account", "orders", "help"]
EDITS = {
    "variable": ("shop.css", "--accent: #b7410e", "--accent: #008080"),
    "heading": ("home.html", "Summer sale", "Autumn sale"),
    "icon": ("shop.js", '["search", "cart"]', '["heart", "search", "cart"]'),
    "header": ("shop.css", "height: 56px", "height: 62px"),
    "title": ("shop.css", "h1 { font-size: 28px", "h1 { font-size: 32px"),
}
REDESIGN = ["variable", "heading", "icon"]
PIPELINE = """version: 1
name: shop
references: {store: store.git, pin: snapfarm.refs}
devices:
  - {name: Phone, width: 390, height: 844}
  - {name: Tablet, width: 768, height: 1024}
  - {name: Desktop, width: 1280, height: 800}
variants: {appearance: [light, dark], locale: [en, ja]}
jobs:
  pages: {kind: snapshot, driver: webdriver, scenes: scenes.yaml}
"""


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    given = sys.argv[2] if len(sys.argv) > 2 else None
    folder = pathlib.Path(given or tempfile.mkdtemp(prefix="shop-"))
    folder.mkdir(parents=True, exist_ok=True)

    def run(*words, status=0):
        ending = subprocess.run([program, *words], cwd=folder, capture_output=True, text=True)
        if ending.returncode != status:
            sys.exit(f"{words} ended with {ending.returncode}:\n{ending.stdout}{ending.stderr}")

    shutil.copytree(HERE / "shop", folder / "shop", dirs_exist_ok=True)
    (folder / "snapfarm.yaml").write_text(PIPELINE)
    wait = 'wait: {selector: "html[data-ready=yes]"}'
    scenes = [f"  - {{suite: Shop, name: {page}, file: shop/{page}.html, {wait}}}" for page in PAGES]
    (folder / "scenes.yaml").write_text("scenes:\n" + "\n".join(scenes) + "\n")
    if not (folder / "store.git").exists():
        subprocess.run(["git", "init", "-q", "."], cwd=folder, check=True)
        run("refs", "init", "store.git", "--no-merge-driver")
        run("run", "snapfarm.yaml", "--mode", "record")
    print("| edit | pictures | changes | causes | not explained |\n|---|---:|---:|---:|---:|")
    for edit in [*EDITS, "redesign"]:
        shutil.copytree(HERE / "shop", folder / "shop", dirs_exist_ok=True)
        for name in REDESIGN if edit == "redesign" else [edit]:
            file, old, new = EDITS[name]
            path = folder / "shop" / file
            path.write_text(path.read_text().replace(old, new))
        run("run", "snapfarm.yaml", "--output", f"out-{edit}", status=1)
        show(edit, json.loads((folder / f"out-{edit}" / "summary.json").read_text()))
    print(f"\nThe outputs are in {folder}.")


def show(edit, summary):
    changed = [row for row in summary["snapshots"] if row["verdict"] != "passed"]
    causes = summary.get("causes", [])
    open_ = sum(1 for row in changed if "causes" not in row or row.get("unexplained"))
    print(f"| {edit} | {len(changed)} | {len(summary['changes'])} | {len(causes)} | {open_} |")


if __name__ == "__main__":
    main()
