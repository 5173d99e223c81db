"""The pages about coordinators and data folders: docs/fleet.md, docs/operations.md, docs/review.md."""
import os
import sqlite3

from apps import paint, record, wallet
from table import page, runs

FARM = "https://farm.example.org:7420"


def configure(place):
    """The smallest farm.yaml for the app, with addresses of this machine."""
    place.farm = f"http://127.0.0.1:{place.port()}"
    place.write("farm.yaml", f"version: 1\nlisten: {place.farm[7:]}\ndata: ../farm\n"
                "stores: {wallet: ../wallet-references.git}\n")


def token(place, name, scope):
    place.sh(f"snapfarm tokens create {name} --scope {scope} --config farm.yaml")
    return printed_token(place)


def printed_token(place):
    return next(word for word in place.said.split() if word.startswith("snapfarm_"))


def here(place, *more):
    """What has another name on this machine than on the page."""
    return [(FARM, place.farm), ("/srv/git/", "../"), *more]


@page("docs/fleet.md")
def coordinator(place):
    """An app without references, and the coordinator's configuration."""
    configure(place)
    wallet(place)


@runs("docs/fleet.md", "# once, on the coordinator's machine")
def machines(place, block):
    tokens = []
    worker, submit = (f"SNAPFARM_TOKEN=… snapfarm {name}" for name in ("worker", "run"))
    use = [(worker, lambda: f"SNAPFARM_TOKEN={tokens[1]} snapfarm worker"),
           (submit, lambda: f"SNAPFARM_TOKEN={tokens[0]} snapfarm run")]

    def first_references():
        place.sh(f"SNAPFARM_TOKEN={tokens[0]} snapfarm run app.yaml --coordinator {place.farm} "
                 "--mode record")
    place.run(block, change=here(place, *use), before=[(submit, first_references)],
              after=[("snapfarm tokens", lambda: tokens.append(printed_token(place)))],
              waits=[("snapfarm serve", "listening"), (worker, "")])
    place.says("passed: 6 tests")
    place.submit = tokens[0]


@runs("docs/fleet.md", "$ export SNAPFARM_TOKEN=…")
def decisions(place, block):
    review = token(place, "dana", "review")
    paint(place)
    place.sh(f"SNAPFARM_TOKEN={place.submit} snapfarm run app.yaml --coordinator {place.farm}", status=1)
    place.run(block, change=here(place, ("SNAPFARM_TOKEN=…", f"SNAPFARM_TOKEN={review}"),
                                 ("--run RUN", f"--run {place.run_id()}")),
              after=[("snapfarm reject", lambda: place.says("Rejected 2 pictures")),
                     ("snapfarm approve", lambda: place.says("Approved 2 changed"))])


@runs("docs/fleet.md", "snapfarm serve --config farm.yaml --trusted-proxy")
def proxy(place, block):
    place.stop()
    place.run(block, waits=[("snapfarm serve", "listening")])
    place.sh(f"curl -s -H 'X-Forwarded-User: aiko' {place.farm}/runs")
    place.says("aiko")


# MARK: one machine's data folder

@page("docs/operations.md")
def old_runs(place):
    """More runs than a prune always keeps, the first of them forty days old."""
    wallet(place)
    record(place)
    place.write("small.yaml", "version: 1\nname: small\njobs: {unit: {kind: unit, driver: command, "
                "discover: echo one, run: 'true {tests}'}}\n")
    for _ in range(20):
        place.sh("snapfarm run small.yaml --workers 1")


@runs("docs/operations.md", "$ snapfarm check")
def check(place, block):
    place.run(block, change=[("/srv/app", place.work)], counts=True)


@runs("docs/operations.md", "$ snapfarm artifacts prune")
def prune(place, block):
    place.sh("find .snapfarm/blobs -type f -exec touch -d '40 days ago' {} +")
    with sqlite3.connect(place.path(".snapfarm/ledger.sqlite")) as ledger:
        # Milliseconds.
        ledger.execute("update run set started = started - 3456000000, ended = ended - 3456000000 "
                       "where started = (select min(started) from run)")
    place.run(block, change=[("/srv/app", place.work)], counts=True)


@runs("docs/operations.md", "$ snapfarm backup")
def backup(place, block):
    place.write("farm.yaml", "version: 1\ndata: .snapfarm\nstores: {wallet: ../wallet-references.git}\n")
    # As a coordinator's folder is: with tokens and a key.
    place.sh("snapfarm tokens create ci --scope submit --config farm.yaml")
    place.start(f"snapfarm serve --config farm.yaml --port {place.port()}", "listening")
    place.kill()
    place.run(block, change=[("/backups/", place.path("../backups") + "/")], counts=True)


@runs("docs/operations.md", "$ snapfarm restore")
def restore(place, block):
    here = [("/backups/", place.path("../backups") + "/"), ("/srv/farm/", place.path("..") + "/")]
    place.run(block, change=here, counts=True)
    place.sh("snapfarm check --deep --data ../state")
    place.says("is sound")


# MARK: looking at a run

@page("docs/review.md")
def red_run(place):
    """A red run of this machine, its zip behind a URL, and the same run at a coordinator."""
    wallet(place)
    record(place)
    paint(place)
    place.sh("snapfarm run app.yaml", status=1)
    place.run_here = place.run_id()
    place.sh("cp snapfarm-out/FailureDiffs.zip . && cp FailureDiffs.zip ../42.zip")
    place.files = f"http://127.0.0.1:{place.port()}/"
    place.start(f"python3 -u -m http.server {place.files.split(':')[2][:-1]} --bind 127.0.0.1 "
                "--directory ..", "Serving")
    configure(place)
    place.start("snapfarm serve --config farm.yaml", "listening")
    worker, submit = token(place, "macs", "work"), token(place, "ci", "submit")
    place.start(f"SNAPFARM_TOKEN={worker} snapfarm worker --coordinator {place.farm}", "")
    place.sh(f"SNAPFARM_TOKEN={submit} snapfarm run app.yaml --coordinator {place.farm}", status=1)
    place.variables["SNAPFARM_TOKEN"] = token(place, "dana", "review")


@runs("docs/review.md", "snapfarm review ")
def review(place, block):
    kept = list(place.background)

    def close():
        # One review owns the data folder: it ends before the next begins.
        place.background, own = kept, [one for one in place.background if one not in kept]
        place.end(own)
    place.run(block, waits=[("snapfarm review", "http://127.0.0.1:")],
              after=[("snapfarm review", close)],
              change=[("20261121-160703-tatu", place.run_here), ("https://ci.example/", place.files),
                      ("https://farm.example ", place.farm + " ")])
