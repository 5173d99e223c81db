"""Whether copies of one ledger are the same, row by row, and sound."""
import hashlib
import os
import sqlite3
import time

from farm import POOL
from measuring import run


def opened(data):
    return sqlite3.connect(f"file:{data}/ledger.sqlite?mode=ro", uri=True, timeout=30)


def position(data):
    """The change that a copy has come to; None: it has none, or cannot be read."""
    try:
        with opened(data) as db:
            row = db.execute("select seq from journal_position").fetchone()
            return row[0] if row else None
    except sqlite3.Error:
        return None


def content(data):
    """Of every table how many rows it has, and the digest of all of them by their keys."""
    tables = {}
    with opened(data) as db:
        db.execute("begin")
        names = [row[0] for row in db.execute(
            "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name")]
        for name in names:
            key = [row[1] for row in sorted(
                (row for row in db.execute(f'pragma table_info("{name}")') if row[5]),
                key=lambda row: row[5])]
            order = ", ".join(f'"{column}"' for column in key) or "rowid"
            digest, count = hashlib.sha256(), 0
            for row in db.execute(f'select * from "{name}" order by {order}'):
                digest.update(repr(row).encode())
                count += 1
            tables[name] = (count, digest.hexdigest())
        db.execute("commit")
    return tables


def differences(folders):
    """Lines that say how the copies in `folders` differ; none: they are equal."""
    copies = {data: content(data) for data in folders}
    first = folders[0]
    lines = []
    for other in folders[1:]:
        for name in sorted(set(copies[first]) | set(copies[other])):
            mine, its = copies[first].get(name), copies[other].get(name)
            if mine != its:
                lines.append(f"{name}: {mine and mine[0]} rows in {os.path.dirname(first)}, {its and its[0]} in "
                             f"{os.path.dirname(other)}{first_difference(first, other, name)}")
    return lines


def first_difference(first, other, name):
    try:
        with opened(first) as one, opened(other) as two:
            mine = set(map(repr, one.execute(f'select * from "{name}"')))
            its = set(map(repr, two.execute(f'select * from "{name}"')))
    except sqlite3.Error as error:
        return f": {error}"
    only = [text[:300] for text in (min(mine - its, default="nothing"), min(its - mine, default="nothing"))]
    return f", such as {only[0]} there and {only[1]} here"


def workers(data):
    with opened(data) as db:
        return {row[0] for row in db.execute("select id from worker")}


def followed(journal, folders, seconds=30):
    """Waits until all copies are where the journal is and it stands still; its last change, what is not there."""
    end = time.monotonic() + seconds
    while True:
        seq = journal()
        time.sleep(0.5)
        places = {data: position(data) for data in folders}
        if set(places.values()) == {seq}:
            return seq, []
        if time.monotonic() > end:
            return seq, [f"{data} is at {place}, the journal at {seq}" for data, place in places.items()
                         if place != seq]


def status(snapfarm, ledger):
    print(run(snapfarm, "ledger", "status", "--ledger", ledger, "--pool", POOL).decode().strip())
