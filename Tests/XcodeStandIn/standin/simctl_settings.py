"""simctl ui, status_bar and spawn: how a booted simulator looks and what language it speaks."""
import json

from . import trouble
from .tool import Exit

SIZES = (
    "extra-small", "small", "medium", "large", "extra-large", "extra-extra-large",
    "extra-extra-extra-large", "accessibility-medium", "accessibility-large",
    "accessibility-extra-large", "accessibility-extra-extra-large",
    "accessibility-extra-extra-extra-large",
)
UI = {
    "appearance": ("appearance", ("light", "dark")),
    "increase_contrast": ("contrast", ("enabled", "disabled")),
    "content_size": ("contentSize", SIZES + ("increment", "decrement")),
}
STATUS_BAR = {
    "--time": None,
    "--dataNetwork": ("hide", "wifi", "3g", "4g", "lte", "lte-a", "lte+", "5g", "5g+", "5g-uwb",
                      "5g-uc"),
    "--wifiMode": ("searching", "failed", "active"),
    "--wifiBars": tuple("0123"),
    "--cellularMode": ("notSupported", "searching", "failed", "active"),
    "--cellularBars": tuple("01234"),
    "--operatorName": None,
    "--batteryState": ("charging", "charged", "discharging"),
    "--batteryLevel": tuple(str(n) for n in range(101)),
}
# Language and region come back from the disk when both have started again.
READERS = ("system/com.apple.cfprefsd.xpc.daemon", "system/com.apple.SpringBoard")


def ui(call, devices, words):
    """Without a value: says the present one. A simulator that is not booted has no UI."""
    from .simctl import booted, found, need, usage
    need(words, 2, "ui <device> <option> [<arguments>]")
    if words[1] not in UI:
        raise usage("Invalid option: " + words[1])
    key, values = UI[words[1]]
    with devices:
        device = booted(found(devices, words[0]))
        if len(words) == 2:
            print(device[key])
            return
        value = words[2]
        if value not in values:
            raise usage("Invalid %s: %s" % (words[1], value))
        if trouble.strikes(call, "ui", device, command=words[1]):
            raise Exit(1, "Failed to set %s." % words[1].replace("_", " "))
        if device["springBoard"] > 0:
            return
        if value in ("increment", "decrement"):
            place = SIZES.index(device[key]) + (1 if value == "increment" else -1)
            value = SIZES[max(0, min(len(SIZES) - 1, place))]
        device[key] = value


def status_bar(call, devices, words):
    from .simctl import booted, found, need, usage
    need(words, 2, "status_bar <device> [list | clear | override <override arguments>]")
    with devices:
        device = booted(found(devices, words[0]))
        if words[1] == "list":
            print_status_bar(device["statusBar"])
        elif words[1] == "clear":
            device["statusBar"] = {}
        elif words[1] == "override":
            values = overrides(words[2:])
            if trouble.strikes(call, "ui", device, command="status_bar"):
                raise Exit(1, "Failed to override the status bar.")
            if device["springBoard"] == 0:
                device["statusBar"] = {**device["statusBar"], **values}
        else:
            raise usage("Invalid operation: " + words[1])


def print_status_bar(bar):
    """Modes are numbers in it, as Xcode 26 prints them."""
    number = {name: STATUS_BAR["--" + name].index(bar[name]) + 1 if name in bar else 0 for name in (
        "dataNetwork", "wifiMode", "cellularMode", "batteryState")}
    print("Current Status Bar Overrides:\n=============================")
    if "time" in bar:
        print("Time: " + bar["time"])
    if "dataNetwork" in bar:
        print("DataNetworkType: %d" % (number["dataNetwork"] - 1))
    if "wifiMode" in bar or "wifiBars" in bar:
        print("WiFi Mode: %d, WiFi Bars: %s" % (number["wifiMode"], bar.get("wifiBars", 0)))
    if "cellularMode" in bar or "cellularBars" in bar:
        print("Cell Mode: %d, Cell Bars: %s" % (
            max(0, number["cellularMode"] - 1), bar.get("cellularBars", 0)))
    if bar:
        print("Operator Name: " + bar.get("operatorName", ""))
    if "batteryState" in bar or "batteryLevel" in bar:
        print("Battery State: %d, Battery Level: %s, Not Charging: 0" % (
            number["batteryState"], bar.get("batteryLevel", 0)))


def overrides(words):
    from .simctl import usage
    result = {}
    if not words or len(words) % 2:
        raise usage("override needs pairs of option and value")
    for option, value in zip(words[::2], words[1::2]):
        if option not in STATUS_BAR:
            raise usage("Invalid option: " + option)
        allowed = STATUS_BAR[option]
        if allowed is not None and value not in allowed:
            raise usage("Invalid value for %s: %s" % (option, value))
        # The manual promises ISO dates; only hours and minutes have an effect.
        if option == "--time" and not is_hours_and_minutes(value):
            continue
        result[option[2:]] = value
    return result


def is_hours_and_minutes(text):
    hours, colon, minutes = text.partition(":")
    return bool(colon) and hours.isdigit() and minutes.isdigit() and len(minutes) == 2


def spawn(call, devices, words):
    """The programs inside a simulator that a driver needs: defaults and launchctl."""
    from .simctl import booted, found, need
    while words and words[0] in ("-s", "--standalone", "-w", "--wait-for-debugger"):
        words = words[1:]
    need(words, 2, "spawn [-w] [-s] <device> <path to executable> [<argv 1> ...]")
    with devices:
        device = booted(found(devices, words[0]))
        program, rest = words[1].split("/")[-1], words[2:]
        if program == "defaults":
            defaults(devices, device, rest)
        elif program == "launchctl":
            launchctl(devices, device, rest)
        elif program not in ("log", "notifyutil", "open"):
            raise Exit(2, "An error was encountered processing the command (domain="
                          "NSPOSIXErrorDomain, code=2):\nThe operation couldn’t be completed. No "
                          "such file or directory")


def defaults(devices, device, words):
    if len(words) < 2:
        raise Exit(255, "Command line interface to a user's defaults.")
    verb, domain, rest = words[0], words[1], words[2:]
    is_global = domain in ("-g", "-globalDomain", "NSGlobalDomain", ".GlobalPreferences")
    if verb == "write" and len(rest) >= 2:
        value = rest[2:] if rest[1] == "-array" else rest[-1]
        if is_global:
            devices.write_preference(device, rest[0], value)
        else:
            device["domains"].setdefault(domain, {})[rest[0]] = value
    elif verb == "read":
        values = devices.preferences(device) if is_global else device["domains"].get(domain, {})
        if rest and rest[0] not in values:
            raise Exit(1, "The domain/default pair of (%s, %s) does not exist"
                       % ("kCFPreferencesAnyApplication" if is_global else domain, rest[0]))
        print(json.dumps(values[rest[0]] if rest else values, ensure_ascii=False))
    elif verb != "delete":
        raise Exit(255, "Command line interface to a user's defaults.")


def launchctl(devices, device, words):
    """A daemon that is killed starts again, and then reads what was written meanwhile."""
    if words[:2] == ["print", "system"]:
        is_up = device["springBoard"] == 0
        device["springBoard"] = max(0, device["springBoard"] - 1)
        print("com.apple.xpc.launchd.domain.system = {\n\tendpoints = {")
        print("\t\t   0x1203    M   A   com.apple.backboardd")
        print("\t\t%s   M   %s   com.apple.springboard.services\n\t}\n}" % (
            "   0x1b07 " if is_up else "   0x0    ", "A" if is_up else "D"))
    if words[:1] == ["kill"] and len(words) == 3 and words[2] in READERS:
        if words[2].endswith("SpringBoard"):
            # What was set went with it.
            device["springBoard"] = devices.place.machine["springBoardLooks"]
            device["statusBar"] = {}
        device["restarted"] = sorted(set(device["restarted"]) | {words[2]})
        if len(device["restarted"]) == len(READERS):
            device["live"] = devices.preferences(device)
