"""The result bundle: a folder that only xcresulttool reads.

It exists from the start of a run, and is readable when the run has ended: what a killed xcodebuild
leaves has no Info.plist.
"""
import os

from .place import read_json, write_json
from .tool import Exit


class ResultBundle:
    def __init__(self, call, path):
        self.call = call
        self.path = path
        self.count = 0
        os.makedirs(os.path.join(path, "Data"))

    def store(self, attachment):
        """Writes an attachment's bytes; returns what the bundle says of it."""
        self.count += 1
        number = self.call.place.count("attachments")
        identifier = "%08X-0000-4000-8000-%012X" % (self.call.place.machine["seed"], number)
        data = attachment["data"]
        # The file is named after the type that the test gave, and not after what it holds.
        extension = "png" if data[:4] == b"\x89PNG" else "txt"
        ending = "." + extension if attachment["typed"] else ""
        with open(os.path.join(self.path, "Data", "data.0~" + identifier), "wb") as file:
            file.write(data)
        base = attachment["name"]
        if base.endswith("." + extension):
            base = base[:-4]
        return {"uuid": identifier, "name": attachment["name"], "ending": ending,
                "file": "%s_0_%s%s" % (base, identifier, ending),
                "failing": attachment["failing"], "number": self.count}

    def finish(self, facts):
        write_json(os.path.join(self.path, "standin.json"), facts)
        with open(os.path.join(self.path, "Info.plist"), "w", encoding="ascii") as file:
            file.write('<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0"><dict>'
                       "<key>version</key><dict><key>major</key><integer>3</integer>"
                       "<key>minor</key><integer>53</integer></dict></dict></plist>\n")


def load(path):
    if not os.path.isdir(path):
        raise Exit(1, "Error: File or directory doesn't exist at path: %s" % path)
    if not os.path.exists(os.path.join(path, "Info.plist")):
        raise Exit(1, "Error: The result bundle at %s is missing its Info.plist and cannot be "
                      "opened." % path)
    facts = read_json(os.path.join(path, "standin.json"))
    if facts is None:
        raise Exit(1, "Error: Unable to read the result bundle at %s" % path)
    return facts
