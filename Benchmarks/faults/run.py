#!/usr/bin/env python3
"""Makes faults under the real program, and counts what was lost.

    deploy/system-packages.sh test
    Benchmarks/faults/run.py FAULT SNAPFARM [--small] [--seed N] [--keep] [--folder F] [OPTION…]

    chaos       workers and coordinators of a run on this machine are killed
    kills       the program dies before any one call that changes a disk
    jobs        CI jobs on new machines, and people's commands, are killed
    upkeep      backups, restores, retention and prunes are killed beside runs
    bucket      the server of the bucket with all blobs is gone for a minute
    journal     coordinators and databases of a shared ledger are killed, frozen and cut off
    night       twelve events of an operator's night, and what three people see of each

`run.py FAULT --help` says what each makes, what must be true, and its options; `--small` takes a minute or
two. The same seed makes the same choices. The folder stays where something is wrong, and the exit status
is 1.
"""
import argparse
import importlib
import os
import random
import shutil
import signal
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    faults = parser.add_subparsers(dest="fault", required=True, metavar="FAULT")
    for name in ("chaos", "kills", "jobs", "upkeep", "bucket", "journal", "night"):
        module = importlib.import_module(name)
        part = faults.add_parser(
            name, description=module.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
        part.add_argument("snapfarm")
        part.add_argument("--small", action="store_true")
        part.add_argument("--seed", type=int, default=random.randrange(1 << 32))
        part.add_argument("--folder", help="where to work (default: a temporary folder)")
        part.add_argument("--keep", action="store_true", help="leave the folder")
        for option, default in module.OPTIONS.items():
            kind = {"action": "store_true"} if default is False else {"type": type(default)}
            part.add_argument("--" + option.replace("_", "-"), default=default, **kind)
        if "--small" in sys.argv:
            part.set_defaults(**module.SMALL)
    found = parser.parse_args()
    found.run = sys.modules[found.fault].run
    return found


def main():
    chosen = options()
    # A script that is stopped ends its programs, as one that fails does.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    work = tempfile.mkdtemp(prefix=f"snapfarm-{chosen.fault}-", dir=chosen.folder)
    os.chmod(work, 0o755)  # PostgreSQL runs as another user.
    print(f"{chosen.fault}, seed {chosen.seed}, {work}", flush=True)
    good = False
    try:
        good = chosen.run(os.path.abspath(chosen.snapfarm), work, chosen, random.Random(chosen.seed))
    finally:
        if good and not chosen.keep:
            shutil.rmtree(work, ignore_errors=True)
        else:
            print(f"{'kept' if good else f'WRONG (seed {chosen.seed}); kept'} {work}", flush=True)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
