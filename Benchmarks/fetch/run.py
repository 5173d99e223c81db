#!/usr/bin/env python3
"""A shard's 1,000 of 60,000 references over the network: what comes from the server, at what CPU.

    Benchmarks/fetch/run.py BINARY [FOLDER] [--bytes 8000] [--rounds 3] [--record]

The set is 8 cells x 75 suites x 100 pictures of `--bytes` each, the shard ten suites of one cell.
First an empty client gets the shard, then, after every hundredth picture was recorded anew (one of
each suite, 600 in all, ten in the shard), the same client gets it again. Everything is served by
one `git daemon` behind a proxy that counts the bytes of both directions.

Ours is `snapfarm refs fetch --only CELL/SUITE …` into a store of this machine. The peers get a
branch of two ordinary commits with the same trees.
"""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from measuring import (  # noqa: E402
    Figures, Workplace, arguments, interleaved, measure, median, png, run, table,
)
from farm import Program, listens, reserved_port, until  # noqa: E402
from lines import Line  # noqa: E402

CELLS, SUITES, PICTURES = 8, 75, 100
SHARD_CELL, SHARD_SUITES = "cell-3", [f"Suite{number:02}" for number in range(20, 30)]
SHARD = [f"{SHARD_CELL}/{suite}" for suite in SHARD_SUITES]
PATTERN = "shots/{cell}/{suite}/{name}.png"
KINDS = ["snapfarm", "clone --depth 1", "blob:none + sparse"]


def picture(path, generation, size):
    return png(f"{path} {generation}", size)


def write_pictures(root, generation, size):
    """All pictures of the first set, or the hundredth part of them that is new in the next."""
    for cell in range(CELLS):
        for suite in range(SUITES):
            folder = f"cell-{cell}/Suite{suite:02}"
            os.makedirs(f"{root}/{folder}", exist_ok=True)
            numbers = range(PICTURES) if generation == 0 else [(cell * SUITES + suite) % PICTURES]
            for number in numbers:
                name = f"{folder}/picture-{number:03}.png"
                with open(f"{root}/{name}", "wb") as out:
                    out.write(picture(name, generation, size))


class Server:
    """The host: the store, and a repository with the same trees."""

    def __init__(self, options, place):
        self.options, self.place = options, place
        self.port = reserved_port()
        self.daemon = Program(
            ["git", "daemon", "--reuseaddr", "--export-all", "--enable=receive-pack",
             "--listen=127.0.0.1", f"--port={self.port}", f"--base-path={place.fresh('host')}"],
            place("daemon.log")).start()
        until(lambda: listens(self.port), 60, lambda: "git daemon")
        self.proxy = Line(self.port)

    def url(self, name, direct=False):
        """The address of a repository, through the proxy that counts or past it."""
        return f"git://127.0.0.1:{self.port if direct else self.proxy.port}/{name}.git"

    def fill(self):
        """Records both sets with the program, pushes them, and builds the peers' repositories."""
        binary, place = self.options.binary, self.place
        main, store = place.fresh("main"), place("author.git")
        for name in ("store", "plain"):
            run("git", "init", "-q", "--bare", "-b", "main", place("host", name + ".git"))
            run("git", "-C", place("host", name + ".git"), "config", "uploadpack.allowFilter",
                "true")
        run("git", "init", "-q", "-b", "main", main)
        at = ["--store", store, "--pin", f"{main}/snapfarm.refs"]
        far = ["--remote", self.url("store", direct=True)]
        run(binary, "refs", "init", *at, *far, "--no-merge-driver", cwd=main)
        self.pins = []
        for generation in range(2):
            write_pictures(f"{main}/shots", generation, self.options.bytes)
            run(binary, "refs", "import", "--pattern", PATTERN, "--job", "shots", "--no-weight",
                *at, cwd=main)
            run(binary, "refs", "push", *at, *far, cwd=main)
            self.pins.append(open(f"{main}/snapfarm.refs").read())
        shutil.rmtree(f"{main}/shots")
        self.sets = [
            run(binary, "refs", "pin", "show", *at[:2], "--pin", self.pin_file(number), cwd=main)
            .decode().split("set ")[1].split()[0]
            for number in range(2)
        ]
        self.fill_plain()

    def pin_file(self, number):
        path = self.place(f"pin-{number}", "snapfarm.refs")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as out:
            out.write(self.pins[number])
        return path

    def tree(self, number, suite):
        """The id of a suite's folder, as the pin says."""
        lines = self.pins[number].splitlines()
        return lines[lines.index(suite) + 1].strip()

    def fill_plain(self):
        """The same trees as ordinary commits; the objects are the store's."""
        store, plain = self.place("host", "store.git"), self.place("host", "plain.git")
        with open(f"{plain}/objects/info/alternates", "w") as out:
            out.write(f"{store}/objects\n")
        parent = []
        self.commits = []
        for set_id in self.sets:
            commit = run("git", "-C", plain, "commit-tree", f"{set_id}^{{tree}}", *parent,
                         "-m", "pictures").decode().strip()
            parent = ["-p", commit]
            self.commits.append(commit)

    def show(self, number):
        """Lets the branch name one of the two sets; the store's own references stay."""
        run("git", "-C", self.place("host", "plain.git"), "update-ref", "refs/heads/main",
            self.commits[number])


class Client:
    """One way to get the shard, in a folder that is empty at first."""

    def __init__(self, kind, server):
        self.kind, self.server = kind, server
        self.folder = server.place.fresh("client")
        self.work = f"{self.folder}/work"
        if kind == "snapfarm":
            self.store = f"{self.folder}/store.git"
            run(server.options.binary, "refs", "init", self.store, "--pin",
                f"{self.folder}/snapfarm.refs", "--no-merge-driver", cwd=self.folder)

    def get(self, number):
        """Gets the shard of a set; returns (cost, bytes from the server, bytes to it)."""
        self.server.show(number)
        self.server.proxy.take()
        commands, where = {
            "snapfarm": self.ours, "clone --depth 1": self.shallow, "blob:none + sparse": self.sparse,
        }[self.kind](number)
        cost = measure(*commands, cwd=where)
        received, sent = self.server.proxy.take()
        self.check(number)
        return cost, received, sent

    def ours(self, number):
        words = [self.server.options.binary, "refs", "fetch", "--store", self.store, "--pin",
                 self.server.pin_file(number), "--remote", self.server.url("store")]
        for part in SHARD:
            words += ["--only", part]
        return [words], self.folder

    def shallow(self, number):
        if number == 0:
            return [["git", "clone", "-q", "--depth", "1", self.server.url("plain"), self.work]], \
                self.folder
        return [["git", "fetch", "-q", "--depth", "1", "origin", "main"],
                ["git", "reset", "-q", "--hard", "FETCH_HEAD"]], self.work

    def sparse(self, number):
        if number == 0:
            return [
                ["git", "clone", "-q", "--depth", "1", "--filter=blob:none", "--sparse",
                 self.server.url("plain"), self.work],
                ["git", "-C", self.work, "sparse-checkout", "set", *SHARD],
            ], self.folder
        return [["git", "fetch", "-q", "--depth", "1", "origin", "main"],
                ["git", "reset", "-q", "--hard", "FETCH_HEAD"]], self.work

    def check(self, number):
        """Every picture of the shard is there, with the right bytes."""
        size = self.server.options.bytes
        for suite in SHARD:
            cell, name = suite.split("/")
            new = (int(cell[5:]) * SUITES + int(name[5:])) % PICTURES
            for picture_number in (new, (new + 1) % PICTURES):
                path = f"{suite}/picture-{picture_number:03}.png"
                wanted = picture(path, number if picture_number == new else 0, size)
                if self.kind == "snapfarm":
                    tree = self.server.tree(number, suite)
                    found = run("git", "-C", self.store, "cat-file", "blob",
                                f"{tree}:picture-{picture_number:03}.png",
                                environment={"GIT_NO_LAZY_FETCH": "1"})
                else:
                    found = open(f"{self.work}/{path}", "rb").read()
                assert found == wanted, (self.kind, number, path)


def least(server, number):
    """Bytes that must come at least: pictures that are new in the shard, and their folders."""
    store = server.place("host", "store.git")

    def listing(which):
        return {
            line.split("\t")[1]: line.split()[2]
            for line in run("git", "-C", store, "ls-tree", "-r", server.sets[which], *SHARD)
            .decode().splitlines()
        }

    old = listing(0) if number else {}
    new = listing(number)
    blobs = [oid for path, oid in new.items() if old.get(path) != oid]
    trees = [server.tree(number, suite) for suite in SHARD]
    ask = "\n".join(sorted(set(blobs + trees))).encode() + b"\n"
    sizes = {}
    for line in run("git", "-C", store, "cat-file", "--batch-check=%(objectname) %(objecttype) "
                    "%(objectsize)", data=ask).decode().splitlines():
        oid, kind, size = line.split()
        sizes[oid] = (kind, int(size))
    pictures = sum(size for kind, size in sizes.values() if kind == "blob")
    folders = sum(size for kind, size in sizes.values() if kind == "tree")
    return pictures, folders


def main():
    options = arguments(__doc__.splitlines()[0], bytes=8_000)
    figures = Figures(options.record)
    with Workplace(options) as place:
        server = Server(options, place)
        try:
            server.fill()
            results = {kind: ([], []) for kind in KINDS}
            for round_number in range(options.rounds):
                for kind in interleaved(round_number, KINDS):
                    client = Client(kind, server)
                    for number in range(2):
                        cost, received, sent = client.get(number)
                        results[kind][number].append((cost, received, sent))
                        print(f"round {round_number + 1} {kind}, set {number + 1}: {received} B"
                              f" from the server, {sent} B to it, {cost.cpu:.2f} s CPU", flush=True)
            report(options, server, results, figures)
        finally:
            server.daemon.kill(all_of_it=True)
    figures.write()


def report(options, server, results, figures):
    for number, name in ((0, "first set, empty client"), (1, "next set with 1 % changed")):
        pictures, folders = least(server, number)
        floor = pictures + folders
        rows = []
        for kind in KINDS:
            values = results[kind][number]
            received = median(v[1] for v in values)
            cpu = median(v[0].cpu for v in values)
            rows.append([
                kind, f"{received:,.0f}", f"{received / floor:.3f}",
                f"{median(v[2] for v in values):,.0f}", f"{cpu:.2f}",
                f"{max(v[0].megabytes for v in values):.0f}",
            ])
            label = kind
            figures.add(f"shard of 60000 ({name.split(',')[0]}): {label} from server", received,
                        "B", len(values))
            figures.add(f"shard of 60000 ({name.split(',')[0]}): {label} CPU", cpu, "s",
                        len(values))
        table(
            f"1,000 of 60,000 references of {options.bytes:,} B, {name}, n = {options.rounds}; "
            f"changed {pictures:,} B + folders {folders:,} B = {floor:,} B",
            ["", "B from server", "x least", "B to server", "CPU s", "peak MB"], rows,
        )


if __name__ == "__main__":
    main()
