"""xcodebuild: reads its options, builds, finds its simulators, runs, and ends with a status.

Statuses are those of sysexits(3): 64 for options, 66 for a missing input, 70 for a destination that
is not there. A failing test, a failing build and a runner that never came up are all 65.
"""
import json
import os
import sys

from . import build, destination, project, results, trouble, xctestrun
from .devices import DeviceSet
from .enumeration import write_enumeration, write_errors
from .launch import Lost, TestProcess
from .options import Options
from .output import Output
from .selection import Selection
from .simctl import begin_boot, wait_for_boot
from .tool import Exit


def main(call, words):
    options = Options(words, call.major)
    if options.get("version"):
        print("Xcode %s\nBuild version %s" % (call.xcode["version"], call.xcode["build"]))
        return 0
    if options.get("list") or options.get("showTestPlans"):
        return show(call, options)
    if options.get("showdestinations"):
        raise Exit(0, str(destination.not_found(call, options.get("scheme"), {}).text))
    out = Output(options.get("quiet"))
    out.line("Command line invocation:\n    %s/usr/bin/xcodebuild %s\n" % (
        call.xcode["developer"], " ".join(shell_word(w) for w in words)))
    if len(options.actions) > 1 and options.actions[0] == "clean":
        options.actions.pop(0)
    command = options.command
    if command not in ("build-for-testing", "test", "test-without-building", "build"):
        out.line("** %s SUCCEEDED **" % command.upper())
        return 0
    bundle = make_bundle(call, options, command)
    if command in ("build", "build-for-testing"):
        return build_only(call, options, out, command, bundle)
    return Run(call, options, out, command, bundle).main()


def shell_word(word):
    return word if word and not set(word) & set(" \t\"'()`$&;|<>") else '"%s"' % word


def show(call, options):
    found = project.find(call, options)
    key = "workspace" if found.kind == "workspace" else "project"
    if options.get("showTestPlans"):
        names = [n for n in project.plans(found, options.get("scheme")) if n]
        print('Test plans associated with the scheme "%s":' % options.get("scheme"))
        print("\n".join("        " + name for name in names))
        return 0
    name = os.path.splitext(found.name)[0]
    if options.get("json"):
        print(json.dumps({key: {"name": name, "schemes": sorted(found.schemes)}}, indent=2))
    else:
        print('Information about %s "%s":\n    Schemes:' % (key, name))
        print("\n".join("        " + scheme for scheme in sorted(found.schemes)))
    return 0


def make_bundle(call, options, command):
    """An existing result bundle is an error, before anything is done."""
    path = options.get("resultBundlePath")
    if path is None:
        if command in ("build", "build-for-testing") or options.get("enumerate-tests"):
            return None
        folder = os.path.join(build.derived_data(call, options, options.get("scheme") or "Tests"),
                              "Logs", "Test")
        number = call.place.count("bundles")
        path = os.path.join(folder, "Test-%s-2026.11.21_09-41-%02d-%d.xcresult" % (
            options.get("scheme") or "Transient Testing", number % 60, number))
    if os.path.lexists(path):
        raise Exit(64, "xcodebuild: error: Existing file at -resultBundlePath \"%s\"" % path)
    return results.ResultBundle(call, os.path.abspath(path))


def build_only(call, options, out, command, bundle):
    build.main(call, options, out)
    if bundle is not None:
        bundle.finish({"results": [], "system": [], "devices": [], "plan": "", "exit": 0})
    out.line("** %s SUCCEEDED **" % ("TEST BUILD" if command != "build" else "BUILD"))
    return 0


class Run:
    """test and test-without-building, and the enumeration of either."""

    def __init__(self, call, options, out, command, bundle):
        self.call, self.options, self.out = call, options, out
        self.command, self.results = command, bundle
        self.pid = 10000 + call.place.count("pids")
        self.done, self.system, self.devices = [], [], []

    def main(self):
        test_run = self.load()
        hosts = [t["TestHostPath"] for _, targets in test_run.configurations for t in targets]
        self.runner = os.path.basename(hosts[0])[:-4] if hosts else "xctest"
        selection = Selection(self.options, self.call.version)
        targets = {target["BlueprintName"] for _, list_of_them in test_run.configurations
                   for target in list_of_them}
        selection.check_targets(targets, bool(self.options.get("xctestrun")))
        scheme = self.options.get("scheme") or "Transient Testing"
        udids = destination.find(self.call, self.options, scheme)
        if self.options.get("enumerate-tests"):
            self.in_simulator(udids[0], lambda: write_enumeration(self, test_run, selection))
            if self.system:
                write_errors(self)
            elif trouble.strikes(self.call, "enumerate", None):
                # The console says nothing of this error; the list alone does.
                write_errors(self, [{"message": trouble.KINDS["enumeration-error"][2], "code": 70}])
                return 65
            return 65 if self.system else 0
        for udid in udids:
            self.in_simulator(udid, lambda: self.run_targets(udid, test_run, selection))
        return self.finish(test_run)

    def load(self):
        options = self.options
        if options.get("xctestrun"):
            return xctestrun.load(options.get("xctestrun"))
        if options.get("testProductsPath"):
            folder = os.path.join(options.get("testProductsPath"), "Tests", "0")
            if not os.path.isdir(folder):
                raise Exit(66, "xcodebuild: error: The file “%s” does not exist."
                           % options.get("testProductsPath"))
            return self.choose(sorted(os.path.join(folder, n) for n in os.listdir(folder)))
        if self.command == "test":
            return self.choose(list(build.main(self.call, options, self.out).values()))
        found = project.find(self.call, options)
        project.plans(found, options.get("scheme") or os.path.splitext(found.name)[0])
        products = os.path.join(build.derived_data(self.call, options, found.path), "Build",
                                "Products")
        names = os.listdir(products) if os.path.isdir(products) else []
        return self.choose(sorted(os.path.join(products, n) for n in names
                                  if n.endswith(".xctestrun")))

    def choose(self, paths):
        runs = [xctestrun.load(path) for path in paths]
        wanted = self.options.get("testPlan")
        if wanted is not None:
            runs = [run for run in runs if run.plan == wanted]
        if not runs:
            raise Exit(70, "xcodebuild: error: Failed to build project XCTestProject with scheme "
                           "Transient Testing.: There are no test bundles available to test.")
        return runs[0]

    def in_simulator(self, udid, work):
        """With the simulator booted and no other runner in it."""
        devices = DeviceSet(self.call.place, self.call.place.default_set)
        lock = devices.enter({"udid": udid})
        try:
            if lock is None:
                # Two xcodebuilds would install over each other: FrontBoard denies the second.
                self.call.trace.add("refuse", rule="two-runners", device=udid)
                raise Lost(trouble.KINDS["request-denied"][2])
            self.boot(devices, udid)
            self.meet_trouble(devices, udid)
            work()
        except Nothing:
            pass
        except Lost as lost:
            self.lose(str(lost))
        finally:
            if lock is not None:
                os.close(lock)

    def boot(self, devices, udid):
        """A simulator that is not booted is booted, and stays so."""
        with devices:
            device = devices.find(udid)
            if device is None:
                raise Lost("Lost connection to the simulator.")
            self.devices.append({
                "udid": udid, "name": device["name"], "os": device["runtime"],
                "model": device["type"]})
            if device["state"] == "Booted":
                return
            if device["state"] == "Shutdown":
                self.call.trace.add("implicit-boot", device=udid)
                try:
                    begin_boot(self.call, devices, device)
                except Exit as exit:
                    raise Lost(exit.text) from None
        wait_for_boot(self.call, devices, udid)

    def meet_trouble(self, devices, udid):
        with devices:
            device = devices.find(udid)
            kind = device.get("sick", {}).get("kind") if device else None
            if kind is not None:
                self.call.trace.add("strike", kind=kind, device=udid, again=True)
            elif device is not None:
                kind = trouble.strikes(self.call, "launch", device)
                if kind is not None:
                    trouble.infect(device, kind)
        if kind == "silent-hang":
            self.out.flush()
            self.call.place.hang()
        if kind == "zero-tests":
            raise Nothing()
        if kind is not None:
            raise Lost(trouble.KINDS[kind][2])

    def run_targets(self, udid, test_run, selection):
        for name, targets in test_run.configurations:
            if not self.runs_configuration(name):
                continue
            for target in targets:
                self.run_target(udid, name, target, test_run, selection)

    def runs_configuration(self, name):
        only = self.options.lists["only-test-configuration"]
        skip = self.options.lists["skip-test-configuration"]
        return (not only or name in only) and name not in skip

    def run_target(self, udid, configuration, target, test_run, selection):
        if selection.only and all(p[0] != target["BlueprintName"] for p in selection.only):
            return
        products = xctestrun.Products(test_run, target)
        if products.are_absent:
            # Found nothing, ran nothing, and content with it.
            self.call.trace.add("refuse", rule="no-products", device=udid)
            content, tests = {"target": target["BlueprintName"], "module": "", "tests": []}, []
        else:
            content = products.content()
            if content is None:
                raise Lost("The bundle “%s” couldn’t be loaded. The bundle is damaged or missing "
                           "necessary resources." % target["BlueprintName"])
            tests, _ = selection.split(target, content["tests"])
        process = TestProcess(self, udid, configuration, target, products, content, tests)
        if target.get("IsUITestBundle"):
            kind = trouble.strikes(self.call, "launch-ui", process.device)
            if kind is not None and self.call.struck_as != "failure":
                raise Lost(trouble.KINDS[kind][2])
            process.first_failure = trouble.KINDS[kind][2] if kind else None
        try:
            process.run_all()
        finally:
            self.done += process.results

    def lose(self, text):
        """No test is to blame, and yet the status will be 65."""
        self.system.append(text)
        print("%s xcodebuild[%d:1] [MT] IDETestOperationsObserverDebug: %s" % (
            self.out.date, os.getpid(), text), file=sys.stderr)

    def finish(self, test_run):
        failed = sorted({(r["target"], r["identifier"]) for r in last_of(self.done)
                         if r["result"] == "Failed"})
        status = 65 if failed or self.system else 0
        self.write_results(test_run, status)
        self.print_end(failed, status)
        return status

    def write_results(self, test_run, status):
        kind = trouble.strikes(self.call, "results", None)
        if trouble.KINDS["disk-full"][2] in self.system:
            # Nor for what makes it a bundle.
            kind = "results-damaged"
        if kind == "results-missing":
            import shutil
            shutil.rmtree(self.results.path)
        elif kind in (None, "results-incomplete"):
            # The last half never came to the bundle.
            half = self.done[:len(self.done) // 2]
            self.results.finish({
                "results": self.done if kind is None else half, "system": self.system, "devices": self.devices,
                "plan": test_run.plan, "exit": status, "xcode": self.call.xcode["version"],
                "seconds": self.out.now,
            })

    def print_end(self, failed, status):
        out = self.out
        out.line("")
        out.line("Test session results, code coverage, and logs:\n\t%s" % self.results.path)
        out.line("")
        if self.system:
            out.always("Testing failed:")
            for text in self.system:
                out.always("\t%s (%d) encountered an error (%s)" % (self.runner, self.pid, text))
            out.always("")
        if failed:
            out.always("Failing tests:")
            last = None
            for target, identifier in failed:
                if target != last:
                    out.always("\t%s:" % target)
                    last = target
                out.always("\t\t" + identifier.replace("/", "."))
            out.always("")
        word = "TEST" if self.command == "test" else "TEST EXECUTE"
        out.always("** %s %s **" % (word, "FAILED" if status else "SUCCEEDED"))
        out.line("")


class Nothing(Exception):
    """Nothing is run, and nothing is said."""


def last_of(done):
    """The result of a repeated test is its last one."""
    last = {}
    for result in done:
        key = (result["target"], result["identifier"], result["configuration"], result["device"])
        last[key] = result
    return list(last.values())
