"""simctl: makes, boots, changes and deletes simulators, and refuses what the real one refuses.

Texts, states and the JSON of `list` are those measured on Xcode 26.6. A simulator that is in a
state that does not allow the call is CoreSimulator's error 405, of which the exit status shows the
lowest byte: 149. An unknown device is 148.
"""
import os
import signal
import sys
import time

from . import simctl_list, simctl_settings, trouble
from .devices import (
    BUILT_IN_APPS, DeviceSet, runtime_identifier, type_identifier, version_key,
)
from .tool import Exit


def sim_error(code, text):
    return Exit(code & 255, "An error was encountered processing the command (domain="
                "com.apple.CoreSimulator.SimError, code=%d):\n%s" % (code, text))


def refuse_state(verb, device):
    return sim_error(405, "Unable to %s in current state: %s" % (verb, device["state"]))


def usage(text):
    return Exit(64, text + "\nusage: simctl [--set <path>] [--profiles <path>] <subcommand> ...")


def main(call, words):
    words = list(words)
    path = call.place.default_set
    while words and words[0].startswith("--"):
        option = words.pop(0)
        if option not in ("--set", "--profiles") or not words:
            raise usage("Invalid option: " + option)
        value = words.pop(0)
        if option == "--set":
            path = value
    if not words:
        raise usage("No subcommand specified")
    if trouble.strikes(call, "simctl", None, command=words[0]):
        raise Exit(1, "CoreSimulatorService connection became invalid.  Simulator services will "
                      "no longer be available.")
    command = COMMANDS.get(words[0])
    if command is None:
        raise usage("Unrecognized subcommand: " + words[0])
    return command(call, DeviceSet(call.place, path), words[1:])


def need(words, count, form):
    if len(words) < count:
        raise usage("Usage: simctl " + form)


def found(devices, name):
    device = devices.find(name)
    if device is None:
        if name == "booted":
            raise Exit(148, "No devices are booted.")
        raise Exit(148, "Invalid device: " + name)
    return device


def create(call, devices, words):
    need(words, 2, "create <name> <device type id> [<runtime id>]")
    if trouble.strikes(call, "create", None):
        raise Exit(28, "No space left on device")
    kinds = call.place.machine["deviceTypes"]
    kind = next((k for k in kinds if words[1] in (k["name"], type_identifier(k["name"]))), None)
    if kind is None:
        raise Exit(161, "Invalid device type: " + words[1])
    runtimes = simctl_list.usable_runtimes(call)
    if len(words) > 2:
        version = next((r["version"] for r in runtimes if words[2] in (
            runtime_identifier(r["version"]), "iOS" + r["version"], "iOS " + r["version"])), None)
        if version is None:
            raise Exit(162, "Invalid runtime: " + words[2])
    else:
        newest = max(runtimes, key=lambda r: version_key(r["version"]))
        version = newest["version"]
        print("No runtime specified, using 'iOS %s (%s - %s) - %s'" % (
            version, version, newest["build"], runtime_identifier(version)), file=sys.stderr)
    if version_key(version) < version_key(kind["from"]):
        raise sim_error(403, "Incompatible device")
    with devices:
        device = devices.add(words[0], kind["name"], version)
    call.trace.add("create", device=device["udid"], name=words[0], set=devices.path)
    struck = trouble.strikes(call, "created", device)
    if struck == "create-killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if struck == "create-slow":
        time.sleep(1)
    print(device["udid"])


def boot(call, devices, words):
    need(words, 1, "boot <device>")
    with devices:
        device = found(devices, words[0])
        if device["state"] != "Shutdown":
            raise refuse_state("boot device", device)
        begin_boot(call, devices, device)


def begin_boot(call, devices, device):
    """Under the lock of the set: from Shutdown to Booting, or not at all."""
    kind = trouble.strikes(call, "boot", device)
    if kind == "boot-fails":
        raise Exit(60, "Unable to boot the Simulator.\nFailed to start launchd_sim: could not "
                       "bind to session, launchd_sim may have crashed or quit responding")
    devices.begin_boot(device, kind == "boot-hangs")
    call.trace.add("boot", device=device["udid"], first=not device["migrated"])


def bootstatus(call, devices, words):
    """Waits until a simulator is up; with -b boots it first, in whatever state it is."""
    flags = "".join(w[1:] for w in words if w.startswith("-"))
    names = [w for w in words if not w.startswith("-")]
    need(names, 1, "bootstatus <device> [-bcd]")
    with devices:
        device = found(devices, names[0])
        udid = device["udid"]
        if device["state"] == "Shutdown" and "b" in flags:
            begin_boot(call, devices, device)
        print("Monitoring boot status for %s (%s)." % (device["name"], udid))
        if device["state"] == "Booted":
            print("Device already booted, nothing to do.")
            return
    sys.stdout.flush()
    wait_for_boot(call, devices, udid, is_told=True)


def boot_status(status, seconds, *lines):
    print("[2026-11-21 09:41:00 +0000] Status=%d, isTerminal=%s, Elapsed=%02d:%02d.\n\t%s\n" % (
        status, "YES" if lines == ("Finished",) else "NO", seconds // 60, seconds % 60,
        "\n\t\t".join(lines)), flush=True)


def migrate(call, seconds, is_told):
    """The time of a first boot, which the real one tells once a second."""
    now, step = 0, 10
    while now < seconds:
        if is_told:
            boot_status(2, now, "Waiting on Data Migration",
                        "Reason:Running plugin com.apple.-0LaunchServicesMigrator "
                        "(00LaunchServicesMigrator.migrator, user-agnostic)",
                        "Migration Elapsed:%02d:%02d seconds" % (now // 60, now % 60))
        call.place.take_time(min(step, seconds - now))
        now += step


def wait_for_boot(call, devices, udid, is_told=False):
    """Until it is up; for ever where it hangs or nobody boots it. `is_told` prints how far it is."""
    with devices:
        device = found(devices, udid)
        stuck = device["hangs"] or device["state"] == "Shutdown"
        session = device["boots"]
        seconds = devices.boot_seconds(device)
        is_first = not device["migrated"]
    if stuck:
        call.trace.add("hang", device=udid)
        call.place.hang()
        raise Exit(60, "Timed out waiting for the device to boot.")
    if is_first:
        migrate(call, seconds, is_told)
    else:
        call.place.take_time(seconds)
    with devices:
        device = found(devices, udid)
        if device["state"] == "Booting" and device["boots"] == session:
            devices.end_boot(device)
    if is_told:
        boot_status(4, seconds, "Waiting on System App")
        boot_status(4294967295, seconds, "Finished")


def shutdown(call, devices, words):
    need(words, 1, "shutdown <device> | all")
    if words[0] == "all":
        with devices:
            for device in devices.devices:
                devices.shut_down(device)
        return
    for name in words:
        with devices:
            device = found(devices, name)
            kind = trouble.strikes(call, "shutdown", device)
            if not kind:
                if device["state"] == "Shutdown":
                    raise refuse_state("shutdown device", device)
                devices.shut_down(device)
                call.trace.add("shutdown", device=device["udid"])
        if kind:
            call.place.hang()


def erase(call, devices, words):
    need(words, 1, "erase <device> [... <device n>] | all")
    with devices:
        chosen = devices.devices if words == ["all"] else [found(devices, w) for w in words]
        for device in chosen:
            if device["state"] != "Shutdown":
                raise refuse_state("erase contents and settings", device)
            if trouble.strikes(call, "erase", device):
                raise Exit(1, "An error was encountered processing the command (domain="
                              "NSCocoaErrorDomain, code=513):\n“data” couldn’t be removed.")
            devices.erase(device)


def delete(call, devices, words):
    """A booted simulator is shut down and deleted."""
    need(words, 1, "delete <device> [... <device n>] | unavailable | all")
    with devices:
        if words == ["all"]:
            chosen = list(devices.devices)
        elif words == ["unavailable"]:
            usable = {r["version"] for r in simctl_list.usable_runtimes(call)}
            chosen = [d for d in devices.devices if d["runtime"] not in usable]
        else:
            chosen = [found(devices, w) for w in words]
        for device in chosen:
            if trouble.strikes(call, "delete", device):
                raise Exit(1, "An error was encountered processing the command (domain="
                              "NSCocoaErrorDomain, code=513):\n“%s” couldn’t be removed because "
                              "you don’t have permission to access it." % device["udid"])
            devices.remove(device)
            call.trace.add("delete", device=device["udid"])


def clone(call, devices, words):
    """The copy has the settings of its source, and a UDID of its own."""
    need(words, 2, "clone <device> <new name>")
    import shutil
    with devices:
        source = found(devices, words[0])
        if source["state"] != "Shutdown":
            raise refuse_state("clone device", source)
        if trouble.strikes(call, "clone", source):
            raise Exit(28, "No space left on device")
        copy = devices.add(words[1], source["type"], source["runtime"])
        for key in ("appearance", "contrast", "contentSize", "apps", "domains", "migrated"):
            copy[key] = source[key]
        shutil.copytree(devices.data(source), devices.data(copy), dirs_exist_ok=True)
        call.trace.add("clone", device=copy["udid"], source=source["udid"], name=words[1])
        print(copy["udid"])


def rename(call, devices, words):
    need(words, 2, "rename <device> <name>")
    if trouble.strikes(call, "rename", None):
        raise Exit(1, "CoreSimulatorService connection became invalid.  Simulator services will "
                      "no longer be available.")
    with devices:
        device = found(devices, words[0])
        device["name"] = words[1]
        call.trace.add("rename", device=device["udid"], name=words[1])


def install(call, devices, words):
    need(words, 2, "install <device> <path>")
    with devices:
        device = booted(found(devices, words[0]))
        identifier = bundle_identifier(words[1])
        if identifier not in device["apps"]:
            device["apps"].append(identifier)


def bundle_identifier(app):
    import plistlib
    try:
        with open(os.path.join(app, "Info.plist"), "rb") as file:
            return plistlib.load(file)["CFBundleIdentifier"]
    except (OSError, KeyError, ValueError):
        raise Exit(2, "An error was encountered processing the command (domain=NSPOSIXErrorDomain,"
                      " code=2):\nFailed to install the requested application") from None


def booted(device):
    if device["state"] != "Booted":
        raise refuse_state("lookup", device)
    return device


def uninstall(call, devices, words):
    need(words, 2, "uninstall <device> <app bundle identifier>")
    with devices:
        device = booted(found(devices, words[0]))
        device["apps"] = [app for app in device["apps"] if app != words[1]]


def launch(call, devices, words):
    """Prints the bundle and the process; an app that is not installed cannot be opened."""
    names = [w for w in words if not w.startswith("-")]
    need(names, 2, "launch [--terminate-running-process] <device> <app bundle identifier>")
    with devices:
        device = booted(found(devices, names[0]))
        if names[1] not in device["apps"] and names[1] not in BUILT_IN_APPS:
            raise Exit(4, "An error was encountered processing the command (domain="
                          "FBSOpenApplicationServiceErrorDomain, code=4):\nSimulator device "
                          "failed to launch %s." % names[1])
    print("%s: %d" % (names[1], 10000 + call.place.count("pids")))


def terminate(call, devices, words):
    need(words, 2, "terminate <device> <app bundle identifier>")
    with devices:
        booted(found(devices, words[0]))


def getenv(call, devices, words):
    need(words, 2, "getenv <device> <variable name>")
    with devices:
        device = booted(found(devices, words[0]))
        values = {"HOME": devices.data(device), "SIMULATOR_UDID": device["udid"],
                  "SIMULATOR_DEVICE_NAME": device["name"]}
        print(values.get(words[1], ""))


def io(call, devices, words):
    from . import pictures
    names = [w for w in words if not w.startswith("-")]
    need(names, 3, "io <device> screenshot [--type=<type>] [--mask=<policy>] <file>")
    with devices:
        device = booted(found(devices, names[0]))
        look = pictures.look_of(call.place, device, {}, "screen", status_bar=True)
    picture = pictures.png(look)
    if names[2] == "-":
        sys.stdout.buffer.write(picture)
    else:
        with open(names[2], "wb") as file:
            file.write(picture)
        print("Wrote screenshot to: " + names[2], file=sys.stderr)


def privacy(call, devices, words):
    need(words, 3, "privacy <device> grant|revoke|reset <service> [<bundle identifier>]")
    with devices:
        booted(found(devices, words[0]))


COMMANDS = {
    "list": simctl_list.main, "runtime": simctl_list.runtime,
    "create": create, "clone": clone, "rename": rename, "delete": delete, "erase": erase,
    "boot": boot, "bootstatus": bootstatus, "shutdown": shutdown,
    "ui": simctl_settings.ui, "status_bar": simctl_settings.status_bar,
    "spawn": simctl_settings.spawn, "getenv": getenv, "privacy": privacy,
    "install": install, "uninstall": uninstall, "launch": launch, "terminate": terminate,
    "io": io,
}
