"""xcode-select: says which Xcode is chosen; choosing one needs the administrator."""
import os

from .tool import Exit


def main(call, words):
    first = words[0] if words else ""
    if first in ("-p", "--print-path", "-print-path"):
        call.choose_xcode()
        print(os.environ.get("DEVELOPER_DIR") or call.xcode["developer"])
    elif first in ("-v", "--version"):
        print("xcode-select version 2410.")
    elif first in ("-s", "--switch", "-r", "--reset"):
        raise Exit(1, "xcode-select: error: %s must be run as root (e.g. `sudo xcode-select %s "
                      "<xcode_folder_path>`)." % (first, first))
    else:
        raise Exit(64, "xcode-select: error: invalid argument '%s'" % first)
    return 0
