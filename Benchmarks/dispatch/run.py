#!/usr/bin/env python3
"""How many leases a second a coordinator gives out, durably, over HTTP.

    Benchmarks/dispatch/run.py SNAPFARM DISPATCH-LOAD [--seconds 5] [--workers 1,10,100,500] [--runs 4] [--journal]

A `snapfarm serve` of its own; `dispatch-load` plays the workers, which claim leases of at most five tests
and complete them as fast as they are let, until the runs' work or the time is used up. A cycle is two calls,
as a worker makes them that is quicker than the coordinator: a claim, and the completion with the reports.
`p50` and `p99` are of a call. `--runs` runs for each number of workers. Then as many idle workers as the
last number: the coordinator's memory and CPU. Beside it the bare GRDB loop of `dispatch-load`, which writes
the same rows without HTTP and rules. All share this machine's cores, so the ratios count.

With `--journal` the same in turn with a ledger in PostgreSQL: two coordinators and two databases. Then CPU
is in ms a cycle, of the coordinator that leads, the one that follows and both databases, and bytes a cycle
are those of changesets, of PostgreSQL's log and of the leader's disk.
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [f"{HERE}/..", f"{HERE}/../faults"]
import copies  # noqa: E402
from cluster import Pair  # noqa: E402
from farm import POOL, Farm  # noqa: E402
from measuring import ENVIRONMENT, run  # noqa: E402

IDLE_SECONDS = 40


class Contender:
    """A farm without workers, and the pair of databases that its ledger is in, or none."""

    def __init__(self, options, work, pair=None):
        self.options, self.pair = options, pair
        ledgers = [pair.url()] * 2 if pair else [None]
        self.kind = "with a journal" if pair else "SQLite alone"
        self.farm = Farm([options.snapfarm] * len(ledgers), work, ledgers).start()

    def play(self, *words):
        found = run(self.options.load, *words, environment={"SNAPFARM_TOKEN": self.farm.token})
        return json.loads(found) if found.strip().startswith(b"{") else {}

    def leader(self):
        """The coordinator that leads, which is called without a detour."""
        if not self.pair:
            return self.farm.coordinators[0]
        url = self.pair.primary.sql(f"select url from farm.pool where id = '{POOL}'")
        return next(one for one in self.farm.coordinators if one.url == url)

    def spent(self):
        """CPU seconds of the leader, the follower, the databases and the load; bytes; the last epoch."""
        leader = self.leader()
        wal = changesets = databases = 0
        if self.pair:
            sizes = self.pair.primary.sql(
                "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0'), coalesce(sum(octet_length(changeset)), 0)"
                f" from farm.journal where pool = '{POOL}'")
            wal, changesets = map(int, sizes.split("|"))
            databases = sum(server.cpu() for server in self.pair.servers)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        with copies.opened(leader.data) as db:
            cycles = db.execute("select coalesce(max(epoch), 0) from lease").fetchone()[0]
        followers = sum(one.used()["CPU s"] for one in self.farm.coordinators if one is not leader)
        return (leader.used()["CPU s"], followers, databases, used.ru_utime + used.ru_stime, changesets, wal,
                1e6 * leader.used()["disk MB"], cycles)

    def row(self, count):
        leader = self.leader()
        for _ in range(self.options.runs):
            self.play("open", leader.url, self.options.tests, self.options.cells)
        before = self.spent()
        found = self.play("cycles", leader.url, count, self.options.seconds)
        self.follow()
        after = self.spent()
        cycles = max(1, after[-1] - before[-1])
        each = [(b - a) / cycles for a, b in zip(before, after)]
        print(f"{count:7}  {self.kind:14} {found['cyclesPerSecond']:9.0f}  {found['testsPerSecond']:7.0f}"
              f"  {found['p50']:6.2f}  {found['p99']:6.2f}" + "".join(f"  {1000 * one:7.2f}" for one in each[:4])
              + "".join(f"  {one:6.0f}" for one in each[4:7]) + f"  {leader.used()['MB']:4.0f}"
              + ("  (ran dry)" if found["ranDry"] else ""), flush=True)
        # What is left of these runs is not the next row's business.
        for one in json.loads(self.farm.ask("runs", "--json", "--limit", "20", "--coordinator", leader.url))["runs"]:
            if one["state"] == "running":
                self.farm.ask("cancel", one["run"], "--coordinator", leader.url)

    def follow(self):
        """Whether the copies are equal, once they have all that the journal has."""
        if not self.pair:
            return True
        folders = [one.data for one in self.farm.coordinators]
        journal = lambda: int(self.pair.primary.sql(f"select seq from farm.pool where id = '{POOL}'"))
        seq, behind = copies.followed(journal, folders, 120)
        unequal = behind or copies.differences(folders)
        for line in unequal:
            print(line)
        return not unequal

    def idle(self, count):
        leader = self.leader()
        self.play("open", leader.url, 1, 1)
        self.play("cycles", leader.url, 1, 1)
        # Two rounds of their parked claims, after all have come.
        parked = subprocess.Popen(
            [self.options.load, "idle", leader.url, str(count), str(IDLE_SECONDS + 6)],
            stdout=subprocess.DEVNULL, env={**ENVIRONMENT, "SNAPFARM_TOKEN": self.farm.token})
        time.sleep(5)
        before = leader.used()["CPU s"]
        time.sleep(IDLE_SECONDS)
        after = leader.used()
        parked.wait()
        share = 100 * (after["CPU s"] - before) / IDLE_SECONDS
        print(f"{count} idle workers, {self.kind}: {after['MB']:.0f} MB, {share:.1f} % of one core")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("snapfarm")
    parser.add_argument("load")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--workers", default="1,10,100,500")
    parser.add_argument("--runs", type=int, default=1, help="open at once: more work, so that none runs dry")
    parser.add_argument("--tests", type=int, default=5, help="per cell: the most a lease can get")
    parser.add_argument("--cells", type=int, default=1000)
    parser.add_argument("--journal", action="store_true")
    options = parser.parse_args()
    options.snapfarm, options.load = os.path.abspath(options.snapfarm), os.path.abspath(options.load)
    counts = [int(word) for word in options.workers.split(",")]
    contenders, pair = [], None
    with tempfile.TemporaryDirectory(prefix="snapfarm-dispatch-") as work:
        os.chmod(work, 0o755)  # PostgreSQL runs as another user.
        try:
            contenders.append(Contender(options, f"{work}/plain"))
            if options.journal:
                pair = Pair(work)
                contenders.append(Contender(options, f"{work}/journal", pair))
            print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}, {options.seconds:g} s each; CPU in ms "
                  "and bytes are of a cycle")
            print("workers  ledger          cycles/s  tests/s  p50 ms  p99 ms    leads  follows  databas     load"
                  "  change     WAL    disk    MB")
            for number, count in enumerate(counts):
                for contender in contenders if number % 2 == 0 else reversed(contenders):
                    contender.row(count)
            contenders[-1].idle(counts[-1])
            bare = contenders[0].play("bare", f"{work}/bare.sqlite", options.seconds)
            print("bare GRDB loop:", ", ".join(f"{name} {value:.0f}" for name, value in bare.items()))
            good = all(contender.follow() for contender in contenders)
        finally:
            for contender in contenders:
                contender.farm.close()
            for server in pair.servers if pair else []:
                server.kill()
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
