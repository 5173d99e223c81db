#!/usr/bin/env python3
"""What passes between two tests of the newest run, within a lease and from lease to lease.

    Benchmarks/makespan/gaps.py LEDGER

The times are those that the workers reported. A worker that waited for work is in it, too: take a run
that has enough.
"""
import sqlite3
import statistics
import sys

if len(sys.argv) != 2:
    sys.exit(__doc__)
ledger = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
(run,) = ledger.execute("SELECT id FROM run ORDER BY started DESC LIMIT 1").fetchone()
tests = ledger.execute(
    """SELECT worker, epoch, attempt.started, attempt.seconds
       FROM attempt JOIN lease USING (epoch, worker) WHERE lease.run = ?
       ORDER BY worker, attempt.started""",
    (run,),
).fetchall()
gaps = {"within a lease": [], "between leases": []}
for (worker, epoch, started, seconds), (other, lease, begins, _) in zip(tests, tests[1:]):
    if worker == other:
        kind = "within a lease" if epoch == lease else "between leases"
        gaps[kind].append(begins - started - seconds * 1000)
for kind, found in gaps.items():
    if found:
        print(
            f"{run} {kind}: median {statistics.median(found):.1f} ms, "
            f"longest {max(found):.0f} ms, n {len(found)}"
        )
