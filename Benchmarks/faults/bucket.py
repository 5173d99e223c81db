"""A run whose blobs lie in a bucket, with the bucket's server gone for a minute in the middle.

Starts SeaweedFS, a coordinator and workers; every picture is new, so each is uploaded. Prints what the
coordinator needed (memory, CPU, bytes that it read and wrote on all its descriptors) beside the bytes of
the pictures. A verdict or picture that is missing is wrong, a test that was tried again, and a blob that
lies at the coordinator.
"""
import json
import pathlib
import time

from farm import Bucket, Farm
from measuring import ROOT, Failed, picture, run as call, write

PICTURES_PER_TEST = 50
OPTIONS = {"pictures": 10_000, "away": 60.0, "workers": 3, "side": 100, "mode": "verify"}
SMALL = {"pictures": 600, "away": 5.0}

DRAW = """import os, sys
sys.path.insert(0, "{root}/Benchmarks")
from measuring import picture, write
for n in range({count}):
    name = sys.argv[1] + "-" + str(n)
    write(os.environ["SNAPFARM_CAPTURE_DIR"] + "/Suite/" + name + ".png", picture(name, {side}, {side}))
"""
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
    run: python3 draw.py {tests}
    bundle: [draw.py, scenes]
    timeout: {test: 10m, shard: 30m}
"""


def run(snapfarm, work, options, chance):
    project = f"{work}/project"
    tests = options.pictures // PICTURES_PER_TEST
    write(f"{project}/draw.py", DRAW.format(root=ROOT, count=PICTURES_PER_TEST, side=options.side))
    write(f"{project}/app.yaml", PIPELINE)
    write(f"{project}/scenes", "".join(f"t{n}\n" for n in range(tests)))
    call(snapfarm, "refs", "init", cwd=project)
    bucket = Bucket(f"{work}/bucket")
    with Farm([snapfarm], work, bucket=bucket, more=f"stores: {{app: {project}/store.git}}\n") as farm:
        farm.start(options.workers)
        before = farm.coordinators[0].used()
        began = time.monotonic()
        one = farm.submitted(project, "--mode", options.mode)
        while bucket.objects() < options.pictures // 3 and one.running():
            time.sleep(1)
        print(f"{time.monotonic() - began:.0f} s: the server is killed, {bucket.objects()} objects",
              flush=True)
        bucket.kill()
        time.sleep(options.away)
        bucket.start()
        print(f"{time.monotonic() - began:.0f} s: it is back", flush=True)
        status = one.end(1800)
        seconds = time.monotonic() - began
        after = farm.coordinators[0].used()
    # Pictures without references are new, which is red.
    if status != (0 if options.mode == "record" else 1):
        raise Failed(f"the run ended with {status}:\n{one.said(3000)}")
    out = pathlib.Path(project, "snapfarm-out")
    summary = json.loads((out / "summary.json").read_text())
    # A record run takes each new picture twice.
    usual = 2 if options.mode == "record" else 1
    retried = sum(test["attempts"] > usual for test in summary["tests"])
    lost = tests * PICTURES_PER_TEST - len(summary["snapshots"])
    here = [path for path in pathlib.Path(f"{work}/c0/data/blobs").rglob("*") if len(path.name) == 64]
    megabytes = len(picture("t0-0", options.side, options.side)) * len(summary["snapshots"]) / 1e6
    print(f"{seconds:.0f} s, exit {status}, {summary['state']}; {len(summary['snapshots'])} pictures "
          f"({megabytes:.1f} MB), {lost} lost, {retried} tests tried again, {bucket.objects()} objects, "
          f"{len(here)} blobs here")
    bucket.kill()
    for name, value in after.items():
        print(f"coordinator {name}: {value:.1f} (at the start {before[name]:.1f})")
    return lost == retried == len(here) == 0
