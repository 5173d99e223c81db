"""One Mac as a folder: what is installed, what is in what state, and the locks around it.

    machine.json   what the Mac has; written by the test, only read here
    trouble.json   what is to go wrong; written by the test, counted down here
    trace.jsonl    every call, see trace.py
    state/         locks and counters
    Library/…      the default device set, as below a home folder

Invariants
  - State is read and written under one lock, and replaced whole: a killed process leaves the state
    before or after its change, never between.
  - No lock outlives its process (flock), so what a killed one held is free.
"""
import fcntl
import json
import os
import time

from . import defaults


class Locked:
    """Holds a lock file for the length of a `with`."""

    def __init__(self, path):
        self.path = path

    def __enter__(self):
        self.file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        fcntl.flock(self.file, fcntl.LOCK_EX)

    def __exit__(self, *_):
        os.close(self.file)


def try_lock(path):
    """A descriptor that holds the lock until it is closed or its process ends; None: taken."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return file
    except OSError:
        os.close(file)
        return None


def read_json(path, otherwise=None):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return otherwise


def write_json(path, value):
    """Replaces a file whole; readers see the old one or the new one."""
    new = "%s.%d.new" % (path, os.getpid())
    with open(new, "w", encoding="utf-8") as file:
        json.dump(value, file, ensure_ascii=False)
    os.replace(new, path)


class Place:
    def __init__(self, folder):
        self.folder = os.path.realpath(folder)
        self.state = self.file("state")
        os.makedirs(self.state, exist_ok=True)
        given = read_json(self.file("machine.json"), {})
        self.machine = {**defaults.MACHINE, **given}

    def file(self, *names):
        return os.path.join(self.folder, *names)

    def locked(self, name="lock"):
        return Locked(os.path.join(self.state, name))

    def count(self, name):
        """The next number of a counter, from 1; atomic by itself."""
        with self.locked(name + ".lock"):
            path = os.path.join(self.state, name)
            number = int(read_json(path, 0)) + 1
            write_json(path, number)
            return number

    @property
    def default_set(self):
        return self.file("Library", "Developer", "CoreSimulator", "Devices")

    @property
    def derived_data(self):
        return self.file("Library", "Developer", "Xcode", "DerivedData")

    def take_time(self, seconds):
        """A scripted second lasts `second` seconds of the wall; by default none."""
        wall = seconds * self.machine["second"]
        if wall > 0:
            time.sleep(wall)

    def hang(self):
        """Until somebody kills this process; not for ever, so that no test leaves one behind."""
        limit = time.monotonic() + self.machine["hangSecondsMax"]
        while time.monotonic() < limit:
            time.sleep(0.05)
