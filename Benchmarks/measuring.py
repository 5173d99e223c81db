"""What the benchmarks share: CPU and memory of child processes, tables, the history file."""
import argparse
import collections
import datetime
import os
import pathlib
import random
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
HISTORY = ROOT / "docs" / "benchmark-history.csv"

# Nobody's own settings, and no background gc that would run beside the next measurement.
FOREIGN = ("CI", "SNAPFARM", "GITHUB", "BITRISE", "BUILDKITE", "GIT_")
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)},
    "LC_ALL": "C",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "gc.auto",
    "GIT_CONFIG_VALUE_0": "0",
    "GIT_CONFIG_KEY_1": "maintenance.auto",
    "GIT_CONFIG_VALUE_1": "false",
    "GIT_AUTHOR_NAME": "bench",
    "GIT_AUTHOR_EMAIL": "bench@localhost",
    "GIT_COMMITTER_NAME": "bench",
    "GIT_COMMITTER_EMAIL": "bench@localhost",
    "GIT_TERMINAL_PROMPT": "0",
}
COMMAND_SECONDS_MAX = 1_800

Cost = collections.namedtuple("Cost", "cpu user system megabytes")


class Failed(SystemExit):
    """Something is not as it must be; its text is what the script ends with."""


def run(*words, cwd=None, data=None, environment=None, accepted=(0,)):
    """Runs a command that is not measured; returns what it printed."""
    words = [str(word) for word in words]
    result = subprocess.run(
        words, cwd=cwd, input=data, capture_output=True,
        env={**ENVIRONMENT, **(environment or {})}, timeout=COMMAND_SECONDS_MAX,
    )
    if result.returncode not in accepted:
        said = "\n".join(
            text.decode(errors="replace")[-2000:] for text in (result.stdout, result.stderr))
        raise Failed(f"{' '.join(words)}: exit {result.returncode}\n{said}")
    return result.stdout


# In a small process of its own: a child's peak memory is never less than that of its parent.
_CHILD = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime, used.ru_stime, used.ru_maxrss)
sys.exit(code)
"""


def measure(*commands, cwd=None, environment=None, accepted=(0,)):
    """CPU (user + system, with children's children) and peak memory of commands in a row.

    `accepted` are the exit codes of commands that did what they should.
    """
    user = system = megabytes = 0
    for words in commands:
        out = run(sys.executable, "-S", "-c", _CHILD, *words, cwd=cwd, environment=environment,
                  accepted=accepted)
        part = [float(number) for number in out.split()]
        user, system = user + part[0], system + part[1]
        megabytes = max(megabytes, part[2] * 1024 / 1e6)
    return Cost(user + system, user, system, megabytes)


def picture(seed, width, height, level=1):
    """A PNG of grey noise that follows from `seed`; with another level the same pixels have other bytes."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(
            ">I", zlib.crc32(kind + body))

    noise = random.Random(seed)
    rows = b"".join(b"\0" + noise.randbytes(width) for _ in range(height))
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(rows, level)) + chunk(b"IEND", b"")
    )


def png(seed, size):
    """A valid PNG of `size` bytes, give or take 5, that does not compress; follows from `seed`."""
    # One row of grey pixels, in stored blocks of deflate: five bytes for each 65,535.
    width = size - 57 - 7
    return picture(seed, width - 5 * (width // 65_535 + 1), 1, level=0)


def write(path, content):
    """Writes a file of text or bytes, and the folders that it lies in."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb" if isinstance(content, bytes) else "w") as file:
        file.write(content)


def machine():
    """As the other lines of the history file say it."""
    model = next(
        (line.split(":")[1].strip() for line in open("/proc/cpuinfo") if "model name" in line),
        "unknown",
    )
    return f"{os.cpu_count()} x {model}, load {os.getloadavg()[0]:.2f}"


def median(values):
    return statistics.median(values)


def table(title, head, rows):
    """Prints a table for a README: the first column left, the others right."""
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [head] + rows) for i in range(len(head))]

    def line(cells):
        return "| " + " | ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(cells, widths))) + " |"

    print(f"\n{title}\n{machine()}, {datetime.date.today()}\n")
    print(line(head))
    print("|" + "|".join("-" * (w + 1) + (":" if i else "-") for i, w in enumerate(widths)) + "|")
    for row in rows:
        print(line(row))
    sys.stdout.flush()


class Figures:
    """Collects figures for the history file; writes them only where it was asked to."""

    def __init__(self, record):
        self.record = record
        self.lines = []
        self.machine = machine()

    def add(self, benchmark, value, unit, n):
        self.lines.append((benchmark, value, unit, n))

    def write(self):
        if not self.record:
            return
        commit = run("git", "-C", ROOT, "rev-parse", "--short=7", "HEAD").decode().strip()
        day = datetime.date.today().isoformat()
        with open(HISTORY, "a") as out:
            for benchmark, value, unit, n in self.lines:
                assert "," not in benchmark, benchmark
                out.write(f'{day},{commit},"{self.machine}",{benchmark},{value:.6g},{unit},{n}\n')
        print(f"appended {len(self.lines)} lines to {HISTORY}")


def arguments(description, **defaults):
    """The options all benchmarks have; `defaults` become options with a value each."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("binary", help="the release build of snapfarm")
    parser.add_argument("folder", nargs="?", help="where to work (default: a temporary folder)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", action="store_true", help="keep what was made")
    parser.add_argument("--record", action="store_true", help="append to the history file")
    for name, default in defaults.items():
        parser.add_argument(
            "--" + name.replace("_", "-"), default=default,
            type=type(default) if default is not None else str,
        )
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    return options


class Workplace:
    """A folder for the run; what was made in it goes at the end."""

    def __init__(self, options):
        # A stopped run ends its servers and takes its files along, as a failed one does.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        self.keep = options.keep
        self.given = options.folder is not None
        if self.given:
            os.makedirs(options.folder, exist_ok=True)
        base = os.path.abspath(options.folder) if self.given else None
        self.path = tempfile.mkdtemp(prefix="snapfarm-bench-", dir=base)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.keep:
            print(f"kept {self.path}")
        else:
            shutil.rmtree(self.path, ignore_errors=True)

    def __call__(self, *names):
        return os.path.join(self.path, *names)

    def fresh(self, *names):
        """An empty folder; whatever was there goes."""
        path = self(*names)
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        return path


def interleaved(round_number, kinds):
    """The kinds in another order each round, so that none always runs first."""
    turn = round_number % len(kinds)
    return list(kinds[turn:]) + list(kinds[:turn])
