# ci/snapfarm_pytest.py: snapfarm's plug-in for pytest, loaded by `-p snapfarm_pytest`
"""Lists the ids of tests, and writes what each test came to while they run.

With --collect-only each id is a line of standard output, and everything else goes to standard error.
In a run $SNAPFARM_LEASE_DIR/junit.xml gets each result when its test has ended, and before it that the
test has started: a crash or a hang costs no other test.
"""
import os
import re
import sys

import pytest


@pytest.hookimpl(tryfirst=True)  # before pytest's own reporter takes standard output
def pytest_configure(config):
    # A worker of pytest-xdist sends its reports to the process that started it.
    if hasattr(config, "workerinput"):
        return
    if config.option.collectonly:
        config.pluginmanager.register(TestList(sys.stdout))
        sys.stdout = sys.stderr
    elif "SNAPFARM_LEASE_DIR" in os.environ:
        config.pluginmanager.register(Results(os.environ["SNAPFARM_LEASE_DIR"] + "/junit.xml"))


class TestList:
    def __init__(self, output):
        self.output = output

    def pytest_collection_finish(self, session):
        for item in session.items:
            print(item.nodeid, file=self.output)
        self.output.flush()


class Results:
    def __init__(self, path):
        self.path = path
        self.file = None
        self.open = {}  # the reports of each test that has started

    def write(self, text):
        if self.file is None:
            self.file = open(self.path, "wb", buffering=0)
            self.file.write(b'<testsuites><testsuite name="pytest">\n')
        self.file.write(text.encode())

    def pytest_runtest_logstart(self, nodeid):
        self.open[nodeid] = []
        self.write(f"<?snapfarm started {xml(nodeid)}?>\n")

    def pytest_runtest_logreport(self, report):
        reports = self.open.setdefault(report.nodeid, [])
        reports.append(report)
        if report.when == "teardown":
            del self.open[report.nodeid]
            name = xml(report.nodeid)
            self.write(f"{case(name, reports)}\n<?snapfarm ended {name}?>\n")

    def pytest_collectreport(self, report):
        if report.failed:
            words = element("error", f"{report.nodeid} cannot be collected", report.longreprtext)
            self.write(f'<testcase name="" file="{xml(report.nodeid)}">{words}</testcase>\n')

    def pytest_sessionfinish(self):
        self.write("</testsuite></testsuites>\n")


def case(name, reports):
    words = output = ""
    for report in reports:
        if report.failed:
            kind = "failure" if report.when == "call" else "error"
            crash = getattr(report.longrepr, "reprcrash", None)
            message = getattr(crash, "message", f"{report.when} failed")
            words += element(kind, message, report.longreprtext)
            output = report.capstdout + report.capstderr
        elif report.skipped and not hasattr(report, "context"):  # no part of a test (subtests)
            reason = getattr(report, "wasxfail", None) or report.longrepr
            words += element("skipped", reason[2] if isinstance(reason, tuple) else reason or "")
    seconds = sum(report.duration for report in reports)
    output = f"<system-out>{xml(output)}</system-out>" if output else ""
    return f'<testcase name="{name}" time="{seconds:.3f}">{words}{output}</testcase>'


def element(name, message, text=""):
    return f'<{name} message="{xml(message)}">{xml(text)}</{name}>'


def xml(text):
    text = re.sub("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", str(text))
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;").replace(">", "&gt;")
