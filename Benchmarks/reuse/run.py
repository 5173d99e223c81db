#!/usr/bin/env python3
"""How much of a run of real pages does `reuse` skip after one edit, and is a picture ever inherited wrongly?

    run.py SNAPFARM [--pages 40] [--edits 300] [--seed 1] [--folder FOLDER]

Pages of three Debian packages (python3-doc, postgresql-doc-15, sqlite3-doc) on six cells. First one file
of each kind (style sheet, picture, text, script) is edited, and a run with `reuse` is timed beside a run of
all tests. Then random edits are made on two pages of each site and two cells, each alone, and undone. After
each a run with `reuse` is followed by one of all tests; exits with 1 if the second does not pass a test that
the first inherited. Hidden faults are planted as well, and each must be found.
"""
import argparse
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

# Folder of the package, its pages, and the folders and files that these need.
SITES = {
    "python": ("/usr/share/doc/python3/html", "library/*.html", ["_static", "library", "_images"]),
    "postgresql": ("/usr/share/doc/postgresql-doc-15/html", "*.html", ["."]),
    "sqlite": ("/usr/share/doc/sqlite3", "*.html", ["."]),
}
PIPELINE = """version: 1
name: site
references: {store: store.git, pin: snapfarm.refs}
devices:
%s
variants: {appearance: [light, dark]}
jobs:
  pages: {kind: snapshot, driver: webdriver, scenes: scenes.yaml%s%s}
"""
SERVER = """import http.server, os, random, sys

class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass

    def copyfile(self, source, output):
        super().copyfile(source, output)
        if os.path.exists("chance"):
            output.write(b"<p style='position: fixed; top: 0'>%d" % random.getrandbits(30))

    def send_header(self, name, value):
        if name.lower() not in ("content-length", "last-modified"):
            super().send_header(name, value)

http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""
SERVED = ', serve: {command: "exec python3 server.py {port}", url: "http://127.0.0.1:{port}/"}'
DEVICES = {"Phone": (390, 844), "Tablet": (820, 1180), "Desktop": (1280, 800)}
RUN = ("run", "snapfarm.yaml", "--output", "out")


class Project:
    """Pages of all sites in one project, recorded once."""

    def __init__(self, folder, program, pages, devices, serve=""):
        self.folder, self.program, self.devices, self.serve = folder, program, devices, serve
        self.pages = []
        for site, (source, pattern, parts) in SITES.items():
            source = pathlib.Path(source).resolve()
            for part in parts:
                shutil.copytree(source / part, folder / site / part, dirs_exist_ok=True,
                                ignore_dangling_symlinks=True)
            found = sorted((folder / site).glob(pattern), key=lambda page: (page.stat().st_size, page.name))
            middle = found[len(found) // 4:len(found) * 3 // 4]
            count = pages // len(SITES) + (1 if site == "sqlite" else 0) * (pages % len(SITES))
            self.pages += middle[::max(1, len(middle) // count)][:count]
        lines = ["scenes:"]
        for page in self.pages:
            path = page.relative_to(folder)
            place = f"url: /{path}" if serve else f"file: {path}"
            lines.append(f'  - {{suite: {path.parts[0]}, name: "{page.stem}", {place}}}')
        (folder / "scenes.yaml").write_text("\n".join(lines) + "\n")
        (folder / "server.py").write_text(SERVER)
        self.write()
        (folder / ".gitignore").write_text("out/\n.snapfarm/\nstore.git/\nhistory*\n")
        self.git("init", "-q", "-b", "main", ".")
        self.command("refs", "init", "store.git", "--no-merge-driver")
        self.command(*RUN, "--mode", "record")
        self.commit()

    def write(self, reuse="", extra=""):
        lines = [f"  - {{name: {name}, width: {DEVICES[name][0]}, height: {DEVICES[name][1]}}}"
                 for name in self.devices]
        text = PIPELINE % ("\n".join(lines), self.serve + extra, f", reuse: {reuse}" if reuse else "")
        (self.folder / "snapfarm.yaml").write_text(text)

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=b", "-c", "user.email=b@b", *words], cwd=self.folder,
                       check=True, capture_output=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "edit")

    def command(self, *words, statuses=(0,)):
        """(seconds, seconds of CPU) of a command."""
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        environment = {name: value for name, value in os.environ.items() if name != "CI"}
        ending = subprocess.run([self.program, *words], cwd=self.folder, capture_output=True, text=True,
                                env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if ending.returncode not in statuses:
            sys.exit(f"{words} ended with {ending.returncode}:\n{ending.stdout}{ending.stderr}")
        self.said = ending.stdout + ending.stderr
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return time.monotonic() - start, cpu

    def summary(self):
        return json.loads((self.folder / "out" / "summary.json").read_text())

    def files(self, pattern):
        return [path for path in sorted(self.folder.glob(pattern)) if path.is_file()
                and not set(path.relative_to(self.folder).parts) & {"out", ".snapfarm", "store.git", ".git"}]


def one_of_each(project):
    """Times a run with `reuse` beside one of all tests, after one file of each kind has changed."""
    page = project.pages[0]
    style = (project.folder / "python/_static/pydoctheme.css")
    pictures = [path for path in project.files("**/*.svg") + project.files("**/*.png") + project.files("**/*.gif")
                if any(path.name in other.read_text(errors="replace") for other in project.pages)]
    script = project.folder / "python/_static/doctools.js"
    edits = {
        "nothing": None,
        "a style sheet": (style, lambda text: text + b"\nh1 { letter-spacing: 1px }\n"),
        "a picture": (pictures[0], lambda text: text + b"\n") if pictures else None,
        "a text": (page, lambda text: text.replace(b"<p>", b"<p>Edited. ", 1)),
        "a script": (script, lambda text: text + b"\n// edited\n"),
        "a file of no page": (project.folder / "notes.txt", lambda text: b"edited\n"),
    }
    print("| edit | tests | inherited | changed | s | of all | CPU s | of all |\n|---|---:|---:|---:|---:|---:|---:|---:|")
    for name, edit in edits.items():
        if name != "nothing" and edit is None:
            print(f"| {name} | no page shows one |")
            continue
        old = None
        if edit:
            old = edit[0].read_bytes() if edit[0].exists() else b""
            edit[0].write_bytes(edit[1](old))
        project.commit()
        shutil.copy(project.folder / "history.json", project.folder / "history.edit.json")
        wall, cpu = project.command(*RUN, "--history", "history.edit.json", statuses=(0, 1))
        found = project.summary()
        all_wall, all_cpu = project.command(*RUN, "--no-reuse", "--history", "history.all.json", statuses=(0, 1))
        full = project.summary()
        check(found, full)
        counts = found["counts"]
        print(f"| {name} | {counts['planned']} | {counts.get('inherited', 0)} | {full['counts'].get('changed', 0)} "
              f"| {wall:.1f} | {wall / all_wall:.0%} | {cpu:.1f} | {cpu / all_cpu:.0%} |", flush=True)
        if edit:
            edit[0].write_bytes(old)
        project.commit()


def check(found, full):
    """Ends the program if a test was inherited that a run of all tests does not pass."""
    verdicts = {(row["job"], row["cell"], row["test"]): row["verdict"] for row in full["tests"]}
    for row in found["tests"]:
        key = (row["job"], row["cell"], row["test"])
        if row["verdict"] == "inherited" and verdicts[key] != "passed":
            sys.exit(f"{key} was inherited, and is {verdicts[key]}")


def random_edit(path, chance):
    """Other bytes for a file, or None where this script has no edit."""
    old = path.read_bytes()
    kind = path.suffix
    if kind == ".css":
        numbers = list(re.finditer(rb":[^;{}]*?(\d+)(px|em|rem|%)", old))
        colours = list(re.finditer(rb"#([0-9a-fA-F]{6})\b", old))
        place = chance.choice(numbers + colours) if numbers + colours else None
        if place is None:
            return None
        text = b"b7410e" if place in colours else str(int(place[1]) * 2 + 3).encode()
        return old[:place.start(1)] + text + old[place.end(1):]
    if kind == ".html":
        # Of these, the first ones are on the screen.
        places = [match.start(1) for match in re.finditer(rb">([A-Za-z ]{6,})<", old)][:30]
        if not places:
            return None
        place = chance.choice(places)
        return old[:place] + b"Edited" + old[place + 6:]
    if kind == ".js":
        return old + chance.choice([b"\n// edited\n", b"\ndocument.documentElement.style.padding = '9px'\n",
                                    b"\nthrow new Error('edited')\n"])
    if kind in (".png", ".gif", ".svg", ".ico"):
        return chance.choice([b"", old + b"\n", old[:len(old) // 2]])
    return None


def random_edits(project, count, chance):
    """Makes random edits, each alone, and ends the program if a test is inherited wrongly."""
    # Mostly files that a page names, or every second edit would change nothing.
    texts = b"".join(page.read_bytes() for page in project.pages)
    named = [path for path in project.files("**/*") if path.name.encode() in texts and path not in project.pages]
    sheets = [path for path in named if path.suffix == ".css"]
    pools = [project.pages, project.pages, sheets, project.files("**/*.css"), named, project.files("**/*.js"),
             project.files("**/*")]
    made, inherited, touched = 0, 0, 0
    while made < count:
        path = chance.choice(chance.choice(pools))
        new = random_edit(path, chance) if path.suffix != ".yaml" else None
        gone = chance.random() < 0.03
        if new is None and not gone:
            continue
        old, made = path.read_bytes(), made + 1
        if gone:
            path.unlink()
        else:
            path.write_bytes(new)
        if not path.exists() and path in project.pages:
            path.write_bytes(old + b" ")
        shutil.copy(project.folder / "history.json", project.folder / "history.edit.json")
        project.command(*RUN, "--history", "history.edit.json", statuses=(0, 1))
        found = project.summary()
        project.command(*RUN, "--history", "history.all.json", "--no-reuse", statuses=(0, 1))
        full = project.summary()
        check(found, full)
        touched += 1 if full["state"] != "passed" else 0
        inherited += found["counts"].get("inherited", 0)
        path.write_bytes(old)
        if made % 25 == 0:
            print(f"{made} edits: {touched} turn the run red, {inherited} tests inherited, 0 wrongly", flush=True)


def lies(project):
    """Plants faults that no digest of a page's files shows, and says how each was treated."""
    page = project.pages[0]
    old = page.read_bytes()
    path = project.folder / "history.json"
    print("| planted | verdict |\n|---|---|")

    def show(name, words):
        print(f"| {name} | {words} |", flush=True)

    record = json.loads(path.read_text())
    for name, change in {
        "a digest in the history is another": lambda text: re.sub(r'("digest":")(.)', lambda found: found[1]
                                                                 + ("0" if found[2] != "0" else "1"), text),
        "the history is cut": lambda text: text[:len(text) // 2],
        "a run's id in the history is another": lambda text: text.replace(record["reuse"]["record"]["tests"][0]["run"],
                                                                         "20200101-000000-aaaa"),
    }.items():
        (project.folder / "history.edit.json").write_text(change(path.read_text()))
        project.command(*RUN, "--history", "history.edit.json", statuses=(0, 1))
        inherited = project.summary()["counts"].get("inherited", 0)
        show(name, "all tests run" if inherited == 0 else f"WRONG: {inherited} inherited")
    scripts = {
        "the page shows its clock, which is the same in each run":
            b"<script>document.body.prepend(new Date().toISOString().slice(0, 19))</script>",
        "the page draws by chance, which is the same in each run":
            b"<script>document.body.prepend(Math.random())</script>",
        "the page asks a server": b"<img src='http://127.0.0.1:9/x.png'>",
        "the page opens a socket": b"<script>new WebSocket('ws://127.0.0.1:9')</script>",
    }
    for name, script in scripts.items():
        page.write_bytes(old + script)
        project.command(*RUN, "--mode", "record")
        project.command(*RUN, "--history", "history.lie.json", "--no-reuse", statuses=(0, 1))
        states = [project.summary()["state"]]
        project.command(*RUN, "--history", "history.lie.json", statuses=(0, 1))
        found = project.summary()
        ran = [row["verdict"] for row in found["tests"] if row["test"].endswith("/" + page.stem)]
        show(name, f"{states[0]}, then {found['state']}: its {len(ran)} tests "
             + ", ".join(sorted(set(ran))) + (f"; {project.said.split(' will run each time: ')[1].splitlines()[0]}"
                                              if " will run each time: " in project.said else ""))
    page.write_bytes(old)
    project.command(*RUN, "--mode", "record")
    project.write("true", ", time: now")
    page.write_bytes(old + b"<script>document.body.prepend(new Date().toISOString().slice(0, 10))</script>")
    project.command(*RUN, "--mode", "record")
    project.command(*RUN, "--history", "history.now.json", statuses=(0, 1))
    project.command(*RUN, "--history", "history.now.json", statuses=(0, 1))
    show("the page shows the machine's clock (`time: now`)",
         f"{project.summary()['counts'].get('inherited', 0)} tests inherited")


def served(project):
    """Times runs of pages that come from the job's own server, and lets it answer by chance."""
    print(f"\n{len(project.pages)} pages of a server on 6 cells\n")
    project.command(*RUN, "--history", "history.json")
    all_wall, all_cpu = project.command(*RUN, "--history", "history.json", "--no-reuse")
    print("| edit | tests | inherited | s | of all | CPU s | of all |\n|---|---:|---:|---:|---:|---:|---:|")
    page = project.pages[0]
    old = page.read_bytes()
    for name, path, text in [("a file of no page", project.folder / "notes.txt", b"edited"),
                             ("a text", page, old.replace(b"<p>", b"<p>Edited. ", 1))]:
        path.write_bytes(text)
        project.commit()
        wall, cpu = project.command(*RUN, "--history", "history.json", statuses=(0, 1))
        counts = project.summary()["counts"]
        print(f"| {name} | {counts['planned']} | {counts.get('inherited', 0)} | {wall:.1f} | {wall / all_wall:.0%} "
              f"| {cpu:.1f} | {cpu / all_cpu:.0%} |", flush=True)
    page.write_bytes(old)
    project.command(*RUN, "--history", "history.json", "--no-reuse")
    (project.folder / "chance").write_text("")
    project.command(*RUN, "--history", "history.json", statuses=(0, 1))
    found = project.summary()
    print(f"\nThe server answers by chance, which is no input: {found['state']}, "
          + ", ".join(problem["code"] for problem in found["problems"] if problem["code"] == "reuse-input-missing"))
    if found["state"] == "passed":
        sys.exit("a server that answers by chance was green")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--pages", type=int, default=40)
    parser.add_argument("--edits", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=pathlib.Path)
    options = parser.parse_args()
    folder = options.folder or pathlib.Path(tempfile.mkdtemp(prefix="reuse-"))
    chance, program = random.Random(options.seed), options.program.resolve()
    print(f"seed {options.seed}, load {os.getloadavg()[0]:.1f}\n")
    if options.pages:
        (folder / "large").mkdir(parents=True)
        project = Project(folder / "large", program, options.pages, list(DEVICES))
        project.write("true")
        project.commit()
        wall, cpu = project.command(*RUN, "--history", "history.json")
        print(f"{len(project.pages)} pages on 6 cells, all: {wall:.1f} s, {cpu:.1f} s of CPU\n")
        one_of_each(project)
        (folder / "served").mkdir()
        inputs = ", inputs: [server.py, " + ", ".join(f'"{site}/**"' for site in SITES) + "]"
        project = Project(folder / "served", program, max(3, options.pages // 4), list(DEVICES), SERVED + inputs)
        project.write("true")
        project.commit()
        served(project)
    if options.edits:
        (folder / "small").mkdir(parents=True)
        project = Project(folder / "small", program, 6, ["Desktop"])
        project.write("true")
        project.commit()
        project.command(*RUN, "--history", "history.json")
        print()
        random_edits(project, options.edits, chance)
        print()
        lies(project)
    print(f"\nThe outputs are in {folder}.")


if __name__ == "__main__":
    main()
