"""Which tool is called, from which Xcode, and how its ending gets into the trace."""
import os
import signal
import sys

from .place import Place
from .trace import Trace


class Exit(Exception):
    """Ends the tool with a status, after text on standard error."""

    def __init__(self, status, text=""):
        self.status = status
        self.text = text


class Call:
    """What every tool needs: its Mac, its words, the Xcode it belongs to, and the trace."""

    def __init__(self, place, trace, words):
        self.place = place
        self.trace = trace
        self.words = words
        self.xcode = None

    def choose_xcode(self):
        """As xcrun(1): DEVELOPER_DIR, else what xcode-select chose; nothing else is looked at."""
        chosen = os.environ.get("DEVELOPER_DIR")
        for xcode in self.place.machine["xcodes"]:
            app = self.place.file(xcode["path"])
            developer = app + "/Contents/Developer"
            names = (app, developer, os.path.realpath(developer))
            if chosen is None and xcode["version"] == self.place.machine["selected"]:
                break
            if chosen is not None and chosen.rstrip("/") in names:
                break
        else:
            if chosen is None:
                raise Exit(1, "xcode-select: error: tool requires Xcode, but active developer "
                              "directory '/Library/Developer/CommandLineTools' is a command line "
                              "tools instance")
            raise Exit(1, "xcrun: error: missing DEVELOPER_DIR path: " + chosen)
        self.xcode = {**xcode, "developer": developer}

    @property
    def major(self):
        return self.version[0]

    @property
    def version(self):
        """Of the Xcode: (26, 4)."""
        return tuple(int(part) for part in (self.xcode["version"] + ".0").split(".")[:2])


def find_tool(call, name, words):
    """The function of a tool, and its words; xcrun hands on to the tools it finds."""
    if name == "xcrun":
        from . import xcrun
        return xcrun.resolve(call, words)
    return name, words


def run_tool(call, name, words):
    if name == "xcode-select":
        from . import xcode_select
        return xcode_select.main(call, words)
    call.choose_xcode()
    name, words = find_tool(call, name, words)
    if name == "xcodebuild":
        from . import xcodebuild
        return xcodebuild.main(call, words)
    if name == "simctl":
        from . import simctl
        return simctl.main(call, words)
    if name == "xcresulttool":
        from . import xcresulttool
        return xcresulttool.main(call, words)
    return 0


def main(folder, name, words):
    place = Place(folder)
    trace = Trace(place)
    trace.start(name, words)
    # Whoever is ended leaves no end in the trace: a handler that wrote one could wait for a lock
    # that its own process holds.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        length = sum(len(text.encode("utf-8", "surrogateescape")) + 9
                     for text in words + [n + "=" + v for n, v in os.environ.items()])
        if length > place.machine["argMax"]:
            # execve(2) refuses it: no program starts. A shell says it so, with status 126.
            raise Exit(126, name + ": Argument list too long")
        status = run_tool(Call(place, trace, words), name, words) or 0
        sys.stdout.flush()
    except Exit as exit:
        sys.stdout.flush()
        if exit.text:
            print(exit.text, file=sys.stderr)
        status = exit.status
    except BrokenPipeError:
        # Whoever read the output has gone; nothing is printed at the end either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        status = 141
    except Exception:
        # Not a rule of the real tools: the machine file is wrong, or the stand-in is.
        import traceback
        sys.stdout.flush()
        traceback.print_exc()
        status = 99
    trace.end("exit %d" % status)
    return status
