"""Kills CI jobs and people's commands, each job on a machine of its own: a new clone, no data folder.

Four stories: a flaky run is repeated by `run --red-of`; a second right picture becomes an alternate; a
region is ignored; a flaky test gets a quarantine, from the history that the CI's cache carries. In each
the program dies by SIGKILL at random moments. What must be true: a job that is run again ends as it would
have; the pipeline file and the pin are those of before or of after; Git finds nothing wrong in the store.
"""
import json
import os
import shutil
import signal
import struct
import subprocess
import time
import zlib

from measuring import ENVIRONMENT, Failed, run as call, write

OPTIONS = {"kills": 8, "scenes": 24}
SMALL = {"kills": 2, "scenes": 8}

PIPELINE = """version: 1
name: app
references: {store: "file://%s/store.git", pin: snapfarm.refs}
devices:
  - {name: A, width: 40, height: 40, scale: 1}
  - {name: B, width: 40, height: 40, scale: 1}
jobs:
  screens:
    kind: snapshot
    driver: command
    discover: cat scenes
    run: sh test.sh {tests}
    comparison: {policy: exact}
"""

# The world around the code: `late` makes clocks show another time, `broken` names a test that fails.
TEST = """set -eu
mkdir -p "$SNAPFARM_CAPTURE_DIR/S"
sleep 0.1
[ "$(cat %(world)s/broken 2>/dev/null)" != "$1" ] || exit 1
picture=pictures/$1.png
[ ! -e %(world)s/late ] || [ ! -e "late/$1.png" ] || picture=late/$1.png
cp "$picture" "$SNAPFARM_CAPTURE_DIR/S/$1.png"
"""


def drawn(seed, clock=0):
    """A grey picture with a clock of 20 × 6 pixels at its top left."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    def grey(x, y):
        return 100 + clock if x < 20 and y < 6 else (seed * 9 + x * 2 + y) % 250

    rows = b"".join(b"\0" + bytes(grey(x, y) for x in range(40)) for y in range(40))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 40, 40, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class Team:
    """A repository at its host, a person's clone of it, and the CI."""

    def __init__(self, snapfarm, work, options, chance):
        self.snapfarm, self.work, self.options, self.chance = snapfarm, work, options, chance
        self.person, self.world, self.history = f"{work}/person", f"{work}/world", f"{work}/history"
        self.machines = self.killed = 0
        os.mkdir(self.world)
        call("git", "init", "-q", "--bare", "-b", "main", f"{work}/app.git")
        call("git", "clone", "-q", f"{work}/app.git", self.person)
        call("git", "checkout", "-qb", "main", cwd=self.person)
        call(snapfarm, "refs", "init", f"{work}/store.git", cwd=self.person)
        self.write("app.yaml", PIPELINE % work)
        self.write("test.sh", TEST % {"world": self.world})
        self.write(".gitignore", ".snapfarm/\nsnapfarm-out/\nout/\nearlier/\nhistory\n")
        names = [f"s{n:02}" for n in range(options.scenes)]
        self.write("scenes", "\n".join(names) + "\n")
        for seed, name in enumerate(names):
            self.write(f"pictures/{name}.png", drawn(seed))
        self.push("app")
        self.say("run", "app.yaml", "--mode", "record")
        self.push("references")

    def write(self, name, content):
        write(f"{self.person}/{name}", content)

    def read(self, name):
        with open(f"{self.person}/{name}") as file:
            return file.read()

    def push(self, why):
        call("git", "add", "-A", cwd=self.person)
        call("git", "commit", "-qm", why, cwd=self.person)
        call("git", "push", "-q", "origin", "main", cwd=self.person)

    def late(self, number):
        """Gives a scene a clock that shows another time where the world is late."""
        self.write(f"late/s{number:02}.png", drawn(number, clock=90))

    def is_now(self, name, text=None):
        """Sets a state of the world, or ends it."""
        write(f"{self.world}/{name}", text or "")
        if text is None:
            os.remove(f"{self.world}/{name}")

    def say(self, *words, accepted=(0,)):
        return call(self.snapfarm, *words, cwd=self.person, accepted=accepted).decode()

    def dies(self, folder, words, seconds):
        """Runs the program in a session of its own, and kills all of it; returns whether it was still running."""
        program = subprocess.Popen(
            [self.snapfarm, *words], cwd=folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(seconds)
        was_running = program.poll() is None
        # Workers are sessions of their own; their arguments name the folder.
        for words in (["pkill", "-9", "-s", str(program.pid)], ["pkill", "-9", "-f", f"{folder}/"]):
            subprocess.run(words, check=False)
        program.wait()
        self.killed += was_running
        return was_running

    def job(self, *words, exit_code=0, dies=False, earlier=None):
        """Runs a job of the CI on a new machine, and returns the job's output folder."""
        self.machines += 1
        machine = f"{self.work}/machine{self.machines}"
        call("git", "clone", "-q", f"{self.work}/app.git", machine)
        if earlier:
            shutil.copytree(earlier, f"{machine}/earlier")
        if "--history" in words and os.path.exists(self.history):
            shutil.copy(self.history, f"{machine}/history")
        words = ["run", "app.yaml", "--output", "out", *words]
        if dies:
            self.dies(machine, words, self.chance.uniform(0.2, 2))
            return None
        call(self.snapfarm, *words, cwd=machine, accepted=(exit_code,))
        if "--history" in words:
            shutil.copy(f"{machine}/history", self.history)
        return f"{machine}/out"

    def edits(self, file, *words):
        """Runs a command of a person that changes a file, killed at first; the file is whole at any time."""
        before, outcomes = self.read(file), []
        for _ in range(self.options.kills):
            self.dies(self.person, words, self.chance.uniform(0.01, 0.3))
            outcomes.append(self.read(file))
            self.write(file, before)
        self.say(*words)
        after = self.read(file)
        if after == before or any(text not in (before, after) for text in outcomes):
            raise Failed(f"{file} is neither that of before nor that of after `{' '.join(words)}`")

    def check(self, story):
        call("git", "fsck", "--full", "--strict", "--no-dangling", cwd=f"{self.work}/store.git")
        print(f"{story}: {self.machines} machines and {self.killed} kills so far", flush=True)


def counts(output):
    with open(f"{output}/summary.json") as file:
        return json.load(file)["counts"]


def red_of(team):
    team.late(3)
    team.late(7)
    team.push("clocks")
    team.is_now("late", "yes")
    red = team.job(exit_code=1)
    for _ in range(team.options.kills):
        team.job("--red-of", "earlier/", dies=True, earlier=red)
    team.is_now("late")
    found = counts(team.job("--red-of", "earlier/", earlier=red))
    if (found["passed"], found["inherited"]) != (4, found["planned"] - 4):
        raise Failed(f"a run of what is red has {found}")


def alternates(team):
    team.is_now("late", "yes")
    red = team.job(exit_code=1)
    for _ in range(team.options.kills):
        team.dies(team.person, ["approve", "app.yaml", "--from", red, "--alternate", "--reason", "clock"],
                  team.chance.uniform(0.02, 0.5))
        team.job(exit_code=1)
    team.say("approve", "app.yaml", "--from", red, "--alternate", "--reason", "clock")
    team.push("alternates")
    green = team.job()
    team.job(dies=True)
    team.is_now("late")
    team.job()
    # The picture as it was taken, although its bytes are in the store alone.
    with open(f"{green}/captures/A/S/s03.png", "rb") as file:
        if file.read() != drawn(3, clock=90):
            raise Failed("the output has another picture than the run")


def ignores(team):
    team.late(5)
    team.push("another clock")
    team.is_now("late", "yes")
    team.job(exit_code=1)
    team.edits("app.yaml", "ignore", "S/s05", "--pipeline", "app.yaml", "--box", "0,0-19,5", "--write")
    team.push("ignore the clock")
    team.job(dies=True)
    team.job()
    team.is_now("late")


def quarantine(team):
    for number in range(12):
        fails = number % 3 == 1
        team.is_now("broken", "s06" if fails else None)
        team.job("--history", "history", dies=number in (5, 8), exit_code=int(fails))
    shutil.copy(team.history, f"{team.person}/history")
    team.edits("app.yaml", "quarantine", "app.yaml", "--history", "history", "--hosts", "1", "--write")
    team.push("quarantine")
    team.is_now("broken", "s06")
    team.job("--history", "history")
    team.job("--history", "history", dies=True)
    team.is_now("broken")
    team.job("--history", "history")


def run(snapfarm, work, options, chance):
    team = Team(snapfarm, work, options, chance)
    for story in (red_of, alternates, ignores, quarantine):
        story(team)
        team.check(story.__name__.replace("_", "-"))
    return True
