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
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pages
from place import Failed, Place, Unavailable
from table import BLOCKS, PAGES

# Modules of the table: each names the blocks of some pages.
for module in sorted(glob.glob(os.path.dirname(os.path.abspath(__file__)) + "/page_*.py")):
    __import__(os.path.basename(module)[:-3])


def named(block):
    """The table's entry of a block: the longest beginning that fits."""
    starts = [start for page, start in BLOCKS if page == block.page and block.text.startswith(start)]
    if not starts:
        raise Failed(f"{block}: no test runs the block that begins with {block.lines[0]!r}. "
                     "Say in Tests/Guides how to run it, or why that cannot be.")
    return block.page, max(starts, key=len)


def sources():
    for path in glob.glob(f"{pages.ROOT}/Tests/**/*.swift", recursive=True):
        yield open(path, encoding="utf-8").read()


def check_table():
    """Every entry has its block, every test that an entry names exists, every target of make is one."""
    used = {named(block) for page in pages.names() for block in pages.shells(page)}
    unused = sorted(set(BLOCKS) - used)
    if unused:
        raise Failed(f"the table names blocks that no page has: {unused}")
    texts = list(sources())
    for key, entry in BLOCKS.items():
        if entry.kind == "elsewhere" and not any(entry.words in text for text in texts):
            raise Failed(f"{key}: there is no test {entry.words!r}")
    for page in pages.names():
        for block in pages.shells(page):
            for command, _ in block.commands:
                if command.startswith("make "):
                    subprocess.run(["make", "--dry-run", *command.split("#")[0].split()[1:]], check=True,
                                   cwd=pages.ROOT, capture_output=True)


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


def run(program, chosen):
    if not os.environ.get("LOOSE"): check_table()
    wanted = [page for page in chosen or pages.names()
              if any(BLOCKS[named(block)].kind == "run" for block in pages.shells(page))]

    def timed(page):
        started = time.monotonic()
        return page, run_page(page, program), time.monotonic() - started
    with ThreadPoolExecutor(3) as pool:
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
