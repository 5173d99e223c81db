"""The JSON of `xcresulttool get test-results tests` and `summary`, schema version 0.1.0."""

START = 1795254060.0


def devices(facts):
    return [
        {"deviceId": d["udid"], "deviceName": d["name"], "architecture": "arm64",
         "modelName": d["model"], "platform": "iOS Simulator", "osVersion": d["os"],
         "osBuildNumber": "22F77"}
        for d in facts["devices"]
    ]


def configurations(facts):
    names = sorted({result["configuration"] for result in facts["results"]})
    return [{"configurationId": str(n + 1), "configurationName": name}
            for n, name in enumerate(names)]


def duration(facts, seconds):
    """As people read it, in the words and the decimal sign of their region."""
    if seconds >= 60:
        return "%dm %ds" % divmod(int(seconds), 60)
    text = "%.2g" % seconds if seconds < 1 else "%.2f" % seconds
    return (text.replace(".", ",") if facts.get("decimalComma") else text) + "s"


def worst(words):
    for word in ("Failed", "Passed", "Expected Failure", "Skipped"):
        if word in words:
            return word
    return "unknown"


def failure_nodes(facts, result):
    nodes = []
    for failure in result["failures"]:
        text = failure["text"]
        if result["name"].endswith(")") and not text.startswith(("Expectation failed", "Crash")):
            text = "Issue recorded: " + text
        is_skip = result["result"] == "Skipped"
        if is_skip:
            text = skip_text(facts, result, failure["text"])
        if failure["file"] and not (is_skip and result["name"].endswith(")")):
            text = "%s:%d: %s" % (failure["file"].split("/")[-1], failure["line"], text)
        nodes.append({"name": text, "nodeType": "Failure Message", "result": result["result"]})
    return nodes


def skip_text(facts, result, reason):
    """XCTest's prefix, that of Swift Testing since Xcode 26, or none."""
    if not result["name"].endswith(")"):
        return "Test skipped" + (" - " + reason if reason else "")
    if reason and int(facts["xcode"].split(".")[0]) >= 26:
        return "Test '%s' skipped: %s" % (result["title"], reason)
    return reason


def case_node(facts, runs):
    """`runs`: the results of one test, by device, configuration and repetition."""
    from .xcresulttool import url_of
    last = runs[-1]
    node = {
        "name": last["title"] if last["name"].endswith(")") else last["identifier"].split("/")[-1],
        "nodeType": "Test Case", "nodeIdentifier": last["identifier"],
        "nodeIdentifierURL": url_of(facts, last),
        "result": worst([r["result"] for r in lasts(runs)]),
        "duration": duration(facts, sum(r["seconds"] for r in runs)),
    }
    if int(facts["xcode"].split(".")[0]) >= 26:
        node["durationInSeconds"] = sum(r["seconds"] for r in runs)
    children = children_of(facts, runs)
    if children:
        node["children"] = children
    return node


def lasts(runs):
    found = {}
    for run in runs:
        found[run["device"], run["configuration"]] = run
    return list(found.values())


def children_of(facts, runs):
    """A level for devices, configurations or repetitions where there is more than one."""
    for key, kind, names in (
        ("device", "Device", {d["udid"]: d["name"] for d in facts["devices"]}),
        ("configuration", "Test Plan Configuration", {}),
        ("repetition", "Repetition", {}),
    ):
        values = sorted({run[key] for run in runs})
        if len(values) < 2:
            continue
        nodes = []
        for value in values:
            own = [run for run in runs if run[key] == value]
            name = "Retry %d" % value if kind == "Repetition" and value else (
                "First Run" if kind == "Repetition" else names.get(value, value))
            nodes.append({
                "name": name, "nodeType": kind, "nodeIdentifier": str(value),
                "result": worst([r["result"] for r in lasts(own)]),
                "duration": duration(facts, sum(r["seconds"] for r in own)),
                "children": children_of(facts, own),
            })
        return nodes
    nodes_of = argument_nodes if runs[-1]["arguments"] else failure_nodes
    return nodes_of(facts, runs[-1])


def argument_nodes(facts, result):
    nodes = []
    for argument in result["arguments"]:
        own = [f for f in result["failures"] if f.get("argument") == argument]
        word = "Failed" if own else ("Passed" if result["result"] == "Failed" else
                                     result["result"])
        node = {"name": argument, "nodeType": "Arguments", "result": word}
        if own:
            node["children"] = failure_nodes(facts, {**result, "failures": own})
        nodes.append(node)
    rest = [f for f in result["failures"] if f.get("argument") is None]
    return nodes + failure_nodes(facts, {**result, "failures": rest})


def tests(facts):
    """Plan, bundles, suites in each other, cases. What went wrong with no test is a suite of its
    own, with a case that no plan has."""
    bundles = {}
    cases = {}
    for result in facts["results"]:
        cases.setdefault((result["target"], result["identifier"]), []).append(result)
    for (target, _), runs in cases.items():
        bundle = bundles.setdefault(target, {
            "name": target, "children": [],
            "nodeType": "UI test bundle" if runs[0]["is_ui"] else "Unit test bundle"})
        children, path = bundle["children"], ""
        for suite in runs[0]["suites"]:
            path = path + "/" + suite if path else suite
            node = next((n for n in children if n["name"] == suite and "children" in n), None)
            if node is None:
                node = {"name": suite, "nodeType": "Test Suite", "nodeIdentifier": path,
                        "children": []}
                children.append(node)
            children = node["children"]
        children.append(case_node(facts, runs))
    if facts["system"]:
        bundles["System Failures"] = {
            "name": "System Failures", "nodeType": "Test Suite", "children": [
                {"name": text, "nodeType": "Test Case", "result": "Failed",
                 "nodeIdentifier": "System Failures/" + text,
                 "children": [{"name": text, "nodeType": "Failure Message", "result": "Failed"}]}
                for text in facts["system"]
            ]}
    for bundle in bundles.values():
        settle(bundle)
    plan = {"name": facts["plan"], "nodeType": "Test Plan", "children": list(bundles.values())}
    plan["result"] = worst([node["result"] for node in plan["children"]])
    return {"devices": devices(facts), "testPlanConfigurations": configurations(facts),
            "testNodes": [plan]}


def settle(node):
    """The result of a suite is the worst of what it holds."""
    for child in node.get("children", []):
        if child["nodeType"] == "Test Suite":
            settle(child)
    if node["nodeType"] != "Test Case":
        node["result"] = worst([child.get("result") for child in node["children"]])


def summary(facts):
    from .xcodebuild import last_of
    last = last_of(facts["results"])
    counts = {word: sum(1 for r in last if r["result"] == word)
              for word in ("Passed", "Failed", "Skipped", "Expected Failure")}
    failures = [
        {"testName": r["title"], "targetName": r["target"], "failureText": f["text"],
         "testIdentifier": number, "testIdentifierString": r["identifier"]}
        for number, r in enumerate(last) if r["result"] == "Failed" for f in r["failures"]
    ] + [
        {"testName": text, "targetName": "System Failures", "failureText": text,
         "testIdentifier": -1, "testIdentifierString": "System Failures/" + text}
        for text in facts["system"]
    ]
    return {
        "title": "Test - " + facts["plan"], "environmentDescription": "stand-in of a Mac",
        "topInsights": [], "result": "Failed" if facts["exit"] else "Passed",
        "totalTestCount": len(last), "passedTests": counts["Passed"],
        "failedTests": counts["Failed"], "skippedTests": counts["Skipped"],
        "expectedFailures": counts["Expected Failure"], "statistics": [],
        "devicesAndConfigurations": [
            {"device": device, "testPlanConfiguration": configuration,
             "passedTests": counts["Passed"], "failedTests": counts["Failed"],
             "skippedTests": counts["Skipped"], "expectedFailures": counts["Expected Failure"]}
            for device in devices(facts) for configuration in configurations(facts)
        ],
        "testFailures": failures, "startTime": START, "finishTime": START + facts["seconds"],
    }
