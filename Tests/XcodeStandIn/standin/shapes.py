"""Shapes of Xcode's lines that differ from run to run, and names of classes, of Xcode 14 to 27.

"shapes" of the machine file has a share of the lines for each, from 0 to 1:

  zeroWidth      U+200B stands before Swift Testing's sign (186 of 8,185 lines of one run)
  barrier        `XCTestOutputBarrier` stands before the sign, without a space
  lostEnds       the line that ends a test is missing, or has words that no reader knows
  namelessCrash  the line after a crash names no test
  clones         1: the lines are those of clones, although no test runs in one

What follows is drawn from the machine's seed and the number of the run, so a run can be repeated.
"""
import hashlib
import random


class Shapes:
    def __init__(self, place):
        self.shares = place.machine["shapes"]
        self.random = random.Random("%s %d" % (place.machine["seed"], place.count("shapes")))

    def strikes(self, name):
        return self.random.random() < self.shares.get(name, 0)

    def before_sign(self):
        """Returns the text between a line's start and a sign of Swift Testing."""
        lead = "XCTestOutputBarrier" if self.strikes("barrier") else ""
        return lead + ("\u200b" if self.strikes("zeroWidth") else "")

    def without_end(self, line):
        """Returns the lines in place of one that ends a test; None: the line is as it should be."""
        if not self.strikes("lostEnds"):
            return None
        strange = line.replace(" passed", " went well").replace(" failed", " went wrong")
        return self.random.choice(([], [strange.replace(" skipped", " was left out")]))


def class_name(module, suites, entry):
    """Returns a class's name in XCTest's console, which is that of Objective-C's runtime:
    `Module.Class`, a mangled name if the class is private or lies in another type, and no module if
    it is Objective-C's.

    Of a test's entry, "within" has a letter for each type around the class from the inside to the
    outside (C class, V structure, O enumeration; all are C by default); "private" and "objc" are
    flags.
    """
    types = [part for suite in suites for part in suite.split(".")]
    if entry.get("objc") or types[-1].startswith("_Tt"):
        return types[-1]
    if len(types) == 1 and not entry.get("private"):
        return module + "." + types[0]
    kinds = "C" + entry.get("within", "C" * (len(types) - 1))
    outer = "".join("%d%s" % (len(part), part) for part in [module] + types[:-1])
    mark = "P33_" + hashlib.md5(module.encode()).hexdigest().upper() if entry.get("private") else ""
    return "_Tt%s%s%s%d%s" % (kinds, outer, mark, len(types[-1]), types[-1])


def suite_name(module, suites, entry):
    """Returns the class's name in the lines of suites, which have no module."""
    name = class_name(module, suites, entry)
    return name if name.startswith("_Tt") else name.split(".")[-1]
