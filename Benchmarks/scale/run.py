#!/usr/bin/env python3
"""What a run costs the coordinator: bytes on its disk, and CPU.

    Benchmarks/scale/run.py SNAPFARM [--pictures 2000] [--cells 3] [--changed 0.01] [--workers 2] [--side 220]

A coordinator and workers of its own on this machine. Pictures of noise (48 KB with the usual side)
are recorded, verified as they are, and verified where a share has changed. For each run: the growth
of the ledger (after a checkpoint) and of the blobs, the coordinator's CPU, and its memory. What it
prints is what docs/scale.md calculates with. The workers' and the tests' CPU is not in it.
"""
import argparse, os, random, shutil, signal, sqlite3, struct, subprocess, sys, tempfile, time, zlib

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from ports import reserved_port  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("snapfarm")
parser.add_argument("--pictures", type=int, default=2000, help="of all cells together")
parser.add_argument("--cells", type=int, default=3)
parser.add_argument("--changed", type=float, default=0.01)
parser.add_argument("--workers", type=int, default=2)
parser.add_argument("--side", type=int, default=220)
options = parser.parse_args()
snapfarm = os.path.abspath(options.snapfarm)
work = tempfile.mkdtemp(prefix="snapfarm-scale-")
state = f"{work}/state"
environment = {key: value for key, value in os.environ.items()
               if not key.startswith(("CI", "SNAPFARM", "GITHUB", "BITRISE", "BUILDKITE"))}
environment.update(XDG_CACHE_HOME=f"{work}/cache")


def png(seed):
    side = options.side
    noise = random.Random(seed)
    rows = b"".join(b"\0" + noise.randbytes(side) for _ in range(side))

    def chunk(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb" if isinstance(content, bytes) else "w") as file:
        file.write(content)


def program(*words, folder=work, expect=(0,), **more):
    done = subprocess.run([snapfarm, *words], cwd=folder, env={**environment, **more}, capture_output=True, text=True)
    if done.returncode not in expect:
        sys.exit(f"{words}: {done.returncode}\n{done.stderr[-3000:]}")
    return done.stdout


def cost(pid):
    """CPU seconds, and the most megabytes it ever had."""
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    peak = next(line for line in open(f"/proc/{pid}/status") if line.startswith("VmHWM"))
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), int(peak.split()[1]) / 1000


def timed(name, *words):
    """Wall and CPU seconds and the most memory of a program that walks the whole data folder."""
    began = time.monotonic()
    child = subprocess.Popen([snapfarm, *words], cwd=work, env=environment, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{words}: {status}")
    print(f"{name:22} {time.monotonic() - began:7.2f} s, {used.ru_utime + used.ru_stime:.2f} s of CPU, {used.ru_maxrss / 1000:.0f} MB", flush=True)


def disk():
    """Bytes of the ledger's used pages, of blobs, and how many blobs."""
    ledger = sqlite3.connect(f"{state}/ledger.sqlite", timeout=20)
    pages, free, size = (ledger.execute(f"PRAGMA {name}").fetchone()[0]
                         for name in ("page_count", "freelist_count", "page_size"))
    ledger.close()
    sizes = [os.path.getsize(f"{folder}/{name}") for folder, _, names in os.walk(f"{state}/blobs") for name in names]
    return (pages - free) * size, sum(sizes), len(sizes)


per_cell = options.pictures // options.cells
cells = [f"D{number}" for number in range(options.cells)]
for cell in cells:
    for number in range(per_cell):
        write(f"{work}/main/pictures/{cell}/{number}.png", png(f"{cell}{number}"))
bytes_each = os.path.getsize(f"{work}/main/pictures/{cells[0]}/0.png")
write(f"{work}/main/scenes", "".join(f"{number}\n" for number in range(per_cell)))
write(f"{work}/main/test.sh", f"""set -eu
mkdir -p "$SNAPFARM_CAPTURE_DIR/Suite"
cp "{work}/main/pictures/$SNAPFARM_DEVICE/$1.png" "$SNAPFARM_CAPTURE_DIR/Suite/$1.png"
""")
devices = "\n".join(f"  - {{name: {cell}, width: {options.side}, height: {options.side}, scale: 1}}" for cell in cells)
write(f"{work}/main/app.yaml", f"""version: 1
name: app
references: {{store: ../store.git, pin: snapfarm.refs}}
devices:
{devices}
jobs:
  screens: {{kind: snapshot, driver: command, discover: cat scenes, run: "sh test.sh {{tests}}", bundle: [test.sh, scenes]}}
""")
port = reserved_port()
write(f"{work}/farm.yaml", f"version: 1\nlisten: 127.0.0.1:{port}\ndata: state\nstores: {{app: {work}/store.git}}\n")
tokens = {scope: program("tokens", "create", scope, "--data", "state", "--scope", scope).split()[0]
          for scope in ("submit", "work")}
url = f"http://127.0.0.1:{port}"
children = []
try:
    with open(f"{work}/log", "w") as log:
        server = subprocess.Popen([snapfarm, "serve", "--config", "farm.yaml"], cwd=work, env=environment, stderr=log)
        children.append(server)
        while "listening" not in open(f"{work}/log").read():
            time.sleep(0.05)
        for number in range(options.workers):
            children.append(subprocess.Popen(
                [snapfarm, "worker", "--coordinator", url, "--id", f"w{number}", "--scratch", f"{work}/w{number}"],
                cwd=work, env={**environment, "SNAPFARM_TOKEN": tokens["work"]}, stderr=log))
    count = per_cell * options.cells
    print(f"{count} pictures of {bytes_each} B on {options.cells} cells; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print("run                     wall s  coordinator CPU s  ms/picture  ledger B/picture  blobs  blob B/picture  peak MB")
    for name, mode in (("record", "record"), ("verify", "verify"), ("verify again", "verify"),
                       (f"{options.changed:.0%} changed", "verify")):
        if "changed" in name:
            for cell in cells:
                for number in range(round(per_cell * options.changed)):
                    write(f"{work}/main/pictures/{cell}/{number}.png", png(f"new{cell}{number}"))
        cpu, _ = cost(server.pid)
        ledger, blobs, blob_count = disk()
        began = time.monotonic()
        program("run", "app.yaml", "--coordinator", url, "--mode", mode, "--quiet", folder=f"{work}/main",
                expect=(1,) if "changed" in name else (0,), SNAPFARM_TOKEN=tokens["submit"])
        wall = time.monotonic() - began
        after, peak = cost(server.pid)
        ledger_after, blobs_after, count_after = disk()
        print(f"{name:22} {wall:7.1f} {after - cpu:18.2f} {1000 * (after - cpu) / count:11.2f}"
              f" {(ledger_after - ledger) / count:17.0f} {count_after - blob_count:6} {(blobs_after - blobs) / count:15.0f} {peak:8.0f}", flush=True)
    print(f"beside the coordinator, with {4 * count} test cases and {disk()[2]} blobs:")
    timed("check", "check", "--data", "state")
    timed("check --deep", "check", "--deep", "--data", "state")
    timed("first backup", "backup", "--data", "state", "--to", "backups")
    time.sleep(1.1)
    timed("next backup", "backup", "--data", "state", "--to", "backups")
finally:
    for child in children:
        child.send_signal(signal.SIGTERM)
    for child in children:
        child.wait(60)
    shutil.rmtree(work, ignore_errors=True)
