"""Kills what looks after a coordinator, while runs go on, and asks what is left.

A coordinator with `retention:`, workers and one run after another on references that change all the time.
Each round kills one of these by SIGKILL at a random moment, every other time with all that it has started:

    backup      `snapfarm backup`, beside the coordinator
    restore     `snapfarm restore` of the newest backup, onto a folder that is not there
    retention   the coordinator, while old runs leave it
    prune       `snapfarm refs prune` without any days of grace, beside the coordinator
    serve       the coordinator, at any moment
    disk        nothing: the data folder's disk is full for some seconds (root; with --no-loss).
                Not among the usual tasks: workers end then, which it calls wrong

After each round `snapfarm check --deep` must find the data folder and every whole backup sound, and the
store must be whole; the same task again must end well and clear what the killed one left. Runs must end as
they do when nobody disturbs, each test with its verdict. At last the machine is lost in the middle of a
run, and a restored coordinator ends that run (not with --no-loss).
"""
import json
import os
import shutil
import signal
import sqlite3
import time

from chaos import sound
from farm import Farm, Program, until
from measuring import Failed, picture, run as call, write

OPTIONS = {"rounds": 60, "only": "backup,restore,retention,prune,serve", "units": 12, "workers": 2,
           "no_loss": False}
SMALL = {"rounds": 4, "no_loss": True}
DISK_MEGABYTES = 48
PICTURES = 4
PRUNE = ["refs", "prune", "--yes", "--keep-days", "0", "--young-days", "0", "--grace-days", "0"]
BACKUP = ["backup", "--config", "farm.yaml", "--to", "backups"]


def run(snapfarm, work, options, chance):
    day = Day(snapfarm, work, options, chance)
    try:
        day.go()
        return True
    finally:
        day.farm.close()
        if os.path.ismount(day.state):
            call("umount", "-l", day.state)


def fill(folder):
    """Leaves no room on the disk of a folder: its file `filler` has it all."""
    file = os.open(f"{folder}/filler", os.O_WRONLY | os.O_CREAT)
    try:
        while os.write(file, bytes(1 << 16)):
            pass
    except OSError:
        os.close(file)


class Day:
    def __init__(self, snapfarm, work, options, chance):
        self.snapfarm, self.work, self.options, self.chance = snapfarm, work, options, chance
        self.main, self.store = f"{work}/main", f"{work}/store.git"
        if "disk" in options.only:
            os.makedirs(f"{work}/c0/data")
            call("mount", "-t", "tmpfs", "-o", f"size={DISK_MEGABYTES}m,mode=0700", "tmpfs", f"{work}/c0/data")
        self.farm = Farm([snapfarm], work, more=f"stores: {{app: {self.store}}}\nretention: {{days: 1, runs: 2}}\n")
        self.server = self.farm.coordinators[0]
        self.place, self.state = self.server.folder, self.server.data
        self.backups = f"{self.place}/backups"
        self.took, self.shades = {}, {}
        self.make_project()

    def make_project(self):
        write(f"{self.main}/scenes", "".join(f"s{number}\n" for number in range(PICTURES)))
        write(f"{self.main}/units", "".join(f"unit/{n}\n" for n in range(self.options.units)))
        self.shades = {number: number for number in range(PICTURES)}
        self.draw()
        write(f"{self.main}/test.sh", """set -eu
case $1 in unit/*) sleep 0.1; exit 0 ;; esac
mkdir -p "$SNAPFARM_CAPTURE_DIR/Suite"
cp "pictures/$1.png" "$SNAPFARM_CAPTURE_DIR/Suite/$1.png"
""")
        bundle = 'bundle: [test.sh, scenes, units, "pictures/**"]'
        write(f"{self.main}/app.yaml", f"""version: 1
name: app
references: {{store: ../store.git, pin: snapfarm.refs}}
devices:
  - {{name: A, width: 24, height: 24, scale: 1}}
jobs:
  screens: {{kind: snapshot, driver: command, discover: cat scenes, run: "sh test.sh {{tests}}", {bundle}}}
  units: {{kind: unit, driver: command, discover: cat units, run: "sh test.sh {{tests}}", {bundle}}}
""")
        write(f"{self.main}/.gitignore", "/out*\n/.snapfarm*\n")
        call("git", "init", "-q", "-b", "main", cwd=self.main)

    def draw(self, level=9):
        for number, shade in self.shades.items():
            write(f"{self.main}/pictures/s{number}.png", picture(shade, 24, 24, level))

    def commit(self):
        """The pin, and pictures of other bytes than the references: who compares them must read those."""
        self.draw(level=0)
        call("git", "add", ".", cwd=self.main)
        call("git", "commit", "-q", "-m", "record", cwd=self.main)

    def change_picture(self):
        """The references that the runs so far need are no longer those of the branch."""
        self.shades[self.chance.randrange(PICTURES)] = self.chance.randrange(1 << 30)
        self.draw()
        # On this machine: a coordinator would give the run that goes on its turn as well.
        self.call("run", "app.yaml", "--mode", "record", "--select", "job=screens", "--output", "out-here",
                  "--workers", "1", folder=self.main)
        self.commit()

    def call(self, *words, folder=None):
        return call(self.snapfarm, *words, cwd=folder or self.place).decode()

    # MARK: runs

    def submitted(self, mode="verify", output="out"):
        return self.farm.submitted(self.main, "--mode", mode, "--output", output, "--data",
                                   f"{self.work}/data-{output}", log=output)

    def begun(self, run):
        until(lambda: "tests on" in run.said() or not run.running(), 60, lambda: run.said(3000))

    def ended(self, run, output="out"):
        """A run must end green, with a verdict for every test."""
        status = run.end(180)
        if status != 0:
            raise Failed(f"a run ended with {status}:\n{run.said(3000)}\n{self.server.said(3000)}")
        with open(f"{self.main}/{output}/summary.json") as file:
            tests = json.load(file)["tests"]
        bad = [test for test in tests if test.get("verdict") not in ("passed", "flaky")]
        if len(tests) != PICTURES + self.options.units or bad:
            raise Failed(f"a run has {len(tests)} tests, and these: {bad[:3]}")

    def go(self):
        self.farm.start(self.options.workers)
        self.ended(self.submitted("record", "out-record"), "out-record")
        self.commit()
        runs, run = 0, self.submitted()
        chosen = self.options.only.split(",")
        for number in range(self.options.rounds):
            task = chosen[number % len(chosen)]
            if task in ("prune", "disk"):
                self.begun(run)
            if task == "prune":
                # The run that goes on is compared with what no branch pins any more.
                self.change_picture()
            note = getattr(self, task)()
            print(f"{number + 1:3} {task:9} killed {note}", flush=True)
            self.all_sound()
            if not run.running():
                self.ended(run)
                runs, run = runs + 1, self.submitted()
        self.ended(run)
        if not self.options.no_loss:
            self.lose_the_machine()
        self.nothing_is_left()
        print(f"{self.options.rounds} kills, {runs + 2 - self.options.no_loss} runs ended green", flush=True)

    # MARK: what must be true

    def all_sound(self):
        sound(self.snapfarm, "--deep", "--data", self.state)
        for name in self.whole_backups():
            sound(self.snapfarm, "--deep", "--data", f"{self.backups}/{name}")
        self.whole(self.store)
        self.call("refs", "verify", folder=self.main)

    def whole(self, store):
        call("git", "fsck", "--no-dangling", "--connectivity-only", cwd=store)

    def whole_backups(self):
        names = os.listdir(self.backups) if os.path.isdir(self.backups) else []
        return sorted(name for name in names if not name.endswith(".part"))

    # MARK: the tasks

    def killed(self, task, words, folder=None):
        """Starts it, kills it at a moment that is drawn, and says whether it was still at work."""
        child = Program([self.snapfarm, *words], f"{self.work}/killed.log", folder or self.place).start()
        moment = self.chance.uniform(0, self.took.get(task, 0.5))
        time.sleep(moment)
        all_of_it = self.chance.random() < 0.5
        late = not child.running()
        child.kill(all_of_it)
        late = late or child.process.returncode != -signal.SIGKILL
        return f"{'all of it' if all_of_it else 'it alone'} after {moment:.2f} s" + (", too late" if late else "")

    def timed(self, task, *words, folder=None):
        began = time.monotonic()
        self.call(*words, folder=folder)
        self.took[task] = time.monotonic() - began

    def backup(self):
        note = self.killed("backup", BACKUP)
        self.all_sound()
        # A second of the clock names a backup.
        time.sleep(1.05)
        self.timed("backup", *BACKUP)
        left = [name for name in os.listdir(self.backups) if name.endswith(".part")]
        if left:
            raise Failed(f"the next backup left {left}")
        sound(self.snapfarm, "--deep", "--data", f"{self.backups}/{self.whole_backups()[-1]}")
        while len(self.whole_backups()) > 2:
            shutil.rmtree(f"{self.backups}/{self.whole_backups()[0]}")
        return note

    def restore(self):
        if not self.whole_backups():
            self.timed("backup", *BACKUP)
        words, fresh = ["restore", "backups", "--data", "fresh"], f"{self.place}/fresh"
        note = self.killed("restore", words)
        if os.path.exists(fresh):
            sound(self.snapfarm, "--deep", "--data", fresh)
            shutil.rmtree(fresh)
        self.timed("restore", *words)
        if os.path.exists(f"{fresh}.part"):
            raise Failed("the next restore left fresh.part")
        sound(self.snapfarm, "--deep", "--data", fresh)
        for name in os.listdir(f"{fresh}/stores"):
            self.whole(f"{fresh}/stores/{name}")
        shutil.rmtree(fresh)
        return note

    def age(self, days):
        """Makes the runs that have ended, and all blobs, look so old."""
        ledger = sqlite3.connect(f"{self.state}/ledger.sqlite", timeout=20)
        shift = days * 86_400_000
        with ledger:
            ledger.execute(f"UPDATE run SET started = started - {shift}, ended = ended - {shift} WHERE ended IS NOT NULL")
        ledger.close()
        then = time.time() - days * 86_400
        for folder, _, names in os.walk(f"{self.state}/blobs"):
            for name in names:
                os.utime(f"{folder}/{name}", (then, then))

    def cleared(self):
        """Serves until old runs have left."""
        self.server.serve()
        until(lambda: "removed" in self.server.said(), 60, lambda: f"retention:\n{self.server.said(3000)}")

    def retention(self):
        self.server.kill()
        self.age(3)
        self.server.start()
        moment = self.chance.uniform(0, self.took.get("retention", 1))
        time.sleep(moment)
        self.server.kill()
        began = time.monotonic()
        self.cleared()
        self.took["retention"] = time.monotonic() - began
        return f"the coordinator {moment:.2f} s after its start"

    def prune(self):
        note = self.killed("prune", PRUNE, self.main)
        self.all_sound()
        self.timed("prune", *PRUNE, folder=self.main)
        return note

    def serve(self):
        self.server.kill()
        time.sleep(self.chance.uniform(0, 0.5))
        self.server.serve()
        return "the coordinator"

    def disk(self):
        fill(self.state)
        # Longer than the time between two renewals of a lease.
        seconds = self.chance.uniform(2, 14)
        time.sleep(seconds)
        sound(self.snapfarm, "--deep", "--data", self.state)
        os.remove(f"{self.state}/filler")
        gone = [worker.said(500) for worker in self.farm.workers if not worker.running()]
        if gone:
            raise Failed(f"a full disk ended workers: {gone}")
        return f"nothing; the disk was full for {seconds:.0f} s"

    # MARK: at last

    def lose_the_machine(self):
        """The last backup goes on where nothing else is left."""
        self.change_picture()
        time.sleep(1.05)
        run = self.submitted(output="out-last")
        self.begun(run)
        self.timed("backup", *BACKUP)
        self.server.kill()
        shutil.rmtree(self.state)
        shutil.rmtree(self.store)
        self.call("restore", "backups", "--data", "data")
        shutil.move(f"{self.state}/stores/app.git", self.store)
        self.server.serve()
        self.ended(run, "out-last")
        self.all_sound()

    def nothing_is_left(self):
        """After a retention that nobody killed, no blob and no log is without a record."""
        self.server.kill()
        self.age(3)
        self.cleared()
        self.server.kill()
        self.age(3)
        found = self.call("artifacts", "prune", "--data", "data", "--dry-run", "--json", "--keep-days", "1",
                          "--keep-runs", "2")
        found = json.loads(found[found.index("{"):])
        if found["blobs"] or found["logs"]:
            raise Failed(f"retention left {found}")
