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
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEED = ROOT / ".build/test-tools/bin/weed"
KEYS = ("sfkey", "sfsecret")
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


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Bucket:
    def __init__(self, folder):
        self.folder = folder
        self.ports = [free_port() for _ in range(8)]
        self.url = f"http://127.0.0.1:{self.ports[0]}"
        (folder / "data").mkdir(parents=True)
        (folder / "s3.json").write_text(json.dumps({"identities": [{
            "name": "farm", "actions": ["Admin", "Read", "Write", "List"],
            "credentials": [{"accessKey": KEYS[0], "secretKey": KEYS[1]}]}]}))
        self.start()
        self.curl("-X", "PUT", f"{self.url}/farm-blobs")

    def start(self):
        s3, s3g, filer, filerg, master, masterg, volume, volumeg = self.ports
        self.server = subprocess.Popen(
            [WEED, "server", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-dir={self.folder}/data",
             "-master.volumeSizeLimitMB=64", "-volume.max=60", "-s3.port.iceberg=0",
             "-s3.port.lance=0", "-s3", f"-s3.port={s3}",
             f"-s3.port.grpc={s3g}", f"-s3.config={self.folder}/s3.json", "-filer",
             f"-filer.port={filer}", f"-filer.port.grpc={filerg}", f"-master.port={master}",
             f"-master.port.grpc={masterg}", f"-volume.port={volume}",
             f"-volume.port.grpc={volumeg}"],
            stdout=subprocess.DEVNULL, stderr=open(self.folder / "log", "a"), cwd=self.folder)
        for _ in range(300):
            code = subprocess.run(["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", self.url],
                                  capture_output=True, text=True).stdout
            if code == "403":
                return
            time.sleep(0.1)
        sys.exit("the server of the bucket does not start: "
                 + (self.folder / "log").read_text()[-3000:])

    def curl(self, *words):
        return subprocess.run(
            ["curl", "-sS", "--aws-sigv4", "aws:amz:us-east-1:s3", "--user", ":".join(KEYS), *words],
            capture_output=True, text=True).stdout

    def objects(self):
        count, after = 0, ""
        while True:
            query = f"list-type=2&max-keys=1000&start-after={after}".replace("/", "%2F")
            keys = [k.split("</Key>")[0] for k in
                    self.curl(f"{self.url}/farm-blobs?{query}").split("<Key>")[1:]]
            count += len(keys)
            if len(keys) < 1000:
                return count
            after = keys[-1]

    def kill(self):
        self.server.kill()
        self.server.wait()


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
        bucket = Bucket(place / "bucket")
        project = place / "project"
        project.mkdir()
        (project / "make.py").write_text(MAKE % (options.side, PICTURES_PER_TEST))
        (project / "app.yaml").write_text(PIPELINE)
        tests = options.pictures // PICTURES_PER_TEST
        (project / "scenes").write_text("".join(f"t{n}\n" for n in range(tests)))
        subprocess.run([snapfarm, "refs", "init"], cwd=project, check=True, capture_output=True)
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        (place / "bucket.yaml").write_text(
            f"version: 1\nlisten: 127.0.0.1:{port}\ndata: state\nlog: json\n"
            f"stores: {{app: {project}/store.git}}\n"
            f"blobs: {{s3: {{endpoint: \"{bucket.url}\", bucket: farm-blobs, prefix: farm,\n"
            "  path-style: true, access-key: S3_ACCESS, secret-key: S3_SECRET}}\n")
        variables = os.environ | {"S3_ACCESS": KEYS[0], "S3_SECRET": KEYS[1]}
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
