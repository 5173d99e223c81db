#!/usr/bin/env python3
"""Kills what looks after a coordinator, while runs go on, and asks what is left.

    Benchmarks/upkeep/run.py SNAPFARM [--rounds 40] [--only backup,restore,retention,prune,serve]
                             [--no-loss] [--units 12] [--workers 2] [--seed N] [--keep]

A coordinator with `retention:`, workers and one run after another on references that change all the
time. Each round kills one of these by SIGKILL at a random moment, every other time with all that it
has started:

    backup      `snapfarm backup`, beside the coordinator
    restore     `snapfarm restore` of the newest backup, onto a folder that is not there
    retention   the coordinator, while old runs leave it
    prune       `snapfarm refs prune` without any days of grace, beside the coordinator
    serve       the coordinator, at any moment
    disk        nothing: the data folder's disk is full for some seconds (root; with --no-loss).
                Not among the usual tasks: workers end then, which it calls wrong

After each round `snapfarm check --deep` must find the data folder and every whole backup sound, and
the store must be whole; the same task again must end well and clear what the killed one left. Runs
must end as they do when nobody disturbs, each test with its verdict. At last the machine is lost in
the middle of a run, and a restored coordinator ends that run. Exit status 1 for anything else.
"""
import argparse, json, os, random, shutil, signal, sqlite3, struct, subprocess, sys, tempfile, time, zlib

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
from ports import reserved_port  # noqa: E402

TASKS = ["backup", "restore", "retention", "prune", "serve"]
DISK_MEGABYTES = 48
parser = argparse.ArgumentParser()
parser.add_argument("snapfarm")
parser.add_argument("--rounds", type=int, default=40)
parser.add_argument("--only", default=",".join(TASKS))
parser.add_argument("--units", type=int, default=12, help="tests without a picture, 0.1 s each")
parser.add_argument("--workers", type=int, default=2)
parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
parser.add_argument("--no-loss", action="store_true", help="the machine is not lost at last: 30 s less")
parser.add_argument("--keep", action="store_true", help="leave the folder, and say where it is")
options = parser.parse_args()
snapfarm = os.path.abspath(options.snapfarm)
chance = random.Random(options.seed)
print(f"seed {options.seed}", flush=True)
work = tempfile.mkdtemp(prefix="snapfarm-upkeep-")
main, farm = f"{work}/main", f"{work}/farm"
state, store, backups = f"{farm}/state", f"{work}/store.git", f"{farm}/backups"
environment = {key: value for key, value in os.environ.items()
               if not key.startswith(("CI", "SNAPFARM", "GITHUB", "BITRISE", "BUILDKITE", "GIT_"))}
environment.update(
    GIT_AUTHOR_NAME="Ada", GIT_AUTHOR_EMAIL="ada@example.org", GIT_COMMITTER_NAME="Ada",
    GIT_COMMITTER_EMAIL="ada@example.org", GIT_CONFIG_NOSYSTEM="1", HOME=work,
    XDG_CACHE_HOME=f"{work}/cache")
children = []
workers = []


class Wrong(Exception):
    pass


def png(shade, level=9, side=24):
    """Grey noise from a seed. Another level makes the same pixels of other bytes: who compares them
    must read the reference."""
    noise = random.Random(shade)
    rows = b"".join(b"\0" + bytes(noise.randrange(256) for _ in range(side)) for _ in range(side))

    def chunk(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    head = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, level))
            + chunk(b"IEND", b""))


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb" if isinstance(content, bytes) else "w") as file:
        file.write(content)


def start(words, folder=farm, **more):
    """A program in a group of its own, so that all it has started can be killed with it."""
    log = open(f"{work}/log-{len(children)}", "w+")
    child = subprocess.Popen(
        words, cwd=folder, env={**environment, **more}, stdin=subprocess.DEVNULL, stdout=log,
        stderr=log, start_new_session=True)
    child.log = log.name
    children.append(child)
    return child


def said(child):
    return open(child.log).read()


def finish(child, seconds=120):
    try:
        return child.wait(seconds)
    except subprocess.TimeoutExpired:
        end(child, True)
        raise Wrong(f"did not end within {seconds} s: {child.args}\n{said(child)[-3000:]}")


def must(words, folder=farm, expect=0, **more):
    child = start(words, folder, **more)
    status = finish(child)
    if status != expect:
        raise Wrong(f"exit {status}, not {expect}: {' '.join(words)}\n{said(child)[-3000:]}")
    return said(child)


def git(*words, folder=main):
    return must(["git", *words], folder)


def end(child, all_of_it):
    """SIGKILL; to a program that has ended already it does nothing."""
    try:
        (os.killpg if all_of_it else os.kill)(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    child.wait(10)


def until(condition, seconds, what):
    limit = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > limit:
            raise Wrong(f"waited {seconds} s for {what()}")
        time.sleep(0.01)


# MARK: the farm

shades = {}


def draw(number, shade):
    shades[number] = shade
    write(f"{main}/pictures/s{number}.png", png(shade))


def commit():
    """The pin, and pictures of other bytes than the references."""
    for number, shade in shades.items():
        write(f"{main}/pictures/s{number}.png", png(shade, 0))
    git("add", ".")
    git("commit", "-q", "-m", "record")


def make_farm():
    global port, url, submit, worker_token
    scenes = [f"s{number}" for number in range(4)]
    write(f"{main}/scenes", "\n".join(scenes) + "\n")
    write(f"{main}/units", "".join(f"unit/{n}\n" for n in range(options.units)))
    for number in range(4):
        draw(number, number)
    write(f"{main}/test.sh", """set -eu
case $1 in unit/*) sleep 0.1; exit 0 ;; esac
mkdir -p "$SNAPFARM_CAPTURE_DIR/Suite"
cp "pictures/$1.png" "$SNAPFARM_CAPTURE_DIR/Suite/$1.png"
""")
    if "disk" in options.only:
        os.makedirs(state)
        must(["mount", "-t", "tmpfs", "-o", f"size={DISK_MEGABYTES}m", "tmpfs", state], work)
    bundle = 'bundle: [test.sh, scenes, units, "pictures/**"]'
    write(f"{main}/app.yaml", f"""version: 1
name: app
references: {{store: ../store.git, pin: snapfarm.refs}}
devices:
  - {{name: A, width: 24, height: 24, scale: 1}}
jobs:
  screens: {{kind: snapshot, driver: command, discover: cat scenes, run: "sh test.sh {{tests}}", {bundle}}}
  units: {{kind: unit, driver: command, discover: cat units, run: "sh test.sh {{tests}}", {bundle}}}
""")
    write(f"{main}/.gitignore", "/out*\n/.snapfarm*\n")
    git("init", "-q", "-b", "main")
    port = reserved_port()
    url = f"http://127.0.0.1:{port}"
    write(f"{farm}/farm.yaml", f"""version: 1
listen: 127.0.0.1:{port}
data: state
stores: {{app: {store}}}
log: json
retention: {{days: 1, runs: 2}}
""")
    token = ["tokens", "create", "--data", "state"]
    submit = must([snapfarm, *token, "submit", "--scope", "submit"]).split()[0]
    worker_token = must([snapfarm, *token, "work", "--scope", "work"]).split()[0]


def serve():
    server = start([snapfarm, "serve", "--config", "farm.yaml"])
    until(lambda: "listening" in said(server), 60, lambda: f"the coordinator:\n{said(server)[-2000:]}")
    return server


def submitted(mode="verify", output="out"):
    words = [snapfarm, "run", "app.yaml", "--coordinator", url, "--mode", mode, "--output", output,
             "--data", f"{work}/data-{output}"]
    return start(words, main, SNAPFARM_TOKEN=submit)


def ended(run, output="out"):
    """A run must end green, with a verdict for every test."""
    status = finish(run, 180)
    if status != 0:
        raise Wrong(f"a run ended with {status}:\n{said(run)[-3000:]}\n{said(server)[-3000:]}")
    summary = json.load(open(f"{main}/{output}/summary.json"))
    tests = summary["tests"]
    bad = [test for test in tests if test.get("verdict") not in ("passed", "flaky")]
    if len(tests) != 4 + options.units or bad:
        raise Wrong(f"a run has {len(tests)} tests, and these: {bad[:3]}")


def change_picture():
    """The references that the runs so far need are no longer those of the branch."""
    shades[chance.randrange(4)] = chance.randrange(1 << 30)
    for number, shade in shades.items():
        draw(number, shade)
    # On this machine: a coordinator would give the run that goes on its turn as well.
    must([snapfarm, "run", "app.yaml", "--mode", "record", "--select", "job=screens", "--output",
          "out-here", "--workers", "1"], main)
    commit()


# MARK: what must be true

def sound(folder, what):
    child = start([snapfarm, "check", "--deep", "--data", folder])
    if finish(child) != 0:
        raise Wrong(f"{what} is not sound:\n{said(child)[-3000:]}")


def all_sound():
    sound(state, "the data folder")
    for name in whole_backups():
        sound(f"{backups}/{name}", f"the backup {name}")
    must(["git", "fsck", "--no-dangling", "--connectivity-only"], store)
    must([snapfarm, "refs", "verify"], main)


def whole_backups():
    names = os.listdir(backups) if os.path.isdir(backups) else []
    return sorted(name for name in names if not name.endswith(".part"))


# MARK: the tasks

BACKUP = [snapfarm, "backup", "--config", "farm.yaml", "--to", "backups"]
PRUNE = [snapfarm, "refs", "prune", "--yes", "--keep-days", "0", "--young-days", "0", "--grace-days",
         "0"]
took = {}


def killed(task, words, folder=farm):
    """Starts it, kills it at a moment that is drawn, and says whether it was still at work."""
    child = start(words, folder)
    moment = chance.uniform(0, took.get(task, 0.5))
    time.sleep(moment)
    with_children = chance.random() < 0.5
    end(child, with_children)
    hit = child.returncode == -signal.SIGKILL
    return f"{'all of it' if with_children else 'it alone'} after {moment:.2f} s" + ("" if hit else ", too late")


def timed(task, words, folder=farm):
    began = time.monotonic()
    must(words, folder)
    took[task] = time.monotonic() - began


def backup_round():
    note = killed("backup", BACKUP)
    all_sound()
    # A second of the clock names a backup.
    time.sleep(1.05)
    timed("backup", BACKUP)
    left = [name for name in os.listdir(backups) if name.endswith(".part")]
    if left:
        raise Wrong(f"the next backup left {left}")
    sound(f"{backups}/{whole_backups()[-1]}", "the next backup")
    while len(whole_backups()) > 2:
        shutil.rmtree(f"{backups}/{whole_backups()[0]}")
    return note


def restore_round():
    if not whole_backups():
        timed("backup", BACKUP)
    words = [snapfarm, "restore", "backups", "--data", "fresh"]
    note = killed("restore", words)
    if os.path.exists(f"{farm}/fresh"):
        sound(f"{farm}/fresh", "what a killed restore left")
        shutil.rmtree(f"{farm}/fresh")
    timed("restore", words)
    if os.path.exists(f"{farm}/fresh.part"):
        raise Wrong("the next restore left fresh.part")
    sound(f"{farm}/fresh", "the restored folder")
    for name in os.listdir(f"{farm}/fresh/stores"):
        must(["git", "fsck", "--no-dangling", "--connectivity-only"], f"{farm}/fresh/stores/{name}")
    shutil.rmtree(f"{farm}/fresh")
    return note


def age(days):
    """Makes the runs that have ended, and all blobs, look so old."""
    ledger = sqlite3.connect(f"{state}/ledger.sqlite", timeout=20)
    shift = days * 86_400_000
    with ledger:
        ledger.execute(f"UPDATE run SET started = started - {shift}, ended = ended - {shift} WHERE ended IS NOT NULL")
    ledger.close()
    then = time.time() - days * 86_400
    for folder, _, names in os.walk(f"{state}/blobs"):
        for name in names:
            os.utime(f"{folder}/{name}", (then, then))


def retention_round():
    global server
    end(server, False)
    age(3)
    server = start([snapfarm, "serve", "--config", "farm.yaml"])
    moment = chance.uniform(0, took.get("retention", 1))
    time.sleep(moment)
    end(server, False)
    began = time.monotonic()
    server = serve()
    until(lambda: "removed" in said(server), 60,
          lambda: f"retention:\n{said(server)[-2000:]}")
    took["retention"] = time.monotonic() - began
    return f"the coordinator {moment:.2f} s after its start"


def prune_round():
    note = killed("prune", PRUNE, main)
    all_sound()
    timed("prune", PRUNE, main)
    return note


def serve_round():
    global server
    end(server, False)
    time.sleep(chance.uniform(0, 0.5))
    server = serve()
    return "the coordinator"


def disk_round():
    until(lambda: "tests on" in said(run) or run.poll() is not None, 60, lambda: said(run)[-2000:])
    file = os.open(f"{state}/filler", os.O_WRONLY | os.O_CREAT)
    try:
        while os.write(file, bytes(1 << 16)):
            pass
    except OSError:
        os.close(file)
    # Longer than the time between two renewals of a lease.
    seconds = chance.uniform(2, 14)
    time.sleep(seconds)
    sound(state, "the data folder on a full disk")
    os.remove(f"{state}/filler")
    gone = [said(worker)[-500:] for worker in workers if worker.poll() is not None]
    if gone:
        raise Wrong(f"a full disk ended workers: {gone}")
    return f"nothing; the disk was full for {seconds:.0f} s"


def lose_the_machine():
    """The last backup goes on where nothing else is left."""
    global server
    change_picture()
    time.sleep(1.05)
    run = submitted(output="out-last")
    until(lambda: "tests on" in said(run) or run.poll() is not None, 60, lambda: said(run)[-2000:])
    timed("backup", BACKUP)
    end(server, False)
    shutil.rmtree(state)
    shutil.rmtree(store)
    must([snapfarm, "restore", "backups", "--data", "state"])
    shutil.move(f"{state}/stores/app.git", store)
    server = serve()
    ended(run, "out-last")
    all_sound()


def nothing_is_left():
    """After a retention that nobody killed, no blob and no log is without a record."""
    global server
    end(server, False)
    age(3)
    server = serve()
    until(lambda: "removed" in said(server), 60, lambda: f"retention:\n{said(server)[-2000:]}")
    end(server, False)
    age(3)
    found = must([snapfarm, "artifacts", "prune", "--data", "state", "--dry-run", "--json",
                  "--keep-days", "1", "--keep-runs", "2"])
    found = json.loads(found[found.index("{"):])
    if found["blobs"] or found["logs"]:
        raise Wrong(f"retention left {found}")


status = 0
try:
    make_farm()
    server = serve()
    for number in range(options.workers):
        workers.append(start([snapfarm, "worker", "--coordinator", url, "--id", f"w{number}", "--scratch", f"{work}/w{number}"],
              SNAPFARM_TOKEN=worker_token))
    ended(submitted("record", "out-record"), "out-record")
    commit()
    runs = 0
    run = submitted()
    chosen = options.only.split(",")
    for number in range(options.rounds):
        task = chosen[number % len(chosen)]
        if task == "prune":
            # The run that goes on is compared with what no branch pins any more.
            until(lambda: "tests on" in said(run) or run.poll() is not None, 60, lambda: said(run)[-2000:])
            change_picture()
        note = globals()[f"{task}_round"]()
        print(f"{number + 1:3} {task:9} killed {note}", flush=True)
        all_sound()
        if run.poll() is not None:
            ended(run)
            runs += 1
            run = submitted()
    ended(run)
    runs += 1
    if not options.no_loss:
        lose_the_machine()
        runs += 1
    nothing_is_left()
    print(f"{options.rounds} kills, {runs} runs ended green", flush=True)
except Wrong as wrong:
    print(f"WRONG (seed {options.seed}): {wrong}", file=sys.stderr)
    status = 1
finally:
    for child in children:
        if child.poll() is None:
            end(child, True)
    if os.path.ismount(state):
        subprocess.run(["umount", "-l", state])
    if options.keep:
        print(work)
    else:
        shutil.rmtree(work, ignore_errors=True)
sys.exit(status)
