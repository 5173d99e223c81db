"""Kills coordinators and databases while one run goes on, and counts what was lost.

A PostgreSQL with a synchronous standby, three coordinators with a copy of the ledger each, workers that know
all three, and clients that write to every coordinator all the time. The faults, in random order: SIGKILL for
the leader, which is started again after a moment, a few times without its copy (wipes); the end of its
connections to PostgreSQL (terminations); `pg_ctl restart -m immediate`; SIGSTOP for the leader, longer than
its deadline (freezes); a line from it to PostgreSQL that falls silent as long; SIGKILL for the primary's
machine and promotion of its standby. In the end

    lost        planned, but without a verdict
    doubled     more than one row in summary.json
    spurious    another verdict than without faults
    forgotten   acknowledged to a client, but in no ledger
    unequal     tables that are not the same in all copies

and what `snapfarm check --deep` finds must be nothing. Times are from the fault to the answer of the first
change that was sent after it; of a dead or frozen leader, to another coordinator. Workers are never killed,
so a test that ran twice was forgotten once (`again`).

With `--bucket` blobs lie in a bucket of SeaweedFS, whose server is killed and started again under the run,
too (outages), and every blob is read in the end. With `--balancer` callers know one address, not those of
all coordinators.

`--control` promotes a standby that is not synchronous, and must find acknowledged changes forgotten.
`--rolling OLD` upgrades two coordinators of another build to this one under a run.
"""
import glob
import os
import signal
import statistics
import time

import control
import rolling
from field import Field
from measuring import Failed

OPTIONS = {"tests": 2000, "cells": 3, "failing": 20, "coordinators": 3, "test_workers": 4, "minutes": 30.0,
           "kills": 20, "wipes": 2, "terminations": 10, "restarts": 5, "freezes": 5, "silences": 3,
           "promotions": 5, "outages": 3, "bucket": False, "balancer": False, "control": False, "rolling": ""}
SMALL = {"tests": 150, "failing": 5, "kills": 2, "wipes": 1, "terminations": 1, "restarts": 1, "freezes": 1,
         "silences": 1, "promotions": 1}
# The leader's deadline is five seconds.
FROZEN_SECONDS = 8
# What a fault takes until the next one, for the tests' pace alone.
SECONDS = {"kill": 3, "wipe": 3, "termination": 2, "restart": 4, "freeze": 11, "silence": 11, "promotion": 9,
           "outage": 12}


def run(snapfarm, work, options, chance):
    if options.control:
        return control.run(snapfarm, work, options)
    if options.rolling:
        return rolling.run(os.path.abspath(options.rolling), snapfarm, work, options)
    faults = [kind for kind in SECONDS for _ in range(getattr(options, kind + "s"))
              if kind != "outage" or options.bucket]
    chance.shuffle(faults)
    with Field([snapfarm] * options.coordinators, work, options) as field:
        return Chaos(field, chance).run(faults)


class Chaos:
    def __init__(self, field, chance):
        self.field, self.chance = field, chance
        self.pair, self.trial = field.pair, field.trial
        self.options = field.options
        self.times = {}

    def run(self, faults):
        limit = time.monotonic() + self.options.minutes * 60
        self.pace(faults)
        self.field.begin()
        began, made = time.monotonic(), 0
        for number, kind in enumerate(faults):
            time.sleep(self.chance.uniform(0.2, 1.5))
            if not self.trial.run.running() or time.monotonic() > limit:
                print(f"the run ended before fault {number + 1} of {len(faults)}")
                break
            self.fault(kind)
            made += 1
            self.pace(faults[number + 1:])
        ended = self.trial.run.end(max(10, limit - time.monotonic()))
        print(f"{made} faults in {time.monotonic() - began:.0f} s; the run ended with {ended}")
        good = self.field.judge(ended)
        # A restart or promotion takes PostgreSQL its time; the second pair begins when it takes changes.
        print("fault          n   median ms   maximum ms   of which after PostgreSQL")
        for kind, values in sorted(self.times.items()):
            whole, after = ([1000 * pair[n] for pair in values] for n in (0, 1))
            print(f"{kind:13} {len(values):3} {statistics.median(whole):11.0f} {max(whole):12.0f}"
                  f" {statistics.median(after):11.0f} {max(after):12.0f}")
        return good and made == len(faults)

    def pace(self, left):
        """Lets tests take so long that they are still going on at the last fault."""
        tests = self.options.tests * self.options.cells - self.trial.ran()
        seconds = sum(SECONDS[kind] for kind in left)
        self.trial.pause(min(2.0, 1.5 * seconds * self.options.test_workers / max(1, tests)))

    # MARK: faults

    def fault(self, kind):
        leader = self.field.await_leader()
        # A leader that took over from one that is frozen has no lock until that one wakes up.
        locked = self.pair.primary.sql("select locked from farm.pool") == "t"
        before = self.trial.ran()
        began = time.monotonic()
        other = None
        repair = lambda: None
        if kind in ("kill", "wipe"):
            leader.kill()
            other, repair = leader.name, lambda: self.restart(leader)
            if kind == "wipe":
                for name in glob.glob(f"{leader.data}/ledger.sqlite*"):
                    os.remove(name)
        elif kind == "termination":
            ports = [str(port) for line in self.field.lines_of(leader) for port in line.ports()]
            self.pair.primary.sql("select pg_terminate_backend(pid) from pg_stat_activity "
                                  f"where client_port in ({', '.join(ports) or 0})")
        elif kind == "restart":
            self.pair.primary.restart_immediately()
        elif kind == "freeze":
            leader.signal(signal.SIGSTOP)
            other = leader.name

            def repair():
                time.sleep(max(0, began + FROZEN_SECONDS - time.monotonic()))
                leader.signal(signal.SIGCONT)
                leader.await_answer()
        elif kind == "silence":
            for line in self.field.lines_of(leader):
                line.silence()
            other = leader.name

            def repair():
                time.sleep(max(0, began + FROZEN_SECONDS - time.monotonic()))
                for line in self.field.lines_of(leader):
                    line.restore()
        elif kind == "promotion":
            self.pair.promote()
            repair = self.pair.follow
        elif kind == "outage":
            self.field.bucket.kill()

            def repair():
                time.sleep(self.chance.uniform(2, 6))
                self.field.bucket.start()
        # A change that was sent while the fault was made may have been answered before it.
        effective = time.monotonic()
        answered = self.field.await_write(effective, other)
        if answered is None:
            raise Failed(f"no change is answered a minute after a {kind}; see {self.field.work}")
        named = kind if locked or kind not in ("kill", "wipe") else f"{kind}, no lock"
        self.times.setdefault(named, []).append((answered - began, answered - effective))
        meanwhile = self.trial.ran() - before
        repair()
        after = self.field.await_leader()
        print(f"{named:13} of {leader.name}: {1000 * (answered - began):5.0f} ms, {meanwhile:3} tests "
              f"meanwhile, now {after.name}", flush=True)

    def restart(self, coordinator):
        time.sleep(self.chance.uniform(0.2, 2.0))
        coordinator.serve()
