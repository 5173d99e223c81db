"""Projects, schemes and tests, as a machine file or a project's own standin.json describes them.

    {"schemes": {"Shop": {"targets": ["ShopTests"], "testPlans": {"Shop": {…}}}},
     "targets": {"ShopTests": {"kind": "unit", "host": "Shop", "tests": […]}}}

A test plan may name the tests that it runs or leaves out ("only", "skip"), bring other keys of an
.xctestrun along ("brings"), and run its tests again ({"testRepetitionMode": "retryOnFailure",
"maximumTestRepetitions": 3}). A test is a name, or {"test": name, "does": [step, …]}. A name that
ends in `)` is Swift Testing's: "CartSuite/total()", "CartSuite/prices(_:)",
"CartSuite/`empty cart`()"; others are XCTest's. {"objc": true} is a test of Objective-C, and
{"private": true} lies in a private class.
"sources" lists files beside the project that tests may depend on, as they are built.
"""
import os

from .place import read_json
from .tool import Exit


class Project:
    def __init__(self, path, description):
        self.path = path
        self.name = os.path.basename(path)
        # Source files are named relative to it.
        self.root = os.path.dirname(path)
        self.targets = description["targets"]
        self.description = description
        self.schemes = description.get("schemes") or {
            os.path.splitext(self.name)[0]: {"targets": list(self.targets)}
        }

    @property
    def kind(self):
        return "workspace" if self.name.endswith(".xcworkspace") else "project"

    def scheme(self, name):
        if name not in self.schemes:
            raise Exit(65, 'xcodebuild: error: The %s named "%s" does not contain a scheme named '
                           '"%s". The "-list" option can be used to find the names of the schemes '
                           "in the %s." % (self.kind, os.path.splitext(self.name)[0], name,
                                           self.kind))
        return self.schemes[name]


def find(call, options):
    """The named project, or the only one of this folder."""
    path = options.get("workspace") or options.get("project")
    if path is None:
        here = sorted(n for n in os.listdir(".") if n.endswith((".xcworkspace", ".xcodeproj")))
        workspaces = [n for n in here if n.endswith(".xcworkspace")]
        candidates = workspaces or here
        if not candidates:
            raise Exit(66, "xcodebuild: error: The directory %s does not contain an Xcode project, "
                           "workspace or package." % os.getcwd())
        if len(candidates) > 1:
            raise Exit(66, "xcodebuild: error: The directory %s contains %d projects, including "
                           "multiple projects with the current extension. Specify the project to "
                           "use with the -project option." % (os.getcwd(), len(candidates)))
        path = candidates[0]
    path = os.path.abspath(path)
    if not os.path.isdir(path):
        raise Exit(66, "xcodebuild: error: '%s' does not exist." % path)
    description = read_json(os.path.join(path, "standin.json"))
    if description is None:
        description = call.place.machine["projects"].get(os.path.basename(path))
    if description is None:
        raise Exit(74, "xcodebuild: error: Unable to read project '%s'.\n\tReason: The project is "
                       "damaged and cannot be opened." % os.path.basename(path))
    return Project(path, description)


def plans(project, scheme_name):
    """Test plans by name; a scheme without any has one that nobody named: None."""
    scheme = project.scheme(scheme_name)
    given = scheme.get("testPlans")
    if not given:
        return {None: {"targets": scheme["targets"]}}
    return {name: {"targets": scheme.get("targets", []), **plan} for name, plan in given.items()}


def described(test):
    return {"test": test} if isinstance(test, str) else test
