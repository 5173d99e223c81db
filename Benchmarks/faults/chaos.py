"""Kills workers and coordinators while one run on this machine goes on, and counts what was lost.

Every test case of every cell appends a line when it has run. A kill is SIGKILL at a random moment: of one
worker, or of `snapfarm run`, which is then started again with `--resume`. In the end every (test case x
cell) must have exactly one verdict, the one it has without kills, and `snapfarm check` finds nothing:

    lost        planned, but without a verdict
    doubled     more than one row in summary.json
    spurious    another verdict than without kills, or one of a test that no process ever ran (`flaky` is
                none: its test ran when a worker died, and is counted beside)
"""
import os
import signal
import time

from farm import parents
from measuring import Failed, run as call
from trial import WRONG, Trial

OPTIONS = {"tests": 2000, "cells": 3, "worker_kills": 20, "coordinator_kills": 10, "workers": 4,
           "failing": 20, "minutes": 20.0}
SMALL = {"tests": 150, "worker_kills": 3, "coordinator_kills": 2, "failing": 5}


def run(snapfarm, work, options, chance):
    limit = time.monotonic() + options.minutes * 60
    folder = f"{work}/project"
    trial = Trial(snapfarm, folder, options, words=["--workers", str(options.workers)])
    kills = ["worker"] * options.worker_kills + ["coordinator"] * options.coordinator_kills
    chance.shuffle(kills)
    # Kills are spread over the work, not over time: the run must still be going at the last one.
    moments = sorted(chance.uniform(0.02, 0.85) for _ in kills)
    began = time.monotonic()
    trial.run.start()
    killed = []
    for kind, moment in zip(kills, moments):
        while trial.ran() < moment * trial.planned and trial.run.running() and time.monotonic() < limit:
            time.sleep(0.02)
        if not trial.run.running():
            print(f"the run ended early with {trial.run.process.returncode}", flush=True)
            break
        if kind == "worker":
            killed += [kind] * kill_worker(trial, chance)
        else:
            trial.run.kill()
            killed.append(kind)
            if trial.run.words[-1] != "--resume":
                trial.run.words.append("--resume")
            trial.run.start()
    status = trial.run.end(max(1, limit - time.monotonic()))
    print(f"{killed.count('worker')} workers and {killed.count('coordinator')} coordinators killed in "
          f"{time.monotonic() - began:.1f} s; exit {status}")
    found = trial.count(tolerated=("flaky",))
    sound(snapfarm, "--data", f"{folder}/.snapfarm")
    return (not any(found[name] for name in WRONG) and status == trial.wanted_exit()
            and sorted(killed) == sorted(kills))


def sound(snapfarm, *place, environment=None):
    """`snapfarm check` must find nothing."""
    try:
        call(snapfarm, "check", *place, environment=environment)
    except Failed as failed:
        raise Failed(f"not sound: {failed}")


def kill_worker(trial, chance):
    """Whether one of the run's workers could be killed: after a resume there are none for a moment."""
    while trial.run.running():
        try:
            os.kill(chance.choice(workers(trial.folder)), signal.SIGKILL)
            return True
        except (IndexError, ProcessLookupError):
            time.sleep(0.05)
    return False


def workers(folder):
    """Process ids; a test that a worker has just forked still has the worker's words."""
    found = {}
    for pid, parent in parents().items():
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if len(words) > 2 and words[1] == b"worker" and folder.encode() in b" ".join(words):
            found[pid] = parent
    return [worker for worker, parent in found.items() if parent not in found]
