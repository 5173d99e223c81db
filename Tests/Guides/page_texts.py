"""docs/texts.md: texts of test programs that are not ours."""
import json
import os
import shutil

from page_command import section
from place import ROOT, SYSTEM_PATH
from table import recipe

HOME = """\
describe('Home', () => {
  test('greets', () => expect('Hello\\nWorld').toMatchSnapshot());
  test('lists a/b', () => {
    expect({ name: 'Ann', items: [1, 2] }).toMatchSnapshot();
    expect('`tick` ${x} \\\\').toMatchSnapshot('odd');
  });
  test('挨拶する', () => expect('こんにちは').toMatchSnapshot());
  test.skip('later', () => {});
});
"""

CART = """\
test('empty', () => expect(['no', 'goods']).toMatchSnapshot());
"""


def jest_program(place):
    """Makes `npx jest` Debian's jest, or what stands in for it."""
    found = shutil.which("jest", path=SYSTEM_PATH)
    program = f"shift; exec {found}" if found else f"exec node {ROOT}/Tests/Guides/standin/jest.cjs"
    path = place.write("../bin/npx", f'#!/bin/sh\n{program} "$@"\n')
    os.chmod(path, 0o755)


def changed(place):
    """The names of the snapshots that the last run found changed."""
    with open(place.path("snapfarm-out/summary.json"), encoding="utf-8") as file:
        return [row["name"] for row in json.load(file)["snapshots"] if row["verdict"] == "changed"]


@recipe("docs/texts.md", "jest's snapshots", needs=["node"])
def jest(place):
    """A snapshot is a text: it is recorded, changed, approved, merged, moved and pruned by itself."""
    section(place, "jest's snapshots", page="docs/texts.md")
    jest_program(place)
    place.write("package.json", '{"name": "shop"}\n')
    place.write(".gitignore", ".snapfarm/\nsnapfarm-out/\n__snapshots__/\n")
    place.write("tests/home.test.js", HOME)
    place.write("tests/shop/cart.test.js", CART)
    place.sh("snapfarm refs init && snapfarm run snapfarm.yaml --mode record")
    place.says("Recorded: 5 new")
    place.sh("snapfarm run snapfarm.yaml && git add -A && git commit -qm Tests")
    place.says("2 tests")
    # One change for the snapshot that changed, and none for the others of its file.
    place.edit("tests/home.test.js", "Hello", "Good day")
    place.sh("snapfarm run snapfarm.yaml", status=1)
    place.says("1 changed", "-\"Hello", "+\"Good day")
    assert changed(place) == ["Home greets 1.txt"], changed(place)
    names = place.sh("python3 -m zipfile -l snapfarm-out/FailureDiffs.zip")
    for name in ("reference_Home greets 1.txt", "failed_Home greets 1.txt", "diff_Home greets 1.txt.diff"):
        assert f"tests/home.test.js/{name}" in names, names
    place.sh("snapfarm show latest")
    place.says("Home greets 1.txt")
    place.sh("snapfarm approve --run latest --reason greeting && git commit -qam Greeting")
    # Two branches change two snapshots of one file.
    place.sh("git switch -qc theirs HEAD~1")
    place.edit("tests/home.test.js", "Ann", "Eve")
    place.sh("snapfarm run snapfarm.yaml --mode record && git commit -qam Name && git switch -q main "
             "&& git merge -q --no-edit theirs && snapfarm run snapfarm.yaml")
    # A test that fails is a failure, and a snapshot that no test makes any more is missing.
    place.edit("tests/shop/cart.test.js", "test('empty'", "test('sum', () => expect(1 + 1).toBe(3));\ntest('none'")
    place.sh("snapfarm run snapfarm.yaml", status=1)
    place.says("tests/shop/cart.test.js", "expect(received).toBe(expected)")
    place.edit("tests/shop/cart.test.js", "toBe(3)", "toBe(2)")
    place.sh("snapfarm run snapfarm.yaml", status=1)
    place.says("1 missing", "1 new")
    place.sh("snapfarm run snapfarm.yaml --mode record && git commit -qam None")
    place.write("tests/shop/cart.test.js", "require('./nothing');\n")
    place.sh("snapfarm run snapfarm.yaml", status=1)
    place.says("Cannot find module './nothing'")
    place.sh("snapfarm refs prune --yes && git checkout -q tests && snapfarm run snapfarm.yaml")
    # Without snapfarm jest keeps its snapshots where it always does.
    place.sh("npx jest --ci=false --runTestsByPath tests/shop/cart.test.js")
    place.exists("tests/shop/__snapshots__/cart.test.js.snap")
