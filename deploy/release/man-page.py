#!/usr/bin/env python3
"""Prints the manual page snapfarm(1): every subcommand with its options, as the program says them.

usage: snapfarm --experimental-dump-help | man-page.py VERSION YYYY-MM-DD
"""
import json
import sys
import textwrap


def escaped(text):
    """Text for troff: no backslash, hyphen or leading dot of it is a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    lines = [short for line in text.splitlines() for short in textwrap.wrap(line, 78) or [".PP"]]
    guarded = ("\\&" + line if line[0] in ".'" and line != ".PP" else line for line in lines)
    return "\n".join(guarded)


def option(name):
    return ("-" if name["kind"] == "short" else "--") + name["name"]


def spelled(argument):
    """How a person types the argument: `--mode <mode>`, `<file>`, `--yes`."""
    value = f"<{argument.get('valueName', 'value')}>"
    if argument["kind"] == "positional":
        return value + (" ..." if argument["isRepeating"] else "")
    names = ", ".join(option(name) for name in argument["names"])
    return f"{names} {value}" if argument["kind"] == "option" else names


def described(argument):
    text = argument.get("abstract", "")
    if argument.get("allValues"):
        text += f" One of {', '.join(argument['allValues'])}."
    if argument.get("defaultValue"):
        text += f" Default: {argument['defaultValue']}."
    return text.strip()


def commands(command, path):
    """The command and all below it that help shows, with their full names."""
    yield path, command
    for below in command.get("subcommands", []):
        if below["shouldDisplay"] and below["commandName"] != "help":
            yield from commands(below, path + [below["commandName"]])


def shown(command):
    """The command's own arguments; --help and --version are said once."""
    for argument in command.get("arguments", []):
        names = [name["name"] for name in argument.get("names", [])]
        if argument["shouldDisplay"] and "help" not in names and "version" not in names:
            yield argument


def main(version, day):
    root = json.load(sys.stdin)["command"]
    out = [f'.TH SNAPFARM 1 "{day}" "snapfarm {version}" "User Commands"', ".SH NAME"]
    abstract = root["abstract"][0].lower() + root["abstract"][1:].rstrip(".")
    out += [f"snapfarm \\- {escaped(abstract)}", ".SH SYNOPSIS"]
    out += [".B snapfarm", ".I command", "[arguments]", ".br", ".B snapfarm \\-\\-version"]
    out += [".br", ".B snapfarm", ".I command", ".B \\-\\-help"]
    if root.get("discussion"):
        out += [".SH DESCRIPTION", escaped(root["discussion"])]
    out += [".SH COMMANDS"]
    for path, command in list(commands(root, ["snapfarm"]))[1:]:
        out += [f'.SS "{escaped(" ".join(path))}"', escaped(command.get("abstract", ""))]
        if command.get("discussion"):
            out += [".PP", escaped(command["discussion"])]
        for argument in shown(command):
            out += [".TP", f"\\fB{escaped(spelled(argument))}\\fR", escaped(described(argument))]
    out += [".SH SEE ALSO", ".BR git (1)", ".PP", "/usr/share/doc/snapfarm"]
    print("\n".join(line for line in out if line))


main(*sys.argv[1:3])
