#!/usr/bin/env python3
"""A run whose blobs lie in a bucket, with the bucket's server gone for a minute in the middle.

    deploy/system-packages.sh test
    Benchmarks/bucket/run.py --snapfarm .build/debug/snapfarm --pictures 10000 --away 60

Starts SeaweedFS, a coordinator and workers of its own on free ports; every picture is new, so each
is uploaded. Prints what the coordinator needed (memory, CPU, bytes that it read and wrote on all its
descriptors) beside the bytes of the pictures, and ends with 1 where a verdict or picture is missing.
"""
import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from ports import reserved_port  # noqa: E402
from seaweed import Bucket  # noqa: E402

PICTURES_PER_TEST = 50

MAKE = '''import hashlib, os, struct, sys, zlib
test = sys.argv[1]
out = os.environ["SNAPFARM_CAPTURE_DIR"] + "/Suite"
os.makedirs(out, exist_ok=True)
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
SIDE = %d
for i in range(%d):
    seed = hashlib.sha256(f"{test}-{i}".encode()).digest()
    noise = b"".join(hashlib.sha256(seed + bytes([n >> 8, n & 255])).digest()
                     for n in range(SIDE * SIDE // 32 + 1))
    rows = b"".join(b"\\0" + noise[r * SIDE:(r + 1) * SIDE] for r in range(SIDE))
    with open(f"{out}/{test}-{i}.png", "wb") as file:
        file.write(b"\\x89PNG\\r\\n\\x1a\\n"
                   + chunk(b"IHDR", struct.pack(">IIBBBBB", SIDE, SIDE, 8, 0, 0, 0, 0))
                   + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))
'''

PIPELINE = """version: 1
name: app
references: {store: store.git, pin: snapfarm.refs}
devices:
  - {name: A, width: 32, height: 32, scale: 1}
jobs:
  snapshot_test:
    kind: snapshot
    driver: command
    discover: cat scenes
    run: python3 make.py {tests}
    bundle: [make.py, scenes]
    timeout: {test: 10m, shard: 30m}
"""


def used(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    io = dict(line.split(": ") for line in
              pathlib.Path(f"/proc/{pid}/io").read_text().splitlines())
    ticks = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")")[1].split()[11:13]
    return {
        "peak MB": int(status.split("VmHWM:")[1].split()[0]) / 1000,
        "CPU s": sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK"),
        "read MB": int(io["rchar"]) / 1e6,
        "written MB": int(io["wchar"]) / 1e6,
    }


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--snapfarm", required=True)
    options.add_argument("--pictures", type=int, default=10_000)
    options.add_argument("--away", type=float, default=60)
    options.add_argument("--workers", type=int, default=3)
    options.add_argument("--side", type=int, default=100, help="of each picture, in pixels")
    options.add_argument("--mode", default="verify", help="record: the coordinator reads them, too")
    options = options.parse_args()
    snapfarm = str(pathlib.Path(options.snapfarm).resolve())
    place = pathlib.Path(tempfile.mkdtemp(prefix="snapfarm-bucket-"))
    processes = []
    try:
        bucket = Bucket(str(place / "bucket"))
        project = place / "project"
        project.mkdir()
        (project / "make.py").write_text(MAKE % (options.side, PICTURES_PER_TEST))
        (project / "app.yaml").write_text(PIPELINE)
        tests = options.pictures // PICTURES_PER_TEST
        (project / "scenes").write_text("".join(f"t{n}\n" for n in range(tests)))
        subprocess.run([snapfarm, "refs", "init"], cwd=project, check=True, capture_output=True)
        port = reserved_port()
        url = f"http://127.0.0.1:{port}"
        (place / "bucket.yaml").write_text(
            f"version: 1\nlisten: 127.0.0.1:{port}\ndata: state\nlog: json\n"
            f"stores: {{app: {project}/store.git}}\n"
            + bucket.configuration)
        variables = os.environ | bucket.environment
        log = open(place / "serve.log", "w")
        server = subprocess.Popen([snapfarm, "serve", "--config", "bucket.yaml"], cwd=place,
                                  env=variables, stderr=log)
        processes.append(server)
        while "listening" not in (place / "serve.log").read_text():
            time.sleep(0.1)

        def token(scope):
            made = subprocess.run([snapfarm, "tokens", "create", scope, "--data", "state",
                                   "--scope", scope], cwd=place, capture_output=True, text=True)
            return made.stdout.strip()

        work, submit = token("work"), token("submit")
        for n in range(options.workers):
            folder = place / f"worker{n}"
            folder.mkdir()
            processes.append(subprocess.Popen(
                [snapfarm, "worker", "--coordinator", url, "--id", f"w{n}", "--scratch",
                 str(folder / "scratch")], cwd=folder, stderr=subprocess.DEVNULL,
                env=os.environ | {"SNAPFARM_TOKEN": work, "XDG_CACHE_HOME": str(folder)}))
        before = used(server.pid)
        began = time.monotonic()
        run = subprocess.Popen(
            [snapfarm, "run", "app.yaml", "--coordinator", url, "--mode", options.mode], cwd=project,
            env=os.environ | {"SNAPFARM_TOKEN": submit})
        while bucket.objects() < options.pictures // 3 and run.poll() is None:
            time.sleep(1)
        print(f"{time.monotonic() - began:.0f} s: the server is killed, {bucket.objects()} objects",
              flush=True)
        bucket.kill()
        time.sleep(options.away)
        bucket.start()
        print(f"{time.monotonic() - began:.0f} s: it is back", flush=True)
        status = run.wait()
        seconds = time.monotonic() - began
        after = used(server.pid)
        summary = json.loads((project / "snapfarm-out/summary.json").read_text())
        # A record run takes each new picture twice.
        usual = 2 if options.mode == "record" else 1
        retried = sum(test["attempts"] > usual for test in summary["tests"])
        lost = tests * PICTURES_PER_TEST - len(summary["snapshots"])
        here = [p for p in (place / "state/blobs").rglob("*") if len(p.name) == 64]
        bytes_ = sum(p.stat().st_size for p in (project / "snapfarm-out/captures").rglob("*.png"))
        print(f"{seconds:.0f} s, exit {status}, {summary['state']}; "
              f"{len(summary['snapshots'])} pictures ({bytes_ / 1e6:.1f} MB), {lost} lost, "
              f"{retried} tests tried again, {bucket.objects()} objects, {len(here)} blobs here")
        for name, value in after.items():
            print(f"coordinator {name}: {value:.1f} (at the start {before[name]:.1f})")
        # Pictures without references are new, which is red.
        wanted = 0 if options.mode == "record" else 1
        return 0 if status == wanted and lost == retried == len(here) == 0 else 1
    finally:
        for process in processes:
            process.send_signal(signal.SIGTERM)
        for process in processes:
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
        if "bucket" in locals():
            bucket.kill()
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
