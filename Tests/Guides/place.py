"""Where the commands of one page run: a folder with a home, a PATH on which the program is, and a shell.

Commands run as the page has them, but for names that only its readers have (`change`): the address of a
coordinator, a run's id. What a page says that a command prints is compared line by line; `…` stands for
anything, and ids, times and sizes for any others.
"""
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import zlib

from pages import ROOT

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"

# Of what no two executions have in common.
LOOSE = [
    (re.compile(r"\b\d{8}-\d{6}-[a-z0-9]{4,9}\b"), "RUN"),
    (re.compile(r"\b\d{8}-\d{6}\b|\b\d{4}-\d\d-\d\dT[\d:.]+Z"), "MOMENT"),
    (re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{12,64}\b"), "ID"),
    (re.compile(r"\b\d{4}-\d\d-\d\d\b"), "DAY"),
    (re.compile(r"\b[\d.]+ s\b"), "TIME"), (re.compile(r"\b[\d.]+ (B|kB|MB|GB)\b"), "SIZE"),
]
NUMBER = re.compile(r"(?<![\w.-])\d+(\.\d+)*\b(?!-)")


def loose(line):
    for pattern, word in LOOSE:
        line = pattern.sub(word, line)
    return line.rstrip(" ")


def matches(expected, line):
    # A space before a last `…` is the page's: there a long line is cut.
    parts = re.sub(" …$", "…", loose(expected)).split("…")
    return re.fullmatch(".*".join(map(re.escape, parts)), loose(line)) is not None


def agree(expected, printed):
    """Whether the lines of a page are what was printed. A line of `…` alone is any number of lines."""
    if not expected:
        return not printed
    if expected[0].strip() == "…":
        return any(agree(expected[1:], printed[at:]) for at in range(len(printed) + 1))
    return bool(printed) and matches(expected[0], printed[0]) and agree(expected[1:], printed[1:])


def changed(text, pairs):
    """A text of a page with the names of this machine; a name may be a function, called where needed."""
    for old, new in pairs:
        if old in text:
            text = text.replace(old, new() if callable(new) else new)
    return text


def png(path, shade, size=(8, 8), spot=None):
    """A grey picture; `spot` is a box X, Y, WIDTH, HEIGHT in another grey."""
    width, height = size
    rows = [bytearray([shade]) * width for _ in range(height)]
    if spot:
        x, y, wide, high = spot
        for row in rows[y:y + high]:
            row[x:x + wide] = bytearray([255 - shade]) * wide
    draw(path, rows)


def draw(path, rows):
    """Writes rows of grey as a PNG."""
    def chunk(name, body):
        crc = zlib.crc32(name + body)
        return len(body).to_bytes(4, "big") + name + body + crc.to_bytes(4, "big")
    head = len(rows[0]).to_bytes(4, "big") + len(rows).to_bytes(4, "big") + bytes([8, 0, 0, 0, 0])
    body = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body)
                   + chunk(b"IEND", b""))


class Failed(Exception):
    """A command did not do what its page says."""


class Unavailable(Exception):
    """This machine lacks what a page needs."""


class Place:
    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="guide-")
        self.work = f"{self.folder}/work"
        self.said, self.background, self.ran, self.ports = "", [], set(), []
        for name in ("bin", "home", "work"):
            os.mkdir(f"{self.folder}/{name}")
        self.program(program)
        idle = self.write("../idle", "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n")
        keep = {key: os.environ[key] for key in ("LANG", "LD_LIBRARY_PATH", "TMPDIR") if key in os.environ}
        self.variables = {
            **keep, "PATH": f"{self.folder}/bin:{SYSTEM_PATH}",
            "HOME": f"{self.folder}/home", "SNAPFARM_CPU_PRESSURE": idle, "GIT_CONFIG_NOSYSTEM": "1",
            # Bytecode of tests would be a file that nobody expects.
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        self.sh("git config --global user.name Dana && git config --global user.email dana@example.org"
                " && git config --global init.defaultBranch main")

    def program(self, path):
        with open(f"{self.folder}/bin/snapfarm", "w") as file:
            file.write(f'#!/bin/sh\nexec "{path}" "$@"\n')
        os.chmod(f"{self.folder}/bin/snapfarm", 0o755)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.stop()
        if kind and os.environ.get("KEEP"):
            print(f"kept {self.folder}")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)

    # MARK: files

    def path(self, name):
        return os.path.normpath(f"{self.work}/{name}")

    def write(self, name, text):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def edit(self, name, old, new):
        with open(self.path(name), encoding="utf-8") as file:
            text = file.read()
        assert old in text, f"{name} has no {old}"
        self.write(name, text.replace(old, new))

    def copy(self, name, to=None):
        """A file or folder of the repository."""
        source, target = f"{ROOT}/{name}", self.path(to or name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        skipped = shutil.ignore_patterns(".snapfarm", ".build", "snapfarm-out")
        if os.path.isdir(source):
            shutil.copytree(source, target, ignore=skipped)
        else:
            shutil.copy(source, target)

    def exists(self, *names):
        for name in names:
            if not os.path.exists(self.path(name)):
                raise Failed(f"{name} is not there")

    # MARK: commands

    def sh(self, line, status=0):
        """Runs a line; what it prints, both streams in their order."""
        # A child of the line that stays would hold a pipe open: a file ends when the shell does.
        with open(f"{self.folder}/output", "w+", encoding="utf-8") as output:
            try:
                code = subprocess.run(["sh", "-c", line], cwd=self.work, env=self.variables,
                                      stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                      timeout=180).returncode
            except subprocess.TimeoutExpired:
                code = "no code after three minutes"
            output.seek(0)
            self.said = output.read()
        if code != status:
            raise Failed(f"{line}\nends in {code}, not {status}:\n{self.said}")
        return self.said

    def says(self, *texts):
        """The last command printed these."""
        for text in texts:
            if text not in self.said:
                raise Failed(f"no {text!r} in:\n{self.said}")

    def run(self, block, change=(), status=(), before=(), after=(), waits=(), counts=False):
        """Runs the commands of a block in their order. Each argument has pairs of how a command begins and

        - status: its exit code, where that is not 0
        - before, after: what to do before or after it, such as a change of the app, or a look at what it left
        - waits: what it prints when it is ready; it runs on until the place is closed

        `counts`: numbers that are printed need not be the page's.
        """
        def of(pairs, command):
            return [value for start, value in pairs if command.startswith(start)]
        used = set()
        for command, expected in block.commands:
            for pairs in (status, before, after, waits):
                used |= {start for start, _ in pairs if command.startswith(start)}
            for action in of(before, command):
                action()
            words = changed(command, change)
            ready = of(waits, command)
            if ready:
                self.start(words, ready[0])
            elif re.match(r"(export|cd) ", words):
                self.export(words)
            else:
                self.sh(words, status=(of(status, command) + [0])[0])
            if expected is not None:
                self.compare(command, expected, change, counts)
            for action in of(after, command):
                action()
        known = {start for pairs in (status, before, after, waits) for start, _ in pairs}
        if known != used:
            raise Failed(f"{block} has no command that begins with {sorted(known - used)}")

    def compare(self, command, expected, change=(), counts=False):
        """What the last command printed is what the page says."""
        text = changed("\n".join(expected), change)
        printed = self.said.rstrip("\n").split("\n") if self.said.strip() else []
        if counts:
            text = NUMBER.sub("N", loose(text))
            printed = [NUMBER.sub("N", loose(line)) for line in printed]
        if not agree(text.split("\n") if text else [], printed):
            raise Failed(f"$ {command}\nprints\n{self.said}and not\n{text}")

    def export(self, line):
        """Takes over what a line of the shell changes of its variables."""
        said = self.sh(line + "\nenv -0")
        self.variables.update(pair.split("=", 1) for pair in said.split("\0") if "=" in pair)
        self.said = ""

    # MARK: what goes on beside them

    def start(self, line, ready):
        """Starts a line, and waits until it prints `ready`."""
        log = open(f"{self.folder}/log-{len(self.background)}", "w+", encoding="utf-8")
        process = subprocess.Popen(["sh", "-c", f"exec {line}" if "=" not in line.split()[0] else line],
                                   cwd=self.work, env=self.variables, stdin=subprocess.DEVNULL,
                                   stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        self.background.append(process)
        until = time.monotonic() + 60
        while True:
            with open(log.name, encoding="utf-8") as file:
                self.said = file.read()
            if ready in self.said:
                return
            if process.poll() is not None or time.monotonic() > until:
                raise Failed(f"{line}\ndoes not print {ready!r}:\n{self.said}")
            time.sleep(0.05)

    def stop(self):
        """Ends what runs beside, as Ctrl-C does."""
        self.end(self.background)
        self.background = []

    @staticmethod
    def end(processes):
        for process in reversed(processes):
            try:
                os.killpg(process.pid, signal.SIGINT)
                process.wait(20)
            except ProcessLookupError:
                pass
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def git_host(self):
        """The URL of an empty repository, for a store."""
        port = self.port()
        self.sh("git init -q --bare ../wallet-references.git")
        self.start(f"git daemon --verbose --reuseaddr --export-all --enable=receive-pack "
                   f"--listen=127.0.0.1 --port={port} --base-path={self.folder}", "Ready to rumble")
        return f"git://127.0.0.1:{port}/wallet-references.git"

    def kill(self):
        """Kills what was started last, as a machine's end does."""
        process = self.background.pop()
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def port(self):
        """A port that is kept for a server of the guide: the socket stays bound to it and never listens."""
        kept = socket.socket()
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        kept.bind(("127.0.0.1", 0))
        self.ports.append(kept)
        return kept.getsockname()[1]

    def run_id(self, place="snapfarm-out"):
        """The run whose output folder this is."""
        import json
        with open(self.path(f"{place}/summary.json"), encoding="utf-8") as file:
            return json.load(file)["run"]["id"]
