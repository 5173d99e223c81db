"""Makes a folder a Mac: `standin-install FOLDER [MACHINE.json]`.

Its bin/ holds the tools with the folder and the interpreter written into them, so that a PATH is
enough to use them, and a start costs no search. Its Applications/ hold what each Xcode says of
itself.
"""
import os
import shutil
import sys

from .place import Place

TOOLS = ("xcodebuild", "xcrun", "xcode-select", "standin-trace")
PROGRAM = """#!%s -IS
import sys
sys.path.insert(0, %r)
from standin.%s import main
sys.exit(main(%r, %r, sys.argv[1:]))
"""
PLIST = """<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict>
<key>CFBundleShortVersionString</key><string>%s</string>
<key>ProductBuildVersion</key><string>%s</string>
</dict></plist>
"""


def main(folder, machine=None):
    os.makedirs(folder, exist_ok=True)
    if machine is not None:
        shutil.copyfile(machine, os.path.join(folder, "machine.json"))
    place = Place(folder)
    for name in TOOLS:
        write_tool(place, os.path.join(place.folder, "bin"), name)
    for xcode in place.machine["xcodes"]:
        contents = os.path.join(place.folder, xcode["path"], "Contents")
        for name in ("xcodebuild", "simctl", "xcresulttool"):
            write_tool(place, os.path.join(contents, "Developer", "usr", "bin"), name)
        with open(os.path.join(contents, "version.plist"), "w", encoding="ascii") as file:
            file.write(PLIST % (xcode["version"], xcode["build"]))
    return 0


def write_tool(place, folder, name):
    os.makedirs(folder, exist_ok=True)
    module = "trace_text" if name == "standin-trace" else "tool"
    home = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(PROGRAM % (os.path.realpath(sys.executable), home, module, place.folder, name))
    os.chmod(path, 0o755)
