#!/usr/bin/env python3
"""The day of a team with 24,000 references: import, record, verify, approve, and a cold CI job.

    Benchmarks/team/run.py BINARY [FOLDER] [--pictures 4000] [--suite 40] [--changed 100] [--record]

A main repository has 4,000 pictures of each of six devices in `ReferenceImages_64`, as
iOSSnapshotTestCase leaves them: PNGs of 375x667 to 1024x1366 that look like an app's screens
(`pictures.py`). They are imported into a store; all tests are recorded, verified after every
hundredth picture changed (`--changed`), and approved. Then a cold clone runs the tests of one
device. A second, empty store takes all pictures as new ones. The tests link files that were drawn
before (`tests.py`), so what is measured is the farm's own. Beside each phase stands what the same
bytes cost without a farm. Everything is in the page cache. `--suite` is the number of tests in one
class. The full size takes 12 GB.
"""
import glob
import hashlib
import multiprocessing
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from measuring import Figures, Workplace, arguments, run, table  # noqa: E402
from pictures import screen  # noqa: E402
from serving import GitDaemon  # noqa: E402
from tree import disk, take  # noqa: E402

OS = "16.4"
DEVICES = [
    ("iPhone 8", 375, 667), ("iPhone 14", 390, 844), ("iPhone 11", 414, 896),
    ("iPhone 14 Pro Max", 430, 932), ("iPad Pro (9.7-inch)", 768, 1024),
    ("iPad Pro (12.9-inch)", 1024, 1366),
]
# The device of the cold job.
JOB_DEVICE = DEVICES[1]
FOLDER = "Tests/ReferenceImages_64"
PIPELINE = """version: 1
name: {name}
references: {{store: {store}, pin: {pin}}}
devices:
{devices}
jobs:
  snapshot_test:
    kind: snapshot
    driver: command
    discover: cat tests.txt
    run: '"{python}" -S tests.py'
    results: results.xml
    env: {{DRAWN: "{drawn}"}}
"""


def test_names(count, in_suite):
    return [
        f"TeamTests.Suite{number // in_suite:03}Tests/testScreen{number:04}"
        for number in range(count)
    ]


def file_name(test, device):
    """As iOSSnapshotTestCase writes it with all of its options."""
    name, width, height = device
    return f"{test}_{name.split()[0]}{OS.replace('.', '_')}_{width}x{height}.png"


def draw_batch(batch):
    """Writes pictures: (path, name, size, state); returns their bytes and blob ids."""
    drawn = []
    for path, name, (width, height), state in batch:
        data = screen(name, width, height, state)
        with open(path, "wb") as out:
            out.write(data)
        drawn.append((len(data), hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()))
    return drawn


class Team:
    """The team's files: what tests draw before and after the change, and the main repository."""

    def __init__(self, options, place):
        self.options, self.place = options, place
        self.tests = test_names(options.pictures, options.suite)
        self.main, self.plain = place.fresh("main"), place.fresh("plain")
        self.store = place("host", "references.git")
        place.fresh("host")
        self.draw()
        self.write_main()

    def names(self):
        """Each picture: its size, its file's name, and whether it changes."""
        for index, device in enumerate(DEVICES):
            for number, test in enumerate(self.tests):
                changes = (number + 17 * index) % self.options.changed == 0
                yield device[1:], file_name(test, device), changes

    def draw(self):
        """`drawn-0` has all pictures, `drawn-1` those after the change; `drawn` is one of them."""
        work, links = [], []
        for size, name, changes in self.names():
            paths = [
                self.place(f"drawn-{state}", f"{size[0]}x{size[1]}", name) for state in (0, 1)
            ]
            for path in paths:
                os.makedirs(os.path.dirname(path), exist_ok=True)
            work.append((paths[0], name, size, 0))
            if changes:
                work.append((paths[1], name, size, 1))
            else:
                links.append(paths)
        batches = [work[at:at + 100] for at in range(0, len(work), 100)]
        with multiprocessing.Pool(2) as pool:
            drawn = [one for batch in pool.map(draw_batch, batches, 1) for one in batch]
        for old, new in links:
            os.link(old, new)
        self.bytes, self.blobs = [0, 0], [{}, {}]
        for (_, name, size, state), (count, blob) in zip(work, drawn):
            for states in ([0, 1] if state == 0 else [1]):
                self.blobs[states][size, name] = blob
            self.bytes[state] += count
        assert len(set(self.blobs[0].values())) == len(self.blobs[0])
        self.show(0)

    def show(self, state):
        if os.path.lexists(self.place("drawn")):
            os.remove(self.place("drawn"))
        os.symlink(f"drawn-{state}", self.place("drawn"))

    def copy_references(self, folder, state, only_changed=False):
        """Links: the same bytes, and nothing to write before each phase."""
        for size, name, changes in self.names():
            if only_changed and not changes:
                continue
            path = f"{folder}/{FOLDER}/{name}"
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if os.path.exists(path):
                os.remove(path)
            os.link(self.place(f"drawn-{state}", f"{size[0]}x{size[1]}", name), path)

    def write_main(self):
        run("git", "init", "-q", "-b", "main", self.plain)
        for folder in (self.main, self.plain):
            self.copy_references(folder, 0)
        with open(f"{self.main}/tests.txt", "w") as out:
            out.write("".join(test + "\n" for test in self.tests))
        shutil.copy(f"{HERE}/tests.py", self.main)
        self.write_pipeline("team", self.store)
        self.write_pipeline("first", self.place("first.git"))

    def write_pipeline(self, name, store):
        devices = "\n".join(
            f'  - {{name: "{device}", os: "{OS}", width: {width}, height: {height}, scale: 1}}'
            for device, width, height in DEVICES
        )
        with open(f"{self.main}/{name}.yaml", "w") as out:
            out.write(PIPELINE.format(
                name=name, store=store, pin=f"{name}.refs", devices=devices,
                python=sys.executable, drawn=self.place("drawn")))

    def snapfarm(self, *words, cwd=None, **options):
        return take(self.options.binary, *words, cwd=cwd or self.main, **options)

    def verify(self, *words, **options):
        """A run whose output and data lie where they can be weighed."""
        return self.snapfarm(
            "run", "team.yaml", "--workers", self.options.workers, "--quiet", *words, **options)


class Day:
    """Does the phases in a row, and keeps what each took."""

    def __init__(self, team):
        self.team, self.rows, self.bytes = team, [], {}

    def note(self, phase, taken):
        self.rows.append((phase, taken))
        print(f"{phase}: {taken.seconds:.1f} s, {taken.cpu:.1f} s CPU, {taken.megabytes:.0f} MB",
              flush=True)

    def import_all(self):
        team = self.team
        copy = team.place("copy")
        self.note("  cp -r of the folder", take("cp", "-r", f"{team.plain}/{FOLDER}", copy))
        shutil.rmtree(copy)
        self.note("  git add && git commit", take(
            "sh", "-c", "git add . && git commit -q -m pictures", cwd=team.plain))
        self.bytes[".git of the pictures"] = disk(f"{team.plain}/.git")
        # The same history, without doing the work again.
        shutil.copytree(f"{team.plain}/.git", f"{team.main}/.git", copy_function=os.link)
        run("git", "add", ".", cwd=team.main)
        run("git", "commit", "-q", "-m", "as it was", cwd=team.main)
        run(team.options.binary, "refs", "init", "--pipeline", "team.yaml", cwd=team.main)
        self.note("refs import", team.snapfarm("refs", "import", "--pipeline", "team.yaml"))
        self.bytes["store after the import"] = disk(team.store)
        team.check(0)
        run("git", "rm", "-rq", "--cached", FOLDER, cwd=team.main)
        with open(f"{team.main}/.gitignore", "w") as out:
            out.write(f"/{FOLDER}/\n.snapfarm/\nsnapfarm-out/\n")
        run("git", "add", ".", cwd=team.main)
        run("git", "commit", "-q", "-m", "references live in their store", cwd=team.main)

    def work(self):
        team = self.team
        find = f"find -L {team.place('drawn')} -name '*.png' -print0 | xargs -0 -P 2 -n 200 "
        self.note("  sha256sum of all, two at once", take("sh", "-c", find + "sha256sum"))
        self.note("  tests alone, six processes", take("sh", "-c", self.tests_alone()))
        self.note("plan", team.snapfarm("plan", "team.yaml"))
        self.note("record, all as they were", team.verify("--mode", "record"))
        self.bytes["data and output after a record run"] = self.data()
        team.show(1)
        self.note(f"verify, one of {team.options.changed} changed", team.verify(accepted=(1,)))
        self.bytes["data and output after a verify run"] = self.data()
        self.note("approve", team.snapfarm(
            "approve", "team.yaml", "--run", "latest", "--reason", "new blue"))
        self.bytes["store after the approval"] = disk(team.store)
        team.check(1)
        team.copy_references(team.plain, 1, only_changed=True)
        self.note("  git add && git commit of the changed", take(
            "sh", "-c", "git add . && git commit -q -m changed", cwd=team.plain))
        run("git", "add", ".", cwd=team.main)
        run("git", "commit", "-q", "-m", "approved", cwd=team.main)
        self.note("verify, nothing changed", team.verify())

    def data(self):
        return disk(f"{self.team.main}/.snapfarm", f"{self.team.main}/snapfarm-out")

    def tests_alone(self):
        """The tests' own work for each device, one device after the other."""
        lines = []
        for name, width, height in DEVICES:
            out = self.team.place("alone")
            lines.append(
                f"mkdir {out} && DRAWN={self.team.place('drawn')} SNAPFARM_CAPTURE_DIR={out} "
                f"SNAPFARM_LEASE_DIR={out} SNAPFARM_DEVICE='{name}' SNAPFARM_OS={OS} "
                f"SNAPFARM_WIDTH={width} SNAPFARM_HEIGHT={height} "
                f"{sys.executable} -S {HERE}/tests.py < {self.team.main}/tests.txt && rm -r {out}")
        return " && ".join(lines)

    def first_record(self):
        """All pictures are new: each is made twice, and written to an empty store."""
        team = self.team
        run(team.options.binary, "refs", "init", "--pipeline", "first.yaml", "--no-merge-driver",
            cwd=team.main)
        self.note("record, all new", team.snapfarm(
            "run", "first.yaml", "--mode", "record", "--workers", team.options.workers, "--quiet",
            "--data", team.place("first-data"), "--output", team.place("first-out")))
        self.bytes["data and output after a first record"] = disk(
            team.place("first-data"), team.place("first-out"))
        self.bytes["store after a first record"] = disk(team.place("first.git"))


class ColdJob:
    """Clones that have nothing: of everything, and of what the job of one device needs."""

    def __init__(self, day):
        self.day, self.team, self.lines = day, day.team, []
        place = self.team.place
        run("git", "-C", self.team.store, "config", "uploadpack.allowFilter", "true")
        run("git", "clone", "-q", "--bare", self.team.main, place("host", "main.git"))
        self.daemon = GitDaemon(place("host"))

    def run(self):
        try:
            url, place = self.daemon.url, self.team.place
            self.fetched("git clone of the store", place("cold-store.git"), lambda to: take(
                "git", "clone", "-q", "--mirror", url("references"), to))
            self.fetch_all("refs fetch of everything", url("references"))
            self.job("the job of one device, git://", url("references"))
            self.job("the job of one device, file://", f"file://{self.team.store}")
        finally:
            self.daemon.close()

    def fetched(self, what, folder, clone):
        self.daemon.proxy.take()
        self.note(what, clone(folder), folder)

    def note(self, what, taken, *clones):
        """Notes what came from the host, and what lies in the clone that it went to."""
        received, _ = self.daemon.proxy.take()
        self.day.note(what, taken)
        for clone in clones:
            self.lines.append((what, received, objects(clone), disk(clone)))
            print("", *self.lines[-1], flush=True)

    def main(self):
        """A CI's checkout of the main repository, and nothing else."""
        folder = self.team.place("job")
        shutil.rmtree(folder, ignore_errors=True)
        run("git", "clone", "-q", "--depth", "1", self.daemon.url("main", direct=True), folder)
        self.daemon.proxy.take()
        return folder

    def fetch_all(self, what, store):
        folder = self.main()
        taken = self.team.snapfarm(
            "refs", "fetch", "--pipeline", "team.yaml", "--no-journal", cwd=folder,
            environment={"SNAPFARM_STORE": store})
        self.note(what, taken, *glob.glob(f"{folder}/.snapfarm/store/*.git"))

    def job(self, what, store):
        folder = self.main()
        taken = self.team.verify(
            "--select", f"device={JOB_DEVICE[0]} ({OS})", cwd=folder,
            environment={"SNAPFARM_STORE": store})
        # A store that is a folder is read where it is: there is no clone then.
        self.note(what, taken, *glob.glob(f"{folder}/.snapfarm/store/*.git"))

    def least(self):
        """Bytes of the pictures of the device, and their number."""
        size = JOB_DEVICE[1:]
        paths = [
            self.team.place("drawn-1", f"{size[0]}x{size[1]}", name)
            for this, name, _ in self.team.names() if this == size
        ]
        return sum(os.path.getsize(path) for path in paths), len(paths)


def objects(repository):
    counts = dict(
        line.split(": ") for line in
        run("git", "-C", repository, "count-objects", "-v").decode().splitlines())
    return int(counts["count"]) + int(counts["in-pack"])


def check(team, state):
    """The store has every picture, with the bytes that were drawn."""
    set_id = run(
        team.options.binary, "refs", "pin", "show", "--pipeline", "team.yaml", cwd=team.main
    ).decode().split("set ")[1].split()[0]
    found = {}
    for line in run("git", "-C", team.store, "ls-tree", "-r", set_id).decode().splitlines():
        facts, path = line.split("\t")
        if path.endswith(".png"):
            found[path.split("/", 1)[1]] = facts.split()[2]
    wanted = {name: blob for (_, name), blob in team.blobs[state].items()}
    assert found == wanted, f"{len(found)} pictures in the set, {len(wanted)} were drawn"


Team.check = check


def report(options, day, cold, figures):
    count = options.pictures * len(DEVICES)
    total = day.team.bytes[0]
    table(
        f"{count:,} pictures of {len(DEVICES)} devices, {total:,} B, {options.workers} workers, "
        "n = 1", ["", "wall s", "CPU s", "peak MB"],
        [[phase.replace("  ", "· ", 1), f"{taken.seconds:.1f}", f"{taken.cpu:.1f}",
          f"{taken.megabytes:,.0f}"] for phase, taken in day.rows])
    table("On the disk", ["", "bytes", "x pictures"],
          [[what, f"{size:,}", f"{size / total:.2f}"] for what, size in day.bytes.items()])
    least, pictures = cold.least()
    rows = [["the least: the device's pictures", f"{least:,}", f"{pictures:,}", "", "1.000"]]
    rows += [[what, f"{received:,}" if received else "", f"{number:,}", f"{size:,}",
              f"{received / least:.3f}" if received else ""]
             for what, received, number, size in cold.lines]
    table("Cold clones", ["", "B from the host", "objects", "B on the disk", "x least"], rows)
    for phase, taken in day.rows:
        name = f"team of {count}: {phase.strip().replace(',', ';')}"
        figures.add(f"{name} wall", taken.seconds, "s", 1)
        figures.add(f"{name} peak resident", taken.megabytes, "MB", 1)
    for what, received, _, _ in cold.lines:
        if received:
            figures.add(f"team of {count}: {what.replace(',', ';')}", received, "B", 1)


def main():
    options = arguments(
        __doc__.splitlines()[0], pictures=4_000, suite=40, changed=100, workers=2)
    figures = Figures(options.record)
    with Workplace(options) as place:
        day = Day(Team(options, place))
        print(f"drawn: {day.team.bytes[0]:,} B, changed {day.team.bytes[1]:,} B", flush=True)
        day.import_all()
        day.work()
        cold = ColdJob(day)
        cold.run()
        day.first_record()
        report(options, day, cold, figures)
    figures.write()


if __name__ == "__main__":
    main()
