"""README.md, and the pages about installing and web pages."""
import os
import shutil

import pages
from place import Failed
from table import elsewhere, never, page, recipe, runs

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


@runs("docs/pipeline.md", "$ snapfarm doctor")
def doctor(place, block):
    """The page's project on a machine that has no browser."""
    place.variables["SNAPFARM_CHROMIUM"] = place.path("chromium-headless-shell")
    place.write("home.html", "<h1>Home</h1>")
    place.write("scenes.yaml", "scenes:\n  - {suite: Home, name: home, file: home.html}\n")
    place.write("snapfarm.yaml", """\
version: 1
name: wallet
references: {store: ../wallet-references.git, pin: snapfarm.refs}
devices: [iPhone 8 (13.1)]
jobs:
  unit_test: {kind: unit, driver: command, discover: echo one, run: 'true {tests}'}
  snapshot_test: {kind: snapshot, driver: webdriver, scenes: scenes.yaml}
""")
    place.sh("git init -q && snapfarm refs init && mkdir -p .snapfarm snapfarm-out")
    place.run(block, status=[("snapfarm doctor", 78)], change=[("/srv/wallet", place.work)], counts=True)


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
    place.says(place.variables["HOME"] + "/.local/snapfarm/bin/snapfarm")


@recipe("docs/install.md", "CI jobs")
def download(place):
    """`pipelines/install.sh` with a version: a download, a cache, and what it must refuse."""
    place.copy("pipelines/install.sh")
    place.write("release/snapfarm-1.2.0/bin/snapfarm", "#!/bin/sh\necho 1.2.0\n")
    place.sh("chmod +x release/snapfarm-1.2.0/bin/snapfarm && cd release && "
             "tar -czf snapfarm-1.2.0.tar.gz snapfarm-1.2.0 && sha256sum *.gz > SHA256SUMS")
    address = f"http://127.0.0.1:{place.port()}"
    place.start(f"python3 -u -m http.server {address.split(':')[2]} --bind 127.0.0.1 --directory release",
                "Serving")
    digest = place.sh("cut -d' ' -f1 release/SHA256SUMS").strip()
    program = ".snapfarm-program/bin/snapfarm"

    def install(version, sha256=digest, status=0, before=""):
        url = f"{address}/snapfarm-{version}.tar.gz"
        place.sh(f"{before} SNAPFARM_VERSION={version} SNAPFARM_URL={url} SNAPFARM_SHA256={sha256} "
                 "sh pipelines/install.sh", status)
    install("1.2.0", before="GITHUB_PATH=path")
    place.sh(f"{program} && grep -x $PWD/.snapfarm-program/bin path")
    place.says("1.2.0")
    # What a cache brings is taken without a download, and nothing of it beside the archive is.
    place.stop()
    place.write(program, "echo something else\n")
    place.write(".snapfarm-program/bin/git", "echo not git\n")
    install("1.2.0")
    place.sh(f"{program} && ls .snapfarm-program/bin")
    if place.said != "1.2.0\nsnapfarm\n":
        raise Failed(f"the cache's own files stay: {place.said}")
    place.start(f"python3 -u -m http.server {address.split(':')[2]} --bind 127.0.0.1 --directory release",
                "Serving")
    place.write(".snapfarm-program/snapfarm-1.2.0.tar.gz", "another archive\n")
    install("1.2.0")
    place.sh(program)
    install("1.2.0", sha256="0" * 64, status=1)
    place.says("is not the file that SNAPFARM_SHA256 names")
    install("9.9.9", status=1)
    place.says("404", "snapfarm 9.9.9 is not at SNAPFARM_URL")
    place.sh(f"! [ -e {program} ]")
    place.sh("SNAPFARM_VERSION=1.2.0 sh pipelines/install.sh", status=2)
    place.says("SNAPFARM_URL: says where the archive of that version is")
    place.sh("sh pipelines/install.sh")
