"""Kills the program before any one call that changes a disk, and looks at what is left.

For record (`refs import`), `refs commit`, `refs push`, `refs fetch` and `refs prune`: after each kill Git
finds nothing wrong in any store, `refs verify` is clean, every set that was to be kept is there; then the
same command ends as it does undisturbed, and no lock is left. A kill of `git`, where a fetch starts it, is
a scenario of its own. Each fifth call is tried, another fifth with another seed; `--every 1` tries all, in
forty minutes or more. `--only record` makes that scenario alone.
"""
import os
import shutil
import subprocess

from measuring import ENVIRONMENT, Failed, picture, run as call, write

OPTIONS = {"every": 5, "only": ""}
SMALL = {"every": 25}

PIPELINE = """version: 1
name: app
references: {store: ../store.git, pin: snapfarm.refs}
devices: [{name: A, width: 8, height: 8, scale: 1}]
jobs:
  screens: {kind: snapshot, driver: command, discover: "true", run: "true"}
"""


class Project:
    """A main repository beside its store, and the program that may be told to die."""

    def __init__(self, killer, folder):
        self.killer, self.folder, self.main = killer, folder, f"{folder}/main"

    def refs(self, *words):
        call("snapfarm", "refs", *words, cwd=self.main, environment=self.killer.environment)

    def draw(self, name, shade):
        write(f"{self.main}/Tests/ReferenceImages_64/Checkout/{name}.png", picture(shade, 8, 8))

    def fill(self):
        write(f"{self.main}/app.yaml", PIPELINE)
        write(f"{self.main}/.gitignore", "/Tests/\n.snapfarm-checkout.json\n")
        call("git", "init", "-q", "-b", "main", cwd=self.main)
        self.refs("init")
        for index in range(3):
            self.draw(f"p{index}", 10 * index)
        self.refs("import", "--cell", "A", "--no-weight")
        self.commit()
        return self

    def commit(self):
        call("git", "add", "-A", cwd=self.main)
        call("git", "commit", "-qm", "pin", cwd=self.main)

    def stores(self):
        return [store for store in (f"{self.folder}/store.git", f"{self.folder}/far.git") if os.path.isdir(store)]

    def state(self):
        """What an undisturbed command leaves: sets of every store, the journal's set, the pin."""
        found = []
        for store in self.stores():
            sets = call("git", "for-each-ref", "--format=%(refname)", "refs/snapfarm/sets",
                        "refs/snapfarm/trash", cwd=store)
            journal = call("git", "log", "-1", "--format=%T%n%(trailers:key=Snapfarm-Set,valueonly)",
                           "main", cwd=store, accepted=(0, 128))
            found.append((sets, journal))
        with open(f"{self.main}/snapfarm.refs") as file:
            return found, file.read()

    def sets(self):
        return {line for store in self.stores() for line in
                call("git", "for-each-ref", "--format=%(refname)", "refs/snapfarm/sets", cwd=store).split()}

    def faults(self, when, pin_may_be_away):
        found = []
        for store in self.stores():
            ended = self.killer.attempt(
                ["git", "fsck", "--full", "--strict", "--no-dangling", "--no-progress"], store)
            if ended.returncode or "error" in ended.stderr or "missing" in ended.stdout:
                found.append(f"{when}: fsck of {store}: {ended.stdout}{ended.stderr}")
        ended = self.killer.attempt(["snapfarm", "refs", "verify"], self.main)
        if ended.returncode and not pin_may_be_away:
            found.append(f"{when}: refs verify: {ended.stdout}{ended.stderr}")
        return found

    def locks(self):
        return [f"left behind: {top}/{name}" for store in self.stores()
                for top, _, names in os.walk(store) for name in names
                # The file that `flock` is held on; it stays and is in nobody's way.
                if name.endswith(".lock") and name != "snapfarm.lock"]


class Killer:
    """killer.c, built, and a folder of programs that can be told to die by it."""

    def __init__(self, snapfarm, work):
        self.work, self.library = work, f"{work}/killer.so"
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "killer.c")
        call("cc", "-O1", "-shared", "-fPIC", "-o", self.library, source, "-ldl")
        os.makedirs(f"{work}/bin")
        os.symlink(snapfarm, f"{work}/bin/snapfarm")
        # snapfarm gives its git a clean environment, so that only a git of ours can be told to die.
        write(f"{work}/bin/git", f"""#!/bin/sh
if [ -e {work}/at ]; then
  export LD_PRELOAD={self.library} KILL_IN=git KILL_COUNT={work}/count KILL_AT=$(cat {work}/at)
fi
exec {shutil.which("git")} "$@"
""")
        os.chmod(f"{work}/bin/git", 0o755)
        self.environment = {"PATH": f"{work}/bin:{os.environ['PATH']}"}

    def attempt(self, words, folder, **extra):
        return subprocess.run(words, cwd=folder, env={**ENVIRONMENT, **self.environment, **extra},
                              capture_output=True, text=True, timeout=120)

    def armed(self, words, folder, inside, at):
        """Runs the command with a program in it that dies before call `at`; 0: counts its calls."""
        if inside == "snapfarm":
            return self.attempt(words, folder, LD_PRELOAD=self.library, KILL_IN=inside, KILL_AT=str(at),
                                KILL_COUNT=f"{self.work}/count")
        write(f"{self.work}/at", str(at))
        ended = self.attempt(words, folder)
        os.remove(f"{self.work}/at")
        return ended

    def calls(self):
        with open(f"{self.work}/count") as file:
            return int(file.read())


def record(project):
    for index in range(40):
        project.draw(f"new{index}", 50 + index)
    return ["import", "--cell", "A", "--no-weight"]


def commit(project):
    project.draw("p1", 99)
    project.draw("added", 98)
    return ["commit"]


def push(project):
    project.refs("init", "--remote", "../far.git")
    return ["push", "--remote", "../far.git"]


def fetch(project):
    project.refs(*push(project))
    shutil.rmtree(f"{project.folder}/store.git")
    project.refs("init")
    return ["fetch", "--remote", "../far.git"]


def prune(project):
    for shade in (120, 130):
        project.draw("p1", shade)
        project.refs("commit")
    project.commit()
    # What HEAD~1 pins is young no more, and nobody counts its days.
    return ["prune", "--yes", "--keep-days", "0", "--young-days", "0", "--grace-days", "0"]


def run(snapfarm, work, options, chance):
    killer, breaches = Killer(snapfarm, work), 0
    for make, inside in [(record, "snapfarm"), (commit, "snapfarm"), (push, "snapfarm"),
                         (fetch, "snapfarm"), (fetch, "git"), (prune, "snapfarm")]:
        if options.only in ("", make.__name__):
            breaches += scenario(killer, make, inside, options.every, chance)
    print(f"{breaches} breaches")
    return breaches == 0


def scenario(killer, make, inside, every, chance):
    name = make.__name__
    template = Project(killer, f"{killer.work}/{name}-{inside}").fill()
    words = ["snapfarm", "refs", *make(template)]

    def copied(folder):
        shutil.copytree(template.folder, f"{killer.work}/{folder}", symlinks=True)
        return Project(killer, f"{killer.work}/{folder}")

    calm = copied("calm")
    write(f"{killer.work}/count", "0")
    ended = killer.armed(words, calm.main, inside, 0)
    if ended.returncode:
        raise Failed(f"{name}: {ended.stdout}{ended.stderr}")
    if killer.calls() == 0:
        raise Failed(f"{name}: no call was counted")
    wanted, kept, calls = calm.state(), template.sets() & calm.sets(), killer.calls()
    shutil.rmtree(calm.folder)
    landed = breaches = 0
    for at in range(1 + chance.randrange(every), calls + 1, every):
        project = copied("run")
        landed += killer.armed(words, project.main, inside, at).returncode != 0
        # What the pin names may not have been fetched yet.
        found = project.faults("killed", pin_may_be_away=make is fetch)
        if not kept <= project.sets():
            found.append("killed: a kept set is gone")
        again = killer.attempt(words, project.main)
        if again.returncode:
            found.append(f"again: {again.stdout}{again.stderr}")
        found += project.faults("again", pin_may_be_away=False) + project.locks()
        if project.state() != wanted:
            found.append(f"again: another end: {project.state()} instead of {wanted}")
        for line in found:
            print(f"{name}, {inside} killed before call {at} of {calls}: {line}", flush=True)
        breaches += len(found)
        shutil.rmtree(project.folder)
    print(f"{name}: {inside} makes {calls} calls that change a disk; killed {landed} times", flush=True)
    return breaches
