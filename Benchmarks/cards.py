#!/usr/bin/env python3
"""How many cards a real history would ask people to look at, per 1,000 changed pictures.

    cards.py HISTORY.tsv.gz

The history has names and ids of contents, no pictures, so nothing can be said of what looks alike.
Two bounds can be counted. Upper: pictures are one card only where screen, old and new content are
equal, which is what snapfarm joins without looking. Lower: all pictures of one screen that changed
in one commit are one card. Only changed pictures count; new and removed ones are one card for each
screen and are printed beside. What is a screen is read from the names: the device, the language and
the system version in them are left out.
"""
import collections
import gzip
import re
import sys

LANGUAGE = r"(?:[a-z]{2}-[A-Z]{2}|pseudo)"
DEVICE = r"(?:iPhone|iPad)(?:-9th-generation|(?:-\d+)+(?=-%s|\.))?" % LANGUAGE
# 15-5-de-DE-iPad-9th-generation, iPhone-16-en-GB, en-GB-iPhone-14, iPad-pseudo, iPad-18-1-en-GB
CELL = re.compile(r"(?:\d+-\d+-)?(?:%s-)?%s(?:-%s)?" % (LANGUAGE, DEVICE, LANGUAGE))


def screen(path):
    """Folder and name without what a cell says; nothing for what is no picture."""
    folder, _, name = path.rpartition("/")
    if not name.endswith(".png"):
        return None
    return folder, CELL.sub("*", name[: -len(".png")], count=1)


def main():
    changed = collections.defaultdict(list)
    plain = collections.Counter()
    plain_cards = collections.Counter()
    contents = {}
    with gzip.open(sys.argv[1], "rt") as lines:
        for line in lines:
            if line.startswith("#"):
                continue
            commit, _, status, _, content, path = line.rstrip("\n").split("\t")
            own = screen(path)
            if own is None:
                continue
            if status == "M":
                changed[commit].append((own, contents.get(path), content))
            else:
                plain[status] += 1
                plain_cards[status, commit, own] += 1
            contents[path] = content
    pictures = sum(map(len, changed.values()))
    upper = sum(len(set(rows)) for rows in changed.values())
    lower = sum(len({own for own, _, _ in rows}) for rows in changed.values())
    print(f"{pictures} changed pictures in {len(changed)} commits")
    print(f"cards per 1,000 changed pictures: {1000 * lower / pictures:.0f} to "
          f"{1000 * upper / pictures:.0f}")
    for status, word in (("A", "new"), ("D", "removed")):
        cards = sum(1 for key in plain_cards if key[0] == status)
        print(f"{plain[status]} {word} pictures: {1000 * cards / plain[status]:.0f} cards per 1,000")
    large = sorted(changed.values(), key=len)[-5:]
    for rows in reversed(large):
        print(f"  {len(rows)} pictures: {len({r[0] for r in rows})} to {len(set(rows))} cards")


if __name__ == "__main__":
    main()
