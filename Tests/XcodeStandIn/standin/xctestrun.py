"""Reads an .xctestrun as xcodebuild does: versions 0, 1 and 2, with the keys it must have.

Invariant: products are found relative to the folder of the file that is given, __TESTROOT__. A
copy that lies elsewhere names products that are not there, and then no test is found.
"""
import os
import plistlib

from .tool import Exit


class TestRun:
    """`configurations`: [(name, [target entry])] in the file's order, the enabled ones."""

    def __init__(self, path, plan, configurations):
        self.path = path
        self.root = os.path.dirname(os.path.abspath(path))
        self.plan = plan
        self.configurations = configurations


def wrong(path, text):
    return Exit(65, "xcodebuild: error: Failed to read the xctestrun file at “%s”: %s"
                % (path, text))


def load(path):
    if not os.path.isfile(path):
        raise Exit(66, "xcodebuild: error: The file “%s” does not exist." % path)
    if not path.endswith(".xctestrun"):
        raise wrong(path, "it has no extension xctestrun.")
    try:
        with open(path, "rb") as file:
            plist = plistlib.load(file)
    except Exception:
        raise wrong(path, "The data couldn’t be read because it isn’t in the correct format."
                    ) from None
    version = plist.get("__xctestrun_metadata__", {}).get("FormatVersion", 0)
    if version == 2:
        configurations = [
            (entry["Name"], entry["TestTargets"]) for entry in plist.get("TestConfigurations", [])
            if entry.get("IsEnabled", True)
        ]
        plan = plist.get("TestPlan", {}).get("Name", "Test Scheme Action")
    else:
        # One dictionary for each target, under its name; other keys are none of them.
        targets = [
            {"BlueprintName": name, **entry} for name, entry in plist.items()
            if isinstance(entry, dict) and "TestBundlePath" in entry
        ]
        configurations = [("Test Scheme Action", targets)]
        plan = "Test Scheme Action"
    for _, targets in configurations:
        for target in targets:
            check(path, target)
    return TestRun(path, plan, configurations)


def check(path, target):
    """The mandatory keys of xcodebuild.xctestrun(5), and the types that it reads."""
    needed = ["BlueprintName", "TestBundlePath", "TestHostPath", "TestingEnvironmentVariables"]
    if target.get("IsUITestBundle"):
        needed.append("UITargetAppPath")
    for key in needed:
        if key not in target:
            raise wrong(path, "The key “%s” is missing." % key)
    for key in ("EnvironmentVariables", "TestingEnvironmentVariables"):
        for name, value in target.get(key, {}).items():
            if not isinstance(value, str):
                raise wrong(path, "The value of “%s” in “%s” is not a string." % (name, key))
    for key in ("OnlyTestIdentifiers", "SkipTestIdentifiers"):
        if not all(isinstance(value, str) for value in target.get(key, [])):
            raise wrong(path, "“%s” is not a list of strings." % key)
    for key in ("OnlyTestingIdentifiers", "SkipTestingIdentifiers"):
        if not is_choice(target.get(key, {})):
            raise wrong(path, "“%s” is not a dictionary of tests." % key)
    for key in ("SystemAttachmentLifetime", "UserAttachmentLifetime"):
        if target.get(key, "keepAlways") not in ("keepAlways", "deleteOnSuccess", "keepNever"):
            raise wrong(path, "“%s” has the unknown value “%s”." % (key, target[key]))


def is_choice(value):
    """{suites: [{name, suites, testFunctions}], testFunctions: [text], xctestClasses: [{name,
    xctestMethods: [text]}]}, as Xcode has it since 26.4 (bazelbuild/rules_apple#3016)."""
    if not isinstance(value, dict):
        return False
    below = value.get("suites", []) + value.get("xctestClasses", [])
    texts = value.get("testFunctions", []) + value.get("xctestMethods", [])
    return all(isinstance(text, str) for text in texts) and all(
        is_choice(entry) and isinstance(entry.get("name"), str) for entry in below)


class Products:
    """Where the products of one target lie, and what is wrong with them."""

    def __init__(self, run, target):
        self.root = run.root
        self.host = self.expand(target["TestHostPath"])
        self.bundle = self.expand(target["TestBundlePath"])
        self.target = target

    def expand(self, text):
        names = {"__TESTROOT__": self.root, "__PLATFORMS__": "/Platforms",
                 "__SHAREDFRAMEWORKS__": "/SharedFrameworks"}
        if hasattr(self, "host"):
            names["__TESTHOST__"] = self.host
        if hasattr(self, "bundle"):
            names["__TESTBUNDLE__"] = self.bundle
        for name, value in names.items():
            text = text.replace(name, value)
        return text

    @property
    def program(self):
        return os.path.join(self.bundle, self.target["BlueprintName"])

    @property
    def are_absent(self):
        return not os.path.exists(self.host) and not os.path.exists(self.bundle)

    def content(self):
        """What was built; None: it lost a link, a program or its executable bits on the way."""
        from .place import read_json
        host = os.path.join(self.host, os.path.basename(self.host)[:-4])
        try:
            content = read_json(os.path.normpath(self.program))
        except ValueError:
            return None
        if content is None:
            return None
        programs = [host, self.program]
        for name in content["frameworks"] if not self.target.get("IsUITestBundle") else []:
            framework = os.path.join(self.host, "Frameworks", name + ".framework")
            if not os.path.islink(os.path.join(framework, name)):
                return None
            programs.append(os.path.join(framework, name))
        if all(os.access(path, os.X_OK) for path in programs):
            return content
        return None
