#!/usr/bin/env python3
"""Writes icu_data.o into the folder of the second argument: the data of Foundation's ICU without
what snapfarm never reads. The first argument is the usr folder of the Swift toolchain.

Foundation carries 34 MB of data: names of languages, regions, zones, units and currencies for 600
locales, converters for 200 old encodings, transliterations, names of characters, dictionaries
that break Thai and Chinese text into words. snapfarm prints English, and dates as ISO 8601. What
stays: properties and normalisation of characters, host names, time zones, and the locales
`root` and `en`, to which ICU falls back.

The object defines `__wrap_icudt76_dat`: the linker's `--wrap=icudt76_dat` lets ICU read it, and
then drops Foundation's data, which nothing reads any more. The option is in icu_data.option.

The format ("CmnD", ICU's ucmndata.h): a header whose first two bytes are its size, a count, and for
each item the offsets of its name and of its bytes, counted from the end of the header, by name.
"""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

DROPPED = re.compile(
    r"\.cnv$|^unames\.icu$|^(coll|curr|lang|region|unit|zone|rbnf|translit|brkitr)/"
    # Locales of the top folder: de.res, zh_Hant_TW.res; not zoneinfo64.res or pool.res.
    r"|^[a-z]{2,3}(_[A-Za-z0-9]+)*\.res$"
)
KEPT = re.compile(
    r"^(?!translit)(.*/)?(root|pool|res_index|en|en_US|en_US_POSIX|en_001)\.res$"
    r"|^coll/ucadata\.icu$|^brkitr/(char|word|sent|line|title)\.brk$|^cnvalias"
)


def items(data):
    """The names and bytes of a package, and its header."""
    header = struct.unpack_from("<H", data)[0]
    count = struct.unpack_from("<I", data, header)[0]
    rows = [struct.unpack_from("<II", data, header + 4 + 8 * row) for row in range(count)]
    ends = [start for _, start in rows[1:]] + [len(data) - header]
    for (name, start), end in zip(rows, ends):
        stop = data.index(b"\0", header + name)
        yield data[header + name : stop].decode(), data[header + start : header + end]


def package(header, kept):
    """A package of `kept`, pairs of name and bytes in the order of names."""
    names = b"".join(name.encode() + b"\0" for name, _ in kept)
    offset = 4 + 8 * len(kept)
    texts, rows, bodies = offset, [], b""
    start = offset + len(names)
    padding = -start % 16
    start += padding
    for name, body in kept:
        rows.append(struct.pack("<II", texts, start + len(bodies)))
        texts += len(name.encode()) + 1
        bodies += body + b"\0" * (-len(body) % 16)
    return header + struct.pack("<I", len(kept)) + b"".join(rows) + names + b"\0" * padding + bodies


def main(toolchain, into):
    archive = pathlib.Path(toolchain, "lib/swift_static/linux/lib_FoundationICU.a").resolve()
    with tempfile.TemporaryDirectory() as folder:
        run = lambda *words: subprocess.run(words, cwd=folder, check=True)
        run("ar", "x", archive, "icu_packaged_data.cpp.o")
        run("objcopy", "-O", "binary", "--only-section=.rodata", "icu_packaged_data.cpp.o", "all")
        data = pathlib.Path(folder, "all").read_bytes()
        symbols = subprocess.check_output(["nm", "icu_packaged_data.cpp.o"], cwd=folder, text=True)
        symbol = re.search(r" R (icudt\d+_dat)$", symbols, re.M).group(1)
        kept = []
        for name, body in items(data):
            short = name.split("/", 1)[1]
            if KEPT.search(short) or not DROPPED.search(short):
                kept.append((name, body))
        header = data[: struct.unpack_from("<H", data)[0]]
        pathlib.Path(folder, "kept").write_bytes(package(header, kept))
        pathlib.Path(folder, "data.s").write_text(
            f'.section .rodata\n.balign 16\n.globl __wrap_{symbol}\n__wrap_{symbol}:\n'
            '.incbin "kept"\n.section .note.GNU-stack,"",@progbits\n'
        )
        pathlib.Path(into, "icu_data.option").write_text(f"--wrap={symbol}\n")
        run("cc", "-c", "data.s", "-o", pathlib.Path(into, "icu_data.o").resolve())
        size = pathlib.Path(folder, "kept").stat().st_size
    print(f"ICU data: {len(kept)} items, {size // 1000} KB of {len(data) // 1000} KB")


main(*sys.argv[1:3])
