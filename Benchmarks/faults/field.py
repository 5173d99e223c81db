"""Where a trial happens: a pair of databases, coordinators, workers, clients that write, and what it all ended in."""
import http.client
import json
import threading
import time

import copies
from chaos import sound
from cluster import Pair
from farm import POOL, Bucket, Farm, until
from lines import Line
from measuring import Failed
from trial import WRONG, Trial

# The first that is tried; a coordinator says which it does not serve.
NEWEST_VERSION = 12


class Writer(threading.Thread):
    """A client of one coordinator that makes a small change every `period` seconds and notes each answer.

    The change is a worker that says hello and that it is unfit, so nothing waits for it. `answers` are
    (sent, answered, coordinator); `kept` names what was acknowledged and must be in every ledger for ever.
    """

    def __init__(self, coordinator, token, name, fresh_every, period=0.25):
        super().__init__(daemon=True, name=name)
        self.version = NEWEST_VERSION
        self.coordinator, self.token, self.period = coordinator, token, period
        self.fresh_every = fresh_every
        self.answers, self.kept, self.refused = [], [], {}
        self.going = True

    def run(self):
        line, number, name = None, 0, None
        while self.going:
            if number % self.fresh_every == 0:
                name = f"{self.name}-{number}"
            number += 1
            body = json.dumps({
                "worker": name, "beginsAnew": True, "running": [],
                "unfit": {"code": "writer", "message": "only writes", "remedy": "none"},
            })
            sent = time.monotonic()
            try:
                if line is None:
                    line = http.client.HTTPConnection("127.0.0.1", self.coordinator.port, timeout=2)
                line.request("POST", "/api/v1/workers", body, {
                    "Authorization": f"Bearer {self.token}", "Snapfarm-Version": str(self.version),
                    "Content-Type": "application/json"})
                answer = line.getresponse()
                answer.read()
                status = answer.status
            except (OSError, http.client.HTTPException) as error:
                status, line = type(error).__name__, None
            if status == 200:
                self.answers.append((sent, time.monotonic(), self.coordinator.name))
                if not self.kept or self.kept[-1] != name:
                    self.kept.append(name)
            elif status == 426 and self.version > 1:
                self.version -= 1  # A build that speaks an older protocol.
            else:
                self.refused[status] = self.refused.get(status, 0) + 1
            time.sleep(self.period)


class Field:
    """`programs` has a snapfarm for each coordinator; all ends with the value."""

    def __init__(self, programs, work, options, synchronous=True, fresh_every=10):
        self.work, self.options = work, options
        self.farm = self.bucket = None
        self.writers = []
        self.pair = Pair(work, synchronous)
        try:
            if options.bucket:
                self.bucket = Bucket(f"{work}/bucket")
            # For each coordinator a line to each database.
            self.lines = [[Line(server.port) for server in self.pair.servers] for _ in programs]
            for server, lines in zip(self.pair.servers, zip(*self.lines)):
                server.lines = lines
            ledgers = [self.pair.url([line.port for line in lines]) for lines in self.lines]
            self.farm = Farm(programs, work, ledgers, self.bucket)
            self.farm.start(options.test_workers, options.balancer)
            self.trial = Trial(programs[0], f"{work}/trial", options, self.farm.token,
                               ["--coordinator", self.farm.url])
            # Several for each coordinator, so that one that waits for an answer hides no other's.
            for coordinator in self.farm.coordinators:
                for n in range(3):
                    name = f"writer-{coordinator.name}-{n}"
                    self.writers.append(Writer(coordinator, self.farm.token, name, fresh_every))
                    self.writers[-1].start()
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for writer in self.writers:
            writer.going = False
        if self.farm:
            self.farm.close()
        if self.bucket:
            self.bucket.kill()
        for server in self.pair.servers:
            server.kill()

    def begin(self):
        """Hands the run in; returns when its first test has ended."""
        self.trial.run.start()
        while self.trial.ran() == 0 and self.trial.run.running():
            time.sleep(0.05)

    def await_write(self, sent_after, not_by=None, seconds=60):
        """When the first change that was sent after a moment was answered; None: not within the time."""
        def answered():
            times = [done for writer in self.writers for sent, done, name in writer.answers[-200:]
                     if sent >= sent_after and name != not_by]
            return min(times, default=None)

        try:
            return until(answered, seconds, lambda: "a change")
        except Failed:
            return None

    def position(self):
        """The last change of the journal."""
        return int(self.pair.primary.sql(f"select seq from farm.pool where id = '{POOL}'") or -1)

    def leader(self):
        """The coordinator that PostgreSQL says leads; None: nobody does."""
        row = self.pair.primary.sql(f"select url from farm.pool where id = '{POOL}'")
        return next((one for one in self.farm.coordinators if one.url == row), None)

    def lines_of(self, coordinator):
        return self.lines[self.farm.coordinators.index(coordinator)]

    def await_leader(self):
        def leads():
            leader = self.leader()
            return leader if leader and leader.running() else None

        return until(leads, 60, lambda: "somebody who leads")

    def checked(self):
        """`snapfarm check --deep` must find nothing in any copy."""
        for one in self.farm.coordinators:
            sound(self.farm.snapfarm, "--deep", *one.place, environment=one.environment)
        print("check --deep: sound")

    def judge(self, ended):
        """Whether nothing was lost; says what was."""
        for writer in self.writers:
            writer.going = False
        self.farm.stop_workers()
        found = self.trial.count()
        folders = [coordinator.data for coordinator in self.farm.coordinators]
        seq, behind = copies.followed(self.position, folders)
        unequal = copies.differences(folders)
        for line in behind + unequal:
            print(line)
        kept = {name for writer in self.writers for name in writer.kept}
        forgotten = kept - copies.workers(folders[0])
        self.checked()
        refused = {}
        for writer in self.writers:
            for status, count in writer.refused.items():
                refused[status] = refused.get(status, 0) + count
        answers = sum(len(writer.answers) for writer in self.writers)
        print(f"{answers} changes of clients acknowledged, {len(kept)} that are looked for, forgotten "
              f"{len(forgotten)}, refused {refused}; journal at {seq}; unequal tables {len(unequal)}")
        copies.status(self.farm.snapfarm, self.pair.url())
        return (ended == self.trial.wanted_exit() and not behind and not unequal and not forgotten
                and not any(found[name] for name in WRONG))
