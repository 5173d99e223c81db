#!/usr/bin/env python3
"""Plants bugs in the driver `xcodebuild`, and shows that its tests find each of them.

    planted.py [--scratch FOLDER] [--only BUG]... [--list]

The sources of the repository are copied into a folder of their own, and every bug is written into
the copy behind a question for the variable SNAPFARM_PLANTED: one build has all of them, and each
run of the tests has one. What stands in the repository never holds one.

  --scratch  the folder of the copy; it is kept, and what is built there already is not built again
  --only     only this bug; may be given several times
  --list     only name the bugs

It ends with status 1 where the tests pass with a bug, or fail without one.
"""
import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
DRIVER = "Sources/FarmDrivers/Xcode/"
TESTS = "Tests/FarmDriversTests/Xcode"
VARIABLE = "SNAPFARM_PLANTED"
# Seconds that the tests may take with one bug; one that makes them hang is found, too.
LIMIT = 1200

ASKED = """// Written by planted.py into its copy: which bug this process has.
import Foundation

enum Planted {
    private static let bug = ProcessInfo.processInfo.environment["%s"] ?? ""

    static func has(_ name: String) -> Bool { bug == name }
}
""" % VARIABLE

# bug: [(file, what stands there exactly once, what stands there with the bug)]; BUG is its question.
BUGS = {
    # Two leases get the simulator that waits warm.
    "shared-simulator": [(
        "Simulators.swift",
        "var simulator = free.remove(at: place)\n            // Somebody",
        "var simulator = BUG ? free[place] : free.remove(at: place)\n            // Somebody",
    )],
    # Each job of a run builds for itself.
    "build-twice": [(
        "XcodeDriver.swift",
        "let path = try await builds.value(of: build) { try await build.testRunFile(tools) }",
        "let path = try await BUG\n"
        "            ? build.testRunFile(tools)\n"
        "            : builds.value(of: build) { try await build.testRunFile(tools) }",
    )],
    # 65: the tests have failed.
    "trusts-65": [(
        "RunPolicy.swift",
        "            let open = tests.filter { results[$0] == nil }\n",
        "            let open = tests.filter { results[$0] == nil }\n"
        "            if BUG, ending == .exited(65) {\n"
        "                for test in open {\n"
        "                    results[test] = TestResult(\n"
        "                        test: test, ending: .failed(\"failed\"), seconds: 0)\n"
        "                }\n"
        "                return .done\n"
        "            }\n",
    )],
    # 70: the machine is to blame, whatever has a result.
    "trusts-70": [(
        "RunPolicy.swift",
        "        case .child(let ending):\n            let open",
        "        case .child(let ending):\n"
        "            if BUG, ending == .exited(70) {\n"
        "                return .fail(.nothingRan(\n"
        "                    launches: launches, ending: \"left with status 70\", output: \"\"))\n"
        "            }\n"
        "            let open",
    )],
    # Swift Testing's functions are named as XCTest's methods.
    "lost-parentheses": [(
        "XcodeTestName.swift",
        'var inTarget: String { (suites + [function]).joined(separator: "/") }',
        "var inTarget: String {\n"
        '        let name = (suites + [function]).joined(separator: "/")\n'
        '        return BUG && name.hasSuffix("()") ? String(name.dropLast(2)) : name\n'
        "    }",
    )],
    # The copy of the .xctestrun lies in the folder for temporary files.
    "copy-elsewhere": [(
        "XcodeBuild.swift",
        'let path = "\\(splitPath(original).folder)/\\(name)"',
        'let path = "\\(BUG ? NSTemporaryDirectory() : splitPath(original).folder)/\\(name)"',
    )],
    # All launches of a lease have one result bundle, and none is removed.
    "reused-bundle": [(
        "XcodeLaunch.swift",
        'let bundle = "\\(scratch)/launch-\\(id).xcresult"',
        'let bundle = "\\(scratch)/launch-\\(BUG ? "all" : id).xcresult"',
    ), (
        "XcodeLaunch.swift",
        "for path in [bundle, list, copy.path] {",
        "for path in [bundle, list, copy.path] where !(BUG && path == bundle) {",
    )],
    # Variables are given to xcodebuild as one gives them to other programs.
    "plain-environment": [(
        "XcodeRun.swift",
        "for (name, value) in ofTests { result[Self.prefix + name] = value }",
        'for (name, value) in ofTests { result[(BUG ? "" : Self.prefix) + name] = value }',
    ), (
        "XcodeLaunch.swift",
        "environment: testEnvironment,",
        "environment: BUG ? [:] : testEnvironment,",
    )],
    # The tests run in the language of the simulator.
    "lost-language": [(
        "XcodeLaunch.swift",
        '["-parallel-testing-enabled", "NO"] + setup.testArguments',
        '["-parallel-testing-enabled", "NO"] + (BUG ? [] : setup.testArguments)',
    ), (
        "XcodeLaunch.swift",
        "language: setup.language,\n                region: setup.region\n",
        "language: BUG ? nil : setup.language,\n"
        "                region: BUG ? nil : setup.region\n",
    )],
    # The region alone is lost.
    "lost-region": [(
        "CellSetup.swift",
        "return (parts.dropLast().joined(separator: \"-\"), last)",
        "return (parts.dropLast().joined(separator: \"-\"), BUG ? region : last)",
    )],
    # A process leaves its simulators behind.
    "kept-simulators": [(
        "Simulators.swift",
        "for udid in made.keys.sorted() { await delete(udid) }",
        "for udid in made.keys.sorted() where !BUG { await delete(udid) }",
    )],
    # What a test asserts is taken for a failure of the machine where it quotes one.
    "retried-assertion": [(
        "RunPolicy.swift",
        '        ["XCTAssert", "XCTUnwrap",',
        '        BUG ? false : ["XCTAssert", "XCTUnwrap",',
    )],
    # A simulator is used as soon as it begins to boot.
    "no-bootstatus": [(
        "Simulators.swift",
        'try await tools.simctl(["bootstatus", udid, "-b"], seconds: seconds)',
        'try await tools.simctl(BUG ? ["boot", udid] : ["bootstatus", udid, "-b"], seconds: seconds)',
    )],
    # What killed processes have left stays.
    "no-sweep": [(
        "Simulators.swift",
        "guard !hasSwept else { return }",
        "guard !hasSwept, !BUG else { return }",
    )],
    # A start deletes the simulators of every process, also of those that live.
    "swept-living": [(
        "Simulators.swift",
        "SimulatorName.mark(in: name).map(ProcessMark.isGone) ?? false",
        "SimulatorName.mark(in: name).map { BUG || ProcessMark.isGone($0) } ?? false",
    )],
    # A simulator that was shut down under a launch is left to Xcode to boot.
    "booted-by-xcode": [(
        "Simulators.swift",
        "case .relaunch: simulator.forget()",
        "case .relaunch: if !BUG { simulator.forget() }",
    ), (
        "Simulators.swift",
        "            simulator.forget()\n        case .awaitDevice",
        "            if !BUG { simulator.forget() }\n        case .awaitDevice",
    )],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--scratch", help="folder of the copy, which is kept")
    parser.add_argument("--only", action="append", choices=sorted(BUGS), metavar="BUG")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if options.list:
        print("\n".join(BUGS))
        return 0
    folder = options.scratch and os.path.abspath(options.scratch)
    if folder and os.path.lexists(os.path.join(folder, ".git")):
        sys.exit(folder + " is somebody's repository: name a folder whose sources may be overwritten")
    copy = folder or tempfile.mkdtemp(prefix="snapfarm-planted-")
    try:
        write_copy(copy)
        build(copy)
        return judge(copy, options.only or list(BUGS))
    finally:
        if not folder:
            shutil.rmtree(copy, ignore_errors=True)


def planted_sources():
    """The driver's files with every bug: {path: text}."""
    texts = {DRIVER + "Planted.swift": ASKED}
    for bug, edits in BUGS.items():
        for file, old, new in edits:
            path = DRIVER + file
            if path not in texts:
                with open(os.path.join(ROOT, path), encoding="utf-8") as source:
                    texts[path] = source.read()
            count = texts[path].count(old)
            if count != 1:
                sys.exit("%s: %s holds this %d times and not once; change the bug:\n%s"
                         % (bug, path, count, old))
            texts[path] = texts[path].replace(old, new.replace("BUG", 'Planted.has("%s")' % bug))
    return texts


def write_copy(copy):
    """What Git has of the repository, as it is now, and the bugs.

    A file that is the same already is not written: the build goes by its time.
    """
    planted = planted_sources()
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


def build(copy):
    say("building the tests with %d bugs in %s" % (len(BUGS), copy))
    if subprocess.run(["swift", "build", "--build-tests"], cwd=copy).returncode != 0:
        sys.exit("the copy with the bugs does not build: change the bug that the compiler names")


def suites():
    """The suites that run the driver; those of the stand-in alone cannot see a bug of it."""
    names = set()
    for file in os.listdir(os.path.join(ROOT, TESTS)):
        with open(os.path.join(ROOT, TESTS, file), encoding="utf-8") as source:
            names.update(re.findall(r"^struct (\w+Tests)\b", source.read(), re.MULTILINE))
    return sorted(name for name in names if not name.startswith("StandIn"))


def run(copy, bug):
    """(whether the tests passed, how many ran, the names of the red ones) with one bug."""
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    # More seeds find no less.
    environment.setdefault("SNAPFARM_XCODE_SEEDS", "1")
    environment["NO_COLOR"] = "1"
    if bug:
        environment[VARIABLE] = bug
    pattern = "^FarmDriversTests\\.(%s)/" % "|".join(suites())
    process = subprocess.Popen(
        ["swift", "test", "--skip-build", "--filter", pattern], cwd=copy, env=environment,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
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


def judge(copy, bugs):
    say("running the tests without a bug")
    good, count, names = run(copy, None)
    if not good or count == 0:
        say("the tests fail without a bug, or there are none: " + "; ".join(names))
        return 1
    say("%d tests pass without a bug" % count)
    missed = []
    for bug in bugs:
        start = time.monotonic()
        good, count, names = run(copy, bug)
        if good:
            missed.append(bug)
        say("%-18s %s  (%d s)" % (bug, "%3d red" % len(names) if not good else "MISSED",
                                  time.monotonic() - start))
        for name in names:
            say("%-18s   - %s" % ("", name))
        if not good and not names:
            say("%-18s   - the process of the tests died" % "")
    say("%d of %d bugs are found" % (len(bugs) - len(missed), len(bugs))
        + (": not " + ", ".join(missed) if missed else ""))
    return 1 if missed else 0


def say(text):
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
