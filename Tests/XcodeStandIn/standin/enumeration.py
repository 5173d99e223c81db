"""-enumerate-tests: which tests there are. It runs in a simulator, as the tests do."""
import json
import sys

from . import xctestrun
from .selection import identifier_of, parts_of
from .tool import Exit


def write_enumeration(run, test_run, selection):
    enabled, disabled = [], []
    for _, targets in test_run.configurations[:1]:
        for target in targets:
            products = xctestrun.Products(test_run, target)
            content = None if products.are_absent else products.content()
            if content is None:
                continue
            lists = selection.split(target, content["tests"])
            for result, tests in zip((enabled, disabled), lists):
                result += [target["BlueprintName"] + "/" + identifier_of(test["test"])
                           for test in tests]
    options = run.options
    style = options.get("test-enumeration-style", "hierarchical")
    if style == "flat":
        values = {"testPlan": test_run.plan,
                  "enabledTests": [{"identifier": name} for name in enabled],
                  "disabledTests": [{"identifier": name} for name in disabled]}
    elif style == "hierarchical":
        values = {"kind": "plan", "name": test_run.plan, "disabled": False,
                  "children": tree(enabled, disabled)}
    else:
        raise Exit(64, "xcodebuild: error: invalid test enumeration style '%s'" % style)
    write(options, {"errors": [], "values": [values]}, test_run.plan, enabled)


def write_errors(run, errors=None):
    """`errors`: texts, or objects that hold some."""
    write(run.options, {"errors": errors or run.system, "values": []}, "", [])


def tree(enabled, disabled):
    kinds = ("target", "class", "test")
    root = []
    for name in enabled + disabled:
        children, parts = root, parts_of(name)
        for depth, part in enumerate(parts):
            kind = "test" if depth == len(parts) - 1 else kinds[min(depth, 1)]
            node = next((n for n in children if n["name"] == part), None)
            if node is None:
                node = {"kind": kind, "name": part, "disabled": name in disabled, "children": []}
                children.append(node)
            children = node["children"]
    return root


def write(options, found, plan, enabled):
    shape = options.get("test-enumeration-format", "text")
    if shape == "json":
        text = json.dumps(found, indent=2, ensure_ascii=False) + "\n"
    elif shape == "text":
        text = "Plan %s\n%s\n" % (plan, "\n".join("\t" + name for name in enabled))
    else:
        raise Exit(64, "xcodebuild: error: invalid test enumeration format '%s'" % shape)
    path = options.get("test-enumeration-output-path", "-")
    if path == "-":
        sys.stdout.write(text)
        return
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
