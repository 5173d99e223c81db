"""Which tests run: -only-testing, -skip-testing, and the lists and dictionaries of an .xctestrun.

Identifiers on the command line begin with a target; those in an .xctestrun do not. XCTest's methods
may be written with `()` or without; Swift Testing's functions need theirs, with the labels of
arguments: "CartSuite/prices(_:)". Names between backticks may hold anything, a slash too. An
identifier of no test is passed over without a word.

  Xcode 16.0 to 16.3  -only-testing names a function of Swift Testing as `function()()`, and as
                      nothing else
  from 26.4           Swift Testing obeys the two dictionaries of the .xctestrun alone; XCTest obeys
                      them, too, and then not the two lists
  from 27             what a plan skips of Swift Testing is run
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


def names_argument(identifier, name, version):
    """Whether -only-testing or -skip-testing of this Xcode names the test with this identifier."""
    is_whole = len(parts_of(identifier)) == len(parts_of(name))
    if is_whole and is_swift_testing(name) and (16, 0) <= version < (16, 4):
        return identifier == name + "()"
    return matches(identifier, name)


def is_in(choice, name):
    """Whether a dictionary of an .xctestrun names the test, or a suite around it."""
    parts = parts_of(name)
    if not is_swift_testing(name):
        found = [c for c in choice.get("xctestClasses", []) if c["name"] == "/".join(parts[:-1])]
        return any(parts[-1] in c.get("xctestMethods", parts[-1:]) for c in found)
    for part in parts[:-1]:
        choice = next((s for s in choice.get("suites", []) if s["name"] == part), None)
        if choice is None:
            return False
        if not choice.keys() & {"suites", "testFunctions"}:
            return True
    return parts[-1] in choice.get("testFunctions", [])


class Selection:
    """What the command line says of targets and tests."""

    def __init__(self, options, version):
        self.version = version
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
        enabled, disabled = [], []
        for test in tests:
            name = test["test"]
            file = FileChoice(entry, name, self.version)
            if file.is_alone:
                if file.only is not None:
                    enabled += [test] if file.only else []
                else:
                    (disabled if file.skips else enabled).append(test)
                continue
            chosen = "" in only or any(names_argument(t, name, self.version) for t in only)
            if only and not chosen:
                continue
            if file.only is not None:
                enabled += [test] if file.only else []
            elif file.skips and not (only and chosen):
                disabled.append(test)
            elif only or not any(names_argument(t, name, self.version) for t in skip):
                enabled.append(test)
        return enabled, disabled


class FileChoice:
    """One test in the lists and dictionaries of its target's entry in the .xctestrun.

    only      whether it is chosen; None: the entry chooses none
    skips     whether the test is switched off
    is_alone  whether the command line says nothing of it
    """

    def __init__(self, entry, name, version):
        only, skip = entry.get("OnlyTestingIdentifiers"), entry.get("SkipTestingIdentifiers")
        has_choice = version >= (26, 4) and (only is not None or skip is not None)
        self.is_alone = has_choice and is_swift_testing(name)
        if has_choice:
            self.only = None if only is None else is_in(only, name)
            self.skips = skip is not None and is_in(skip, name)
            if version >= (27, 0) and is_swift_testing(name):
                self.skips = False
            return
        only, skip = entry.get("OnlyTestIdentifiers", []), entry.get("SkipTestIdentifiers", [])
        if version >= (26, 4) and is_swift_testing(name):
            only = skip = []
        self.only = any(matches(text, name) for text in only) if only else None
        self.skips = any(matches(text, name) for text in skip)
