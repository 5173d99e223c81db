"""docs/comparison.md: two folders of real pictures, from the corpus that lies beside the repository."""
import os
import shutil

from pages import ROOT
from place import Unavailable, png
from table import never, page, runs

CORPUS = os.path.normpath(f"{ROOT}/../shared/corpus/compare/pairs")
PICTURES = {"checkout/paid.png": "d0121", "profile/settings.png": "d0041", "checkout/total.png": "d0131"}


@page("docs/comparison.md")
def pictures(place):
    if not os.path.isdir(CORPUS):
        raise Unavailable("the corpus of real pictures is not here")
    for name, pair in PICTURES.items():
        for side, letter in (("references", "a"), ("captures", "b")):
            target = place.path(f"{side}/{name}")
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(f"{CORPUS}/{pair}_{letter}.png", target)
            os.chmod(target, 0o644)
    for index, name in enumerate(("home.png", "checkout/empty.png", "profile/photo.png")):
        for side in ("references", "captures"):
            png(place.path(f"{side}/{name}"), 40 + 40 * index, size=(60, 60))
    # What follows a picture's end changes its bytes alone.
    with open(place.path("captures/profile/photo.png"), "ab") as file:
        file.write(b"\0")
    png(place.path("references/cart/badge.png"), 200, size=(20, 20))
    png(place.path("captures/checkout/badge.png"), 200, size=(20, 20))
    png(place.path("captures/profile/friends.png"), 10, size=(30, 30))
    place.write("captures/README.txt", "no picture")


for start, status in (
    ("$ snapfarm compare references/checkout/paid.png captures/checkout/paid.png\n", 1),
    ("$ snapfarm compare references captures\n", 1),
    ("$ snapfarm compare references captures --json", 1),
    ("$ snapfarm compare references/checkout/paid.png captures/checkout/paid.png --ignore", 0),
):
    runs("docs/comparison.md", start)(
        lambda place, block, status=status: place.run(block, status=[("snapfarm", status)]))


@runs("docs/comparison.md", "$ snapfarm compare --pairs")
def pairs(place, block):
    lines = [("checkout/paid.png",) * 2, ("gone.png", "home.png"), ("home.png",) * 2]
    place.write("pairs.tsv", "".join(f"references/{a}\tcaptures/{b}\n" for a, b in lines))
    place.run(block, status=[("snapfarm", 65)])


@runs("docs/comparison.md", "$ snapfarm compare references captures --policy")
def policies(place, block):
    words = "snapfarm compare references captures --policy fb "
    place.run(block, status=[(words + "--per-pixel", 1), (words + "--noise", 64)])


@runs("docs/comparison.md", "$ snapfarm compare references captures --diff-dir")
def differences(place, block):
    place.run(block)
    place.sh("rm -r diffs")


@runs("docs/comparison.md", "$ cat requests")
def requests(place, block):
    place.write("requests", "\n".join(block.commands[0][1]) + "\n")
    place.run(block, status=[("snapfarm", 65)])


never("docs/comparison.md", "$ snapfarm compare v5.1 v5.2",
      "it needs a store with two releases; ReleaseDayTests make one and compare them")
