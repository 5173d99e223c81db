#!/usr/bin/env python3
"""Kills the program before every single call that changes a disk, and looks at what is left.

    Benchmarks/kills/run.py SNAPFARM [--every N] [--only NAME]

For record (`refs import`), `refs commit`, `refs push`, `refs fetch` and `refs prune`: after each
kill Git finds nothing wrong in any store, `refs verify` is clean, every set that was to be kept is
there; then the same command ends as it does undisturbed, and no lock is left. A kill of `git`, where
the command starts it, is a scenario of its own. Any breach is printed, and the exit status is 1.
"""
import argparse, os, shutil, struct, subprocess, sys, tempfile, zlib

here = os.path.dirname(os.path.abspath(__file__))
parser = argparse.ArgumentParser()
parser.add_argument("snapfarm")
parser.add_argument("--every", type=int, default=1)
parser.add_argument("--only")
options = parser.parse_args()
snapfarm = os.path.abspath(options.snapfarm)
work = tempfile.mkdtemp(prefix="snapfarm-kills-")
killer = os.path.join(work, "killer.so")
subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", killer, os.path.join(here, "killer.c"), "-ldl"],
               check=True)
os.makedirs(os.path.join(work, "bin"))
os.symlink(snapfarm, os.path.join(work, "bin", "snapfarm"))
git = shutil.which("git")
# snapfarm gives its git a clean environment, so that only a git of ours can be told to die.
with open(os.path.join(work, "bin", "git"), "w") as file:
    file.write(f"""#!/bin/sh
if [ -e {work}/at ]; then
  export LD_PRELOAD={killer} KILL_IN=git KILL_COUNT={work}/count KILL_AT=$(cat {work}/at)
fi
exec {git} "$@"
""")
os.chmod(os.path.join(work, "bin", "git"), 0o755)
quiet = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C",
         "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "a@b.c",
         "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "a@b.c",
         "PATH": os.path.join(work, "bin") + ":" + os.environ["PATH"]}


def run(words, folder, **extra):
    return subprocess.run(words, cwd=folder, env={**quiet, **extra}, capture_output=True, text=True,
                          timeout=120)


def must(words, folder):
    ended = run(words, folder)
    if ended.returncode != 0:
        sys.exit(f"{words}: {ended.stdout}{ended.stderr}")
    return ended


def png(shade):
    def chunk(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
    rows = b"".join(b"\0" + bytes([shade] * 8) for _ in range(8))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


PIPELINE = """version: 1
name: app
references: {store: ../store.git, pin: snapfarm.refs}
devices: [{name: A, width: 8, height: 8, scale: 1}]
jobs:
  screens: {kind: snapshot, driver: command, discover: "true", run: "true"}
"""
SUITE = "Tests/ReferenceImages_64/Checkout"


def draw(main, name, shade):
    os.makedirs(f"{main}/{SUITE}", exist_ok=True)
    with open(f"{main}/{SUITE}/{name}.png", "wb") as file:
        file.write(png(shade))


def project(folder):
    main = folder + "/main"
    os.makedirs(main)
    must(["git", "init", "-q", "-b", "main"], main)
    with open(main + "/app.yaml", "w") as file:
        file.write(PIPELINE)
    with open(main + "/.gitignore", "w") as file:
        file.write("/Tests/\n.snapfarm-checkout.json\n")
    must(["snapfarm", "refs", "init"], main)
    for index in range(3):
        draw(main, f"p{index}", 10 * index)
    must(["snapfarm", "refs", "import", "--cell", "A", "--no-weight"], main)
    commit(main)
    return main


def commit(main):
    must(["git", "add", "-A"], main)
    must(["git", "commit", "-qm", "pin"], main)


def record(folder):
    main = project(folder)
    for index in range(40):
        draw(main, f"new{index}", 50 + index)
    return ["refs", "import", "--cell", "A", "--no-weight"]


def edit(folder):
    main = project(folder)
    draw(main, "p1", 99)
    draw(main, "added", 98)
    return ["refs", "commit"]


def push(folder):
    main = project(folder)
    must(["snapfarm", "refs", "init", "--remote", "../far.git"], main)
    return ["refs", "push", "--remote", "../far.git"]


def fetch(folder):
    main = project(folder)
    must(["snapfarm", "refs", "init", "--remote", "../far.git"], main)
    must(["snapfarm", "refs", "push", "--remote", "../far.git"], main)
    shutil.rmtree(folder + "/store.git")
    must(["snapfarm", "refs", "init"], main)
    return ["refs", "fetch", "--remote", "../far.git"]


def prune(folder):
    main = project(folder)
    for shade in (120, 130):
        draw(main, "p1", shade)
        must(["snapfarm", "refs", "commit"], main)
    commit(main)
    # What HEAD~1 pins is young no more, and nobody counts its days.
    return ["refs", "prune", "--yes", "--keep-days", "0", "--young-days", "0", "--grace-days", "0"]


def armed(words, main, inside, at):
    """Runs the command with a program in it that dies before call `at`; 0: counts its calls."""
    if inside == "snapfarm":
        return run(words, main, LD_PRELOAD=killer, KILL_IN=inside, KILL_AT=str(at),
                   KILL_COUNT=f"{work}/count")
    with open(f"{work}/at", "w") as file:
        file.write(str(at))
    ended = run(words, main)
    os.remove(f"{work}/at")
    return ended


def stores(folder):
    return [s for s in (folder + "/store.git", folder + "/far.git") if os.path.isdir(s)]


def state(folder):
    """What an undisturbed command leaves: sets of every store, the journal's set, the pin."""
    found = []
    for store in stores(folder):
        sets = run(["git", "for-each-ref", "--format=%(refname)", "refs/snapfarm/sets",
                    "refs/snapfarm/trash"], store).stdout
        shown = run(["git", "log", "-1", "--format=%T%n%(trailers:key=Snapfarm-Set,valueonly)",
                     "main"], store).stdout
        found.append((sets, shown))
    with open(folder + "/main/snapfarm.refs") as file:
        return found, file.read()


def sets(folder):
    return {line for store in stores(folder) for line in
            run(["git", "for-each-ref", "--format=%(refname)", "refs/snapfarm/sets"], store)
            .stdout.split()}


def faults(folder, when):
    found = []
    for store in stores(folder):
        ended = run(["git", "fsck", "--full", "--strict", "--no-dangling", "--no-progress"], store)
        if ended.returncode or "error" in ended.stderr or "missing" in ended.stdout:
            found.append(f"{when}: fsck of {store}: {ended.stdout}{ended.stderr}")
    ended = run(["snapfarm", "refs", "verify"], folder + "/main")
    # What the pin names may not have been fetched yet.
    if ended.returncode and not (when == "killed" and scenario == "fetch"):
        found.append(f"{when}: refs verify: {ended.stdout}{ended.stderr}")
    return found


def locks(folder):
    return [f"left behind: {top}/{name}" for store in stores(folder)
            for top, _, names in os.walk(store) for name in names
            # The file that `flock` is held on; it stays and is in nobody's way.
            if name.endswith(".lock") and name != "snapfarm.lock"]


breaches = 0
for scenario, make, inside in [("record", record, "snapfarm"), ("commit", edit, "snapfarm"),
                               ("push", push, "snapfarm"), ("fetch", fetch, "snapfarm"),
                               ("fetch", fetch, "git"), ("prune", prune, "snapfarm")]:
    if options.only not in (None, scenario):
        continue
    template = f"{work}/{scenario}-{inside}"
    os.makedirs(template)
    words = ["snapfarm"] + make(template)
    before = sets(template)
    calm = f"{work}/calm"
    shutil.copytree(template, calm, symlinks=True)
    count = f"{work}/count"
    with open(count, "w") as file:
        file.write("0")
    ended = armed(words, calm + "/main", inside, 0)
    if ended.returncode:
        sys.exit(f"{scenario}: {ended.stdout}{ended.stderr}")
    wanted = state(calm)
    kept = before & sets(calm)
    shutil.rmtree(calm)
    with open(count) as file:
        calls = int(file.read())
    landed = 0
    for at in range(1, calls + 1, options.every):
        folder = f"{work}/run"
        shutil.copytree(template, folder, symlinks=True)
        main = folder + "/main"
        ended = armed(words, main, inside, at)
        landed += ended.returncode != 0
        found = faults(folder, "killed")
        if not kept <= sets(folder):
            found.append("killed: a kept set is gone")
        again = run(words, main)
        if again.returncode:
            found.append(f"again: {again.stdout}{again.stderr}")
        found += faults(folder, "again") + locks(folder)
        if state(folder) != wanted:
            found.append(f"again: another end: {state(folder)} instead of {wanted}")
        for line in found:
            print(f"{scenario}, {inside} killed before call {at} of {calls}: {line}", flush=True)
        breaches += len(found)
        shutil.rmtree(folder)
    print(f"{scenario}: {inside} makes {calls} calls that change a disk; killed {landed} times",
          flush=True)
shutil.rmtree(work)
print(f"{breaches} breaches")
sys.exit(1 if breaches else 0)
