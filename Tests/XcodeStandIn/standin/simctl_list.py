"""simctl list and runtime list. The keys of the JSON are those measured on Xcode 26.6."""
import json
import os

from . import trouble
from .devices import runtime_identifier, type_identifier, version_key

KINDS = ("devicetypes", "runtimes", "devices", "pairs")


def usable_runtimes(call):
    """Those that this Xcode knows: none is newer than its SDK."""
    newest = version_key(call.xcode["sdk"])
    return [
        runtime for runtime in call.place.machine["runtimes"]
        if runtime.get("available", True) and version_key(runtime["version"]) <= newest
    ]


def device_types(call):
    return [
        {
            "name": kind["name"], "identifier": type_identifier(kind["name"]),
            "productFamily": kind["name"].split(" ")[0], "modelIdentifier": kind["model"],
            "minRuntimeVersion": 0, "maxRuntimeVersion": 4294967295,
            "minRuntimeVersionString": kind["from"], "maxRuntimeVersionString": "65535.255.255",
            "bundlePath": "/Library/Developer/CoreSimulator/Profiles/DeviceTypes/%s.simdevicetype"
                          % kind["name"],
        }
        for kind in call.place.machine["deviceTypes"]
    ]


def runtimes(call):
    usable = [runtime["version"] for runtime in usable_runtimes(call)]
    result = []
    for runtime in call.place.machine["runtimes"]:
        version = runtime["version"]
        fit = [kind for kind in call.place.machine["deviceTypes"]
               if version_key(kind["from"]) <= version_key(version)]
        names = {kind["name"] for kind in fit}
        result.append({
            "identifier": runtime_identifier(version), "name": "iOS " + version,
            "version": version, "buildversion": runtime["build"], "platform": "iOS",
            "isAvailable": version in usable, "isInternal": False,
            "supportedArchitectures": ["x86_64", "arm64"],
            "supportedDeviceTypes": [
                {key: kind[key] for key in ("name", "identifier", "bundlePath", "productFamily")}
                for kind in device_types(call) if kind["name"] in names
            ],
        })
    return result


def devices_by_runtime(call, devices, term):
    """Looking is what lets a boot go on; a hidden device is not there yet."""
    usable = [runtime["version"] for runtime in usable_runtimes(call)]
    result = {runtime_identifier(r["version"]): [] for r in call.place.machine["runtimes"]}
    with devices:
        for device in devices.devices:
            if trouble.strikes(call, "list", device):
                device["hidden"] = 1
            hidden = device.get("hidden", 0) > 0
            devices.look(device)
            available = device["runtime"] in usable
            if hidden or (term == "available" and not available):
                continue
            if term == "booted" and device["state"] != "Booted":
                continue
            if term not in ("", "available", "booted") and term not in (
                device["name"], device["udid"]
            ):
                continue
            result.setdefault(runtime_identifier(device["runtime"]), []).append(
                described(devices, device, available)
            )
    return result


def described(devices, device, available):
    folder = os.path.join(devices.path, device["udid"])
    result = {
        "udid": device["udid"], "name": device["name"], "state": device["state"],
        "isAvailable": available, "deviceTypeIdentifier": type_identifier(device["type"]),
        "dataPath": os.path.join(folder, "data"), "dataPathSize": 18337792,
        "logPath": os.path.join(folder, "logs"),
    }
    if not available:
        result["availabilityError"] = "runtime profile not found using \"System\" match policy"
    if device["boots"]:
        result["lastBootedAt"] = "2026-11-21T09:41:00Z"
    return result


def main(call, devices, words):
    flags = [w for w in words if w.startswith("-")]
    rest = [w for w in words if not w.startswith("-")]
    kinds = [rest.pop(0)] if rest and rest[0] in KINDS else list(KINDS)
    term = " ".join(rest)
    found = {}
    if "devicetypes" in kinds:
        found["devicetypes"] = device_types(call)
    if "runtimes" in kinds:
        found["runtimes"] = [r for r in runtimes(call) if term != "available" or r["isAvailable"]]
    if "devices" in kinds:
        found["devices"] = devices_by_runtime(call, devices, term)
    if "pairs" in kinds:
        found["pairs"] = {}
    if "-j" in flags or "--json" in flags or "-je" in flags:
        print(json.dumps(found, indent=2, ensure_ascii=False))
    else:
        print_text(found)


def print_text(found):
    titles = {"devicetypes": "Device Types", "runtimes": "Runtimes", "devices": "Devices",
              "pairs": "Device Pairs"}
    for kind, values in found.items():
        print("== %s ==" % titles[kind])
        if kind == "devicetypes":
            for value in values:
                print("%s (%s)" % (value["name"], value["identifier"]))
        elif kind == "runtimes":
            for value in values:
                print("%s (%s - %s) - %s" % (value["name"], value["version"],
                                             value["buildversion"], value["identifier"]))
        elif kind == "devices":
            for runtime, list_of_them in values.items():
                print("-- iOS %s --" % runtime.split("iOS-")[1].replace("-", "."))
                for value in list_of_them:
                    print("    %s (%s) (%s) " % (value["name"], value["udid"], value["state"]))


def runtime(call, devices, words):
    """`runtime list -j`: the disk images of runtimes."""
    if words[:1] != ["list"]:
        return
    images = {
        "IMAGE-" + r["build"]: {
            "identifier": "IMAGE-" + r["build"], "runtimeIdentifier": r["identifier"],
            "version": r["version"], "build": r["buildversion"], "state": "Ready",
            "platformIdentifier": "com.apple.platform.iphonesimulator",
        }
        for r in runtimes(call)
    }
    print(json.dumps(images, indent=2))
