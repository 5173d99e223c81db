#!/usr/bin/env python3
"""Plants bugs in a copy of the sources, and shows that tests find each of them.

    run.py [GROUP]... [--scratch FOLDER] [--only BUG]... [--list]

  GROUP      journal, xcodebuild: the bugs of GROUP.bugs; all where none is named
  --scratch  the folder of the copy; it is kept, and what is built there already is not built again
  --only     only this bug; may be given several times
  --list     only name the bugs, each of whose places is looked for

The sources of the repository are copied into a folder of their own, and every bug is written into
the copy behind a question for the variable SNAPFARM_PLANTED: one build has all of them, and each
run of the tests has one. What stands in the repository never holds one. It ends with status 1 where
the tests pass with a bug, or fail without one.

A bug is written as `[name] what it does`, `@ file`, then `-` before each line that stands there, which
it does exactly once, and `+` before each that stands there with the bug. The first and the last of
these lines may be a part of one. BUG is the question whether the process has the bug.
"""
import argparse
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
VARIABLE = "SNAPFARM_PLANTED"
# Seconds that the tests may take with one bug; one that makes them hang is found, too.
LIMIT = 1200

# The folder of the sources, the target of the tests, and its files whose suites run. The suites of
# the stand-in alone cannot see a bug of the driver.
GROUPS = {
    "journal": (
        "Sources/FarmLedger/", "FarmLedgerTests", ["Journal*Tests.swift", "PoolOnPostgresTests.swift"]),
    "xcodebuild": ("Sources/FarmDrivers/Xcode/", "FarmDriversTests", ["Xcode/*.swift"]),
}

ASKED = """// Written by Tests/Planted/run.py into its copy: which bug this process has.
import Foundation

enum Planted {
    private static let bug = ProcessInfo.processInfo.environment["%s"] ?? ""

    static func has(_ name: String) -> Bool { bug == name }
}
""" % VARIABLE


class Group:
    def __init__(self, name):
        self.folder, self.target, self.files = GROUPS[name]
        with open(os.path.join(HERE, name + ".bugs"), encoding="utf-8") as file:
            self.read(file.read())

    def read(self, text):
        """`bugs` is {name: [[file, old lines, new lines]]}."""
        self.bugs = {}
        for line in text.splitlines():
            if line.startswith("["):
                edits = self.bugs[line[1:line.index("]")]] = []
            elif line.startswith("@ "):
                edits.append([line[2:], [], []])
            elif line[:1] in ("-", "+"):
                edits[-1]["-+".index(line[0]) + 1].append(line[1:])

    def sources(self):
        """The folder's files with every bug: {path: text}."""
        texts = {self.folder + "Planted.swift": ASKED}
        for bug, edits in self.bugs.items():
            for file, old, new in edits:
                path, old = self.folder + file, "\n".join(old)
                if path not in texts:
                    with open(os.path.join(ROOT, path), encoding="utf-8") as source:
                        texts[path] = source.read()
                count = texts[path].count(old)
                if count != 1:
                    sys.exit("%s: %s holds this %d times and not once; change the bug:\n%s"
                             % (bug, path, count, old))
                texts[path] = texts[path].replace(
                    old, "\n".join(new).replace("BUG", 'Planted.has("%s")' % bug))
        return texts

    def filter(self):
        names = set()
        for pattern in self.files:
            for file in glob.glob(os.path.join(ROOT, "Tests", self.target, pattern)):
                with open(file, encoding="utf-8") as source:
                    names.update(re.findall(r"^struct (\w+Tests)\b", source.read(), re.MULTILINE))
        names = sorted(name for name in names if not name.startswith("StandIn"))
        return "^%s\\.(%s)/" % (self.target, "|".join(names))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("group", nargs="*", help=", ".join(GROUPS))
    parser.add_argument("--scratch", help="folder of the copy, which is kept")
    parser.add_argument("--only", action="append", metavar="BUG")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    for name in set(options.group) - set(GROUPS):
        parser.error(f"no group is called {name}")
    groups = [Group(name) for name in options.group or GROUPS]
    planted = {path: text for group in groups for path, text in group.sources().items()}
    bugs = [bug for group in groups for bug in group.bugs]
    unknown = set(options.only or []) - set(bugs)
    if unknown:
        parser.error("no bug is called " + ", ".join(sorted(unknown)))
    if options.list:
        print("\n".join(bugs))
        return 0
    folder = options.scratch and os.path.abspath(options.scratch)
    if folder and os.path.lexists(os.path.join(folder, ".git")):
        sys.exit(
            folder + " is somebody's repository: name a folder whose sources may be overwritten")
    copy = folder or tempfile.mkdtemp(prefix="snapfarm-planted-")
    try:
        write_copy(copy, planted)
        build(copy, len(bugs))
        missed = []
        for group in groups:
            chosen = [bug for bug in group.bugs if bug in (options.only or bugs)]
            if chosen:
                missed += judge(copy, group.filter(), chosen)
        count = len(options.only or bugs)
        say("%d of %d bugs are found" % (count - len(missed), count)
            + (": not " + ", ".join(missed) if missed else ""))
        return 1 if missed else 0
    finally:
        if not folder:
            shutil.rmtree(copy, ignore_errors=True)


def write_copy(copy, planted):
    """What Git has of the repository, as it is now, and the bugs.

    A file that is the same already is not written: the build goes by its time.
    """
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    tracked = {name for name in os.fsdecode(names.stdout).split("\0")
               if name and os.path.lexists(os.path.join(ROOT, name))}
    for name in sorted(tracked):
        source = os.path.join(ROOT, name)
        if os.path.islink(source):
            os.makedirs(os.path.dirname(os.path.join(copy, name)), exist_ok=True)
            if not os.path.lexists(os.path.join(copy, name)):
                os.symlink(os.readlink(source), os.path.join(copy, name))
            continue
        with open(source, "rb") as file:
            data = planted[name].encode() if name in planted else file.read()
        put(os.path.join(copy, name), data, os.stat(source).st_mode)
    for name in planted.keys() - tracked:
        put(os.path.join(copy, name), planted[name].encode(), 0o644)
    # A source that is gone from the repository would be built on.
    for top in ("Sources", "Tests"):
        for folder, _, files in os.walk(os.path.join(copy, top)):
            for file in files:
                name = os.path.relpath(os.path.join(folder, file), copy)
                if name.endswith(".swift") and name not in tracked and name not in planted:
                    os.remove(os.path.join(copy, name))


def put(path, data, mode):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        with open(path, "rb") as file:
            if file.read() == data:
                return
    except FileNotFoundError:
        pass
    with open(path, "wb") as file:
        file.write(data)
    os.chmod(path, mode & 0o777)


def build(copy, count):
    say("building the tests with %d bugs in %s" % (count, copy))
    # As the Makefile builds the tests; Tests/XCTMain.swift says why they are run without XCTest.
    command = ["swift", "build", "--build-tests", "--explicit-target-dependency-import-check", "error",
               "--disable-index-store", "-debug-info-format", "none"]
    if subprocess.run(command, cwd=copy).returncode != 0:
        sys.exit("the copy with the bugs does not build: change the bug that the compiler names")


def run(copy, filter, bug):
    """(whether the tests passed, how many ran, the names of the red ones) with one bug."""
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    # More seeds find no less.
    environment.setdefault("SNAPFARM_XCODE_SEEDS", "1")
    environment["NO_COLOR"] = "1"
    if bug:
        environment[VARIABLE] = bug
    process = subprocess.Popen(
        ["swift", "test", "--enable-swift-testing", "--disable-xctest", "--skip-build", "--filter", filter],
        cwd=copy, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True)
    late = []
    try:
        output, _ = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        late = ["the tests had no end after %d s" % LIMIT]
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    text = output.decode("utf-8", "replace")
    total = re.findall(r"Test run with (\d+) tests?\b", text)
    return process.returncode == 0, int(total[-1]) if total else 0, late + red(text)


def red(text):
    """`✘ Test "a sentence" with 4 test cases failed after 1.2 seconds with 1 issue.`"""
    names = []
    for line in text.splitlines():
        match = re.match(
            r"^\S+\s+Test (?!run\b|case )(.+?)(?: with \d+ test cases?)? failed after ", line)
        if match and match[1].strip('"') not in names:
            names.append(match[1].strip('"'))
    return names


def judge(copy, filter, bugs):
    """The bugs that no test finds."""
    say("running the tests without a bug")
    good, count, names = run(copy, filter, None)
    if not good or count == 0:
        sys.exit("the tests fail without a bug, or there are none: " + "; ".join(names))
    say("%d tests pass without a bug" % count)
    missed = []
    for bug in bugs:
        start = time.monotonic()
        good, count, names = run(copy, filter, bug)
        if good:
            missed.append(bug)
        say("%-18s %s  (%d s)" % (bug, "%3d red" % len(names) if not good else "MISSED",
                                  time.monotonic() - start))
        for name in names:
            say("%-18s   - %s" % ("", name))
        if not good and not names:
            say("%-18s   - the process of the tests died" % "")
    return missed


def say(text):
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
