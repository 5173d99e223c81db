#!/usr/bin/env python3
"""Writes the corpus' small pictures as inputs of the fuzzer: seeds.py CORPUS FOLDER."""
import os
import struct
import sys

BYTES_MAX = 20_000


def main():
    corpus, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    pairs = {}
    for root, _, names in os.walk(corpus):
        for name in names:
            if name.endswith(".png"):
                stem = name[:-4]
                key = stem[:-2] if stem[-2:] in ("_a", "_b") else stem
                pairs.setdefault(key, []).append(os.path.join(root, name))
    for key, paths in pairs.items():
        files = [open(path, "rb").read() for path in sorted(paths)]
        one, other = files[0], files[-1]
        if len(one) + len(other) > BYTES_MAX:
            continue
        with open(os.path.join(folder, key), "wb") as out:
            out.write(struct.pack(">I", len(one)) + one + other)


if __name__ == "__main__":
    main()
