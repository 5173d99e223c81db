#!/usr/bin/env python3
"""How long does `snapfarm watch` take from a saved file to the picture on the page?

    run.py SNAPFARM [--saves 30] [--folder FOLDER]

The pages of the small shop of Benchmarks/causes, on a phone. Saves one page many times, and asks the page
of `watch` over HTTP, as a browser does: it waits for the page's event, loads the page, and loads the new
picture. Prints median and worst, beside a run of the same page alone and a run of all pages on all devices.
Then it saves in bursts, breaks the pipeline file and deletes a page, and ends with 1 if `watch` does not go on.
"""
import argparse
import http.client
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SHOP = HERE.parent / "causes" / "shop"
PAGES = ["home", "list", "product", "cart", "checkout", "account", "orders", "help"]
PIPELINE = """version: 1
name: shop
references: {store: store.git, pin: snapfarm.refs}
devices:
  - {name: Phone, width: 390, height: 844}
  - {name: Tablet, width: 768, height: 1024}
  - {name: Desktop, width: 1280, height: 800}
variants: {appearance: [light, dark], locale: [en, ja]}
jobs:
  pages: {kind: snapshot, driver: webdriver, scenes: scenes.yaml}
"""
ONE = ["--select", "device=Phone", "--select", "appearance=light", "--select", "locale=en"]
SECONDS_MAX = 60
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if name != "CI" and not name.startswith(("SNAPFARM_", "GITHUB_", "BITRISE_"))}


class Page:
    """The page of `watch`, as one browser sees it."""

    def __init__(self, address):
        self.host, self.root = re.fullmatch(r"http://([^/]+)(/[^/]+)/enter/\w+", address).groups()
        self.cookie = ""
        answer = self.answer(address[len("http://" + self.host):])
        self.cookie = answer.getheader("Set-Cookie").split(";")[0]
        self.events = self.answer(self.root + "/events", seconds=SECONDS_MAX)

    def answer(self, path, seconds=30):
        connection = http.client.HTTPConnection(self.host, timeout=seconds)
        connection.request("GET", path, headers={"Cookie": self.cookie, "Accept": "text/html"})
        return connection.getresponse()

    def text(self):
        return self.answer(self.root + "/").read().decode()

    def pictures(self, name):
        """The bytes of the pictures that the run made of a scene, as far as they differ."""
        paths = sorted(set(re.findall(r'src="([^"]*/files/[^"]*failed_%s[^"]*\.png)"' % name, self.text())))
        return [self.answer(path).read() for path in paths]

    def wait(self, is_there):
        """Waits for what an event of the page brings."""
        end = time.monotonic() + SECONDS_MAX
        while time.monotonic() < end:
            if is_there():
                return
            while self.events.readline().strip() != b"event: changed":
                pass
        sys.exit("the page does not show it")


class Project:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        shutil.copytree(SHOP, folder / "shop")
        (folder / "snapfarm.yaml").write_text(PIPELINE)
        wait = 'wait: {selector: "html[data-ready=yes]"}'
        scenes = [f"  - {{suite: Shop, name: {page}, file: shop/{page}.html, {wait}}}" for page in PAGES]
        (folder / "scenes.yaml").write_text("scenes:\n" + "\n".join(scenes) + "\n")
        subprocess.run(["git", "init", "-q", "."], cwd=folder, check=True)
        self.run("refs", "init", "store.git", "--no-merge-driver")
        self.run("run", "snapfarm.yaml", "--mode", "record")
        self.home = folder / "shop" / "home.html"
        self.original = self.home.read_text()

    def run(self, *words, status=0):
        began = time.monotonic()
        ending = subprocess.run([self.program, *words], cwd=self.folder, capture_output=True, text=True,
                                env=ENVIRONMENT)
        if ending.returncode != status:
            sys.exit(f"{words} ended with {ending.returncode}:\n{ending.stdout}{ending.stderr}")
        return time.monotonic() - began

    def save(self, words):
        self.home.write_text(self.original.replace("Summer sale", words))


def begin(project):
    log = open(project.folder / "watch.log", "wb")
    process = subprocess.Popen([project.program, "watch", "snapfarm.yaml", "--no-open", *ONE],
                               cwd=project.folder, stdout=log, stderr=subprocess.STDOUT, env=ENVIRONMENT)
    end = time.monotonic() + SECONDS_MAX
    while time.monotonic() < end and process.poll() is None:
        found = re.search(r"http://\S+/enter/\w+", said(project))
        if found:
            return process, Page(found[0])
        time.sleep(0.05)
    sys.exit(f"no address:\n{said(project)}")


def said(project):
    return (project.folder / "watch.log").read_text(errors="replace")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--saves", type=int, default=30)
    parser.add_argument("--folder")
    given = parser.parse_args()
    folder = pathlib.Path(given.folder or tempfile.mkdtemp(prefix="watch-"))
    folder.mkdir(parents=True, exist_ok=True)
    project = Project(pathlib.Path(given.program).resolve(), folder)
    project.save("Winter sale")
    one = [project.run("run", "snapfarm.yaml", *ONE, "--select", "test=Shop/home", "--quiet", status=1)
           for _ in range(3)]
    whole = [project.run("run", "snapfarm.yaml", "--quiet", status=1) for _ in range(3)]
    project.save("Summer sale")
    process, page = begin(project)
    try:
        times = measured(project, page, given.saves)
        print("| | median s | worst s |\n|---|---:|---:|")
        for name, seconds in [("watch: from the save to the picture on the page", times),
                              ("`run` of this page on this device", one),
                              ("`run` of all 8 pages on all 12 cells", whole)]:
            print(f"| {name} | {statistics.median(seconds):.2f} | {max(seconds):.2f} |")
        print(f"\n{len(times)} saves: " + " ".join(f"{second:.2f}" for second in times))
        goes_on(project, page)
    finally:
        process.send_signal(signal.SIGINT)
        code = process.wait(30)
    if code != 0:
        sys.exit(f"watch ended with {code}:\n{said(project)[-2000:]}")
    if not given.folder:
        shutil.rmtree(folder)


def measured(project, page, saves):
    times, shown = [], page.pictures("home")
    for number in range(saves):
        time.sleep(0.3 + 0.017 * number)
        began = time.monotonic()
        project.save(f"Sale {number}")
        page.wait(lambda: page.pictures("home") not in ([], shown))
        times.append(time.monotonic() - began)
        shown = page.pictures("home")
    return times


def goes_on(project, page):
    """Bursts, a broken pipeline file and a deleted page."""
    time.sleep(0.5)
    shown, before = page.pictures("home"), said(project).count("after the save")
    for number in range(20):
        project.save(f"Burst {number}")
        time.sleep(0.02)
    page.wait(lambda: page.pictures("home") not in ([], shown))
    time.sleep(2)
    print(f"20 saves in a burst: {said(project).count('after the save') - before} runs")
    pipeline = project.folder / "snapfarm.yaml"
    pipeline.write_text(PIPELINE.replace("jobs:", "jbos:"))
    page.wait(lambda: "jbos" in page.text())
    pipeline.write_text(PIPELINE)
    page.wait(lambda: "jbos" not in page.text())
    print("a broken pipeline file: on the page, and gone when it was mended")
    project.home.unlink()
    page.wait(lambda: "page-not-found" in page.text())
    shown = page.pictures("home")
    project.save("Back again")
    page.wait(lambda: page.pictures("home") not in ([], shown))
    print("a deleted page: on the page, and shown again when it was back")


if __name__ == "__main__":
    main()
