#!/usr/bin/env python3
"""Draws docs/comparison/contact-sheet.png: real pairs, what changed in words, and the diff picture.

Each tile shows reference, capture and diff. Below them the program's line of words.
Usage: contact_sheet.py [--snapfarm PROGRAM] CORPUS OUT.png [--findings FILE [FILE]]
    CORPUS        the folder with manifest.json and the pairs
    --snapfarm    the program to run; by default `snapfarm` of the path
    --findings    outputs of `snapfarm compare --json --diff-dir` of earlier runs: by default, and
                  with FALLBACK of the pairs that passed
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFont

# Of every kind: text, icons, charts, recoloured, moved, appeared, vanished, sizes, photographs.
PAIRS = """
    d0067 d0068 d0069 d0070 d0072 d0081 d0109 d0110 d0112 d0113 d0114 d0116
    d0118 d0121 d0124 d0125 d0126 d0128 d0131 d0132 d0135 d0136 d0142 d0145 d0147
    d0149 d0152 d0156 d0160 d0162 d0163 d0166 d0169 d0171 d0172 d0180 d0182
    d0184 d0187 d0193 d0194 d0201 d0202 d0045 d0050 d0055 d0064 t-dim-w+1 t-dim-transposed
""".split()
# Pairs that pass by default are shown as they fail under a policy without any tolerance.
FALLBACK = ["--policy", "fb", "--per-pixel-tolerance", "0", "--overall-tolerance", "0"]
COLUMNS = 5
TILE = 330
TILE_HEIGHT_MAX = 190
LINE = 12
GAP = 6
# A palette keeps the file small; the marks have places of their own in it.
COLOURS = 128
# What must not be averaged away, the more important last: anti-aliasing, changes.
MARKS = [(255, 176, 0), (255, 0, 255)]


def manifest(corpus):
    pairs = read(os.path.join(corpus, "manifest.json"))["pairs"]
    return {pair["id"]: pair for pair in pairs}


def run(program, pairs, folder, policy):
    """The program's document about the pairs, with diff pictures in `folder`."""
    lines = "".join(f"{a}\t{b}\n" for a, b in pairs)
    command = [program, "compare", "--pairs", "-", "--json", "--diff-dir", folder, *policy]
    done = subprocess.run(command, input=lines.encode(), stdout=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"contact_sheet.py: {' '.join(command)} ended with {done.returncode}.")
    return json.loads(done.stdout)


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def rows(document):
    """Every object of the document that has a diff picture, by the paths of its two files."""
    found = {}
    pending = [document]
    while pending:
        value = pending.pop()
        if isinstance(value, list):
            pending += value
        elif isinstance(value, dict):
            if "diff" in value and "words" in value:
                found[value["a"], value["b"]] = value
            pending += value.values()
    return found


def on_white(path):
    picture = Image.open(path).convert("RGBA")
    ground = Image.new("RGBA", picture.size, (255, 255, 255, 255))
    ground.alpha_composite(picture)
    return ground.convert("RGB")


def scaled(picture, size, keeps_marks):
    """The picture by area averaging; a changed pixel may colour its whole place."""
    small = picture.resize(size, Image.Resampling.BOX)
    for mark in MARKS if keeps_marks else []:
        marked = (np.asarray(picture) == mark).all(axis=2)
        for axis, side in enumerate(reversed(size)):
            starts = np.arange(side) * marked.shape[axis] // side
            marked = np.maximum.reduceat(marked, starts, axis=axis)
        small.paste(mark, mask=Image.fromarray(marked.astype(np.uint8) * 255))
    return small


def wrapped(text, font, width):
    lines = [""]
    for word in text.split(" "):
        longer = (lines[-1] + " " + word).strip()
        if font.getlength(longer) <= width or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def tile(name, a, b, row, font):
    """One pair: three pictures of one scale, and the words under them."""
    pictures = [on_white(path) for path in (a, b, row["diff"])]
    width = max(picture.width for picture in pictures)
    height = max(picture.height for picture in pictures)
    part = (TILE - 2 * 3) // 3
    scale = min(part / width, TILE_HEIGHT_MAX / height, 1)
    words = wrapped(f"{name}  {row['words']}".replace("\u00d7", "x"), font, TILE)
    high = max(1, round(height * scale))
    result = Image.new("RGB", (TILE, high + 3 + LINE * len(words)), (255, 255, 255))
    draw = ImageDraw.Draw(result)
    for index, picture in enumerate(pictures):
        size = [max(1, round(side * scale)) for side in picture.size]
        # Stripes of bands would become one flat colour.
        keeps_marks = index == 2 and pictures[0].size == pictures[1].size
        small = scaled(picture, size, keeps_marks)
        result.paste(small, (index * (part + 3), 0))
        edge = (index * (part + 3), 0, index * (part + 3) + size[0] - 1, size[1] - 1)
        draw.rectangle(edge, outline=(160, 160, 160))
    for index, line in enumerate(words):
        draw.text((0, high + 2 + index * LINE), line, fill=(0, 0, 0), font=font)
    return result


def sheet(tiles):
    """Tiles in columns, each under the shortest column so far."""
    heights = [GAP] * COLUMNS
    places = []
    for picture in tiles:
        column = heights.index(min(heights))
        places.append((GAP + column * (TILE + 2 * GAP), heights[column]))
        heights[column] += picture.height + 2 * GAP
    result = Image.new("RGB", (COLUMNS * (TILE + 2 * GAP), max(heights)), (255, 255, 255))
    for picture, place in zip(tiles, places):
        result.paste(picture, place)
    palette = result.quantize(COLOURS, dither=Image.Dither.NONE).getpalette()[: 3 * COLOURS]
    legend = Image.new("P", (1, 1))
    legend.putpalette(palette + [value for mark in [(255, 255, 255), *MARKS] for value in mark])
    return result.quantize(palette=legend, dither=Image.Dither.NONE)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("Usage: ")[1])
    parser.add_argument("--snapfarm", default="snapfarm")
    parser.add_argument("--findings", nargs="+")
    parser.add_argument("corpus")
    parser.add_argument("out")
    options = parser.parse_args()
    known = manifest(options.corpus)
    paths = {
        name: [os.path.join(options.corpus, known[name][side]) for side in "ab"] for name in PAIRS
    }
    font = ImageFont.load_default(size=10)
    with tempfile.TemporaryDirectory() as folder:
        documents = [read(path) for path in options.findings or []]
        if not documents:
            folders = [os.path.join(folder, name) for name in ("default", "fallback")]
            documents = [run(options.snapfarm, paths.values(), folders[0], [])]
            rest = [pair for pair in paths.values() if tuple(pair) not in rows(documents[0])]
            documents.append(run(options.snapfarm, rest, folders[1], FALLBACK))
        found = {**rows(documents[-1]), **rows(documents[0])}
        for pair in rows(documents[-1]).keys() - rows(documents[0]).keys():
            found[pair]["words"] += " (passes)"
        missing = [name for name in PAIRS if tuple(paths[name]) not in found]
        if missing:
            sys.exit(f"contact_sheet.py: no picture of {', '.join(missing)}.")
        tiles = [tile(name, *paths[name], found[tuple(paths[name])], font) for name in PAIRS]
        sheet(tiles).save(options.out, optimize=True)


main()
