#!/usr/bin/env python3
"""Executes the example of a CI provider in one scenario, and says in JSON what came of it.

    providers.py PROVIDER SCENARIO FOLDER PROGRAM
    providers.py all FOLDER PROGRAM

`all` executes every example in every scenario, some at a time. FOLDER is made; PROGRAM is snapfarm.
What the providers do is in ci_*.py. The scenarios:

  green, red      nothing changed, a picture did
  re-run          the store does not answer one part, which is then run again as the provider does it
  empty share     more machines than tests
  missing device  the provider's file forgot one
  fork            a red pull request of somebody who gets no secret
  decide          a red one, and what the provider has for people who accept it
  pin only        a red one whose pictures a person accepts, and the commit that changes only the pin
  own split       of CircleCI alone: CircleCI cuts, and runs again what failed
"""
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ci_bitrise import Bitrise
from ci_buildkite import Buildkite
from ci_circleci import CircleCI
from ci_github import GitHub
from ci_gitlab import GitLab
from ci_jenkins import Jenkins

PROVIDERS = {"CircleCI": CircleCI, "Bitrise": Bitrise, "GitHub Actions": GitHub, "GitLab": GitLab,
             "Buildkite": Buildkite, "Jenkins": Jenkins}

SCENARIOS = ("green", "red", "re-run", "empty share", "missing device", "fork", "decide",
             "pin only")
# Most of an execution waits for a host or for a worker.
AT_ONCE = 6


def execute(provider, scenario, folder, program):
    place = PROVIDERS[provider](folder, program, scenario)
    try:
        place.run()
        if scenario == "pin only":
            place.accept_elsewhere()
            place.begin_again()
            place.run()
        if scenario == "red":
            place.decide_elsewhere()
        return {"provider": provider, "scenario": scenario, **place.result()}
    finally:
        place.close()


def execute_all(folder, program):
    # The workflow that a comment on GitHub starts has a test of its own.
    pairs = [(p, s) for p in PROVIDERS for s in SCENARIOS if (p, s) != ("GitHub Actions", "decide")]
    pairs.append(("CircleCI", "own split"))
    os.makedirs(folder, exist_ok=True)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda item: execute(*item[1], f"{folder}/{item[0]}", program),
                             enumerate(pairs)))


if __name__ == "__main__":
    found = execute_all(*sys.argv[2:]) if sys.argv[1] == "all" else execute(*sys.argv[1:])
    print(json.dumps(found, ensure_ascii=False))
