"""xcodebuild's standard output: its clock, its buffer, and the lines of both test libraries.

Without NSUnbufferedIO=YES the lines of a pipe come in blocks, and what is in the block is lost when
xcodebuild is killed.
"""
import os
import sys

from .shapes import class_name, suite_name


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

    def part(self, text):
        """Writes a text without a line break: the next line follows on the same one."""
        sys.stdout.write(text)

    def flush(self):
        sys.stdout.flush()

    @property
    def date(self):
        minutes, seconds = divmod(self.now, 60)
        hours, minutes = divmod(41 + int(minutes), 60)
        return "2026-11-21 %02d:%02d:%06.3f" % ((9 + hours) % 24, minutes, seconds)


class TestLines:
    """The common part of both libraries' lines."""

    def __init__(self, out, shapes):
        self.out = out
        self.shapes = shapes

    def printed(self, text, ends=True):
        self.out.line(text) if ends else self.out.part(text)

    def end_line(self, text):
        """Prints the line that ends a test, unless it is lost."""
        lines = self.shapes.without_end(text)
        for line in [text] if lines is None else lines:
            self.out.line(line)


class XCTestLines(TestLines):
    def __init__(self, out, shapes, module, bundle, selected):
        super().__init__(out, shapes)
        self.module = module
        self.bundle = bundle
        self.all = "Selected tests" if selected else "All tests"
        self.open = []

        self.totals = {"run": 0, "skipped": 0, "failures": 0, "unexpected": 0, "time": 0.0}
        self.suite_totals = dict(self.totals)

    def begin_run(self):
        self.begin(self.all)
        self.begin(self.bundle)

    def begin(self, suite):
        self.out.line("Test Suite '%s' started at %s." % (suite, self.out.date))
        self.open.append(suite)

    def enter_suite(self, suite):
        """The suite of the next test; None: there is none."""
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
        return "-[%s %s]" % (class_name(self.module, test.suites, test.entry), test.method)

    def begin_test(self, test):
        self.enter_suite(suite_name(self.module, test.suites, test.entry))
        iteration = ""
        if test.process.iterations > 1:
            iteration = " (Iteration %d of %d)" % (
                test.repetition + 1, test.process.iterations)
        self.out.line("Test Case '%s' started%s." % (self.name(test), iteration))

    def failure(self, test, failure):
        self.out.always("%s:%d: error: %s : %s" % (
            failure["file"], failure["line"], self.name(test), failure["text"]))

    def skip(self, test, failure):
        self.out.line("%s:%d: %s : Test skipped%s" % (
            failure["file"], failure["line"], self.name(test),
            " - " + failure["text"] if failure["text"] else ""))

    def end_test(self, test, result):
        word = {"Passed": "passed", "Failed": "failed", "Skipped": "skipped",
                "Expected Failure": "passed"}[result["result"]]
        for totals in (self.totals, self.suite_totals):
            totals["run"] += 1
            totals["skipped"] += word == "skipped"
            totals["failures"] += len(result["failures"]) if word == "failed" else 0
            totals["unexpected"] += sum(f.get("thrown", 0) for f in result["failures"])
            totals["time"] += result["seconds"]
        self.end_line("Test Case '%s' %s (%.3f seconds)." % (
            self.name(test), word, result["seconds"]))


class CloneLines(TestLines):
    """Lines of tests in clones, of both libraries: none starts a test or says why one failed."""

    def __init__(self, out, shapes, clone):
        super().__init__(out, shapes)
        self.clone = clone
        self.suite = None

    def begin_run(self):
        pass

    def begin_test(self, test):
        suite = ".".join(test.suites)
        if suite and suite != self.suite:
            self.out.line("Test suite '%s' started on '%s'" % (suite, self.clone))
        self.suite = suite

    def failure(self, test, failure):
        pass

    def skip(self, test, failure):
        pass

    def end_test(self, test, result):
        word = result["result"].lower() if result["result"] != "Expected Failure" else "passed"
        name = test.name if test.is_swift_testing else ".".join(test.suites + [test.method + "()"])
        self.end_line("Test case '%s' %s on '%s' (%.3f seconds)" % (
            name, word, self.clone, result["seconds"]))

    def end_run(self):
        pass

    def forget(self, seconds):
        pass


class SwiftTestingLines(TestLines):
    # The private glyphs of SF Symbols are two columns wide, so two spaces follow.
    SF = {"default": "\U001007C8 ", "pass": "\U0010105B ", "fail": "\U00100884 ",
          "skip": "\U0010065F ", "details": "\U00100135 ", "known": "\U00100883 "}
    PLAIN = {"default": "◇", "pass": "✔", "fail": "✘", "skip": "➜", "details": "↳", "known": "━"}

    def __init__(self, out, shapes, glyphs, passing):
        """`passing`: the line of an argument, which is another since Xcode 26."""
        super().__init__(out, shapes)
        self.glyphs = self.SF if glyphs == "sf" else self.PLAIN
        self.passing = passing

    def line(self, glyph, text):
        self.out.line(self.text(glyph, text))

    def text(self, glyph, text):
        return "%s%s %s" % (self.shapes.before_sign(), self.glyphs[glyph], text)

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
            self.line("default", self.passing % (argument, test.title))

    def failure(self, test, failure):
        with_argument = ""
        if failure.get("argument") is not None:
            with_argument = " with 1 argument value → %s" % failure["argument"]
        head = "Test %s recorded %s%s at %s:%d:5: " % (
            test.title, "a known issue" if failure.get("known") else "an issue", with_argument,
            failure["file"].split("/")[-1], failure["line"])
        glyph = "known" if failure.get("known") else "fail"
        text = failure["text"]
        if text.startswith(("Expectation failed", "Caught error")):
            self.line(glyph, head + text)
        else:
            self.line(glyph, head + "Issue recorded")
            self.line("details", text)
        for comment in failure.get("comments", []):
            self.line("details", comment)

    def skip(self, test, failure):
        pass

    def end_test(self, test, result):
        self.count += 1
        self.time += result["seconds"]
        cases = " with %d test cases" % len(test.arguments) if test.arguments else ""
        if result["result"] == "Skipped":
            reason = result["failures"][0]["text"] if result["failures"] else ""
            if test.is_cancelled:
                self.end_line(self.text("skip", "Test %s was cancelled after %.3f seconds%s." % (
                    test.title, result["seconds"], ': "%s"' % reason if reason else "")))
            else:
                self.end_line(self.text("skip", "Test %s skipped%s" % (
                    test.title, ': "%s"' % reason if reason else ".")))
        elif result["result"] == "Failed":
            self.issues += len(result["failures"])
            for suite in test.suites:
                self.suites[suite] += len(result["failures"])
            self.end_line(self.text("fail", "Test %s%s failed after %.3f seconds with %s." % (
                test.title, cases, result["seconds"], counted(len(result["failures"]), "issue"))))
        else:
            known = counted(test.known_issues, "known issue")
            self.end_line(self.text(
                "known" if test.known_issues else "pass",
                "Test %s%s passed after %.3f seconds%s." % (
                    test.title, cases, result["seconds"],
                    " with " + known if test.known_issues else "")))

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
