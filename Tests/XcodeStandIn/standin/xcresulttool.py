"""xcresulttool: reads result bundles. `get test-results` and `export attachments` since Xcode 16;
before that, and with --legacy since, `get` by identifiers. See xcresulttool(1)."""
import json
import os
import shutil

from . import legacy_results, results, trouble
from .result_nodes import summary, tests
from .selection import parts_of
from .tool import Exit

VALUES = ("path", "output-path", "test-id", "schema-version", "format", "id", "type", "version")
FLAGS = ("compact", "schema", "only-failures", "legacy")


def main(call, words):
    values, flags, names = parse(words)
    if names[:1] == ["version"]:
        print("xcresulttool version %d053, schema version: 0.1.0 (legacy commands format version: "
              "3.53)" % (call.major + 7))
        return 0
    if trouble.strikes(call, "read", None, command=" ".join(names)):
        raise Exit(1, trouble.KINDS["xcresulttool-fails"][2])
    if names == ["get", "object"] or names == ["get"]:
        return legacy_results.get(call, values, flags)
    if names == ["export", "object"] or names == ["export"]:
        return legacy_results.export(call, values, flags)
    if call.major < 16:
        raise Exit(64, "Error: Unexpected argument '%s'\nUsage: xcresulttool get --path <path>"
                   % (names[1] if len(names) > 1 else ""))
    if names[:2] == ["get", "test-results"] and len(names) == 3:
        return get_test_results(values, flags, names[2])
    if names == ["export", "attachments"]:
        return export_attachments(values, flags)
    if names[:2] == ["get", "content-availability"]:
        results.load(need(values, "path"))
        print(json.dumps({"hasCoverage": False, "hasDiagnostics": True, "hasTestResults": True,
                          "logs": ["action"]}, indent=2))
        return 0
    raise Exit(64, "Error: Unexpected argument '%s'" % " ".join(names))


def parse(words):
    values, flags, names = {}, set(), []
    words = list(words)
    while words:
        word = words.pop(0)
        if not word.startswith("--"):
            names.append(word)
            continue
        name, equals, value = word[2:].partition("=")
        if name in FLAGS and not equals:
            flags.add(name)
        elif name in VALUES:
            if not equals:
                if not words:
                    raise Exit(64, "Error: Missing value for '--%s <%s>'" % (name, name))
                value = words.pop(0)
            values[name] = value
        else:
            raise Exit(64, "Error: Unknown option '%s'" % word)
    return values, flags, names


def need(values, name):
    if name not in values:
        raise Exit(64, "Error: Missing expected argument '--%s <%s>'" % (name, name))
    return values[name]


def get_test_results(values, flags, kind):
    facts = results.load(need(values, "path"))
    if kind == "tests":
        value = tests(facts)
    elif kind == "summary":
        value = summary(facts)
    else:
        raise Exit(64, "Error: Unexpected argument '%s'" % kind)
    indent = None if "compact" in flags else 2
    print(json.dumps(value, indent=indent, ensure_ascii=False))
    return 0


def url_of(facts, result):
    from urllib.parse import quote
    name = result["identifier"] if result["name"].endswith(")") else result["name"]
    parts = [facts["plan"], result["target"]] + parts_of(name)
    return "test://com.apple.xcode/" + "/".join(quote(part, safe="()_:") for part in parts)


def export_attachments(values, flags):
    """All files into one folder, and manifest.json, which says whose they are. An attachment that
    was made before its test failed does not count as the failure's."""
    facts = results.load(need(values, "path"))
    folder = need(values, "output-path")
    os.makedirs(folder, exist_ok=True)
    names = {device["udid"]: device["name"] for device in facts["devices"]}
    manifest = []
    for result in facts["results"]:
        if values.get("test-id") not in (None, result["identifier"], url_of(facts, result)):
            continue
        shown = []
        for attachment in result["attachments"]:
            if "only-failures" in flags and not attachment["failing"]:
                continue
            file = attachment["uuid"] + attachment["ending"]
            shutil.copyfile(
                os.path.join(values["path"], "Data", "data.0~" + attachment["uuid"]),
                os.path.join(folder, file))
            entry = {
                "exportedFileName": file, "suggestedHumanReadableName": attachment["file"],
                "isAssociatedWithFailure": attachment["failing"],
                "timestamp": 1795254060.0 + attachment["number"],
                "configurationName": result["configuration"],
                "deviceName": names[result["device"]], "deviceId": result["device"],
            }
            if result["repetition"]:
                entry["repetitionNumber"] = result["repetition"] + 1
            shown.append(entry)
        if shown:
            manifest.append({"testIdentifier": result["identifier"],
                             "testIdentifierURL": url_of(facts, result), "attachments": shown})
    with open(os.path.join(folder, "manifest.json"), "w", encoding="utf-8") as file:
        json.dump(manifest, file, indent=2, ensure_ascii=False)
    print("Exported %d attachments to %s" % (sum(len(m["attachments"]) for m in manifest), folder))
    return 0
