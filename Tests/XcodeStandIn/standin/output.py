"""xcodebuild's standard output: its clock, its buffer, and the lines of both test libraries.

Without NSUnbufferedIO=YES the lines of a pipe come in blocks, and what is in the block is lost when
xcodebuild is killed.
"""
import os
import sys


class Output:
    def __init__(self, is_quiet):
        self.is_quiet = is_quiet
        self.is_unbuffered = os.environ.get("NSUnbufferedIO") == "YES"
        # Scripted seconds since 09:41.
        self.now = 0.0

    def line(self, text=""):
        if not self.is_quiet:
            self.always(text)

    def always(self, text):
        sys.stdout.write(text + "\n")
        if self.is_unbuffered:
            sys.stdout.flush()

    def flush(self):
        sys.stdout.flush()

    @property
    def date(self):
        minutes, seconds = divmod(self.now, 60)
        hours, minutes = divmod(41 + int(minutes), 60)
        return "2026-11-21 %02d:%02d:%06.3f" % ((9 + hours) % 24, minutes, seconds)


class XCTestLines:
    """`device`: given when the tests run in clones, whose lines have another shape."""

    def __init__(self, out, module, bundle, selected, clone=None):
        self.out = out
        self.module = module
        self.bundle = bundle
        self.all = "Selected tests" if selected else "All tests"
        self.clone = clone
        self.open = []

        self.totals = {"run": 0, "skipped": 0, "failures": 0, "unexpected": 0, "time": 0.0}
        self.suite_totals = dict(self.totals)

    def begin_run(self):
        if self.clone is None:
            self.begin(self.all)
            self.begin(self.bundle)

    def begin(self, suite):
        self.out.line("Test Suite '%s' started at %s." % (suite, self.out.date))
        self.open.append(suite)

    def enter_suite(self, suite):
        """The suite of the next test; None: there is none."""
        if self.clone is not None:
            return
        if len(self.open) > 2:
            if self.open[-1] == suite:
                return
            self.end(self.suite_totals)
        if suite is not None:
            self.suite_totals = {key: 0 for key in self.totals}
            self.begin(suite)

    def end(self, totals):
        suite = self.open.pop()
        word = "failed" if totals["failures"] else "passed"
        self.out.line("Test Suite '%s' %s at %s." % (suite, word, self.out.date))
        self.out.line("\t Executed %s, with %s%s (%d unexpected) in %.3f (%.3f) seconds" % (
            counted(totals["run"], "test"),
            counted(totals["skipped"], "test") + " skipped and " if totals["skipped"] else "",
            counted(totals["failures"], "failure"), totals["unexpected"], totals["time"],
            totals["time"] + 0.001))

    def end_run(self):
        self.enter_suite(None)
        while self.open:
            self.end(self.totals)

    def forget(self, seconds):
        """The process died in a test: its open suites never end, but the totals go on."""
        self.open = []
        for key, more in (("run", 1), ("failures", 1), ("unexpected", 1), ("time", seconds)):
            self.totals[key] += more

    def name(self, test):
        return "-[%s.%s %s]" % (self.module, ".".join(test.suites), test.method)

    def begin_test(self, test):
        self.enter_suite(".".join(test.suites))
        if self.clone is None:
            iteration = ""
            if test.process.iterations > 1:
                iteration = " (Iteration %d of %d)" % (
                    test.repetition + 1, test.process.iterations)
            self.out.line("Test Case '%s' started%s." % (self.name(test), iteration))

    def failure(self, test, failure):
        if self.clone is None:
            self.out.always("%s:%d: error: %s : %s" % (
                failure["file"], failure["line"], self.name(test), failure["text"]))

    def skip(self, test, failure):
        if self.clone is None:
            self.out.line("%s:%d: %s : Test skipped%s" % (
                failure["file"], failure["line"], self.name(test),
                " - " + failure["text"] if failure["text"] else ""))

    def printed(self, text):
        self.out.line(text)

    def end_test(self, test, result):
        word = {"Passed": "passed", "Failed": "failed", "Skipped": "skipped",
                "Expected Failure": "passed"}[result["result"]]
        for totals in (self.totals, self.suite_totals):
            totals["run"] += 1
            totals["skipped"] += word == "skipped"
            totals["failures"] += len(result["failures"]) if word == "failed" else 0
            totals["unexpected"] += sum(f.get("thrown", 0) for f in result["failures"])
            totals["time"] += result["seconds"]
        if self.clone is None:
            self.out.line("Test Case '%s' %s (%.3f seconds)." % (
                self.name(test), word, result["seconds"]))
        else:
            self.out.line("Test case '%s.%s()' %s on '%s' (%.3f seconds)" % (
                ".".join(test.suites), test.method, word, self.clone, result["seconds"]))


class SwiftTestingLines:
    # The private glyphs of SF Symbols are two columns wide, so two spaces follow.
    SF = {"default": "\U001007C8 ", "pass": "\U0010105B ", "fail": "\U00100884 ",
          "skip": "\U0010065F ", "details": "\U00100135 "}
    PLAIN = {"default": "◇", "pass": "✔", "fail": "✘", "skip": "➜", "details": "↳"}

    def __init__(self, out, glyphs):
        self.out = out
        self.glyphs = self.SF if glyphs == "sf" else self.PLAIN

    def line(self, glyph, text):
        self.out.line("%s %s" % (self.glyphs[glyph], text))

    def begin_run(self):
        self.line("default", "Test run started.")
        self.line("details", "Testing Library Version: 124.4")
        self.count, self.issues, self.time = 0, 0, 0.0
        self.suites = {}

    def begin_test(self, test):
        for suite in test.suites:
            if suite not in self.suites:
                self.suites[suite] = 0
                self.line("default", "Suite %s started." % suite)
        self.line("default", "Test %s started%s." % (
            test.title, " (repetition %d)" % (test.repetition + 1) if test.repetition else ""))
        for argument in test.arguments:
            self.line("default", "Passing 1 argument value → %s to %s" % (argument, test.title))

    def failure(self, test, failure):
        with_argument = ""
        if failure.get("argument") is not None:
            with_argument = " with 1 argument value → %s" % failure["argument"]
        head = "Test %s recorded an issue%s at %s:%d:5: " % (
            test.title, with_argument, failure["file"].split("/")[-1], failure["line"])
        text = failure["text"]
        if text.startswith(("Expectation failed", "Caught error")):
            self.line("fail", head + text)
        else:
            self.line("fail", head + "Issue recorded")
            self.line("details", text)

    def skip(self, test, failure):
        pass

    def printed(self, text):
        self.out.line(text)

    def end_test(self, test, result):
        self.count += 1
        self.time += result["seconds"]
        cases = " with %d test cases" % len(test.arguments) if test.arguments else ""
        if result["result"] == "Skipped":
            reason = result["failures"][0]["text"] if result["failures"] else ""
            self.line("skip", "Test %s skipped%s" % (
                test.title, ': "%s"' % reason if reason else "."))
        elif result["result"] == "Failed":
            self.issues += len(result["failures"])
            for suite in test.suites:
                self.suites[suite] += len(result["failures"])
            self.line("fail", "Test %s%s failed after %.3f seconds with %s." % (
                test.title, cases, result["seconds"], counted(len(result["failures"]), "issue")))
        else:
            self.line("pass", "Test %s%s passed after %.3f seconds." % (
                test.title, cases, result["seconds"]))

    def end_run(self):
        for suite, issues in self.suites.items():
            if issues:
                self.line("fail", "Suite %s failed after %.3f seconds with %s." % (
                    suite, self.time, counted(issues, "issue")))
            else:
                self.line("pass", "Suite %s passed after %.3f seconds." % (suite, self.time))
        counts = "%s in %s" % (counted(self.count, "test"), counted(len(self.suites), "suite"))
        if self.issues:
            self.line("fail", "Test run with %s failed after %.3f seconds with %s." % (
                counts, self.time, counted(self.issues, "issue")))
        else:
            self.line("pass", "Test run with %s passed after %.3f seconds." % (counts, self.time))

    def forget(self, seconds):
        pass


def counted(number, word):
    return "%d %s%s" % (number, word, "" if number == 1 else "s")
