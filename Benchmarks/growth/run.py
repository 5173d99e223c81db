#!/usr/bin/env python3
"""What a main repository grows by over the real history: the pin, LFS pointers, pictures in Git.

    Benchmarks/growth/run.py BINARY HISTORY.tsv.gz [FOLDER] [--scale 1.0] [--record]

Each of the three repositories gets one commit per commit of the history and nothing else:

    pin        `snapfarm.refs`, written for each set by `snapfarm refs pin move`, out of a store that
               holds the whole history (bodies shortened: a pin's length does not follow from them)
    pointers   the pictures' paths as Git LFS pointers, with ids like the real ones, and the real sizes
    pictures   the pictures themselves, incompressible, `--scale` times as long; 0 leaves the
               repository out and takes the sum of the sizes of all different pictures

The first two are committed as loose objects and packed by `git gc`, as it happens in life; for the
pictures, deltas are looked for among folders only: random bytes have none.
"""
import argparse
import hashlib
import importlib.util
import os
import random
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from measuring import ENVIRONMENT, Figures, Workplace, run, table  # noqa: E402

# Bodies of 64 bytes: enough to be different.
PIN_SCALE = 0.0001
# Beyond any number of objects here: fast-import leaves them loose, for gc to pack.
LOOSE = ["-c", "fastimport.unpackLimit=10000000"]


def load_history():
    """make-history.py as a module: its name is no identifier."""
    path = os.path.join(HERE, "..", "prune", "make-history.py")
    spec = importlib.util.spec_from_file_location("make_history", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("history")
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    history = load_history()
    commits = history.read_history(options.history)
    sizes = {content: size for _, changes in commits for _, content, size in changes if content}
    with Workplace(options) as place:
        grown = {
            "pin": with_pin(options, place),
            "LFS pointers": with_pointers(commits, place),
        }
        if options.scale > 0:
            grown["pictures"] = with_pictures(commits, options.scale, place)
        report(options, commits, sizes, grown)


def packed(repository):
    """Bytes of the packs, bytes of their indexes, and the number of objects."""
    counts = dict(
        line.split(": ") for line in
        run("git", "-C", repository, "count-objects", "-v").decode().splitlines()
    )
    assert counts["count"] == "0", "loose objects are left"
    bytes_of = {"pack": 0, "idx": 0}
    folder = run("git", "-C", repository, "rev-parse", "--git-path", "objects/pack").decode()
    folder = os.path.join(repository, folder.strip())
    for name in os.listdir(folder):
        kind = name.rsplit(".", 1)[1]
        if kind in bytes_of:
            bytes_of[kind] += os.path.getsize(f"{folder}/{name}")
    run("git", "-C", repository, "fsck", "--connectivity-only")
    return bytes_of["pack"], bytes_of["idx"], int(counts["in-pack"])


def with_pin(options, place):
    made = place("history")
    run(sys.executable, os.path.join(HERE, "..", "prune", "make-history.py"), options.history,
        made, "--scale", PIN_SCALE)
    store, main_repository = f"{made}/store.git", place.fresh("pin")
    run("git", "init", "-q", "-b", "main", main_repository)
    sets = run(
        "git", "-C", store, "log", "--first-parent", "--reverse",
        "--format=%(trailers:key=Snapfarm-Set,valueonly,separator=)", "main").decode().split()
    texts = run("git", "-C", f"{made}/main.git", "rev-list", "--reverse", "main").decode().split()
    assert len(sets) == len(texts)
    pin = f"{main_repository}/snapfarm.refs"
    for number, (set_id, commit) in enumerate(zip(sets, texts)):
        run(options.binary, "refs", "pin", "move", set_id, "--store", store, "--pin", pin,
            cwd=main_repository)
        expected = run("git", "-C", f"{made}/main.git", "show", f"{commit}:snapfarm.refs")
        assert open(pin, "rb").read() == expected, set_id
        run("git", "add", "snapfarm.refs", cwd=main_repository)
        run("git", "commit", "-q", "--allow-empty", "-m", f"references {number}",
            cwd=main_repository)
    run("git", "gc", "-q", cwd=main_repository)
    return packed(main_repository)


def import_commits(repository, commits, words, body, attributes=None):
    """One commit per commit of the history; `body(content, size)` is what stands at a path."""
    child = subprocess.Popen(
        ["git", "-C", repository, *words], stdin=subprocess.PIPE, env=ENVIRONMENT)
    out = child.stdin
    marks = {}
    for number, (seconds, changes) in enumerate(commits):
        lines = []
        for path, content, size in changes:
            if content is None:
                lines.append(f"D {path}\n")
                continue
            if content not in marks:
                marks[content] = len(marks) + 1
                bytes_ = body(content, size)
                out.write(b"blob\nmark :%d\ndata %d\n" % (marks[content], len(bytes_)))
                out.write(bytes_ + b"\n")
            lines.append(f"M 100644 :{marks[content]} {path}\n")
        if number == 0 and attributes:
            lines.append(f"M 100644 inline .gitattributes\ndata {len(attributes)}\n{attributes}\n")
        message = f"references {number}"
        out.write((
            f"commit refs/heads/main\ncommitter bench <bench@localhost> {seconds} +0000\n"
            f"data {len(message)}\n{message}\n" + "".join(lines) + "\n").encode())
    out.close()
    if child.wait() != 0:
        raise SystemExit("git fast-import failed")


def with_pointers(commits, place):
    repository = place("pointers.git")
    run("git", "init", "-q", "--bare", "-b", "main", repository)

    def pointer(content, size):
        # The table has shortened ids; the whole one is as incompressible.
        oid = hashlib.sha256(content.encode()).hexdigest()
        return (f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\n"
                f"size {size}\n").encode()

    import_commits(repository, commits, [*LOOSE, "fast-import", "--quiet"], pointer,
                   attributes="*.png filter=lfs diff=lfs merge=lfs -text\n")
    run("git", "-C", repository, "gc", "-q")
    return packed(repository)


def with_pictures(commits, scale, place):
    repository = place("pictures.git")
    run("git", "init", "-q", "--bare", "-b", "main", repository)

    def picture(content, size):
        return random.Random(content).randbytes(max(64, int(size * scale)))

    import_commits(
        repository, commits,
        ["-c", "core.compression=0", "-c", "pack.compression=0", "-c", "fastimport.unpackLimit=1",
         "fast-import", "--quiet", "--depth=0"], picture)
    with open(f"{repository}/info/attributes", "w") as out:
        out.write("*.png -delta\n")
    run("git", "-C", repository, "repack", "-adFq")
    return packed(repository)


def report(options, commits, sizes, grown):
    figures = Figures(options.record)
    rows = []
    total = sum(sizes.values())
    for name, (pack, index, objects) in grown.items():
        label = name if name != "pictures" or options.scale == 1 else f"{name} x {options.scale}"
        rows.append([label, f"{objects:,}", f"{pack / 1024:,.0f}", f"{(pack + index) / 1024:,.0f}",
                     f"{pack / grown['pin'][0]:,.1f}"])
        figures.add(f"growth over real history: {label}", pack, "B", 1)
    rows.append(["pictures by their sizes alone", f"{len(sizes):,}", f"{total / 1024:,.0f}", "",
                 f"{total / grown['pin'][0]:,.1f}"])
    table(f"A main repository over {len(commits)} commits that changed references",
          ["", "objects", "pack KiB", "with index", "x pin"], rows)
    figures.write()


if __name__ == "__main__":
    main()
