"""docs/again.md: a red run whose pictures are accepted, and the commit of the new pin; docs/faults.md, docs/policies.md,
docs/watch.md."""
from apps import paint, record, wallet
from table import page, runs


@page("docs/again.md")
def accepted(place):
    wallet(place)
    record(place)
    paint(place)
    place.sh("git commit -qam Change && snapfarm run app.yaml --history farm/history.json", status=1)
    place.sh("snapfarm approve --run latest && git commit -qam Approved")


@runs("docs/again.md", "snapfarm judge --run latest")
def judged(place, block):
    place.run(block)
    place.exists("snapfarm-out/judged/report/index.html")


@runs("docs/again.md", "snapfarm run app.yaml --history")
def unchanged(place, block):
    place.run(block)
    place.says("0 tests ran")


@page("docs/faults.md")
def kept(place):
    wallet(place)
    record(place)
    place.sh("snapfarm run app.yaml --history farm/history.json")


@runs("docs/faults.md", "snapfarm quarantine app.yaml")
def proposed(place, block):
    place.run(block)
    place.says("nothing is proposed")


@page("docs/policies.md")
def ruled(place):
    wallet(place)


@runs("docs/policies.md", "snapfarm ignore")
def ignored(place, block):
    place.run(block)
    place.sh("git diff --exit-code", status=1)


@runs("docs/again.md", "snapfarm run app.yaml --red-of latest")
def red(place, block):
    paint(place, tests=("testEmpty",), shade=90)
    place.sh("git add -A && git commit -qm Red && snapfarm run app.yaml", status=1)
    command = "snapfarm run app.yaml --red-of"
    place.run(block, status=[(command, 1)], after=[(command, lambda: place.says("4 inherited"))])


@page("docs/watch.md")
def desk(place):
    wallet(place)
    record(place)


@runs("docs/watch.md", "snapfarm watch")
def watched(place, block):
    place.run(block, waits=[("snapfarm watch", "http://127.0.0.1:")])
