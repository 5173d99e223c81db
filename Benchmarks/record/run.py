#!/usr/bin/env python3
"""Records 10,000 new pictures of 100 KB: `snapfarm refs import` against `git add` + `git commit`.

    Benchmarks/record/run.py BINARY [FOLDER] [--files 10000] [--bytes 100000] [--rounds 3] [--record]

`refs import` is the command that makes a first set of files that lie there, with the least around
it: `refs commit` wants an earlier checkout, `approve` a run. It looks for pictures, checks their
headers and hashes them (SHA-1 and SHA-256), records, writes journal, catalogue and pin, and lists
the files as checked out; all of that is measured. Both get the same files, warm, in a fresh
repository each time.
"""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from measuring import (  # noqa: E402
    Figures, Workplace, arguments, interleaved, measure, median, png, run, table,
)

SUITES, CELLS = 25, 4


def main():
    options = arguments(__doc__.splitlines()[0], files=10_000, bytes=100_000)
    figures = Figures(options.record)
    with Workplace(options) as place:
        files = place.fresh("files", "shots")
        for number in range(options.files):
            folder = f"{files}/cell-{number % CELLS}/Suite{number // CELLS % SUITES:02}"
            os.makedirs(folder, exist_ok=True)
            with open(f"{folder}/picture-{number:05}.png", "wb") as out:
                out.write(png(number, options.bytes))
        costs = {"snapfarm": [], "git": []}
        for number in range(options.rounds):
            for kind in interleaved(number, list(costs)):
                work = place("work")
                shutil.rmtree(work, ignore_errors=True)
                # Links: the same bytes, warm, and nothing to write before each round.
                shutil.copytree(place("files"), work, copy_function=os.link)
                run("git", "init", "-q", work)
                run("sync")
                cost = snapfarm(options, place) if kind == "snapfarm" else git(place)
                costs[kind].append(cost)
                print(f"round {number + 1} {kind}: {cost.cpu:.2f} s CPU, {cost.megabytes:.0f} MB",
                      flush=True)
        check(options, place)
        report(options, costs, figures)
    figures.write()


def snapfarm(options, place):
    shutil.rmtree(place("store.git"), ignore_errors=True)
    at = ["--store", place("store.git"), "--pin", place("work", "snapfarm.refs")]
    run(options.binary, "refs", "init", place("store.git"), "--pin", at[3], "--no-merge-driver",
        cwd=place("work"))
    return measure(
        [options.binary, "refs", "import", "--pattern", "shots/{cell}/{suite}/{name}.png",
         "--job", "shots", "--no-weight", *at],
        cwd=place("work"),
    )


def git(place):
    return measure(
        ["git", "add", "."], ["git", "commit", "-q", "-m", "pictures"], cwd=place("work"))


def check(options, place):
    """What was recorded is whole, and every picture is in it."""
    run("git", "-C", place("store.git"), "fsck", "--full")
    store = place("store.git")
    name = run("git", "-C", store, "for-each-ref", "--format=%(refname)", "refs/snapfarm/sets")
    names = run("git", "-C", store, "ls-tree", "-r", "--name-only", name.decode().strip())
    pictures = sum(line.endswith(b".png") for line in names.splitlines())
    assert pictures == options.files, pictures


def report(options, costs, figures):
    rows, medians = [], {}
    for kind, name in (("git", "git add . && git commit"), ("snapfarm", "snapfarm refs import")):
        values = costs[kind]
        medians[kind] = median(c.cpu for c in values)
        rows.append([
            name, f"{medians[kind]:.2f}", f"{median(c.user for c in values):.2f}",
            f"{median(c.system for c in values):.2f}", f"{medians[kind] / medians['git']:.3f}",
            f"{max(c.megabytes for c in values):.0f}",
        ])
    title = f"Record {options.files:,} files of {options.bytes:,} bytes, n = {options.rounds}"
    table(title, ["", "CPU s", "user", "system", "x git", "peak MB"], rows)
    n = options.rounds
    figures.add("record 10000 x 100 KB: git add and commit CPU", medians["git"], "s", n)
    figures.add("record 10000 x 100 KB: refs import CPU", medians["snapfarm"], "s", n)
    figures.add(
        "record 10000 x 100 KB: refs import over git", medians["snapfarm"] / medians["git"],
        "ratio", n)
    figures.add(
        "record 10000 x 100 KB: refs import peak resident",
        max(c.megabytes for c in costs["snapfarm"]), "MB", n)


if __name__ == "__main__":
    main()
