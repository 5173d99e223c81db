"""What faults and measurements share: the programs of a farm on this machine, and a bucket for its blobs."""
import http.client
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import time

from lines import Balancer
from measuring import ENVIRONMENT, ROOT, Failed, run, write

POOL = "bench"
# A program ends with this script, even when the script is killed (Linux).
ENDS_WITH_US = ["setpriv", "--pdeathsig=KILL"] if shutil.which("setpriv") else []
KEPT = []


def reserved_port():
    """A port that is kept for a server of this script: a socket stays bound to it and never listens, so the
    kernel gives it to no other process, and a server that sets SO_REUSEADDR can still bind it."""
    kept = socket.socket()
    kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    kept.bind(("127.0.0.1", 0))
    KEPT.append(kept)
    return kept.getsockname()[1]


def listens(port):
    with socket.socket() as line:
        return line.connect_ex(("127.0.0.1", port)) == 0


def until(condition, seconds, what):
    """Waits for `condition`, and returns what it found; `what` makes the words for what it waited for."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > end:
            raise Failed(f"waited {seconds} s for {what()}")
        time.sleep(0.02)
    return found


def parents():
    """The parent of each process of this machine."""
    found = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat") as file:
                found[int(entry)] = int(file.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
    return found


class Program:
    """A process in a group of its own; it ends with this script."""

    def __init__(self, words, log, folder=None, token=None, environment={}):
        self.words, self.log, self.folder = words, log, folder
        self.environment = {
            **ENVIRONMENT, **({"SNAPFARM_TOKEN": token} if token else {}), **environment}
        self.process, self.mark = None, 0

    def start(self):
        with open(self.log, "ab") as log:
            self.mark = log.tell()
            self.process = subprocess.Popen(
                [*ENDS_WITH_US, *self.words], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=self.environment, cwd=self.folder, start_new_session=True)
        return self

    def running(self):
        return self.process is not None and self.process.poll() is None

    def said(self, most=0):
        """What it has printed since its start, or the end of it."""
        with open(self.log, errors="replace") as log:
            log.seek(self.mark)
            return log.read()[-most:]

    def end(self, seconds=120):
        """Its exit status; it must end within the time."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill(all_of_it=True)
            raise Failed(f"no end within {seconds} s: {self.words}\n{self.said(3000)}")

    def signal(self, number):
        if self.running():
            os.kill(self.process.pid, number)

    def kill(self, all_of_it=False):
        """SIGKILL, with all that it has started or alone; to one that has ended it does nothing."""
        if self.running():
            (os.killpg if all_of_it else os.kill)(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def used(self):
        """CPU seconds, resident megabytes and the most there were, megabytes read and written."""
        def lines(name):
            with open(f"/proc/{self.process.pid}/{name}") as file:
                return dict(line.split(":", 1) for line in file.read().splitlines())

        with open(f"/proc/{self.process.pid}/stat") as file:
            ticks = file.read().rsplit(")", 1)[1].split()[11:13]
        memory, traffic = lines("status"), lines("io")
        return {
            "CPU s": sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK"),
            "MB": int(memory["VmRSS"].split()[0]) / 1000,
            "peak MB": int(memory["VmHWM"].split()[0]) / 1000,
            "read MB": int(traffic["rchar"]) / 1e6,
            "written MB": int(traffic["wchar"]) / 1e6,
            "disk MB": int(traffic["write_bytes"]) / 1e6,
        }


class Coordinator(Program):
    """`snapfarm serve` with a data folder of its own, `more` in its configuration; without a `ledger` with its own."""

    def __init__(self, snapfarm, folder, more="", ledger=None, bucket=None):
        self.port = reserved_port()
        self.name, self.data = os.path.basename(folder), f"{folder}/data"
        # What `check` is told: the configuration where it has to look into a bucket.
        self.place = ["--config", f"{folder}/farm.yaml"] if bucket else ["--data", self.data]
        # Certificates are for a name.
        self.secure = "tls:" in more
        self.url = f"https://localhost:{self.port}" if self.secure else f"http://127.0.0.1:{self.port}"
        os.makedirs(self.data, mode=0o700, exist_ok=True)
        write(f"{folder}/farm.yaml", f"version: 1\nlisten: 127.0.0.1:{self.port}\ndata: data\nlog: json\n{more}"
              + (bucket.configuration if bucket else ""))
        words = [snapfarm, "serve", "--config", "farm.yaml"]
        if ledger:
            words += ["--ledger", ledger, "--pool", POOL, "--address", self.url]
        super().__init__(
            words, f"{folder}/log", folder, environment=bucket.environment if bucket else {})

    def answers(self, path="/healthz", seconds=1.0):
        line = http.client.HTTPSConnection(
            "localhost", self.port, timeout=seconds, context=ssl._create_unverified_context()) \
            if self.secure else http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        try:
            line.request("GET", path)
            return line.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            line.close()

    def serve(self):
        """Starts it, and returns when it answers."""
        self.start()
        self.await_answer()
        return self

    def await_answer(self):
        until(lambda: self.answers() or not self.running(), 60, lambda: f"{self.name}:\n{self.said(3000)}")
        if not self.running():
            raise Failed(f"{self.name} has ended:\n{self.said(3000)}")


class Farm:
    """Coordinators and their workers; each coordinator has its snapfarm and its ledger's URL."""

    def __init__(self, programs, folder, ledgers=(None,), bucket=None, more=""):
        self.snapfarm, self.folder, self.ledger = programs[0], folder, ledgers[0]
        self.coordinators = [
            Coordinator(program, f"{folder}/c{n}", more, ledger, bucket)
            for n, (program, ledger) in enumerate(zip(programs, ledgers))]
        if len(ledgers) > 1 and not bucket:
            # Pictures and bundles are not in the ledger: all coordinators have one folder of them.
            os.makedirs(f"{folder}/blobs", mode=0o700)
            for coordinator in self.coordinators:
                os.symlink(f"{folder}/blobs", f"{coordinator.data}/blobs")
        self.workers = []
        self.url = None
        first = self.coordinators[0]
        scopes = [word for scope in ("submit", "work", "read") for word in ("--scope", scope)]
        self.token = run(
            self.snapfarm, "tokens", "create", "all", "--data", first.data, *scopes).decode().strip()
        for other in self.coordinators[1:]:
            for name in ("tokens.json", "lease.key"):
                if os.path.exists(f"{first.data}/{name}"):
                    shutil.copy2(f"{first.data}/{name}", f"{other.data}/{name}")

    def start(self, workers=0, balanced=False):
        for coordinator in self.coordinators:
            coordinator.serve()
        # Callers name all coordinators, or what stands in front of them.
        self.url = Balancer(self.coordinators).url if balanced else \
            ",".join(coordinator.url for coordinator in self.coordinators)
        for n in range(workers):
            words = ["worker", "--coordinator", self.url, "--id", f"w{n}", "--scratch",
                     f"{self.folder}/scratch-{n}", "--cache", f"{self.folder}/cache"]
            self.workers.append(self.program(words, f"worker-{n}", self.folder).start())
        return self

    def program(self, words, log, folder):
        """A call of the program that may do everything at the farm."""
        return Program([self.snapfarm, *words], f"{self.folder}/{log}.log", folder, self.token)

    def submitted(self, project, *words, log="run"):
        """A run of a project's app.yaml on the farm."""
        return self.program(["run", "app.yaml", "--coordinator", self.url, *words], log, project).start()

    def ask(self, *words, **more):
        return run(self.snapfarm, *words, environment={"SNAPFARM_TOKEN": self.token}, **more).decode()

    def stop_workers(self):
        for worker in self.workers:
            worker.signal(signal.SIGTERM)
        for worker in self.workers:
            worker.end(30)

    def close(self):
        for program in self.workers + self.coordinators:
            program.signal(signal.SIGCONT)
            program.signal(signal.SIGTERM)
        end = time.monotonic() + 20
        for program in self.workers + self.coordinators:
            try:
                if program.process:
                    program.process.wait(max(0.1, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                program.kill(all_of_it=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Bucket:
    """A bucket of SeaweedFS on this machine; `configuration` and `environment` let a coordinator use it."""

    WEED = f"{ROOT}/.build/test-tools/bin/weed"
    KEYS = ("sfkey", "sfsecret")
    environment = {"S3_ACCESS": KEYS[0], "S3_SECRET": KEYS[1]}

    def __init__(self, folder):
        if not os.path.exists(self.WEED):
            raise Failed("no SeaweedFS; run deploy/system-packages.sh test")
        ports = [reserved_port() for _ in range(8)]
        self.url = f"http://127.0.0.1:{ports[0]}"
        self.configuration = (
            f"blobs: {{s3: {{endpoint: \"{self.url}\", bucket: farm-blobs, prefix: farm,\n"
            "  path-style: true, access-key: S3_ACCESS, secret-key: S3_SECRET}}\n")
        write(f"{folder}/s3.json", json.dumps({"identities": [{
            "name": "farm", "actions": ["Admin", "Read", "Write", "List"],
            "credentials": [{"accessKey": self.KEYS[0], "secretKey": self.KEYS[1]}]}]}))
        os.makedirs(f"{folder}/data")
        listens = [f"-{part}.port{kind}={ports.pop()}" for part in ("filer", "master", "volume", "s3")
                   for kind in (".grpc", "")]
        self.server = Program(
            [self.WEED, "server", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-dir={folder}/data",
             "-master.volumeSizeLimitMB=64", "-volume.max=60", "-s3.port.iceberg=0",
             "-s3.port.lance=0", "-s3", "-filer", f"-s3.config={folder}/s3.json", *listens],
            f"{folder}/log", folder)
        self.start()
        self.curl("-X", "PUT", f"{self.url}/farm-blobs")

    def start(self):
        self.server.start()
        until(lambda: run("curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", self.url,
                          accepted=(0, 7, 52, 56)) == b"403",
              60, lambda: f"the server of the bucket:\n{self.server.said(3000)}")

    def kill(self):
        self.server.kill(all_of_it=True)

    def curl(self, *words):
        return run("curl", "-sS", "--aws-sigv4", "aws:amz:us-east-1:s3", "--user", ":".join(self.KEYS),
                   *words).decode()

    def objects(self):
        count, after = 0, ""
        while True:
            query = f"list-type=2&max-keys=1000&start-after={after}".replace("/", "%2F")
            keys = [k.split("</Key>")[0] for k in
                    self.curl(f"{self.url}/farm-blobs?{query}").split("<Key>")[1:]]
            count += len(keys)
            if len(keys) < 1000:
                return count
            after = keys[-1]
