"""standin-trace: the trace as text that is the same on every machine and in every folder.

    standin-trace [--only TOOL]... [--name NAME=PATH]... [--pattern NAME=REGEX]...
                  [--by-device] [--events] [--counts]

One line for each call, in the order of their starts: `NAME=value` of what of its environment
matters, words, `->` and how it ended. `--events` adds what happened inside, indented. UDIDs become
`<device name>`, with #2 for the second of that name; this Mac's folder becomes $MAC, and paths
given by --name become theirs, as does what a --pattern matches. `--by-device` puts the calls of one
simulator together, which makes runs that go side by side comparable. `--counts` only counts calls
by tool and first word.
"""
import json
import os
import re


def main(folder, _, words):
    from .place import Place
    place = Place(folder)
    options = parse(words)
    events = load(place)
    names = Names(place, events, options["name"], options["pattern"])
    calls = gather(events)
    if options["counts"]:
        return print_counts(calls)
    chosen = [c for c in calls if not options["only"] or verb(c)[0] in options["only"]]
    if options["by-device"]:
        chosen.sort(key=lambda call: (device_of(names, call), call["n"]))
    for call in chosen:
        print(names.plain(line(call)))
        if options["events"]:
            for event in call["inside"]:
                print("    " + names.plain(inner(event)))
    return 0


def parse(words):
    options = {"only": [], "name": [], "pattern": [], "by-device": False, "events": False,
               "counts": False}
    words = list(words)
    while words:
        name = words.pop(0).lstrip("-")
        if isinstance(options[name], list):
            options[name].append(words.pop(0))
        else:
            options[name] = True
    return options


def load(place):
    try:
        # Under the lock of its writers, so that no line is half there.
        with place.locked("trace.lock"), open(place.file("trace.jsonl"), encoding="utf-8") as file:
            return [json.loads(text) for text in file]
    except FileNotFoundError:
        return []


def gather(events):
    """Calls with what happened inside them; one without an end was killed."""
    calls = {}
    for event in events:
        if event["event"] == "start":
            calls[event["n"]] = {**event, "inside": [], "outcome": "killed"}
        elif event["event"] == "end":
            calls[event["call"]]["outcome"] = event["outcome"]
        elif event.get("call") in calls:
            calls[event["call"]]["inside"].append(event)
    return list(calls.values())


class Names:
    def __init__(self, place, events, given, patterns):
        self.udids, counts = {}, {}
        for event in events:
            if event["event"] in ("create", "clone"):
                number = counts.get(event["name"], 0) + 1
                counts[event["name"]] = number
                self.udids[event["device"]] = "<%s%s>" % (
                    event["name"], "" if number == 1 else " #%d" % number)
        paths = [text.partition("=")[::2] for text in given] + [("$MAC", place.folder)]
        # Of /private/var, a Mac's temporary folders, programs also say /var.
        paths += [(name, path[8:]) for name, path in paths if path.startswith("/private/")]
        # The longest first: one may lie in another.
        self.paths = sorted(((path, name) for name, path in paths if path),
                            key=lambda pair: -len(pair[0]))
        self.patterns = [text.partition("=")[::2] for text in patterns]

    def plain(self, text):
        for path, name in self.paths:
            text = text.replace(path, name)
        for name, pattern in self.patterns:
            text = re.sub(pattern, lambda _, name=name: name, text)
        return re.sub(r"[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}",
                      lambda match: self.udids.get(match[0], "<a UDID>"), text)


def verb(call):
    """Tool and first word, without the paths that lead there."""
    words = call["argv"]
    if call["tool"] == "xcrun":
        words = [w for w in words if not w.startswith("-")]
        tool = words[0] if words else ""
        rest = list(call["argv"][call["argv"].index(tool) + 1:]) if tool else []
        while rest[:1] == ["--set"]:
            rest = rest[2:]
        return tool, " ".join(rest[:2] if tool == "xcresulttool" else rest[:1])
    action = next((w for w in words if not w.startswith("-") and "=" not in w
                   and "/" not in w and w in ("build-for-testing", "test", "build",
                                               "test-without-building")), "")
    if "-enumerate-tests" in words:
        action = "enumerate"
    return call["tool"], action or (words[0] if words else "")


def line(call):
    words = [w if w and " " not in w and "\n" not in w else json.dumps(w, ensure_ascii=False)
             for w in call["argv"]]
    environment = ["%s=%s" % (name, json.dumps(value, ensure_ascii=False)
                              if " " in value or not value else value)
                   for name, value in call["env"].items() if name not in ("LANG", "LC_ALL")]
    return " ".join(environment + [call["tool"]] + words) + " -> " + call["outcome"]


def inner(event):
    facts = {key: value for key, value in event.items()
             if key not in ("n", "event", "pid", "call")}
    return event["event"] + " " + json.dumps(facts, ensure_ascii=False, sort_keys=True)


def device_of(names, call):
    """The simulator that a call is about, by its name; calls about none come first."""
    text = json.dumps([call["argv"], call["inside"]], ensure_ascii=False)
    found = re.search(r"[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}", text)
    return names.udids.get(found[0], "") if found else ""


def print_counts(calls):
    counts = {}
    for call in calls:
        key = " ".join(verb(call)).strip()
        counts[key] = counts.get(key, 0) + 1
    for key in sorted(counts):
        print("%5d %s" % (counts[key], key))
    return 0
