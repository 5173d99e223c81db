"""README.md, and the pages about installing and web pages."""
import os
import shutil

import pages
from table import elsewhere, never, page, runs

never("README.md", "make demo", "both take minutes, and `make test` would run itself; their targets are checked")
never("README.md", "sudo apt-get install", "`make release-check` installs the package in an empty root")
never("docs/install.md", "apt-get install", "`make release-check` installs the package in an empty root")
never("docs/web.md", "apt-get install", "packages of Debian, which deploy/system-packages.sh installs")

for start in ("sh ci/install", "snapfarm plan", "snapfarm refs init",
              "snapfarm run snapfarm.yaml                  # exit 1: a test has no",
              "snapfarm run snapfarm.yaml                                   # exit 1: pictures differ"):
    elsewhere("docs/ios.md", start,
              "every command and file of the guide leads from a clone to green jobs of the CI")


@page("README.md")
def web_app(place):
    """The web app's two files, and a page for them."""
    place.sh("git init -q")
    for block in pages.blocks("README.md"):
        # The first of both pipeline files is the web app's.
        if block.file and not os.path.exists(place.path(block.file)):
            place.write(block.file, block.text)
    place.write("app/home.html", '<h1>Good morning</h1><p id="ready">Balance: 12</p>')
    place.write(".gitignore", "")


@runs("README.md", "printf '.snapfarm/")
def everyday(place, block):
    compares = "snapfarm run snapfarm.yaml   "
    place.run(block, status=[(compares, 1)], waits=[("snapfarm review", "http://127.0.0.1:")],
              before=[(compares, lambda: place.edit("app/home.html", "morning", "evening"))],
              after=[("snapfarm approve", lambda: place.says("Approved 4 changed"))])
    place.stop()
    place.sh("snapfarm run snapfarm.yaml && git status --porcelain")
    place.says("passed")


@page("docs/install.md")
def release(place):
    """An archive as `make deb` makes it, with the program under test."""
    os.makedirs(place.path("snapfarm-0.1.0/bin"))
    shutil.move(f"{place.folder}/bin/snapfarm", place.path("snapfarm-0.1.0/bin/snapfarm"))
    place.sh("tar -czf snapfarm-0.1.0-linux-x86_64.tar.gz snapfarm-0.1.0 && rm -r snapfarm-0.1.0")


@runs("docs/install.md", "mkdir -p ~/.local/snapfarm")
def archive(place, block):
    place.run(block, after=[("snapfarm --version", lambda: place.says("0.1.0"))])
    place.sh("command -v snapfarm")
    place.says("/home/.local/snapfarm/bin/snapfarm")
