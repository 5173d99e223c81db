"""Where a trial happens: a pair of databases, coordinators, workers, clients that write, and what it all ended in."""
import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from seaweed import Bucket  # noqa: E402

import copies
from cluster import Pair
from farm import POOL, Farm
from ports import reserved_port
from lines import Line
from trial import Trial


class Field:
    """`programs` has a snapfarm for each coordinator; all ends with the value."""

    def __init__(self, programs, work, options, synchronous=True, fresh_every=10):
        self.work, self.options = work, options
        self.pair = Pair(work, [reserved_port(), reserved_port()], synchronous)
        self.farm = self.bucket = None
        try:
            if options.bucket:
                self.bucket = Bucket(f"{work}/bucket")
            # For each coordinator a line to each database.
            self.lines = [[Line(server.port) for server in self.pair.servers] for _ in programs]
            for server, lines in zip(self.pair.servers, zip(*self.lines)):
                server.lines = lines
            ledgers = [self.pair.url([line.port for line in lines]) for lines in self.lines]
            self.farm = Farm(programs, work, ledgers, self.bucket)
            self.farm.start(options.balancer)
            self.trial = Trial(self.farm, options.tests, options.cells, options.failing)
            self.farm.add_workers(options.test_workers)
            self.farm.add_writers(fresh_every=fresh_every)
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.farm:
            self.farm.close()
        if self.bucket:
            self.bucket.kill()
        self.pair.close()

    def begin(self):
        """Hands the run in; returns when its first test has ended."""
        self.trial.start()
        while self.trial.ran() == 0 and self.trial.going():
            time.sleep(0.05)

    def leader(self):
        """The coordinator that PostgreSQL says leads; None: nobody does."""
        row = self.pair.primary.sql(f"select url from farm.pool where id = '{POOL}'")
        return next((one for one in self.farm.coordinators if one.url == row), None)

    def lines_of(self, coordinator):
        return self.lines[self.farm.coordinators.index(coordinator)]

    def await_leader(self):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            leader = self.leader()
            if leader and leader.running():
                return leader
            time.sleep(0.05)
        raise RuntimeError("nobody leads")

    def judge(self, ended):
        """Whether nothing was lost; says what was."""
        for writer in self.farm.writers:
            writer.going = False
        for worker in self.farm.workers:
            worker.signal(signal.SIGTERM)
        for worker in self.farm.workers:
            worker.process.wait(30)
        found = self.trial.count()
        folders = [coordinator.data for coordinator in self.farm.coordinators]
        seq, behind = copies.followed(self.pair.primary, folders)
        unequal = copies.differences(folders)
        for line in behind + unequal:
            print(line)
        kept = {name for writer in self.farm.writers for name in writer.kept}
        forgotten = kept - copies.workers(folders[0])
        checks = [copies.check(self.farm.snapfarm, one) for one in self.farm.coordinators]
        for line in checks:
            print(line or "check: sound")
        refused = {}
        for writer in self.farm.writers:
            for status, count in writer.refused.items():
                refused[status] = refused.get(status, 0) + count
        answers = sum(len(writer.answers) for writer in self.farm.writers)
        print(f"planned {found['planned']}, lost {found['lost']}, doubled {found['doubled']}, spurious "
              f"{found['spurious']}, again {found['again']}; {answers} changes of clients acknowledged, "
              f"{len(kept)} that are looked for, forgotten {len(forgotten)}, refused {refused}")
        print(f"journal at {seq}; unequal tables {len(unequal)}; the longest time without the end of a "
              f"test {found['gap']:.1f} s")
        copies.status(self.farm.snapfarm, self.pair.url())
        return (ended == (1 if self.options.failing else 0) and not behind and not unequal
                and not forgotten and not any(checks)
                and found["lost"] + found["doubled"] + found["spurious"] == 0)
