#!/usr/bin/env python3
"""A shard's 1,000 of 60,000 references over the network: what comes from the server, at what CPU.

    Benchmarks/fetch/run.py BINARY [FOLDER] [--bytes 8000] [--rounds 3] [--record]

The set is 8 cells x 75 suites x 100 pictures of `--bytes` each, the shard ten suites of one cell.
First an empty client gets the shard, then, after every hundredth picture was recorded anew (one of
each suite, 600 in all, ten in the shard), the same client gets it again. Everything is served by
one `git daemon` behind a proxy that counts the bytes of both directions. LFS objects are copied
from a folder (`file://`) and counted by their size; the server has those of the shard only.

Ours is `snapfarm refs fetch --only CELL/SUITE …` into a store of this machine. The peers get a
branch of two ordinary commits with the same trees.
"""
import hashlib
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from measuring import (  # noqa: E402
    Figures, Workplace, arguments, interleaved, measure, median, png, run, table,
)
from serving import GitDaemon  # noqa: E402

CELLS, SUITES, PICTURES = 8, 75, 100
SHARD_CELL, SHARD_SUITES = "cell-3", [f"Suite{number:02}" for number in range(20, 30)]
SHARD = [f"{SHARD_CELL}/{suite}" for suite in SHARD_SUITES]
PATTERN = "shots/{cell}/{suite}/{name}.png"
LFS_KIND = "git lfs pull"
KINDS = ["snapfarm", "clone --depth 1", "blob:none + sparse", LFS_KIND]
# As `git lfs install` would set it; pictures come with the pull alone.
LFS = {
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_CONFIG_COUNT": "6",
    "GIT_CONFIG_KEY_2": "filter.lfs.clean",
    "GIT_CONFIG_VALUE_2": "git-lfs clean -- %f",
    "GIT_CONFIG_KEY_3": "filter.lfs.smudge",
    "GIT_CONFIG_VALUE_3": "git-lfs smudge -- %f",
    "GIT_CONFIG_KEY_4": "filter.lfs.process",
    "GIT_CONFIG_VALUE_4": "git-lfs filter-process",
    "GIT_CONFIG_KEY_5": "filter.lfs.required",
    "GIT_CONFIG_VALUE_5": "true",
}


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
    """The host: the store, a repository with the same trees, and one with LFS pointers."""

    def __init__(self, options, place):
        self.options, self.place = options, place
        self.daemon = GitDaemon(place.fresh("host"))
        self.proxy, self.url, self.close = self.daemon.proxy, self.daemon.url, self.daemon.close

    def fill(self):
        """Records both sets with the program, pushes them, and builds the peers' repositories."""
        binary, place = self.options.binary, self.place
        main, store = place.fresh("main"), place("author.git")
        for name in ("store", "plain", "pointers"):
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
        self.fill_pointers()

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

    def fill_pointers(self):
        """The same paths as LFS pointers, and the objects of the shard."""
        pointers = self.place("host", "pointers.git")
        stream = []
        for generation in range(2):
            stream.append(f"commit refs/heads/main\nmark :{generation + 1}\n"
                          "committer t <t@t> 0 +0000\ndata 0\n")
            if generation == 0:
                text = "*.png filter=lfs diff=lfs merge=lfs -text\n"
                stream.append(f"M 100644 inline .gitattributes\ndata {len(text)}\n{text}\n")
            for cell in range(CELLS):
                for suite in range(SUITES):
                    folder = f"cell-{cell}/Suite{suite:02}"
                    for number in range(PICTURES):
                        if generation and number != (cell * SUITES + suite) % PICTURES:
                            continue
                        name = f"{folder}/picture-{number:03}.png"
                        if folder in SHARD:
                            body = picture(name, generation, self.options.bytes)
                            oid, size = hashlib.sha256(body).hexdigest(), len(body)
                            home = f"{pointers}/lfs/objects/{oid[:2]}/{oid[2:4]}"
                            os.makedirs(home, exist_ok=True)
                            with open(f"{home}/{oid}", "wb") as out:
                                out.write(body)
                        else:
                            oid = hashlib.sha256(f"{name} {generation}".encode()).hexdigest()
                            size = self.options.bytes
                        text = ("version https://git-lfs.github.com/spec/v1\n"
                                f"oid sha256:{oid}\nsize {size}\n")
                        stream.append(f"M 100644 inline {name}\ndata {len(text)}\n{text}\n")
        run("git", "-C", pointers, "fast-import", "--quiet", data="".join(stream).encode())
        self.pointer_commits = run(
            "git", "-C", pointers, "rev-list", "--reverse", "main").decode().split()

    def show(self, number):
        """Lets the branches name one of the two sets; the store's own references stay."""
        run("git", "-C", self.place("host", "plain.git"), "update-ref", "refs/heads/main",
            self.commits[number])
        run("git", "-C", self.place("host", "pointers.git"), "update-ref", "refs/heads/main",
            self.pointer_commits[number])


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
        before = self.lfs_bytes()
        self.server.proxy.take()
        commands, where = getattr(self, {
            "snapfarm": "ours", "clone --depth 1": "shallow",
            "blob:none + sparse": "sparse", LFS_KIND: "lfs",
        }[self.kind])(number)
        cost = measure(*commands, cwd=where, environment=LFS if self.kind == LFS_KIND else None)
        received, sent = self.server.proxy.take()
        self.check(number)
        return cost, received + self.lfs_bytes() - before, sent

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

    def lfs(self, number):
        far = f"file://{self.server.place('host', 'pointers.git')}"
        pull = ["git", "-C", self.work, "-c", f"lfs.url={far}", "lfs", "pull",
                "--include", ",".join(SHARD)]
        if number == 0:
            return [["git", "clone", "-q", "--depth", "1", self.server.url("pointers"), self.work],
                    pull], self.folder
        return [["git", "fetch", "-q", "--depth", "1", "origin", "main"],
                ["git", "reset", "-q", "--hard", "FETCH_HEAD"], pull], self.work

    def lfs_bytes(self):
        total = 0
        for folder, _, files in os.walk(f"{self.work}/.git/lfs/objects"):
            total += sum(os.path.getsize(f"{folder}/{name}") for name in files)
        return total

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
            server.close()
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
