"""The negative control: a standby that is not synchronous is promoted, and acknowledged changes are gone."""
import signal
import time

import copies
from farm import POOL
from field import Field

SECONDS = 20


def run(snapfarm, work, options):
    options.tests, options.failing = min(options.tests, 100), 0
    programs = [snapfarm] * options.coordinators
    with Field(programs, work, options, synchronous=False, fresh_every=1) as field:
        field.trial.pause(0.3)
        field.begin()
        time.sleep(3)
        field.pair.hold_back()
        time.sleep(2)
        before = int(field.pair.primary.sql(f"select seq from farm.pool where id = '{POOL}'"))
        died = time.monotonic()
        field.pair.promote()
        after = int(field.pair.primary.sql(f"select seq from farm.pool where id = '{POOL}'"))
        acknowledged = {name for writer in field.farm.writers for name in list(writer.kept)}
        print(f"the journal was at {before} and is at {after}: {before - after} changes are gone")
        again = field.farm.await_write(time.monotonic(), seconds=SECONDS)
        time.sleep(SECONDS)
        for writer in field.farm.writers:
            writer.going = False
        print("changes are answered again after "
              + (f"{again - died:.1f} s" if again else f"more than {SECONDS} s"))
        field.trial.pause(0)
        ended = field.trial.await_end(120)
        found = field.trial.count()
        print(f"the run ended with {ended}: planned {found['planned']}, lost {found['lost']}, doubled "
              f"{found['doubled']}, spurious {found['spurious']}, ran again {found['again']}")
        for worker in field.farm.workers:
            worker.signal(signal.SIGTERM)
        time.sleep(1)
        leader = field.leader()
        seq = int(field.pair.primary.sql(f"select seq from farm.pool where id = '{POOL}'"))
        silent = []
        for one in field.farm.coordinators:
            place = copies.position(one.data)
            said = ahead(one.log)
            print(f"{one.name}{' leads' if one is leader else ''}: "
                  f"{'serves' if one.answers('/readyz') else 'does not serve' if one.running() else 'has ended'}, "
                  f"its copy is at {place}, the journal at {seq}; it says: {said or 'nothing of it'}")
            if one.running() and leader and place == seq and copies.content(one.data) != copies.content(leader.data):
                silent.append(one.name)
        known = copies.workers(leader.data) if leader else set()
        forgotten = acknowledged - known
        print(f"{len(acknowledged)} acknowledged, forgotten {len(forgotten)}"
              + (f"; {', '.join(silent)} differ and say nothing" if silent else ""))
        copies.status(snapfarm, field.pair.url())
        # The control fails where nothing was lost: then the other trial could not see a loss either.
        for line in (checks := [copies.check(snapfarm, one) for one in field.farm.coordinators]):
            print(line or "check: sound")
        return before > after and len(forgotten) > 0 and not silent and not any(checks)


def ahead(log):
    """The last line in which a coordinator says that its copy and the journal differ."""
    lines = open(log, errors="replace").read().splitlines()
    told = [line for line in lines if "ahead" in line or "differ" in line or "snapshot" in line]
    return told[-1][:300] if told else None
