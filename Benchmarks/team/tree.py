"""What a command takes with everything it starts: time, CPU, and memory at one moment."""
import collections
import os
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from measuring import COMMAND_SECONDS_MAX, ENVIRONMENT  # noqa: E402

# `megabytes`: the most that all processes had resident together; pages they share count in each.
Taken = collections.namedtuple("Taken", "seconds cpu megabytes")
PAGE = os.sysconf("SC_PAGE_SIZE")
SAMPLE_SECONDS = 0.03


def take(*words, cwd=None, environment=None, accepted=(0,)):
    """Runs a command and says what it took."""
    began = time.monotonic()
    child = subprocess.Popen(
        [str(word) for word in words], cwd=cwd, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        env={**ENVIRONMENT, **(environment or {})},
    )
    sampler = Sampler(child.pid)
    errors = []
    reader = threading.Thread(target=lambda: errors.append(child.stderr.read()))
    reader.start()
    killer = threading.Timer(COMMAND_SECONDS_MAX, child.kill)
    killer.start()
    try:
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    finally:
        # A bench that is stopped takes along what it started.
        if child.returncode is None:
            child.terminate()
        seconds = time.monotonic() - began
        killer.cancel()
        # Sampled only: the kernel's own figure is never less than that of our process.
        megabytes = sampler.end() / 1e6
    reader.join()
    if child.returncode not in accepted:
        text = errors[0].decode(errors="replace")[-3000:]
        raise SystemExit(f"{words}: exit {child.returncode}\n{text}")
    return Taken(seconds, used.ru_utime + used.ru_stime, megabytes)


class Sampler:
    """Looks at a process and all below it until the end; remembers the largest sum."""

    def __init__(self, pid):
        self.pid, self.most, self.over = pid, 0, threading.Event()
        self.thread = threading.Thread(target=self.look)
        self.thread.start()

    def look(self):
        while not self.over.wait(SAMPLE_SECONDS):
            self.most = max(self.most, sum(resident(pid) for pid in below(self.pid)))

    def end(self):
        self.over.set()
        self.thread.join()
        return self.most


def below(pid):
    """The process and those it started, with theirs."""
    found = [pid]
    for parent in found:
        try:
            for task in os.listdir(f"/proc/{parent}/task"):
                with open(f"/proc/{parent}/task/{task}/children") as children:
                    found += [int(word) for word in children.read().split()]
        except OSError:
            pass
    return found


def resident(pid):
    try:
        with open(f"/proc/{pid}/statm") as file:
            return int(file.read().split()[1]) * PAGE
    except (OSError, IndexError):
        return 0


def disk(*roots):
    """Bytes that folders take on the disk; a file with several names in them counts once."""
    total, seen = 0, set()
    for root in roots:
        for where, folders, files in os.walk(root):
            for name in folders + files:
                status = os.lstat(os.path.join(where, name))
                if status.st_ino not in seen:
                    seen.add(status.st_ino)
                    total += status.st_blocks * 512
    return total
