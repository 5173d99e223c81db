#!/usr/bin/env python3
"""Compares real pairs: `snapfarm compare` beside a hand-made lower bound and blazediff 6.0.2.

    Benchmarks/compare/run.py BINARY [FOLDER] [--rounds 5] [--seconds 1.5] [--record]

The pairs are the corpus' real RGBA8 pairs of equal size, by kind: byte-identical, re-encoded with
equal pixels, few (< 0.5 % differ) and many (> 5 %). Each list is repeated until a round of snapfarm
lasts about `--seconds`. What is measured is CPU per megapixel of one side, of the whole process:

  stick      shared/bench/compare-limit.cpp, one thread, no checks but checksums, no policy
  snapfarm   `compare --pairs LIST --quiet --jobs 1`: the verdict of the default policy
  explain    the same without --quiet: regions, words
  draw       the verdict with --diff-dir: the diff pictures as PNG files
  blazediff  the Rust core through its Python module, in one process, without a diff picture

Beside it: 10,000 snapshots of which 1 % changed, the memory of the largest pair, and instructions
per megapixel by callgrind, which do not wobble (one list each, not repeated).
"""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from measuring import (  # noqa: E402
    ROOT, Figures, Workplace, arguments, interleaved, measure, median, run, table,
)

SHARED = ROOT.parent / "shared"
CORPUS = SHARED / "corpus" / "compare"
KINDS = ["identical", "re-encoded", "few", "many"]
DIFFERING = ["few", "many"]
# What the issue asks for: snapfarm over the stick, blazediff over snapfarm.
ASKED = {"identical": (1.5, None), "re-encoded": (1.5, 3.5), "few": (1.5, 3.5), "many": (1.5, 1.9)}
BLAZEDIFF = """
import sys, blazediff
for line in open(sys.argv[1]):
    blazediff.compare(*line.rstrip("\\n").split("\\t"))
"""


def main():
    options = arguments(__doc__.splitlines()[0], seconds=1.5)
    options.rounds = max(options.rounds, 5) if "--rounds" not in sys.argv else options.rounds
    figures = Figures(options.record)
    with Workplace(options) as place:
        tools = Tools(options, place)
        speed(options, place, tools, figures)
        mixed(options, place, tools, figures)
        largest(options, tools, figures)
        instructions(place, tools, figures)
    figures.write()


def pairs_by_kind():
    """(a, b, megapixels of one side) of each kind."""
    manifest = json.loads((CORPUS / "manifest.json").read_text())
    files = {file["path"]: file for file in manifest["files"]}
    kinds = {kind: [] for kind in KINDS}
    for pair in manifest["pairs"]:
        sides = [files[pair["a"]], files[pair["b"]]]
        real = pair.get("origin") == "git-history" or pair["category"] == "byte-identical"
        if not real or not all(is_plain(side) for side in sides):
            continue
        sizes = {(side["width"], side["height"]) for side in sides}
        if len(sizes) > 1:
            continue
        width, height = sizes.pop()
        share = pair["n_diff_exact"] / (width * height)
        kind = (
            "identical" if pair["byte_equal"] else "re-encoded" if share == 0
            else "few" if share < 0.005 else "many" if share > 0.05 else None)
        if kind:
            kinds[kind].append(
                (str(CORPUS / pair["a"]), str(CORPUS / pair["b"]), width * height / 1e6))
    return kinds


def is_plain(file):
    return (
        file.get("colour_type") == "rgba" and file.get("bit_depth") == 8
        and not file.get("interlaced") and not {"PLTE", "tRNS"} & set(file["chunks"]))


def write_list(path, pairs):
    with open(path, "w") as out:
        out.writelines(f"{a}\t{b}\n" for a, b, _ in pairs)
    return sum(megapixels for _, _, megapixels in pairs)


class Tools:
    """How each contender is called for a list."""

    def __init__(self, options, place):
        self.binary = options.binary
        self.diffs = place("diffs")
        # valgrind does not read the debug information of large programs.
        self.stripped = place("snapfarm")
        run("strip", "-o", self.stripped, options.binary)
        self.stick = place("stick")
        run("g++", "-O3", "-march=x86-64-v3", "-o", self.stick,
            SHARED / "bench" / "compare-limit.cpp", "-lpng", "-ldeflate")
        run(sys.executable, "-m", "venv", place("venv"))
        self.python = place("venv", "bin", "python")
        run(self.python, "-m", "pip", "install", "-q", "blazediff==6.0.2")

    def words(self, tool, path):
        compare = [self.binary, "compare", "--pairs", path, "--jobs", "1"]
        return {
            "stick": [self.stick, path],
            "snapfarm": compare + ["--quiet"],
            "explain": compare,
            "draw": compare + ["--quiet", "--diff-dir", self.diffs],
            "blazediff": [self.python, "-S", "-c",
                          f"import sys; sys.path.insert(0, {self.site()!r})\n" + BLAZEDIFF, path],
        }[tool]

    def site(self):
        return next(
            os.path.join(root, "site-packages")
            for root, folders, _ in os.walk(os.path.dirname(os.path.dirname(self.python)))
            if "site-packages" in folders)

    def measure(self, tool, path):
        # 1: the pictures differ.
        return measure(self.words(tool, path), accepted=(0, 1))


def speed(options, place, tools, figures):
    rows = []
    for kind, pairs in pairs_by_kind().items():
        path = place(f"{kind}.tsv")
        short = place(f"{kind}-short.tsv")
        lists = {short: write_list(short, pairs * 3), path: write_list(path, pairs * 43)}
        # Without what starting costs.
        once = (tools.measure("snapfarm", path).cpu - tools.measure("snapfarm", short).cpu) / 40
        lists[path] = write_list(path, pairs * max(3, round(options.seconds / max(once, 1e-4))))
        contenders = ["stick", "snapfarm", "blazediff"]
        if kind in DIFFERING:
            contenders += ["explain", "draw"]
        costs = {tool: [] for tool in contenders}
        for number in range(options.rounds):
            for tool in interleaved(number, contenders):
                # It decodes equal files, too: a long list of them would take it minutes.
                where = short if (kind, tool) == ("identical", "blazediff") else path
                costs[tool].append(1000 * tools.measure(tool, where).cpu / lists[where])
        rows.append(row(kind, len(pairs), costs, figures, options.rounds))
    table(
        "CPU in ms per megapixel, medians; ratios of the same rounds",
        ["kind", "pairs", "stick", "snapfarm", "blazediff", "explain", "draw",
         "snapfarm/stick", "asked", "blazediff/snapfarm", "asked", "blazediff/draw"],
        rows)


def row(kind, count, costs, figures, rounds):
    def ratio(one, other):
        if not (costs.get(one) and costs.get(other)):
            return None
        return median([a / b for a, b in zip(costs[one], costs[other])])

    def cell(value, form="{:.2f}"):
        return "" if value is None else form.format(value)

    medians = {tool: median(values) for tool, values in costs.items()}
    for tool, value in medians.items():
        figures.add(f"compare {kind}: {tool}", value, "ms CPU/Mpx", rounds)
    over_stick, under_peer = ratio("snapfarm", "stick"), ratio("blazediff", "snapfarm")
    figures.add(f"compare {kind}: snapfarm over stick", over_stick, "ratio", rounds)
    figures.add(f"compare {kind}: blazediff over snapfarm", under_peer, "ratio", rounds)
    asked = ASKED[kind]
    return [
        kind, count, *(cell(medians.get(tool), "{:.3f}") for tool in
                       ["stick", "snapfarm", "blazediff", "explain", "draw"]),
        cell(over_stick), f"at most {asked[0]}", cell(under_peer),
        f"at least {asked[1]}" if asked[1] else "", cell(ratio("blazediff", "draw"))]


def mixed(options, place, tools, figures):
    """10,000 snapshots, 1 % changed; reading is what `cat` of the files costs."""
    kinds = pairs_by_kind()
    pairs = [kinds["identical"][n % len(kinds["identical"])] for n in range(9_900)]
    pairs += [kinds["few"][n % len(kinds["few"])] for n in range(100)]
    path = place("mixed.tsv")
    write_list(path, pairs)
    names = place("names")
    with open(names, "w") as out:
        out.writelines(f"{a}\0{b}\0" for a, b, _ in pairs)
    reading, costs = [], []
    for _ in range(options.rounds):
        costs.append(tools.measure("snapfarm", path).cpu)
        reading.append(measure(["xargs", "-0", "-n", "5000", "-a", names, "cat"]).cpu)
    table("10,000 snapshots, 1 % changed", ["", "CPU s"], [
        ["snapfarm compare --quiet", f"{median(costs):.2f}"],
        ["cat of the same files", f"{median(reading):.2f}"]])
    figures.add("compare 10000 of which 1 % changed", median(costs), "s CPU", options.rounds)


def largest(options, tools, figures):
    a, b = (CORPUS / "tricky" / f"huge-1125x20000_{side}.png" for side in "ab")
    compare = [options.binary, "compare", str(a), str(b)]
    rows = []
    for name, words in [("verdict", ["--quiet"]), ("explained", []),
                        ("drawn", ["--diff-dir", tools.diffs])]:
        cost = measure(compare + words, accepted=(0, 1))
        rows.append([name, f"{cost.cpu:.2f}", f"{cost.megabytes:.0f}"])
        figures.add(f"compare 1125x20000: {name}", cost.megabytes, "MB", 1)
    table("One pair of 1125 x 20000", ["", "CPU s", "MB"], rows)


def instructions(place, tools, figures):
    rows = []
    for kind, pairs in pairs_by_kind().items():
        path = place("callgrind.tsv")
        megapixels = write_list(path, pairs[:12])
        cells = [kind]
        for tool in ["stick", "snapfarm"]:
            counts = [
                callgrind(place, [tools.stripped if word == tools.binary else word
                                  for word in tools.words(tool, where)])
                for where in (path, "/dev/null")]
            million = (counts[0] - counts[1]) / 1e6 / megapixels
            cells.append(f"{million:.2f}")
            figures.add(f"compare {kind}: {tool}", million, "M instructions/Mpx", 1)
        rows.append(cells)
    table("Million instructions per megapixel, without starting", ["", "stick", "snapfarm"], rows)


def callgrind(place, words):
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={place('callgrind.out')}", *words],
        capture_output=True, text=True, timeout=900)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if not found:
        raise SystemExit(done.stderr[-2000:])
    return int(found.group(1))


if __name__ == "__main__":
    main()
