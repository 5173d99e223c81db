#!/usr/bin/env python3
"""Kills coordinators and databases while one run goes on, and counts what was lost.

    Benchmarks/journal/run.py SNAPFARM [--small | --tests 2000 --cells 3 --kills 20 --wipes 2
                                        --terminations 10 --restarts 5 --freezes 5 --silences 3
                                        --promotions 5] [--seed N] [--keep]
    Benchmarks/journal/run.py SNAPFARM --bucket [--outages 3] [...]
    Benchmarks/journal/run.py SNAPFARM --control
    Benchmarks/journal/run.py SNAPFARM --cost DISPATCH-LOAD [--seconds 5] [--workers 1,10,100,500]
    Benchmarks/journal/run.py NEW --rolling OLD [--small]

A PostgreSQL with a synchronous standby, three coordinators with a copy of the ledger each, workers
that know all three, and clients that write to every coordinator all the time. The faults, in random
order: SIGKILL for the leader, which is started again after a moment, a few times without its copy;
the end of its connections to PostgreSQL; `pg_ctl restart -m immediate`; SIGSTOP for the leader,
longer than its deadline; a line from it to PostgreSQL that falls silent as long; SIGKILL for the
primary's machine and promotion of its standby. In the end

    lost        planned, but without a verdict
    doubled     more than one row in summary.json
    spurious    another verdict than without faults
    forgotten   acknowledged to a client, but in no ledger
    unequal     tables that are not the same in all copies

and what `snapfarm check --deep` finds must be nothing. Times are from the fault to the answer of the
first change that was sent after it; of a dead or frozen leader, to another coordinator. Workers are
never killed, so a test that ran twice was forgotten once (`again`).

With `--bucket` blobs lie in a bucket of SeaweedFS, whose server is killed and started again under the
run, too, and every blob is read in the end.

`--control` promotes a standby that is not synchronous, and must find acknowledged changes forgotten.
"""
import argparse
import os
import random
import shutil
import signal
import sys
import tempfile

import chaos
import control
import cost
import rolling


def main():
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    snapfarm = os.path.abspath(options.snapfarm)
    work = tempfile.mkdtemp(prefix="snapfarm-journal-", dir=options.folder)
    os.chmod(work, 0o755)  # PostgreSQL runs as another user.
    print(f"seed {options.seed}, {work}", flush=True)
    try:
        if options.cost:
            good = cost.measure(snapfarm, os.path.abspath(options.cost), work, options)
        elif options.control:
            good = control.run(snapfarm, work, options)
        elif options.rolling:
            good = rolling.run(os.path.abspath(options.rolling), snapfarm, work, options)
        else:
            good = chaos.run(snapfarm, work, options)
    except BaseException:
        print(f"kept {work}")
        raise
    if good and not options.keep:
        shutil.rmtree(work, ignore_errors=True)
    else:
        print(f"kept {work}")
    sys.exit(0 if good else 1)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("snapfarm")
    parser.add_argument("--small", action="store_true", help="150 tests x 3 cells, eight faults: a minute")
    parser.add_argument("--tests", type=int, default=2000)
    parser.add_argument("--cells", type=int, default=3)
    parser.add_argument("--failing", type=int, default=20)
    parser.add_argument("--coordinators", type=int, default=3)
    parser.add_argument("--test-workers", type=int, default=4)
    for name, count in (("kills", 20), ("wipes", 2), ("terminations", 10), ("restarts", 5), ("freezes", 5),
                        ("silences", 3), ("promotions", 5)):
        parser.add_argument(f"--{name}", type=int, default=count)
    parser.add_argument("--bucket", action="store_true", help="blobs in a bucket, not in a folder of all")
    parser.add_argument("--outages", type=int, default=3, help="of the bucket")
    parser.add_argument("--balancer", action="store_true",
                        help="callers know one address, not those of all coordinators")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--folder", help="where to work (default: a temporary folder)")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--control", action="store_true")
    parser.add_argument("--rolling", metavar="OLD", help="another build, upgraded under a run")
    parser.add_argument("--cost", metavar="DISPATCH-LOAD")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--workers", default="1,10,100,500")
    options = parser.parse_args()
    if not options.bucket:
        options.outages = 0
    if options.small:
        options.tests, options.failing = 150, 5
        options.kills, options.terminations = 2, 1
        options.wipes = options.restarts = options.freezes = options.silences = options.promotions = 1
    return options


if __name__ == "__main__":
    main()
