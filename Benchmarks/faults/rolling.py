"""A rolling upgrade: two coordinators under a run change from one build to another, one after the other."""
import signal
import time

from field import Field


def run(old, new, work, options):
    options.failing = min(options.failing, 5)
    with Field([old, old], work, options) as field:
        field.trial.pause(60 * options.test_workers / (options.tests * options.cells))
        field.begin()
        leader = field.await_leader()
        # Followers first: a leader writes no format that one of them does not know.
        for one in sorted(field.farm.coordinators, key=lambda one: one is leader):
            time.sleep(5)
            began = time.monotonic()
            one.signal(signal.SIGTERM)
            status = one.end(60)
            left = time.monotonic() - began
            answered = field.await_write(time.monotonic(), one.name)
            silence = answered - began if answered else float("inf")
            one.words[0] = new
            one.serve()
            print(f"{one.name}{', which led,' if one is leader else ''} left with {status} after {left:.2f} s; "
                  f"another answered a change {silence:.2f} s after the signal; new build after "
                  f"{time.monotonic() - began:.2f} s", flush=True)
        going = field.trial.run.running()
        if not going:
            print("the run ended before the upgrade")
        field.trial.pause(0)
        ended = field.trial.run.end(options.minutes * 60)
        answers = sorted(done for writer in field.writers for _, done, _ in writer.answers)
        longest = max((b - a for a, b in zip(answers, answers[1:])), default=float("inf"))
        print(f"the longest time without an answered change: {longest:.2f} s")
        field.farm.snapfarm = new
        return field.judge(ended) and going
