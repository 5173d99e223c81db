"""The faults: coordinators that die or freeze, connections that end, databases that restart or are replaced."""
import glob
import os
import random
import signal
import statistics
import time

from field import Field

# The leader's deadline is five seconds.
FROZEN_SECONDS = 8
# What a fault takes until the next one, for the tests' pace alone.
SECONDS = {"kill": 3, "wipe": 3, "termination": 2, "restart": 4, "freeze": 11, "silence": 11, "promotion": 9,
           "outage": 12}


def run(snapfarm, work, options):
    counts = {"kill": options.kills, "wipe": options.wipes, "termination": options.terminations,
              "restart": options.restarts, "freeze": options.freezes, "silence": options.silences,
              "promotion": options.promotions, "outage": options.outages}
    faults = [kind for kind, count in counts.items() for _ in range(count)]
    chance = random.Random(options.seed)
    chance.shuffle(faults)
    with Field([snapfarm] * options.coordinators, work, options) as field:
        return Chaos(field, chance).run(faults)


class Chaos:
    def __init__(self, field, chance):
        self.field, self.chance = field, chance
        self.pair, self.farm, self.trial = field.pair, field.farm, field.trial
        self.options = field.options
        self.times = {}

    def run(self, faults):
        limit = time.monotonic() + self.options.minutes * 60
        self.pace(faults)
        self.field.begin()
        began, made = time.monotonic(), 0
        for number, kind in enumerate(faults):
            time.sleep(self.chance.uniform(0.2, 1.5))
            if not self.trial.going() or time.monotonic() > limit:
                print(f"the run ended before fault {number + 1} of {len(faults)}")
                break
            self.fault(kind)
            made += 1
            self.pace(faults[number + 1:])
        ended = self.trial.await_end(max(10, limit - time.monotonic()))
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
        answered = self.farm.await_write(effective, other)
        if answered is None:
            raise RuntimeError(f"no change is answered a minute after a {kind}; see {self.field.work}")
        named = kind if locked or kind not in ("kill", "wipe") else f"{kind}, no lock"
        self.times.setdefault(named, []).append((answered - began, answered - effective))
        meanwhile = self.trial.ran() - before
        repair()
        after = self.field.await_leader()
        print(f"{named:13} of {leader.name}: {1000 * (answered - began):5.0f} ms, {meanwhile:3} tests "
              f"meanwhile, now {after.name}", flush=True)

    def restart(self, coordinator):
        time.sleep(self.chance.uniform(0.2, 2.0))
        coordinator.start()
        coordinator.await_answer()
