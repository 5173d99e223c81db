#!/usr/bin/env python3
"""Runs every command of README.md and docs/, as far as this machine can.

    run.py calls                    prints each call of snapfarm as JSON, for the program's own parser
    run.py run PROGRAM [PAGE…]      runs the blocks of the pages; PROGRAM is a built snapfarm

A block of commands that no page_*.py names makes it fail, and so does a name without a block. A block is
run here, or by a Swift test that reads it from the page, or it is listed with the reason why it cannot run.
KEEP=1 keeps the folder of a page that failed.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pages
from place import SYSTEM_PATH, Failed, Place, Unavailable
from table import BLOCKS, PAGES, RECIPES

# Modules of the table: each names the blocks of some pages.
for module in sorted(glob.glob(os.path.dirname(os.path.abspath(__file__)) + "/page_*.py")):
    __import__(os.path.basename(module)[:-3])

# Most of a page waits for children.
AT_ONCE = 4


def named(block):
    """The table's entry of a block: the longest beginning that fits."""
    starts = [start for page, start in BLOCKS if page == block.page and block.text.startswith(start)]
    if not starts:
        raise Failed(f"{block}: no test runs the block that begins with {block.lines[0]!r}. "
                     "Say in Tests/Guides how to run it, or why that cannot be.")
    return block.page, max(starts, key=len)


def recipe_of(block):
    """The table's recipe of a block's section. A file that says how tests are run must have one."""
    is_needed = block.language == "yaml" and re.search(r"discover: [^…]", block.text)
    if (block.page, block.section) not in RECIPES:
        if not is_needed:
            return None
        raise Failed(f"{block}: no test runs this recipe. Say in Tests/Guides/page_command.py how.")
    return block.page, block.section


def sources():
    for path in glob.glob(f"{pages.ROOT}/Tests/**/*.swift", recursive=True):
        yield open(path, encoding="utf-8").read()


def check_table():
    """Every entry has its block, every test that an entry names exists, every target of make is one."""
    used = {named(block) for page in pages.names() for block in pages.shells(page)}
    recipes = {recipe_of(block) for page in pages.names() for block in pages.blocks(page)}
    unused = sorted(set(BLOCKS) - used) + sorted(set(RECIPES) - recipes)
    if unused:
        raise Failed(f"the table names what no page has: {unused}")
    texts = list(sources())
    for key, entry in BLOCKS.items():
        if entry.kind == "elsewhere" and not any(entry.words in text for text in texts):
            raise Failed(f"{key}: there is no test {entry.words!r}")
    for target in pages.make_targets():
        found = subprocess.run(["make", "--dry-run", target], cwd=pages.ROOT, capture_output=True, text=True)
        if found.returncode != 0:
            raise Failed(f"make {target}: {found.stderr}")


def run_page(page, program):
    """What went wrong on a page, or None."""
    blocks = pages.shells(page)
    try:
        with Place(program) as place:
            if page in PAGES:
                PAGES[page](place)
            for block in blocks:
                entry = BLOCKS[named(block)]
                if entry.kind == "run":
                    try:
                        entry.words(place, block)
                    except Failed as failed:
                        raise Failed(f"{block}: {failed}") from failed
    except Failed as failed:
        return str(failed)
    except Unavailable as reason:
        print(f"not run: {page}: {reason}")
    return None


def run_recipe(key, program):
    function, needs, files = RECIPES[key]
    lacks = [name for name in needs if not shutil.which(name, path=SYSTEM_PATH)]
    lacks += [name for name in files if not glob.glob(name)]
    if lacks:
        print(f"not run: {key[0]}, {key[1]}: {', '.join(lacks)} is not here")
        return None
    try:
        with Place(program) as place:
            function(place)
    except Failed as failed:
        return f"{key[0]}, {key[1]}: {failed}"
    return None


def run(program, chosen):
    check_table()
    chosen = chosen or pages.names()
    wanted = [(run_page, page) for page in chosen
              if any(BLOCKS[named(block)].kind == "run" for block in pages.shells(page))]
    wanted += [(run_recipe, key) for key in RECIPES if key[0] in chosen]

    def timed(pair):
        started = time.monotonic()
        failure = pair[0](pair[1], program)
        return pair[1], failure, time.monotonic() - started
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = list(pool.map(timed, wanted))
    counts = {"run": 0, "elsewhere": 0, "never": 0}
    for page in pages.names():
        for block in pages.shells(page):
            entry = BLOCKS[named(block)]
            counts[entry.kind] += len(block.commands)
            if entry.kind == "never":
                print(f"not run: {block}: {entry.words}")
    print(", ".join(f"{count} commands {kind}" for kind, count in counts.items()))
    for page, _, seconds in found:
        print(f"{seconds:6.1f} s  {page}", file=sys.stderr)
    failures = [failure for _, failure, _ in found if failure]
    print("\n\n".join(failures), file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    if sys.argv[1] == "calls":
        print(json.dumps(list(pages.all_calls()), ensure_ascii=False))
    else:
        try:
            sys.exit(run(os.path.abspath(sys.argv[2]), sys.argv[3:]))
        except Failed as failed:
            sys.exit(str(failed))
