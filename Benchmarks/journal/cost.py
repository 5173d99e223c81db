"""What the journal costs: `dispatch-load` against a ledger in a folder and one in PostgreSQL, in one run.

Both coordinators, two databases and the load share this machine's cores, so the ratios count. A cycle
is a claim, and a completion with the reports of at most five tests.
"""
import json
import subprocess
import time

import copies
from cluster import Pair
from farm import ENVIRONMENT, POOL, Farm
from ports import reserved_port

IDLE_SECONDS = 30
KINDS = ("SQLite alone", "with a journal")
# More than any trial of a few seconds takes: none runs dry.
TESTS, CELLS = 5, 1000


def measure(snapfarm, load, work, options):
    counts = [int(word) for word in options.workers.split(",")]
    pair = Pair(work, [reserved_port(), reserved_port()])
    farms = {}
    try:
        for kind, ledger, coordinators in ((KINDS[0], None, 1), (KINDS[1], pair.url(), 2)):
            farms[kind] = Farm([snapfarm] * coordinators, f"{work}/{'journal' if ledger else 'plain'}",
                               [ledger] * coordinators)
            farms[kind].start()
        print(f"{options.seconds:g} s each; CPU in ms a cycle: the coordinator that leads, one that follows, "
              "two PostgreSQL; bytes a cycle: changesets, WAL of PostgreSQL, disk of the leader")
        print("workers  ledger           cycles/s  p50 ms  p99 ms  leads  follows  databases  "
              "changesets     WAL    disk")
        for number, count in enumerate(counts):
            for kind in KINDS if number % 2 == 0 else reversed(KINDS):
                row(load, farms[kind], kind, pair, count, options)
        farm = farms[KINDS[1]]
        idle(load, farm, lead(farm, pair), counts[-1])
        seq, behind = copies.followed(pair.primary, [one.data for one in farm.coordinators], 120)
        unequal = copies.differences([one.data for one in farm.coordinators])
        print(f"journal at {seq}; " + ("; ".join(behind + unequal) or "copies equal"))
        return not behind and not unequal
    finally:
        for farm in farms.values():
            farm.close()
        pair.close()


def played(load, farm, *words):
    done = subprocess.run([load, *map(str, words)], capture_output=True, text=True,
                          env={**ENVIRONMENT, "SNAPFARM_TOKEN": farm.token})
    if done.returncode:
        raise RuntimeError(f"dispatch-load {words}: {done.stderr[-2000:]}")
    return json.loads(done.stdout) if done.stdout.strip().startswith("{") else {}


def lead(farm, pair):
    """The coordinator that leads, which is called without a detour."""
    if not farm.ledger:
        return farm.coordinators[0]
    url = pair.primary.sql(f"select url from farm.pool where id = '{POOL}'")
    return next(one for one in farm.coordinators if one.url == url)


def spent(farm, leader, pair):
    """CPU seconds, bytes and cycles up to now."""
    followers = [one for one in farm.coordinators if one is not leader]
    sizes = pair.primary.sql(
        "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0'), coalesce(sum(octet_length(changeset)), 0)"
        f" from farm.journal where pool = '{POOL}'") if farm.ledger else "0|0"
    wal, changesets = map(int, sizes.split("|"))
    disk = next(int(line.split()[1]) for line in open(f"/proc/{leader.process.pid}/io")
                if line.startswith("write_bytes"))
    databases = sum(server.cpu() for server in pair.servers) if farm.ledger else 0
    with copies.opened(leader.data) as db:
        cycles = db.execute("select coalesce(max(epoch), 0) from lease").fetchone()[0]
    return (leader.cost()[0], sum(one.cost()[0] for one in followers), databases, changesets, wal, disk,
            cycles)


def row(load, farm, kind, pair, count, options):
    leader = lead(farm, pair)
    for _ in range(2):
        played(load, farm, "open", leader.url, TESTS, CELLS)
    before = spent(farm, leader, pair)
    found = played(load, farm, "cycles", leader.url, count, options.seconds)
    if farm.ledger:
        copies.followed(pair.primary, [one.data for one in farm.coordinators], 120)
    after = spent(farm, leader, pair)
    cycles = max(1, after[6] - before[6])
    lead_ms, follow_ms, databases_ms = (1000 * (b - a) / cycles for a, b in zip(before[:3], after[:3]))
    changesets, wal, disk = ((b - a) / cycles for a, b in zip(before[3:6], after[3:6]))
    print(f"{count:7}  {kind:15} {found['cyclesPerSecond']:9.0f}  {found['p50']:6.1f}  {found['p99']:6.1f}"
          f"  {lead_ms:5.2f}  {follow_ms:7.2f}  {databases_ms:9.2f}  {changesets:10.0f}  {wal:6.0f}"
          f"  {disk:6.0f}" + ("  (ran dry)" if found["ranDry"] else ""), flush=True)
    cancel(farm, leader)


def cancel(farm, leader):
    """What is left of these runs is not the next row's business."""
    environment = {**ENVIRONMENT, "SNAPFARM_TOKEN": farm.token}
    listed = subprocess.run([farm.snapfarm, "runs", "--json", "--coordinator", leader.url],
                            capture_output=True, text=True, env=environment, check=True)
    for run in json.loads(listed.stdout)["runs"]:
        if run["state"] == "running":
            subprocess.run([farm.snapfarm, "cancel", run["run"], "--coordinator", leader.url],
                           env=environment, capture_output=True, check=True)


def idle(load, farm, leader, count):
    played(load, farm, "open", leader.url, 1, 1)
    played(load, farm, "cycles", leader.url, 1, 1)
    parked = subprocess.Popen([load, "idle", leader.url, str(count), str(IDLE_SECONDS + 6)],
                              stdout=subprocess.DEVNULL,
                              env={**ENVIRONMENT, "SNAPFARM_TOKEN": farm.token})
    time.sleep(5)
    before, _ = leader.cost()
    time.sleep(IDLE_SECONDS)
    after, memory = leader.cost()
    parked.wait()
    print(f"{count} idle workers: {memory:.0f} MB, {100 * (after - before) / IDLE_SECONDS:.1f} % of one core")
