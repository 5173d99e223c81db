"""-destination: the grammar of xcodebuild(1), and which simulator it means."""
from . import trouble
from .devices import DeviceSet, version_key
from .tool import Exit

PLATFORMS = (
    "macOS", "iOS", "iOS Simulator", "watchOS", "watchOS Simulator", "tvOS", "tvOS Simulator",
    "visionOS", "visionOS Simulator", "DriverKit",
)
KEYS = ("platform", "id", "name", "OS", "arch", "variant", "generic/platform")


def parse(text):
    result = {}
    for part in text.split(","):
        key, equals, value = part.partition("=")
        if not equals or key not in KEYS:
            raise Exit(64, "xcodebuild: error: invalid destination specifier '%s'" % text)
        result[key] = value
    platform = result.get("platform") or result.get("generic/platform")
    if platform is not None and platform not in PLATFORMS:
        raise Exit(64, "xcodebuild: error: unknown platform '%s' in destination" % platform)
    if "id" in result and ("name" in result or "OS" in result):
        raise Exit(64, "xcodebuild: error: a destination has one of id and name, and OS only with "
                       "name: '%s'" % text)
    return result


def find(call, options, scheme):
    """The simulators that tests run on: each named one, in the default device set only."""
    texts = options.lists["destination"]
    if not texts:
        raise not_found(call, scheme, {"platform": "iOS Simulator"})
    result = []
    for text in texts:
        wanted = parse(text)
        if "generic/platform" in wanted:
            raise Exit(70, "xcodebuild: error: Failed to build %s: Cannot test target on “Any iOS "
                           "Simulator Device”: Tests must be run on a concrete device" % scheme)
        result.append(find_one(call, scheme, wanted))
    return result


def find_one(call, scheme, wanted):
    if wanted.get("platform", "iOS Simulator") != "iOS Simulator" or (
        "id" not in wanted and "name" not in wanted
    ):
        raise not_found(call, scheme, wanted)
    devices, noun = DeviceSet(call.place, call.place.default_set), "device"
    with devices:
        if "id" in wanted:
            fit = [d for d in devices.devices if d["udid"] == wanted["id"].upper()]
        else:
            fit = [d for d in devices.devices if d["name"] == wanted["name"]]
            version = wanted.get("OS", "latest")
            if version != "latest":
                fit = [d for d in fit if d["runtime"] == version]
            fit.sort(key=lambda d: version_key(d["runtime"]), reverse=True)
        kind = trouble.strikes(call, "destination", fit[0]) if fit else None
        if kind == "gone":
            devices.remove(fit.pop(0))
        elif kind is not None:
            # In no list until somebody has looked so often.
            fit[0]["hidden"] = 2
            noun = "destination" if kind == "no-scheme-destination" else "device"
        fit = [d for d in fit if d.get("hidden", 0) == 0]
        if fit:
            return fit[0]["udid"]
    raise not_found(call, scheme, wanted, noun)


def not_found(call, scheme, wanted, noun="device"):
    """Status 70; the list has placeholders where no simulator is there."""
    text = ", ".join("%s:%s" % (k, v) for k, v in wanted.items())
    lines = [
        "xcodebuild: error: Unable to find a %s matching the provided destination specifier:" % noun,
        "\t\t{ %s }" % text, "",
        "\tThe requested device could not be found because no available devices matched the "
        "request.", "",
        '\tAvailable destinations for the "%s" scheme:' % scheme,
    ]
    devices = DeviceSet(call.place, call.place.default_set)
    with devices:
        # CoreSimulator that has not come up knows no simulator at all.
        is_up = all(device.get("hidden", 0) == 0 for device in devices.devices)
        for device in devices.devices:
            if is_up:
                lines.append("\t\t{ platform:iOS Simulator, arch:arm64, id:%s, OS:%s, name:%s }" % (
                    device["udid"], device["runtime"], device["name"]))
    lines.append("\t\t{ platform:iOS, id:dvtdevice-DVTiPhonePlaceholder-iphoneos:placeholder, "
                 "name:Any iOS Device }")
    lines.append("\t\t{ platform:iOS Simulator, id:dvtdevice-DVTiOSDeviceSimulatorPlaceholder-"
                 "iphonesimulator:placeholder, name:Any iOS Simulator Device }")
    return Exit(70, "\n".join(lines))
