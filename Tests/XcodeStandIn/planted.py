#!/usr/bin/env python3
"""Plants bugs in the driver `xcodebuild`, and shows that its tests find each of them.

    planted.py [--scratch FOLDER] [--only BUG]... [--list]

  --scratch  the folder of the copy; it is kept, and what is built there already is not built again
  --only     only this bug; may be given several times
  --list     only name the bugs

It ends with status 1 where the tests pass with a bug, or fail without one.
"""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
import planted_shapes  # noqa: E402
from planting import ROOT, Planting  # noqa: E402

TESTS = "Tests/FarmDriversTests/Xcode"

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
        "LentSimulator.swift",
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
    # Of a plan's repetitions the worst counts, and not what Xcode makes of them.
    "worst-repetition": [(
        "XcodeLaunch.swift",
        "        result.ending = bundle.ending\n",
        "        if !BUG { result.ending = bundle.ending }\n",
    )],
    # A test that its plan made good is like one that passed at once.
    "hidden-repetition": [(
        "XcodeLaunch.swift",
        "        if result.seconds == 0 { result.seconds = bundle.seconds }\n",
        "        if BUG { result.earlierFailure = nil }\n"
        "        if result.seconds == 0 { result.seconds = bundle.seconds }\n",
    )],
    # What a plan skips runs where Xcode lists it.
    "skipped-runs": [(
        "XcodeDriver.swift",
        "            reasons[test] = \"the test plan skips it\"\n",
        "            if !BUG { reasons[test] = \"the test plan skips it\" }\n",
    )],
    # The time of tests that start together is that since their start.
    "time-of-others": [(
        "RunningTests.swift",
        "max(start, lastEnd ?? start)",
        "(BUG ? start : max(start, lastEnd ?? start))",
    )],
    # A simulator that was shut down under a launch is left to Xcode to boot.
    "booted-by-xcode": [(
        "LentSimulator.swift",
        "case .relaunch, .relaunchCrashed: simulator.forget()",
        "case .relaunch, .relaunchCrashed: if !BUG { simulator.forget() }",
    ), (
        "LentSimulator.swift",
        "            simulator.forget()\n        case .awaitDevice",
        "            if !BUG { simulator.forget() }\n        case .awaitDevice",
    )],
    # A first boot is given up as soon as any other.
    "short-first-boot": [(
        "LentSimulator.swift",
        "simulator.hasBooted ? tools.timing.bootSeconds",
        "simulator.hasBooted || BUG ? tools.timing.bootSeconds",
    )],
    # Every process uses the kept simulator itself.
    "lent-kept": [(
        "Simulators.swift",
        'let udid = try await tools.made(["clone", source, name])',
        'let udid = BUG ? source : try await tools.made(["clone", source, name])',
    )],
    # A simulator is kept with what a run has left in it.
    "kept-used": [(
        "LentSimulator.swift",
        "            if try await boot() { return try await setUp() }",
        "            if try await boot() {\n"
        "                try await setUp()\n"
        "                if BUG { simulator = try await owner.keep(simulator, tools) }\n"
        "                return\n"
        "            }",
    ), (
        "LentSimulator.swift",
        "        if isUp, isFirst, !hasKept {",
        "        if isUp, isFirst, !hasKept, !BUG {",
    )],
    # A kept simulator whose clones are of no use stays, and is cloned again.
    "useless-kept": [(
        "Simulators.swift",
        "        guard let udid else { return }\n        tools.note",
        "        guard let udid, !BUG else { return }\n        tools.note",
    )],
    # Kept simulators get ever older.
    "kept-for-ever": [(
        "Simulators.swift",
        "for udid in left + list.outdatedKept() {",
        "for udid in left + (BUG ? [] : list.outdatedKept()) {",
    )],
    # What is set is lost with the SpringBoard that was ended.
    "set-too-early": [(
        "LentSimulator.swift",
        "if !commands.isEmpty { try await awaitSpringBoard() }",
        "if !commands.isEmpty, !BUG { try await awaitSpringBoard() }",
    ), (
        "LentSimulator.swift",
        "if isRestarted { try await readBack() }",
        "if isRestarted, !BUG { try await readBack() }",
    )],
    # An appearance that cannot be set is a note, whatever the cells are.
    "ignored-appearance": [(
        "CellSetup.swift",
        "needsAppearance || kept.appearance != appearance",
        "!BUG && (needsAppearance || kept.appearance != appearance)",
    )],
    # A crash of the app is taken for a failure of the machine.
    "blamed-simulator": [(
        "FailureSignature.swift",
        "FailureSignature(text: $0, also: $1, action: .relaunchCrashed, limit: 1)",
        "FailureSignature(\n"
        "            text: $0, also: $1, action: BUG ? .erase : .relaunchCrashed, limit: 1)",
    )],
    **planted_shapes.BUGS,
}


def suites():
    """The suites that run the driver; those of the stand-in alone cannot see a bug of it."""
    names = set()
    for file in os.listdir(os.path.join(ROOT, TESTS)):
        with open(os.path.join(ROOT, TESTS, file), encoding="utf-8") as source:
            names.update(re.findall(r"^struct (\w+Tests)\b", source.read(), re.MULTILINE))
    return sorted(name for name in names if not name.startswith("StandIn"))


if __name__ == "__main__":
    planting = Planting(
        "Sources/FarmDrivers/Xcode/", BUGS, "^FarmDriversTests\\.(%s)/" % "|".join(suites()))
    sys.exit(planting.main(__doc__))
