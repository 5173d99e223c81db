"""Simulators: what states they have, who may be in one, and what survives what.

Invariants
  - One process at a time has a runner in a simulator: it holds the lock file of its UDID.
  - A boot goes on when the `simctl` that asked for it is killed; the state stays Booting until the
    simulator is up, or is shut down where the boot hangs.
  - What a simulator shows (`live`) is read from its preferences when it boots, not when they are
    written. Appearance and content size survive a boot, the status bar does not; nothing survives
    an erase.
  - The first boot migrates the data of the system and may take longer (`firstBootSeconds`); one that
    did not come to its end, and one after an erase, is a first one again. A clone has the data.
  - Once SpringBoard was ended, nothing that is set sticks until launchctl has shown it running.
"""
import hashlib
import os
import shutil
import time

from .place import read_json, try_lock, write_json

BUILT_IN_APPS = ("com.apple.Preferences", "com.apple.mobilesafari", "com.apple.springboard")


def identifier_of(name):
    """A name as CoreSimulator's identifiers spell it: "iPhone SE (3rd generation)" has no ()."""
    plain = "".join(c if c.isalnum() else "-" for c in name.replace("(", "").replace(")", ""))
    return plain.strip("-")


def type_identifier(name):
    return "com.apple.CoreSimulator.SimDeviceType." + identifier_of(name)


def runtime_identifier(version):
    return "com.apple.CoreSimulator.SimRuntime.iOS-" + version.replace(".", "-")


def version_key(text):
    return tuple(int(part) for part in text.split("."))


class DeviceSet:
    """A folder of simulators. xcodebuild looks in the default one only."""

    def __init__(self, place, path):
        self.place = place
        self.path = os.path.realpath(path)
        self.file = os.path.join(self.path, "device_set.json")
        os.makedirs(self.path, exist_ok=True)

    def __enter__(self):
        """Read and changed under the lock; written at the end of the `with`."""
        self.lock = self.place.locked("devices.lock")
        self.lock.__enter__()
        self.devices = read_json(self.file)
        if self.devices is None:
            self.devices = []
            if self.path == os.path.realpath(self.place.default_set):
                self.add_given()
        return self

    def __exit__(self, *_):
        # Also of a call that is refused: what it did before that stays done.
        write_json(self.file, self.devices)
        self.lock.__exit__()

    def add_given(self):
        """What the machine file puts there; traced, so that the trace can name them."""
        from .trace import Trace
        for given in self.place.machine["devices"]:
            device = self.add(given["name"], given["type"], given["runtime"])
            Trace(self.place).add("create", device=device["udid"], name=device["name"],
                                  set=self.path)

    def peek(self, udid):
        """One simulator as it is, without the lock: the file is only ever replaced whole."""
        devices = read_json(self.file, [])
        return next((device for device in devices if device["udid"] == udid), None)

    def add(self, name, type_name, runtime):
        number = self.place.count("udids")
        seed = "%s %s %d" % (self.place.machine["seed"], self.place.folder, number)
        hexes = hashlib.sha256(seed.encode()).hexdigest()[:32].upper()
        udid = "-".join((hexes[:8], hexes[8:12], hexes[12:16], hexes[16:20], hexes[20:]))
        device = {
            "udid": udid, "name": name, "type": type_name, "runtime": runtime,
            "state": "Shutdown", "boots": 0,
        }
        reset(device)
        self.devices.append(device)
        os.makedirs(os.path.join(self.data(device), "tmp"), exist_ok=True)
        return device

    def data(self, device):
        return os.path.join(self.path, device["udid"], "data")

    def find(self, name):
        """By UDID in any case, by name, or `booted`; None: there is no such device."""
        for device in self.devices:
            if device["udid"] == name.upper() or (
                name == "booted" and device["state"] == "Booted"
            ):
                return device
        return next((d for d in self.devices if d["name"] == name), None)

    def remove(self, device):
        self.devices.remove(device)
        shutil.rmtree(os.path.join(self.path, device["udid"]), ignore_errors=True)

    def begin_boot(self, device, hangs):
        machine = self.place.machine
        device["state"] = "Booting"
        device["boots"] += 1
        device["hangs"] = hangs
        device["looks"] = machine["bootLooks"]
        device["readyAt"] = time.time() + self.boot_seconds(device) * machine["second"]
        device["statusBar"] = {}
        device["springBoard"] = 0
        if device.get("sick", {}).get("cure") == "reboot":
            device["sick"] = {}

    def boot_seconds(self, device):
        machine = self.place.machine
        first = machine["firstBootSeconds"]
        return machine["bootSeconds"] if device["migrated"] or first is None else first

    def end_boot(self, device):
        device["state"] = "Booted"
        device["migrated"] = True
        device["live"] = self.preferences(device)

    def look(self, device):
        """One poll of `simctl list`: time passes for a simulator that boots."""
        if device.get("hidden", 0) > 0:
            device["hidden"] -= 1
        if device["state"] != "Booting" or device["hangs"]:
            return
        if device["looks"] > 0:
            device["looks"] -= 1
        elif time.time() >= device["readyAt"]:
            self.end_boot(device)

    def shut_down(self, device):
        device["state"] = "Shutdown"
        device["hangs"] = False
        device["statusBar"] = {}

    def erase(self, device):
        sick = device.get("sick", {})
        reset(device)
        if sick.get("cure") == "recreate":
            device["sick"] = sick
        shutil.rmtree(self.data(device), ignore_errors=True)
        os.makedirs(os.path.join(self.data(device), "tmp"))

    def preferences_file(self, device):
        return os.path.join(
            self.data(device), "Library", "Preferences", ".GlobalPreferences.plist"
        )

    def preferences(self, device):
        """The global domain as it lies on the simulator's disk."""
        path = self.preferences_file(device)
        if not os.path.exists(path):
            return {"AppleLanguages": ["en-US", "en"], "AppleLocale": "en_US"}
        import plistlib
        with open(path, "rb") as file:
            written = plistlib.load(file)
        return {"AppleLanguages": ["en-US", "en"], "AppleLocale": "en_US", **written}

    def write_preference(self, device, key, value):
        import plistlib
        values = {**self.preferences(device), key: value}
        path = self.preferences_file(device)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            plistlib.dump(values, file)
        device["restarted"] = []

    def enter(self, device):
        """The right to be this simulator's only runner, while the descriptor is open."""
        return try_lock(self.place.file("state", "runners", device["udid"]))


def reset(device):
    device.update(
        appearance="light", contrast="disabled", contentSize="large", statusBar={}, apps=[],
        live={}, domains={}, restarted=[], sick={}, hangs=False, looks=0, readyAt=0,
        migrated=False, springBoard=0,
    )
