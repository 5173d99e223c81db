"""The negative control: a standby that is not synchronous is promoted, and acknowledged changes are gone."""
import time

import copies
from field import Field
from measuring import Failed

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
        before = field.position()
        died = time.monotonic()
        field.pair.promote()
        after = field.position()
        acknowledged = {name for writer in field.writers for name in list(writer.kept)}
        print(f"the journal was at {before} and is at {after}: {before - after} changes are gone")
        again = field.await_write(time.monotonic(), seconds=SECONDS)
        time.sleep(SECONDS)
        for writer in field.writers:
            writer.going = False
        print("changes are answered again after "
              + (f"{again - died:.1f} s" if again else f"more than {SECONDS} s"))
        field.trial.pause(0)
        try:
            print(f"the run ended with {field.trial.run.end(120)}")
        except Failed:
            print("the run did not end")
        field.trial.count()
        field.farm.stop_workers()
        leader = field.leader()
        seq = field.position()
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
        field.checked()
        return before > after and len(forgotten) > 0 and not silent


def ahead(log):
    """The last line in which a coordinator says that its copy and the journal differ."""
    lines = open(log, errors="replace").read().splitlines()
    told = [line for line in lines if "ahead" in line or "differ" in line or "snapshot" in line]
    return told[-1][:300] if told else None
