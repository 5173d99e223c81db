"""Which tests run: -only-testing, -skip-testing, and the two lists of an .xctestrun.

Identifiers on the command line begin with a target; those in an .xctestrun do not. XCTest's methods
may be written with `()` or without; Swift Testing's functions need theirs, with the labels of
arguments: "CartSuite/prices(_:)". Names between backticks may hold anything, a slash too.
"""
from .tool import Exit


def parts_of(identifier):
    parts, word, quoted = [], "", False
    for letter in identifier:
        if letter == "`":
            quoted = not quoted
        if letter == "/" and not quoted:
            parts.append(word)
            word = ""
        else:
            word += letter
    return parts + [word]


def is_swift_testing(name):
    return name.endswith(")")


def identifier_of(name):
    """As enumeration spells it: with parentheses for both libraries."""
    return name if is_swift_testing(name) else name + "()"


def matches(identifier, name):
    """Whether an identifier without target names this test, or a suite around it."""
    wanted, own = parts_of(identifier), parts_of(name)
    if len(wanted) < len(own):
        return own[:len(wanted)] == wanted
    if not is_swift_testing(name) and wanted[-1].endswith("()"):
        wanted[-1] = wanted[-1][:-2]
    return own == wanted


class Selection:
    """What the command line says of targets and tests."""

    def __init__(self, options, major=16):
        # Xcode 27 passes over what a plan skips of Swift Testing.
        self.skips_swift_testing = major < 27
        self.only = [parts_of(text) for text in options.lists["only-testing"]]
        self.skip = [parts_of(text) for text in options.lists["skip-testing"]]

    def check_targets(self, known, is_built):
        """A target that the plan or file does not have is an error, a test of it is not."""
        for parts in self.only:
            if parts[0] in known:
                continue
            if is_built:
                raise Exit(70, "xcodebuild: error: Failed to build project XCTestProject with "
                               "scheme Transient Testing.: There are no test bundles available to "
                               "test.")
            raise Exit(70, "xcodebuild: error: Failed to build: Tests in the target “%s” can’t be "
                           "run because “%s” isn’t a member of the specified test plan or scheme."
                       % (parts[0], parts[0]))

    def split(self, entry, tests):
        """The tests of a target that run, and those that are switched off."""
        target = entry["BlueprintName"]
        only = ["/".join(p[1:]) for p in self.only if p[0] == target]
        if self.only and not only:
            return [], []
        skip = ["/".join(p[1:]) for p in self.skip if p[0] == target]
        if "" in skip and not only:
            return [], []
        in_file = entry.get("OnlyTestIdentifiers", [])
        switched_off = entry.get("SkipTestIdentifiers", [])
        enabled, disabled = [], []
        for test in tests:
            name = test["test"]
            chosen = "" in only or any(matches(text, name) for text in only)
            if only and not chosen:
                continue
            if in_file:
                if any(matches(text, name) for text in in_file):
                    enabled.append(test)
            elif (any(matches(text, name) for text in switched_off) and not (only and chosen)
                  and (self.skips_swift_testing or not is_swift_testing(name))):
                disabled.append(test)
            elif only or not any(matches(text, name) for text in skip):
                enabled.append(test)
        return enabled, disabled
