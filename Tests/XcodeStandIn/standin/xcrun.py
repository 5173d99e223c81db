"""xcrun: finds tools of the chosen Xcode and starts them."""
import os

from .tool import Exit

TOOLS = ("xcodebuild", "simctl", "xcresulttool")


def resolve(call, words):
    words = list(words)
    while words and words[0].startswith("-"):
        option = words.pop(0).lstrip("-")
        if option == "sdk" and words:
            words.pop(0)
        elif option in ("find", "f"):
            return find(call, words)
        elif option == "show-sdk-version":
            print(call.xcode["sdk"])
            return "", []
        elif option in ("run", "r", "log", "l", "no-cache", "n"):
            continue
        else:
            raise Exit(64, "xcrun: error: unknown option '%s'" % option)
    if not words:
        raise Exit(64, "xcrun: error: no command specified")
    if words[0] == "lipo":
        return lipo(words[1:])
    if words[0] not in TOOLS:
        raise Exit(72, 'xcrun: error: unable to find utility "%s", not a developer tool or in PATH'
                   % words[0])
    return words[0], words[1:]


def lipo(words):
    """`lipo -archs FILE` of what a build for any simulator makes."""
    if len(words) != 2 or words[0] != "-archs" or not os.path.isfile(words[1]):
        raise Exit(1, "fatal error: lipo: can't open input file: %s" % words[-1:])
    print("arm64 x86_64")
    return "", []


def find(call, words):
    if not words or words[0] not in TOOLS:
        raise Exit(72, 'xcrun: error: unable to find utility "%s", not a developer tool or in PATH'
                   % (words[0] if words else ""))
    print(os.path.join(call.xcode["developer"], "usr", "bin", words[0]))
    return "", []
