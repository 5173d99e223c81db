"""The pages about references: docs/references.md, docs/pictures.md, docs/frameworks.md."""
from apps import CELLS, PIPELINE, SCRIPT, TESTS, paint, record, wallet
from place import Failed, png
from table import page, runs


@page("docs/pictures.md")
def catalogue_app(place):
    """An app whose main branch has other references than the work tree, and a remote."""
    wallet(place)
    record(place)
    place.sh("git init -q --bare ../origin.git && git remote add origin ../origin.git && "
             "git push -q origin main && git fetch -q")
    paint(place)
    place.sh("snapfarm run app.yaml", status=1)
    place.sh("snapfarm approve --run latest && git commit -qam Approved")


@runs("docs/pictures.md", "snapfarm refs catalogue")
def catalogue(place, block):
    place.run(block)
    place.exists("screens/index.html")


# MARK: docs/references.md; each section has a folder of its own

def fresh(place):
    """An empty work tree, for the next section."""
    place.sh(f"rm -rf {place.work}/* {place.work}/.[a-z]* ../wallet-references.git ../origin.git")


@runs("docs/references.md", "$ snapfarm refs init")
def first_setup(place, block):
    place.write("app.yaml", PIPELINE.replace("STORE", "../wallet-references.git"))
    for index, test in enumerate(TESTS):
        png(place.path(f"Tests/ReferenceImages_64/CheckoutTests/{test}_{CELLS['iPhone 8']}.png"),
            60 + index, size=(40, 40), spot=(2, 2, 9, 9))
    place.write("tests.sh", SCRIPT)
    place.sh("git init -q && git add -A && git commit -qm App")
    place.run(block)


@runs("docs/references.md", "$ snapfarm refs import --pattern")
def other_layout(place, block):
    png(place.path("shots/iPhone-8_13.1/Cart/testCart.png"), 70, spot=(1, 1, 3, 3))
    place.run(block)


@runs("docs/references.md", "$ snapfarm run app.yaml")
def red_run(place, block):
    """Somebody has checked the references out, who is told that they are older than the new pin."""
    fresh(place)
    wallet(place)
    record(place)
    place.sh("snapfarm refs checkout --layout fb --folder Tests/ReferenceImages_64")
    paint(place)
    place.run(block, status=[("snapfarm run", 1)],
              change=[("20261121-160703-tatu", lambda: place.run_id())])


@runs("docs/references.md", "$ snapfarm approve --run latest --alternate")
def alternates(place, block):
    """The other picture of one screen on one device comes once more after it was accepted."""
    fresh(place)
    wallet(place)
    record(place)
    paint(place, tests=("testCart",), devices=("iPhone 8",))
    place.sh("snapfarm run app.yaml", status=1)
    place.run(block, counts=True, change=[("20261121-161132-evek", lambda: place.run_id()), ("Dana", "…")],
              before=[("snapfarm refs alternates",
                       lambda: place.sh("snapfarm run app.yaml && snapfarm run app.yaml"))])


@runs("docs/references.md", "$ snapfarm refs checkout")
def in_xcode(place, block):
    """With a store on a Git host, to which the page's last command sends the set."""
    fresh(place)
    wallet(place, store=place.git_host())
    record(place)
    place.sh("snapfarm refs push")
    folder = "Tests/ReferenceImages_64/CheckoutTests"

    def record_in_xcode():
        ending = CELLS["iPhone 8"]
        png(place.path(f"{folder}/testPaid_{ending}.png"), 99, size=(40, 40), spot=(1, 1, 5, 5))
        png(place.path(f"{folder}/testRefund_{ending}.png"), 88, size=(40, 40), spot=(1, 1, 5, 5))
        place.sh(f"rm {folder}/testEmpty_{ending}.png")
    place.run(block, before=[("snapfarm refs status", record_in_xcode)])


@runs("docs/references.md", "$ git merge refunds")
def merging(place, block):
    fresh(place)
    wallet(place)
    record(place)
    place.sh("git checkout -q -b refunds")
    for branch, shade in (("refunds", 30), ("main", 150)):
        place.sh(f"git checkout -q {branch}")
        paint(place, tests=("testCart",), devices=("iPhone 8",), shade=shade)
        place.sh("snapfarm run app.yaml", status=1)
        place.sh(f"snapfarm approve --run latest && git commit -qm {branch} -- snapfarm.refs && "
                 "git checkout -q .")
    place.run(block, status=[("git merge", 1), ("snapfarm refs merge --pictures", 1)])


@runs("docs/references.md", "→ moved Checkout/testCart")
def moving_on(place, block):
    """The first lines are a part of what the run prints."""
    fresh(place)
    wallet(place)
    record(place)
    device = "iPhone SE (2nd generation)"
    place.edit("app.yaml", "  - iPhone 8 (13.1)",
               f'  - {{name: {device}, os: "14.0", succeeds: iPhone 8 (13.1)}}')
    for test in TESTS:
        place.sh(f"mkdir -p 'pictures/{device}' && cp 'pictures/iPhone 8/{test}_{CELLS['iPhone 8']}.png' "
                 f"'pictures/{device}/{test}_iPhoneSE2ndgeneration_14_0@2x.png'")
    place.sh("snapfarm run app.yaml", status=1)
    place.compare("snapfarm run app.yaml", ["…", *block.lines[:2], "…"])
    place.run(block, change=[("20261121-161132-evek", lambda: place.run_id())])


@runs("docs/references.md", "$ snapfarm refs check")
def pruned(place, block):
    fresh(place)
    wallet(place)
    record(place)
    paint(place)
    place.sh("snapfarm run app.yaml", status=1)
    place.sh("snapfarm approve --run latest && git commit -qam Approved")
    place.sh("snapfarm refs prune --keep-days 0 --young-days 0 --grace-days 0 --yes")
    place.sh("git checkout -q HEAD~1 -- snapfarm.refs")
    place.run(block, status=[("snapfarm", 78)])
