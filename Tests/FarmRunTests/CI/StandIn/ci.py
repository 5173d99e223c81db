"""What the interpreters of the CI examples share: a repository, its store, machines, and a host.

An interpreter reads an example as its provider would, and refuses every key that it does not know, so
that nothing of an example is passed over. It sets the variables that the provider documents, runs each
shell step in a checkout of its own, and moves files between jobs as the provider does.
"""
import glob
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(HERE))))
# A device of the example, as every provider's file names it.
LOST_DEVICE = "iPad Pro (11-inch) (13.1)"


def only(mapping, *keys):
    """Fails for a key that no rule of the interpreter is about."""
    unknown = set(mapping) - set(keys)
    assert not unknown, f"nobody interprets {sorted(unknown)}"
    return mapping


class Job:
    """One execution of a job: its name, exit code and output."""

    def __init__(self, name):
        self.name, self.code, self.said, self.attempt = name, 0, "", 1


class Place:
    """A repository with the examples, a store, a Git host, and the folder of everything else."""

    host_kind = "github"
    repository = "o/r"

    def __init__(self, folder, program, scenario):
        self.folder, self.program, self.scenario = folder, program, scenario
        self.jobs, self.kept, self.blocked = [], set(), False
        os.makedirs(folder)
        for name in ("bin", "home", "machines", "cache", "kept"):
            os.mkdir(f"{folder}/{name}")
        os.symlink(program, f"{folder}/bin/snapfarm")
        for tool in ("gh", "buildkite-agent", "envman", "circleci"):
            os.symlink(f"{HERE}/{tool}", f"{folder}/bin/{tool}")
        self.make_repository()
        self.start_host()

    # MARK: the repository

    def git(self, *words, cwd=None):
        call = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words]
        found = subprocess.run(call, cwd=cwd or self.main, capture_output=True, text=True)
        assert found.returncode == 0, found.stderr
        return found.stdout.strip()

    def make_repository(self):
        """The examples' pipeline with one appearance, recorded, on a branch of a pull request."""
        self.main = f"{self.folder}/main"
        shutil.copytree(f"{ROOT}/pipelines", f"{self.main}/pipelines",
                        ignore=shutil.ignore_patterns(".snapfarm", ".build", "snapfarm-out"))
        self.edit("pipelines/app.yaml", "appearance: [light, dark]", "appearance: [light]")
        self.edit("pipelines/app.yaml", "pin: .snapfarm/app/snapfarm.refs", "pin: snapfarm.refs")
        if self.scenario == "empty share":
            # Fewer tests than machines.
            self.edit("pipelines/app.yaml", "  - iPhone Xʀ (12.2)\n", "")
            self.edit("pipelines/app.yaml", f"  - {LOST_DEVICE}\n", "")
            tests = "pipelines/quickstart/tests.sh"
            for line in ("  echo widgets/badge\n", "  echo widgets/table\n"):
                self.edit(tests, line, "")
            text = open(f"{self.main}/{tests}").read()
            head, rest = text.split("list-units)\n", 1)
            _, rest = rest.split("  ;;\n", 1)
            with open(f"{self.main}/{tests}", "w") as file:
                file.write(head + "list-units)\n  echo price/tax\n  ;;\n" + rest)
        with open(f"{self.main}/.gitignore", "w") as file:
            file.write(".snapfarm/\n.snapfarm-program/\n/out\n/farm\n/parts\n")
        record = [self.program, "run", "pipelines/app.yaml", "--mode", "record", "--output", "rec"]
        found = subprocess.run(record, cwd=self.main, env=self.environment({}), capture_output=True,
                               text=True)
        assert found.returncode == 0, found.stderr
        shutil.rmtree(f"{self.main}/rec")
        self.store = f"{self.folder}/store.git"
        shutil.move(f"{self.main}/pipelines/.snapfarm/app/references.git", self.store)
        shutil.rmtree(f"{self.main}/pipelines/.snapfarm")
        if self.scenario in ("red", "fork", "decide", "pin only", "own split"):
            self.edit("pipelines/quickstart/tests.sh", "chart=chart\n", "chart=chart-changed\n")
        self.git("init", "-q", "-b", "topic")
        # What people decide is pushed to the branch.
        self.git("config", "receive.denyCurrentBranch", "ignore")
        self.prepare_files()
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "the examples")
        self.commit = self.git("rev-parse", "HEAD")

    def prepare_files(self):
        """What a provider wants at another place of the repository."""

    def edit(self, file, old, new):
        path = f"{self.main}/{file}"
        text = open(path).read()
        assert old in text, f"{file} has no {old!r}"
        with open(path, "w") as out:
            out.write(text.replace(old, new))

    def example(self, name):
        return f"{ROOT}/pipelines/{name}"

    # MARK: the host

    def start_host(self):
        # A socket that stays bound and never listens keeps the port for the host.
        self.port_keeper = socket.socket()
        self.port_keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.port_keeper.bind(("127.0.0.1", 0))
        self.port = self.port_keeper.getsockname()[1]
        self.state = f"{self.folder}/host.json"
        with open(self.state, "w") as file:
            json.dump({"token": "good", "pulls": [7], "shas": [self.commit], "comments": [],
                       "statuses": [], "refusals": [], "calls": [],
                       "repository": self.main}, file)
        self.api = f"http://127.0.0.1:{self.port}"
        self.serve_host()

    def serve_host(self):
        words = [sys.executable, f"{HERE}/{self.host_kind}.py", str(self.port), self.state]
        self.process = subprocess.Popen(words)
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                time.sleep(0.05)
        raise AssertionError("the stand-in of the host does not listen")

    def stop_host(self):
        self.process.kill()
        self.process.wait()

    def close(self):
        self.stop_host()
        self.port_keeper.close()

    def host_facts(self):
        """The number of calls, of comments, and the newest state of each status."""
        state = json.load(open(self.state))
        statuses = {}
        for status in state["statuses"]:
            name = status.get("context") or status.get("name")
            statuses[name] = status.get("status") or status["state"]
        return {"calls": len(state["calls"]), "comments": len(state["comments"]),
                "statuses": statuses}

    # MARK: machines

    def token(self):
        """The secrets of the project, which builds of forks do not get."""
        return {} if self.scenario == "fork" else {"SNAPFARM_GITHUB_TOKEN": "good"}

    def environment(self, variables):
        base = {"PATH": f"{self.folder}/bin:/usr/local/bin:/usr/bin:/bin",
                "HOME": f"{self.folder}/home", "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1",
                "TMPDIR": os.environ.get("TMPDIR", "/tmp"), "CI_STAND_IN": self.folder}
        if hasattr(self, "store"):
            base["SNAPFARM_STORE"] = f"file://{self.store}"
        if hasattr(self, "api"):
            base["GITHUB_API_URL"] = self.api
        return {**base, **variables}

    def machine(self, name):
        """An empty folder of a machine."""
        folder = f"{self.folder}/machines/{len(os.listdir(self.folder + '/machines'))}-{name}"
        os.mkdir(folder)
        return folder

    def checkout(self, folder):
        self.git("init", "-q", cwd=folder)
        self.git("fetch", "-q", "--depth=1", f"file://{self.main}", "topic", cwd=folder)
        self.git("checkout", "-q", "-B", "topic", "FETCH_HEAD", cwd=folder)
        self.git("remote", "add", "origin", f"file://{self.main}", cwd=folder)

    def shell(self, job, script, folder, variables, words=("bash", "-eo", "pipefail", "-c")):
        """Runs a script; an infrastructure that fails is a store that does not answer."""
        environment = self.environment(variables)
        job.attempt = self.attempt
        if self.breaks(job):
            environment["SNAPFARM_STORE"] = "file:///gone"
        found = subprocess.run([*words, script], cwd=folder, env=environment, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               stdin=subprocess.DEVNULL)
        job.said += found.stdout
        return found.returncode

    def breaks(self, job):
        """In the first attempt of a re-run, one part cannot reach the store."""
        return self.scenario == "re-run" and self.attempt == 1 and self.is_victim(job.name)

    attempt = 1

    def is_victim(self, name):
        return "iPhone 8" in name or "iphone_8" in name

    def keep(self, name, path):
        """Remembers what the provider shows of a file or folder; nothing that is not there."""
        for found in glob.glob(path, recursive=True):
            if os.path.isfile(found) or os.path.isdir(found) and os.listdir(found):
                self.kept.add(name)

    # What a person gets for `snapfarm review --from`: the run's zip, which is stored where the provider
    # hands out single files alone, or the provider's own zip of the stored folder.
    zip = "FailureDiffs.zip"

    def keep_page(self, name, folder):
        """Remembers a stored output folder: every picture that its page shows must be in it."""
        page = f"{folder}/report/index.html"
        if not os.path.exists(page):
            return
        text = open(page).read()
        shown = set(re.findall(r"\.\./((?:captures|FailureDiffs|logs)/[^\"'<>\s]+)", text))
        assert shown or self.scenario not in ("red", "fork", "decide"), "the page shows no picture"
        for path in shown:
            assert os.path.exists(f"{folder}/{urllib.parse.unquote(path)}"), f"{path} is not stored"
        has_zip = os.path.exists(f"{folder}/FailureDiffs.zip")
        assert has_zip == (self.zip == "FailureDiffs.zip"), f"{name}: the zip is stored: {has_zip}"
        self.kept.add(name)
        self.stored = folder

    def decide_elsewhere(self):
        """A person takes what the comment names out of the artifacts, and decides with it."""
        comments = json.dumps(json.load(open(self.state))["comments"])
        assert f"snapfarm review --from {self.zip} " in comments, comments
        path = f"{self.stored}/FailureDiffs.zip"
        if not os.path.exists(path):
            stem = f"{self.folder}/{self.zip.removesuffix('.zip')}"
            path = shutil.make_archive(stem, "zip", os.path.dirname(self.stored),
                                       os.path.basename(self.stored))
        self.person(f"snapfarm approve --from '{path}' --dry-run")

    def accept_elsewhere(self):
        """A person accepts what differs, and commits the pin to the branch."""
        self.person(f"snapfarm approve --from '{self.stored}' --commit topic --reason accepted")

    def person(self, script):
        job, folder = Job("a person"), self.machine("person")
        self.checkout(folder)
        code = self.shell(job, script, folder, {})
        assert code == 0, job.said

    def begin_again(self):
        """The newest commit of the branch, with what the provider's cache keeps."""
        before, self.commit = self.commit, self.git("rev-parse", "topic")
        changed = self.git("diff", "--name-only", before, self.commit).split()
        assert changed == ["pipelines/snapfarm.refs"], changed
        self.stop_host()
        state = json.load(open(self.state))
        state["shas"].append(self.commit)
        with open(self.state, "w") as file:
            json.dump(state, file)
        self.serve_host()
        self.forget()
        os.makedirs(f"{self.folder}/kept", exist_ok=True)
        self.jobs, self.kept, self.passed = [], set(), set()

    def forget(self):
        """Removes what a build leaves to its own jobs alone."""
        shutil.rmtree(f"{self.folder}/kept")

    def copy(self, source, target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if os.path.isdir(source):
            shutil.copytree(source, target, dirs_exist_ok=True)
        else:
            shutil.copy2(source, target)

    # MARK: what a row says

    def run(self):
        """All jobs of the example, in the order of the provider."""
        raise NotImplementedError

    def comment(self, out):
        """The text of a decision that accepts every change of a run."""
        summary = json.load(open(f"{out}/summary.json"))
        lines = [f"/snapfarm accept {summary['run']['id']}"]
        return "\n".join(lines + [change["id"] for change in summary["changes"]])

    def result(self):
        """What a row of the table says, and for a failed job what it said."""
        empty = sum("got no test case" in job.said for job in self.jobs)
        unchanged = sum("nothing has changed; none of" in job.said for job in self.jobs)
        decided = self.git("diff", "--name-only", self.commit, "topic").split()
        return {"jobs": [{"name": job.name, "code": job.code, "attempt": job.attempt}
                         for job in self.jobs],
                "kept": sorted(self.kept), "waits": self.blocked, "empty": empty,
                "unchanged": unchanged,
                "decided": decided, **self.host_facts(),
                "said": "\n".join(f"{job.name}: {job.said[-2000:]}"
                                  for job in self.jobs if job.code)}


def ordered(needs):
    """Names by their needs: what a job needs comes before it."""
    done = []
    while len(done) < len(needs):
        ready = [n for n in needs if n not in done and all(d in done for d in needs[n])]
        assert ready, f"needs in a circle: {needs}"
        done.append(ready[0])
    return done
