"""One test while it runs in its process: what its steps do, and what is left of them.

Steps of a test, in their order ({"does": [...]}):

    {"print": text, "ends": false} {"fail": text, "line": 14, "file": …, "comments": [text]}
    {"throw": text} {"knownIssue": text} {"skip": reason} {"cancel": reason}
    {"crash": text} {"hang": true} {"takes": seconds} {"exit": status}
    {"picture": {"with": "fb" | "pf" | "kit" | "previews" | "attachment" | "file", …}}
    {"attach": text, "name": …} {"write": text, "path": "$DIR/file"} {"need": {NAME: value}}
    {"when": {"attempt": 1, "device": …, "language": …, "argument": …, NAME: value}, "does": […],
     "else": […]}

Two conditions look at files: {"source": text} holds where the project's sources held the text when
they were built, {"file": "$DIR/file"} where the file is there now. A picture with "source": text
depends on the lines that hold the text. `"ends": false` prints no line break, `"typed": false`
attaches a picture of no type.
"""
import os

from . import frameworks, pictures
from .selection import is_swift_testing, parts_of


class Crash(Exception):
    """The process ends in the middle of the test."""


class TimedOut(Exception):
    """The time allowance of the test is over; its process is ended."""


class Stop(Exception):
    """The test ends here, the process goes on."""


class RunningTest:
    def __init__(self, process, entry):
        self.process = process
        self.entry = entry
        self.name = entry["test"]
        self.target = process.content["target"]
        self.module = process.content["module"]
        parts = parts_of(self.name)
        self.suites, self.method = parts[:-1], parts[-1]
        self.is_swift_testing = is_swift_testing(self.name)
        self.arguments = entry.get("arguments", [])
        self.environment = process.environment
        self.failures, self.attachments = [], []
        self.result, self.elapsed, self.counter = "Passed", 0.0, 0
        self.argument, self.known_issues, self.is_cancelled = None, 0, False
        # Of a plan that runs its tests again, from 0.
        self.repetition = 0
        self.attempt = process.count_attempt(self.name)

    @property
    def identifier(self):
        is_objc = self.entry.get("objc")
        return self.name if self.is_swift_testing or is_objc else self.name + "()"

    @property
    def function(self):
        """As #function spells it."""
        return self.method.replace("`", "") if self.is_swift_testing else self.method + "()"

    @property
    def function_name(self):
        return self.function.split("(")[0]

    @property
    def title(self):
        """The display name, which a name between backticks always has."""
        title = self.entry.get("title")
        if title is None and "`" in self.method:
            title = self.function_name
        return self.method if title is None else '"%s"' % title

    @property
    def source_file(self):
        suite = self.suites[0] if self.suites else self.target
        default = "%s/%s.%s" % (self.target, suite, "m" if self.entry.get("objc") else "swift")
        return "%s/%s" % (self.process.content["root"], self.entry.get("file", default))

    @property
    def file_name(self):
        return self.source_file.split("/")[-1]

    @property
    def is_disabled(self):
        """Switched off by a trait: Swift Testing says so without starting it."""
        return "disabled" in self.entry

    def run(self):
        """Does all steps, once for each argument; raises Crash or TimedOut out of them."""
        try:
            for argument in self.arguments or [None]:
                self.argument = argument
                self.take(self.entry.get("seconds", 0.1) / max(1, len(self.arguments)))
                self.do(self.entry.get("does", []))
        except Stop:
            pass
        if self.failures and self.result == "Passed":
            self.result = "Failed"

    def do(self, steps):
        for step in steps:
            verb = next(name for name in VERBS if name in step)
            VERBS[verb](self, step)

    def take(self, seconds):
        self.process.out.now += seconds
        self.elapsed += seconds
        allowed = self.process.allowance
        if allowed is not None and self.elapsed > allowed:
            raise TimedOut()
        self.process.place.take_time(seconds)

    def fail(self, text, step):
        self.failures.append(self.failure(text, step))
        self.process.lines.failure(self, self.failures[-1])

    def failure(self, text, step):
        failure = {
            "text": text, "line": step.get("line", self.entry.get("line", 10)),
            "file": self.process.content["root"] + "/" + step["file"] if step.get("file")
            else self.source_file,
        }
        if self.argument is not None:
            failure["argument"] = str(self.argument)
        if "throw" in step:
            failure["thrown"] = 1
        if "comments" in step:
            failure["comments"] = step["comments"]
        return failure

    def skip(self, text, step):
        self.result = "Skipped"
        self.failures.append({"text": text, "file": self.source_file,
                              "line": step.get("line", self.entry.get("line", 10))})
        self.process.lines.skip(self, self.failures[-1])
        raise Stop()

    def crashed(self, text):
        self.process.lines.printed("%s:%d: Fatal error: %s" % (
            self.source_file, self.entry.get("line", 10), text))
        return Crash(text)

    def hang(self):
        if self.process.allowance is not None:
            self.take(self.process.allowance + 1 - self.elapsed)
        self.process.place.hang()
        raise Crash("the stand-in waited long enough")

    def picture(self, step):
        process = self.process
        settings = {"language": process.language, "region": process.region}
        name = "%s %s" % (self.name, step.get("look", ""))
        for key in ("named", "name", "identifier", "component"):
            name += " %s" % step.get(key, "")
        if self.argument is not None:
            name += " %s" % self.argument
        if "source" in step:
            name += "\n".join(self.source_lines(step["source"]))
        device = process.current_device()
        look = pictures.look_of(process.place, device, settings, name, step.get("statusBar"))
        for setting in step.get("ignores", []):
            look.pop(setting, None)
        if step.get("unstable"):
            look["take"] = process.place.count("takes")
        return pictures.png(look, step.get("size", (16, 16)), step.get("changed", 0))

    def attach(self, name, data, typed=True):
        self.attachments.append({"name": name, "data": data, "typed": typed,
                                 "failing": bool(self.failures)})

    def expand(self, text):
        """Variables of the test's environment, the longest names first."""
        for name in sorted(self.environment, key=len, reverse=True):
            text = text.replace("$" + name, self.environment[name])
        return text

    def holds(self, conditions):
        process = self.process
        device = process.current_device()
        facts = {
            "attempt": self.attempt, "device": device["type"], "os": device["runtime"],
            "appearance": device["appearance"], "contentSize": device["contentSize"],
            "language": process.language or device["live"].get("AppleLanguages", ["en"])[0],
            "argument": self.argument,
        }
        for name, wanted in conditions.items():
            if name == "source":
                holds = bool(self.source_lines(wanted))
            elif name == "file":
                holds = os.path.exists(self.expand(wanted))
            else:
                holds = facts.get(name, self.environment.get(name)) == wanted
            if not holds:
                return False
        return True

    def source_lines(self, text):
        """Lines with a text in them, of the project's sources as they were built."""
        sources = self.process.content.get("sources", [])
        return [line for source in sources for line in source.split("\n") if text in line]


def do_fail(test, step):
    test.fail(step["fail"], step)
    if step.get("stops"):
        raise Stop()


def do_throw(test, step):
    prefix = "Caught error: " if test.is_swift_testing else 'failed: caught error: "'
    test.fail(prefix + step["throw"] + ("" if test.is_swift_testing else '"'), step)
    raise Stop()


def do_known_issue(test, step):
    test.result = "Expected Failure"
    test.known_issues += 1
    if test.is_swift_testing:
        test.process.lines.failure(test, {**test.failure(step["knownIssue"], step), "known": True})


def do_cancel(test, step):
    test.is_cancelled = True
    test.skip(step["cancel"], step)


def do_crash(test, step):
    raise test.crashed(step["crash"])


def do_exit(test, step):
    raise Crash("the process ended with status %s" % step["exit"])


def do_picture(test, step):
    picture = step["picture"]
    for text in frameworks.WRITERS[picture["with"]](test, picture):
        # XCTFail's own words; Swift Testing records an issue with the rest.
        if test.is_swift_testing and text.startswith("failed - "):
            text = text[len("failed - "):]
        test.fail(text, picture)


def do_attach(test, step):
    test.attach(step.get("name", "text"), step["attach"].encode(), step.get("typed", True))


def do_write(test, step):
    frameworks.write(test.expand(step["path"]), step["write"].encode())


def do_need(test, step):
    for name, wanted in step["need"].items():
        found = test.environment.get(name)
        if found != wanted:
            test.fail('XCTAssertEqual failed: ("%s") is not equal to ("%s") - %s' % (
                found, wanted, name), step)


def do_when(test, step):
    test.do(step.get("does", []) if test.holds(step["when"]) else step.get("else", []))


VERBS = {
    "when": do_when,
    "print": lambda test, step: test.process.lines.printed(
        test.expand(step["print"]), step.get("ends", True)),
    "fail": do_fail, "throw": do_throw, "knownIssue": do_known_issue,
    "skip": lambda test, step: test.skip(step["skip"], step), "cancel": do_cancel,
    "crash": do_crash, "exit": do_exit,
    "hang": lambda test, step: test.hang(),
    "takes": lambda test, step: test.take(step["takes"]),
    "picture": do_picture, "attach": do_attach, "write": do_write, "need": do_need,
}
