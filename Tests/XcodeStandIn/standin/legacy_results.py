"""The older form of results: typed objects, fetched one by one by their identifiers.

    xcresulttool get --format json --path P [--id ID]           the only form before Xcode 16
    xcresulttool get --legacy --format json --path P [--id ID]  since; without --legacy an error
    xcresulttool export --type file --path P --id ID --output-path F

Record -> testsRef -> plan summaries -> summaryRef of each test -> failures and attachments.
"""
import json
import os
import shutil

from . import results
from .tool import Exit

STATUS = {"Passed": "Success", "Failed": "Failure", "Skipped": "Skipped",
          "Expected Failure": "Expected Failure"}
TYPES = {".png": "public.png", ".txt": "public.plain-text", "": "public.data"}


def typed(kind, **fields):
    return {"_type": {"_name": kind}, **fields}


def text(value):
    return {"_type": {"_name": "String"}, "_value": value}


def number(value):
    kind = "Int" if isinstance(value, int) else "Double"
    return {"_type": {"_name": kind}, "_value": str(value)}


def array(values):
    return {"_type": {"_name": "Array"}, "_values": values}


def reference(identifier):
    return typed("Reference", id=text(identifier))


def check_form(call, flags, words):
    if call.major >= 16 and "legacy" not in flags:
        raise Exit(64, "Error: This command is deprecated and will be removed in a future release, "
                       "--legacy flag is required to use it.\nUsage: xcresulttool %s object "
                       "[--legacy]" % words)
    if call.major < 16 and "legacy" in flags:
        raise Exit(64, "Error: Unknown option '--legacy'")


def get(call, values, flags):
    check_form(call, flags, "get")
    if values.get("format") != "json":
        raise Exit(64, "Error: Missing expected argument '--format <format>'")
    facts = results.load(values.get("path", ""))
    identifier = values.get("id")
    if identifier is None:
        found = record(facts)
    elif identifier.startswith("0~tests-"):
        found = plan_summaries(facts, identifier[len("0~tests-"):])
    elif identifier.startswith("0~summary-"):
        found = test_summary(facts["results"][int(identifier[len("0~summary-"):])])
    else:
        raise Exit(1, "Error: Object with id %s not found" % identifier)
    print(json.dumps(found, ensure_ascii=False))
    return 0


def export(call, values, flags):
    check_form(call, flags, "export")
    results.load(values.get("path", ""))
    source = os.path.join(values["path"], "Data", "data." + values.get("id", ""))
    if values.get("type") != "file" or not os.path.isfile(source):
        raise Exit(1, "Error: Object with id %s not found" % values.get("id"))
    shutil.copyfile(source, values["output-path"])
    return 0


def record(facts):
    failed = [(r, f) for r in facts["results"] if r["result"] == "Failed" for f in r["failures"]]
    issues = [
        typed("TestFailureIssueSummary", issueType=text("Uncategorized"), message=text(f["text"]),
              producingTarget=text(r["target"]),
              testCaseName=text(case_name(r)),
              documentLocationInCreatingWorkspace=typed(
                  "DocumentLocation", url=text("file://%s#EndingLineNumber=%d&StartingLineNumber="
                                               "%d" % (f["file"], f["line"] - 1, f["line"] - 1))))
        for r, f in failed
    ] + [
        typed("TestFailureIssueSummary", issueType=text("Uncategorized"), message=text(words),
              producingTarget=text("System Failures"), testCaseName=text("System Failures"))
        for words in facts["system"]
    ]
    actions = [
        typed("ActionRecord", schemeCommandName=text("Test"), runDestination=typed(
            "ActionRunDestinationRecord", displayName=text(device["name"]),
            targetDeviceRecord=typed(
                "ActionDeviceRecord", name=text(device["name"]), identifier=text(device["udid"]),
                modelName=text(device["model"]), operatingSystemVersion=text(device["os"]))),
              actionResult=typed(
                  "ActionResult", status=text("failed" if facts["exit"] else "succeeded"),
                  testsRef=reference("0~tests-" + device["udid"])))
        for device in facts["devices"]
    ]
    return typed(
        "ActionsInvocationRecord", actions=array(actions),
        issues=typed("ResultIssueSummaries", testFailureSummaries=array(issues)),
        metrics=typed("ResultMetrics", testsCount=number(len(facts["results"])),
                      testsFailedCount=number(len({r["identifier"] for r, _ in failed}))))


def case_name(result):
    """Returns `-[Class method]` for a test of Objective-C and `Class.method()` for one of Swift."""
    if result["is_objc"]:
        return "-[%s]" % result["identifier"].replace("/", " ")
    return result["identifier"].replace("/", ".")


def plan_summaries(facts, udid):
    """One summary for each configuration, in it one testable for each target."""
    own = [(n, r) for n, r in enumerate(facts["results"]) if r["device"] == udid]
    plans = []
    for configuration in sorted({r["configuration"] for _, r in own}):
        testables = []
        for target in sorted({r["target"] for _, r in own}):
            chosen = [(n, r) for n, r in own
                      if (r["configuration"], r["target"]) == (configuration, target)]
            groups = group("All tests", "All tests", [
                group(target + ".xctest", target + ".xctest", suites(chosen, 0))])
            testables.append(typed(
                "ActionTestableSummary", name=text(target), targetName=text(target),
                tests=array([groups])))
        plans.append(typed("ActionTestPlanRunSummary", name=text(configuration),
                           testableSummaries=array(testables)))
    return typed("ActionTestPlanRunSummaries", summaries=array(plans))


def group(name, identifier, subtests):
    return typed("ActionTestSummaryGroup", name=text(name), identifier=text(identifier),
                 subtests=array(subtests))


def suites(chosen, depth):
    found, names = [], []
    for _, result in chosen:
        if len(result["suites"]) > depth and result["suites"][depth] not in names:
            names.append(result["suites"][depth])
    for name in names:
        inside = [(n, r) for n, r in chosen if r["suites"][depth:depth + 1] == [name]]
        path = "/".join(inside[0][1]["suites"][:depth + 1])
        found.append(group(name, path, suites(inside, depth + 1)))
    return found + [
        typed("ActionTestMetadata", name=text(r["identifier"].split("/")[-1]),
              identifier=text(r["identifier"]), testStatus=text(STATUS[r["result"]]),
              duration=number(r["seconds"]), summaryRef=reference("0~summary-%d" % n))
        for n, r in chosen if len(r["suites"]) == depth
    ]


def test_summary(result):
    shown = typed(
        "ActionTestSummary", name=text(result["identifier"].split("/")[-1]),
        identifier=text(result["identifier"]), testStatus=text(STATUS[result["result"]]),
        duration=number(result["seconds"]),
        activitySummaries=array([
            typed("ActionTestActivitySummary", title=text(a["name"]), uuid=text(a["uuid"]),
                  activityType=text("com.apple.dt.xctest.activity-type.attachmentContainer"),
                  attachments=array([typed(
                      "ActionTestAttachment", name=text(a["name"]), filename=text(a["file"]),
                      uniformTypeIdentifier=text(TYPES[a["ending"]]),
                      payloadRef=reference("0~" + a["uuid"]))]))
            for a in result["attachments"]
        ]))
    if result["result"] == "Skipped":
        first = (result["failures"] or [{"text": "", "file": "", "line": 0}])[0]
        shown["skipNoticeSummary"] = typed(
            "ActionTestNoticeSummary", message=text("Test skipped - " + first["text"]),
            fileName=text(first["file"]), lineNumber=number(first["line"]))
    elif result["failures"]:
        shown["failureSummaries"] = array([
            typed("ActionTestFailureSummary", message=text(f["text"]), fileName=text(f["file"]),
                  lineNumber=number(f["line"]), issueType=text("Assertion Failure"))
            for f in result["failures"]
        ])
    return shown
