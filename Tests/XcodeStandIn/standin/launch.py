"""One launch of a target's tests in one simulator, with the launches that follow its crashes."""
import os
import signal
import sys

from . import trouble
from .devices import DeviceSet
from .output import CloneLines, SwiftTestingLines, XCTestLines
from .place import read_json, write_json
from .running import Crash, RunningTest, TimedOut
from .selection import is_swift_testing
from .shapes import Shapes


class Lost(Exception):
    """xcodebuild has no test process any more, and does not start another."""


class TestProcess:
    """What all tests of one launch share. `lines` is the library whose tests run."""

    def __init__(self, run, udid, configuration, target, products, content, tests):
        self.run = run
        self.call, self.place, self.out = run.call, run.call.place, run.out
        self.options = run.options
        self.udid, self.configuration, self.target = udid, configuration, target
        self.products, self.content, self.tests = products, content, tests
        self.devices = DeviceSet(self.place, self.place.default_set)
        self.is_parallel = self.options.get(
            "parallel-testing-enabled",
            "YES" if target.get("ParallelizationEnabled", False) else "NO") == "YES"
        self.device = self.current_device()
        self.session = self.device["boots"]
        kinds = self.place.machine["deviceTypes"]
        self.device_type = next(k for k in kinds if k["name"] == self.device["type"])
        self.runtime = self.device["runtime"]
        self.language = self.options.get("testLanguage") or target.get("TestLanguage")
        self.region = self.options.get("testRegion") or target.get("TestRegion")
        self.environment = self.make_environment()
        self.allowance = self.time_allowance()
        self.counts_attempts = "'attempt'" in str(content)
        self.results = []
        self.lines = None
        # What UI testing says in the first test, of its own.
        self.first_failure = None

    def current_device(self):
        """As it is now; a simulator that was shut down or deleted meanwhile takes the test
        process with it."""
        device = self.devices.peek(self.udid)
        gone = device is None or device["state"] != "Booted"
        if gone or (hasattr(self, "session") and device["boots"] != self.session):
            raise Lost("Lost connection to the application (pid %d)." % self.run.pid)
        if self.is_parallel:
            # Tests run in clones, which have the simulator's data and not its status bar.
            device["statusBar"] = {}
        return device

    def make_environment(self):
        """The caller's environment does not reach a simulator: only what the .xctestrun says, and
        TEST_RUNNER_ variables without that prefix (xcodebuild(1))."""
        data = self.devices.data(self.device)
        result = {
            "HOME": data, "TMPDIR": os.path.join(data, "tmp"),
            "SIMULATOR_UDID": self.udid, "SIMULATOR_DEVICE_NAME": self.device["name"],
            "SIMULATOR_MODEL_IDENTIFIER": self.device_type["model"],
            "SIMULATOR_RUNTIME_VERSION": self.runtime,
        }
        for key in ("TestingEnvironmentVariables", "EnvironmentVariables"):
            for name, value in self.target.get(key, {}).items():
                result[name] = self.products.expand(value)
        for name, value in os.environ.items():
            if name.startswith("TEST_RUNNER_"):
                name = name[len("TEST_RUNNER_"):]
                result[name] = value.replace("__CURRENT_VALUE__", result.get(name, ""))
        return result

    def time_allowance(self):
        """Seconds of one test, in whole minutes; None: no limit."""
        enabled = self.options.get("test-timeouts-enabled",
                                   "YES" if self.target.get("TestTimeoutsEnabled") else "NO")
        if enabled != "YES":
            return None
        seconds = self.options.get("default-test-execution-time-allowance",
                                   self.target.get("DefaultTestExecutionTimeAllowance", 600))
        most = self.options.get("maximum-test-execution-time-allowance",
                                self.target.get("MaximumTestExecutionTimeAllowance", seconds))
        return 60 * -(-min(int(seconds), int(most)) // 60)

    def count_attempt(self, name):
        """Which run of this test on this kind of device it is, from 1, over the Mac's life."""
        if not self.counts_attempts:
            return 1
        key = "%s/%s on %s" % (self.target["BlueprintName"], name, self.device["type"])
        path = os.path.join(self.place.state, "attempts")
        with self.place.locked("attempts.lock"):
            counts = read_json(path, {})
            counts[key] = counts.get(key, 0) + 1
            write_json(path, counts)
            return counts[key]

    # Launching

    def start(self):
        """One launch of the runner, which takes its time."""
        self.place.take_time(self.place.machine["launchSeconds"])
        self.out.now += self.place.machine["launchSeconds"]
        given = {**self.target.get("EnvironmentVariables", {})}
        given.update((n[12:], self.environment[n[12:]]) for n in os.environ
                     if n.startswith("TEST_RUNNER_"))
        device = self.current_device()
        self.call.trace.add(
            "launch", device=self.udid, target=self.target["BlueprintName"],
            configuration=self.configuration, environment=given, language=self.language,
            region=self.region, appearance=device["appearance"],
            contentSize=device["contentSize"], statusBar=device["statusBar"],
            live=device["live"], parallel=self.is_parallel,
            attachments=self.target.get("UserAttachmentLifetime", "deleteOnSuccess"),
            tests=[test["test"] for test in self.tests])
        self.check_injection()

    def restart(self, crashed):
        """Another launch, for the tests that are left."""
        self.place.take_time(self.place.machine["launchSeconds"])
        self.out.now += self.place.machine["launchSeconds"]
        self.call.trace.add("relaunch", device=self.udid, after=crashed)

    def check_injection(self):
        if "DYLD_INSERT_LIBRARIES" not in self.environment:
            # The test bundle is injected into its host by it.
            raise Lost(trouble.KINDS["never-began"][2])

    def run_all(self):
        """XCTest first, then Swift Testing, in one process until one of them crashes."""
        shapes = Shapes(self.place)
        selected = bool(self.options.lists["only-testing"]
                        or self.target.get("OnlyTestIdentifiers"))
        if self.is_parallel or shapes.strikes("clones"):
            xctest = swift_testing = CloneLines(self.out, shapes, "Clone 1 of %s - %s (%d)" % (
                self.device["name"], self.content["target"], self.run.pid))
        else:
            xctest = XCTestLines(self.out, shapes, self.content["module"],
                                 self.content["target"] + ".xctest", selected)
            swift_testing = SwiftTestingLines(
                self.out, shapes, self.place.machine["glyphs"],
                "Test case passing 1 argument value → %s to %s started." if self.call.major >= 26
                else "Passing 1 argument value → %s to %s")
        libraries = (
            (xctest, [t for t in self.tests if not is_swift_testing(t["test"])], False),
            (swift_testing, [t for t in self.tests if is_swift_testing(t["test"])],
             self.is_parallel),
        )
        self.start()
        for lines, tests, is_interleaved in libraries:
            self.lines = lines
            # Also without tests: both libraries say that they ran none.
            self.run_library(tests, is_interleaved)

    def run_library(self, tests, is_interleaved):
        waiting = list(tests)
        while True:
            self.lines.begin_run()
            crashed = (self.run_interleaved if is_interleaved else self.run_serially)(waiting)
            if crashed is None:
                self.lines.end_run()
                return
            self.lines.forget(self.results[-1]["seconds"])
            done = {result["name"] for result in self.results}
            waiting = [test for test in waiting if test["test"] not in done]
            self.out.line("")
            self.out.always("Restarting after unexpected exit, crash, or test timeout%s; "
                            "summary will include totals from previous launches." % (
                                "" if self.lines.shapes.strikes("namelessCrash")
                                else " in " + crashed))
            self.out.line("")
            self.restart(crashed)

    def run_serially(self, tests):
        for entry in tests:
            for repetition in range(self.iterations):
                test = self.begin(entry, repetition)
                name = self.finish(test, repetition)
                if name is not None:
                    return name
                if not self.repeats(self.results[-1]):
                    break
        return None

    def run_interleaved(self, tests):
        """Swift Testing starts its tests side by side: who began first need not end first."""
        begun = [self.begin(entry) for entry in tests]
        for test in reversed(begun):
            name = self.finish(test, 0)
            if name is not None:
                return name
        return None

    @property
    def iterations(self):
        options = self.options
        if "test-iterations" in options.values:
            return int(options.get("test-iterations"))
        if options.get("run-tests-until-failure"):
            return 100
        return 3 if options.get("retry-tests-on-failure") else (
            self.target.get("maximumTestRepetitions", 1))

    def repeats(self, result):
        if (self.options.get("retry-tests-on-failure")
                or self.target.get("testRepetitionMode") == "retryOnFailure"):
            return result["result"] == "Failed"
        if self.options.get("run-tests-until-failure"):
            return result["result"] != "Failed"
        return True

    def begin(self, entry, repetition=0):
        test = RunningTest(self, entry)
        test.repetition = repetition
        if not test.is_disabled:
            self.lines.begin_test(test)
        return test

    def finish(self, test, repetition):
        """Runs a test that began; the name that a restart shows when the process died in it."""
        restart = None
        if test.is_disabled:
            test.result = "Skipped"
            test.failures = [{"text": test.entry["disabled"], "file": test.source_file,
                              "line": test.entry.get("line", 10)}]
        else:
            restart = self.run_steps(test)
        result = self.result_of(test, repetition)
        if restart is None:
            self.lines.end_test(test, result)
        self.results.append(result)
        self.call.trace.add("test", device=self.udid,
                            test=self.target["BlueprintName"] + "/" + test.identifier,
                            result=test.result)
        return restart

    def run_steps(self, test):
        self.strike_in(test)
        if self.first_failure is not None:
            test.fail(self.first_failure, {})
            self.first_failure = None
        try:
            test.run()
            return None
        except Crash as crash:
            text = "Crash: %s (%d): %s" % (os.path.basename(self.products.host)[:-4],
                                           self.run.pid, crash)
        except TimedOut:
            minutes = self.allowance // 60
            text = "Test exceeded execution time allowance of %d minute%s" % (
                minutes, "" if minutes == 1 else "s")
            self.lines.printed("%s: %s" % (test.identifier, text))
        test.result = "Failed"
        test.failures.append({"text": text, "file": "", "line": 0})
        return "%s/%s" % ("/".join(test.suites), test.method) if test.is_swift_testing else (
            "-[%s %s]" % (".".join(test.suites), test.method))

    def strike_in(self, test):
        """Troubles of the middle of a run, after a test's first line and before its last."""
        device = self.current_device()
        kind = trouble.strikes(self.call, "middle", device)
        if kind is None:
            return
        if kind == "killed":
            # Nothing is written any more, not even what the buffer holds.
            os.kill(os.getpid(), signal.SIGKILL)
        if kind == "hang":
            self.place.hang()
        if kind == "vanished":
            with self.devices:
                device = self.devices.find(self.udid)
                if device is not None:
                    self.devices.remove(device)
        if kind == "service-restart":
            with self.devices:
                for device in self.devices.devices:
                    self.devices.shut_down(device)
        raise Lost(trouble.KINDS[kind][2])

    def result_of(self, test, repetition):
        keeps = self.target.get("UserAttachmentLifetime", "deleteOnSuccess")
        attachments = test.attachments
        if keeps == "keepNever" or (keeps == "deleteOnSuccess" and test.result != "Failed"):
            attachments = []
        return {
            "name": test.name, "identifier": test.identifier, "title": test.title.strip('"'),
            "target": self.target["BlueprintName"], "device": self.udid,
            "configuration": self.configuration, "result": test.result,
            "seconds": test.elapsed, "failures": test.failures, "repetition": repetition,
            "arguments": [str(a) for a in test.arguments], "suites": test.suites,
            "is_ui": bool(self.target.get("IsUITestBundle")),
            "is_objc": bool(test.entry.get("objc")),
            "attachments": [self.run.results.store(a) for a in attachments],
        }
