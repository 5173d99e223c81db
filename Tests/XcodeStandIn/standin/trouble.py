"""What goes wrong although nothing is wrong with the tests, and what heals it.

trouble.json is a list that a test writes before or during a run; entries are counted down in it:

    {"kind": "lost-testmanagerd", "times": 2, "device": "iPhone 16", "after": 3, "chance": 0.1}

  kind    a key of KINDS
  times   how often it strikes yet; absent: once
  device  only a simulator of this name or UDID; absent: any
  after   so many chances pass before; for kinds in the middle of a run, a chance is a test
  chance  it strikes with this probability, from the machine's seed; absent: 1
  command  only this command of simctl, or this option of `ui`; absent: any
  as      "failure": a kind that begins with ui- is said by the first test, as its own failure

A kind with a cure stays with the simulator that it struck until the cure is applied: who only
runs again meets it again. `rerun`: none is needed. `recreate`: this simulator never gets well.
`never`: nothing helps, and it is not counted down.
"""
import hashlib
import os

from .place import read_json, write_json

# kind: (where it strikes, its cure, what xcodebuild says)
KINDS = {
    # Before the first test begins.
    "sim-timed-out": ("launch", "rerun", "iPhoneSimulator: Timed out waiting 120 seconds for "
                      "simulator to boot, current state is 1."),
    "crashes-at-launch": ("launch", "never", "Early unexpected exit, operation never finished "
                          "bootstrapping - no restart will be attempted. (Underlying Error: Crash: "
                          "App (4242): AppDelegate.init())"),
    "crashed-once": ("launch", "rerun", "Early unexpected exit, operation never finished "
                     "bootstrapping - no restart will be attempted. (Underlying Error: Test crashed "
                     "with signal abrt before establishing connection.)"),
    "early-exit": ("launch", "rerun", "Early unexpected exit, operation never finished "
                   "bootstrapping - no restart will be attempted."),
    "never-began": ("launch", "rerun", "Test runner never began executing tests after "
                    "launching."),
    "exited-before": ("launch", "rerun", "Test runner exited before starting test execution."),
    "ui-not-initialized": ("launch-ui", "rerun", "Test runner failed to initialize for UI "
                           "testing."),
    "ui-registering": ("launch-ui", "rerun", "Timed out registering for testing event "
                       "accessibility notifications."),
    "ui-ax-loaded": ("launch-ui", "rerun", "Timed out waiting for AX loaded notification"),
    "ui-accessibility": ("launch-ui", "rerun", "UI Testing Failure - App accessibility isn't "
                         "loaded"),
    "ui-not-active": ("launch-ui", "rerun", "App state is still not running active, state = "
                      "XCApplicationStateNotRunning"),
    "ui-launch": ("launch-ui", "rerun", "UI Testing Failure - Failure attempting to launch "
                  "<XCUIApplicationImpl: 0x600000e0a0d0 com.example.app>"),
    "ui-interruption": ("launch-ui", "rerun", "Terminating app due to uncaught exception "
                        "'_XCTestCaseInterruptionException'"),
    "background": ("launch", "reboot", "Error Domain=IDETestOperationsObserverErrorDomain Code=12 "
                   "\"Failed to background test runner.\""),
    "request-denied": ("launch", "recreate", "The request to open \"com.example.app\" failed. "
                       "The request was denied by service delegate (SBMainWorkspace) for reason: "
                       "Busy (\"Application failed preflight checks\")."),
    "frontboard": ("launch", "recreate", "Application \"com.example.app\" is unknown to "
                   "FrontBoard."),
    "service-connection": ("launch", "recreate", "Failed to initiate service connection to "
                           "simulator"),
    "install-fails": ("launch", "erase", "Failed to install or launch the test runner."),
    "sim-launch-fails": ("launch", "erase", "Simulator device failed to launch "
                         "com.example.app."),
    "mach-308": ("launch", "erase", "Mach error -308 - (ipc/mig) server died"),
    "preparing": ("launch", "erase", "The test runner timed out while preparing to run tests."),
    "server-died": ("launch", "erase", "(ipc/mig) server died"),
    "service-invalid": ("launch", "rerun", "CoreSimulatorService connection became invalid.  "
                        "Simulator services will no longer be available."),
    "service-interrupted": ("launch", "rerun", "CoreSimulatorService connection interrupted.  "
                            "Resubscribing to notifications."),
    "no-communication": ("launch", "reboot", "Failed to establish communication with the test "
                         "runner. (Underlying Error: Couldn’t communicate with a helper "
                         "application.)"),
    "runner-hung": ("launch", "reboot", "The test runner hung before establishing connection."),
    "launchd-gone": ("launch", "recreate", "Failed to prepare device 'iPhone' for impending launch. "
                     "(Underlying Error: Unable to boot the Simulator. launchd failed to respond. "
                     "(Underlying Error: Failed to start launchd_sim: could not bind to session, "
                     "launchd_sim may have crashed or quit responding))"),
    "boot-in-run": ("launch", "reboot", "Failed to boot simulator: Unable to boot device due to "
                    "insufficient system resources."),
    "damaged": ("launch", "never", "The bundle is damaged or missing necessary resources."),
    "provisioning": ("launch", "never", "This app could not be installed at this time. "
                     "(0xe8008012)"),
    # Never says a word, and never ends.
    "silent-hang": ("launch", "reboot", ""),
    # Runs nothing and is content.
    "zero-tests": ("launch", "rerun", ""),
    # While a test runs.
    "lost-testmanagerd": ("middle", "rerun", "Lost connection to testmanagerd"),
    "lost-dthub": ("middle", "rerun", "Lost connection to DTServiceHub"),
    "dtx-proxy": ("middle", "rerun", "DTXProxyChannel error 1"),
    "lost-manager": ("middle", "rerun", "Lost connection to test manager service"),
    "lost-runner": ("middle", "rerun", "Lost connection to the test runner."),
    "max-restarts": ("middle", "rerun", "Exceeded max restart count of 2. (Underlying Error: Crash: "
                     "App (4242) CartTests.testEmpty())"),
    # The simulator is gone, as if somebody had deleted it.
    "vanished": ("middle", "recreate", "Lost connection to the application (pid 4242)."),
    # xcodebuild itself is killed, as by a machine without memory.
    "killed": ("middle", "rerun", ""),
    "hang": ("middle", "rerun", ""),
    "disk-full": ("middle", "rerun", "No space left on device"),
    # CoreSimulatorService starts again: every simulator is shut down.
    "service-restart": ("middle", "rerun", "CoreSimulatorService connection became invalid.  "
                        "Simulator services will no longer be available."),
    # Of other calls.
    "gone": ("destination", "recreate", ""),
    "no-destination": ("destination", "looks", ""),
    # The same in the words that it has for a scheme.
    "no-scheme-destination": ("destination", "looks", ""),
    "disk-full-build": ("build", "rerun", "error: No space left on device"),
    "build-fails": ("build", "rerun", "error: Build input file cannot be found"),
    "build-hangs": ("build", "rerun", ""),
    "results-damaged": ("results", "rerun", ""),
    "results-missing": ("results", "rerun", ""),
    # It can be read, and says nothing of the tests that ran last.
    "results-incomplete": ("results", "rerun", ""),
    "enumeration-error": ("enumerate", "rerun", "the destination is not available"),
    "boot-hangs": ("boot", "rerun", ""),
    "boot-fails": ("boot", "rerun", ""),
    "create-disk-full": ("create", "rerun", ""),
    "clone-fails": ("clone", "rerun", ""),
    "rename-fails": ("rename", "rerun", ""),
    # A setting; which one, says `command`.
    "setting-fails": ("ui", "rerun", ""),
    # simctl is killed when the simulator is there, and before anybody knows its UDID.
    "create-killed": ("created", "rerun", ""),
    # simctl prints the UDID a second after the simulator is there.
    "create-slow": ("created", "rerun", ""),
    "xcresulttool-fails": ("read", "rerun", "Error: Unable to load the result bundle: the "
                           "operation couldn’t be completed."),
    "list-incomplete": ("list", "rerun", ""),
    "shutdown-hangs": ("shutdown", "rerun", ""),
    "erase-fails": ("erase", "rerun", ""),
    "delete-fails": ("delete", "rerun", ""),
    "simctl-invalid": ("simctl", "rerun", ""),
}


def strikes(call, where, device, command=None):
    """The kind of trouble that strikes now, if any; counts it down and writes it to the trace."""
    path = call.place.file("trouble.json")
    if not os.path.exists(path):
        return None
    with call.place.locked("trouble.lock"):
        entries = read_json(path, [])
        for number, entry in enumerate(entries):
            if KINDS[entry["kind"]][0] != where or not concerns(entry, device, command):
                continue
            struck = draw(call, entry, number)
            write_json(path, entries)
            if struck:
                break
        else:
            return None
    call.trace.add("strike", kind=entry["kind"], device=device["udid"] if device else None)
    call.struck_as = entry.get("as")
    return entry["kind"]


def concerns(entry, device, command):
    if entry.get("times", 1) <= 0:
        return False
    if "command" in entry and entry["command"] != command:
        return False
    wanted = entry.get("device")
    return wanted is None or (device is not None and wanted in (device["name"], device["udid"]))


def draw(call, entry, number):
    """One chance of an entry: passes, or strikes and is counted."""
    if entry.get("after", 0) > 0:
        entry["after"] -= 1
        return False
    if "chance" in entry:
        entry["draws"] = entry.get("draws", 0) + 1
        text = "%s %d %d" % (call.place.machine["seed"], number, entry["draws"])
        share = int(hashlib.sha256(text.encode()).hexdigest()[:8], 16) / 2.0 ** 32
        if share >= entry["chance"]:
            return False
    if KINDS[entry["kind"]][1] != "never":
        entry["times"] = entry.get("times", 1) - 1
    return True


def infect(device, kind):
    """The trouble stays with a simulator until its cure is applied."""
    if KINDS[kind][1] in ("reboot", "erase", "recreate"):
        device["sick"] = {"kind": kind, "cure": KINDS[kind][1]}
