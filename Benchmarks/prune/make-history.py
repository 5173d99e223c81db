#!/usr/bin/env python3
"""Builds a reference store and its main repository from the real re-record history.

Paths, sizes and re-records are real (rerecord-history.tsv.gz); bodies are incompressible bytes that
follow from the content id, `--scale` times as long. Needs git and Python 3.9; writes

    <out>/store.git   one set per commit of the history, and the journal
    <out>/main.git    one commit per set with its pin `snapfarm.refs`
"""
import argparse
import gzip
import os
import random
import subprocess

PERSON = "snapfarm <snapfarm@localhost>"


def git(store, *words, data=None):
    return subprocess.run(
        ["git", "-C", store, *words], input=data, check=True, capture_output=True
    ).stdout


def read_history(path):
    """Yields (seconds, changes) per commit; a change is (path, content id or None, bytes)."""
    commits = {}
    with gzip.open(path, "rt") as lines:
        for line in lines:
            if line.startswith("#"):
                continue
            index, seconds, status, size, content, name = line.rstrip("\n").split("\t")
            commit = commits.setdefault(int(index), (int(seconds), []))
            commit[1].append((name, None if status == "D" else content, int(size)))
    return [commits[index] for index in sorted(commits)]


def place(path):
    """<cell>/<suite>/<name>.png; the cell is the device where the name begins with one."""
    folders, _, name = path.rpartition("/")
    head, dot, rest = name.partition(".")
    cell, name = (head, rest) if head[:1].isdigit() and rest != "png" else ("any", name)
    return f"{cell}/{folders.replace('UITests/Sources/__Snapshots__/', '').replace('/', '-')}/{name}"


def import_sets(store, commits, scale):
    """Writes blobs and one parentless commit per state; returns their ids in order."""
    marks = {}
    child = subprocess.Popen(
        ["git", "-C", store, "fast-import", "--quiet", "--depth=0", "--export-marks=marks"],
        stdin=subprocess.PIPE,
    )
    out = child.stdin
    state = {}
    for number, (_, changes) in enumerate(commits):
        for path, content, size in changes:
            if content is None:
                state.pop(place(path), None)
                continue
            if content not in marks:
                marks[content] = len(marks) + 1
                body = random.Random(content).randbytes(max(64, int(size * scale)))
                out.write(b"blob\nmark :%d\ndata %d\n" % (marks[content], len(body)))
                out.write(body + b"\n")
            state[place(path)] = marks[content]
        text = f"commit refs/build/{number}\nmark :{1000000 + number}\n"
        text += f"author {PERSON} 0 +0000\ncommitter {PERSON} 0 +0000\n"
        text += "data 14\nreference set\n\n"
        text += "".join(f"M 100644 :{mark} {path}\n" for path, mark in state.items())
        out.write(text.encode() + b"\n")
    out.close()
    if child.wait() != 0:
        raise SystemExit("git fast-import failed")
    ids = dict(line.split() for line in open(os.path.join(store, "marks")))
    os.remove(os.path.join(store, "marks"))
    return [ids[f":{1000000 + number}"] for number in range(len(commits))]


def pin(store, commit):
    entries = []
    for line in git(store, "ls-tree", "-rdz", commit).decode().split("\0"):
        if line:
            head, path = line.split("\t")
            if path.count("/") == 1:
                entries.append((path.encode(), head.split()[2]))
    return b"".join(path + f"\n {oid}\n".encode() for path, oid in sorted(entries))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("history")
    parser.add_argument("out")
    parser.add_argument("--scale", type=float, default=0.25)
    arguments = parser.parse_args()
    os.makedirs(arguments.out)
    store, main_repository = (os.path.join(arguments.out, n) for n in ("store.git", "main.git"))
    for path in (store, main_repository):
        subprocess.run(["git", "init", "--quiet", "--bare", "-b", "main", path], check=True)
    for setting in ("core.compression=0", "pack.compression=0", "gc.auto=0", "pack.deltaCacheSize=1"):
        git(store, "config", *setting.split("="))
    commits = read_history(arguments.history)
    sets = import_sets(store, commits, arguments.scale)

    format_blob = git(store, "hash-object", "-w", "--stdin", data=b"1").decode().strip()
    updates = [f"create refs/snapfarm/format {format_blob}"]
    updates += [f"create refs/snapfarm/sets/{oid} {oid}" for oid in sorted(set(sets))]
    updates += [f"delete refs/build/{number}" for number in range(len(sets))]
    journal = None
    stream = []
    for number, ((seconds, _), oid) in enumerate(zip(commits, sets)):
        os.environ["GIT_AUTHOR_DATE"] = os.environ["GIT_COMMITTER_DATE"] = f"@{seconds} +0000"
        parents = [word for p in (journal, oid) if p for word in ("-p", p)]
        journal = git(
            store, "-c", "user.name=snapfarm", "-c", "user.email=snapfarm@localhost",
            "commit-tree", f"{oid}^{{tree}}", *parents,
            "-m", f"set {number}", "-m", f"Snapfarm-Set: {oid}",
        ).decode().strip()
        text = pin(store, oid)
        stream.append(
            b"commit refs/heads/main\ncommitter t <t@t> %d +0000\ndata 4\npin\n\n" % seconds
            + b"M 100644 inline snapfarm.refs\ndata %d\n" % len(text) + text + b"\n"
        )
    updates.append(f"update refs/heads/main {journal}")
    git(store, "update-ref", "--stdin", data="\n".join(updates).encode() + b"\n")
    git(main_repository, "fast-import", "--quiet", data=b"".join(stream))
    print(f"{len(set(sets))} sets, {len(commits)} pins")


if __name__ == "__main__":
    main()
