"""The Mac that an empty machine.json describes."""

MACHINE = {
    "seed": 1,
    # Seconds of the wall that a scripted second lasts.
    "second": 0,
    "bootSeconds": 30,
    # The first boot, which migrates data; None: as any other.
    "firstBootSeconds": None,
    # How often launchctl shows SpringBoard's services without a process after it was ended.
    "springBoardLooks": 1,
    "launchSeconds": 15,
    # How often `simctl list` shows a device Booting after a plain `boot`, without bootstatus.
    "bootLooks": 3,
    "hangSecondsMax": 600,
    # "sf": the private glyphs that Swift Testing prints on a Mac; "plain": those of Linux.
    "glyphs": "sf",
    # How often lines have another shape than most: see shapes.py.
    "shapes": {"zeroWidth": 0.02, "barrier": 0.02},
    # Durations in results are written as the user's region does: "0,5s".
    "decimalComma": False,
    # macOS refuses to start a program whose arguments and environment are longer together.
    "argMax": 1 << 20,
    "selected": "16.4",
    "xcodes": [
        {
            "version": "16.4", "build": "16F6", "sdk": "18.5",
            "path": "Applications/Xcode-16.4.app",
        },
    ],
    "runtimes": [
        {"version": "18.5", "build": "22F77"},
        {"version": "17.5", "build": "21F79"},
    ],
    "deviceTypes": [
        {"name": "iPhone SE (3rd generation)", "model": "iPhone14,6", "size": [375, 667],
         "scale": 2, "from": "15.4"},
        {"name": "iPhone 14", "model": "iPhone14,7", "size": [390, 844], "scale": 3,
         "from": "16.0"},
        {"name": "iPhone 15", "model": "iPhone15,4", "size": [393, 852], "scale": 3,
         "from": "17.0"},
        {"name": "iPhone 16", "model": "iPhone17,3", "size": [393, 852], "scale": 3,
         "from": "18.0"},
        {"name": "iPhone 16 Plus", "model": "iPhone17,4", "size": [430, 932], "scale": 3,
         "from": "18.0"},
        {"name": "iPad Pro 11-inch (M4)", "model": "iPad16,3", "size": [834, 1210], "scale": 2,
         "from": "17.5"},
    ],
    # [{name, type, runtime}]: what the default device set holds at first.
    "devices": [],
    # {"App.xcworkspace": description}; a standin.json inside the project's folder wins.
    "projects": {},
}
