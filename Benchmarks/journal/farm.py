"""Coordinators of one farm, their workers, a balancer in front of them, and clients that write all the time."""
import http.client
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from ports import reserved_port  # noqa: E402

ENVIRONMENT = {key: value for key, value in os.environ.items()
               if not key.startswith(("CI", "SNAPFARM", "GITHUB", "BITRISE", "BUILDKITE"))}
POOL = "chaos"
# The first that is tried; a coordinator says which it does not serve.
NEWEST_VERSION = 12


class Program:
    """A process of the farm; it ends with this script."""

    def __init__(self, words, log, token=None, folder=None, environment={}):
        self.words, self.log, self.folder = words, log, folder
        self.environment = {
            **ENVIRONMENT, **({"SNAPFARM_TOKEN": token} if token else {}), **environment}
        self.process = None

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig=KILL", *self.words], stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, env=self.environment, cwd=self.folder, start_new_session=True)

    def running(self):
        return self.process is not None and self.process.poll() is None

    def signal(self, number):
        if self.running():
            os.kill(self.process.pid, number)

    def kill(self):
        if self.running():
            self.process.kill()
            self.process.wait()

    def cost(self):
        """CPU seconds and resident megabytes."""
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        pages = int(open(f"/proc/{self.process.pid}/statm").read().split()[1])
        return ((int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"),
                pages * os.sysconf("SC_PAGE_SIZE") / 1e6)


class Coordinator(Program):
    """`snapfarm serve` with a data folder of its own; `ledger` None: with a ledger of its own, too."""

    def __init__(self, snapfarm, folder, ledger, bucket=None):
        self.port = reserved_port()
        self.name = os.path.basename(folder)
        self.data = f"{folder}/data"
        # What `check` is told: the configuration where it has to look into a bucket.
        self.place = ["--config", f"{folder}/farm.yaml"] if bucket else ["--data", self.data]
        self.url = f"http://127.0.0.1:{self.port}"
        os.makedirs(self.data, mode=0o700)
        with open(f"{folder}/farm.yaml", "w") as file:
            file.write(f"version: 1\nlisten: 127.0.0.1:{self.port}\ndata: data\n")
            if bucket:
                file.write(bucket.configuration)
        words = [snapfarm, "serve", "--config", f"{folder}/farm.yaml", "--log-format", "json"]
        if ledger:
            words += ["--ledger", ledger, "--pool", POOL, "--address", self.url]
        super().__init__(words, f"{folder}/log", environment=bucket.environment if bucket else {})

    def answers(self, path="/healthz", seconds=1.0):
        try:
            line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
            line.request("GET", path)
            answer = line.getresponse()
            answer.read()
            line.close()
            return answer.status == 200
        except (OSError, http.client.HTTPException):
            return False

    def await_answer(self, seconds=60):
        end = time.monotonic() + seconds
        while not self.answers():
            if time.monotonic() > end or not self.running():
                raise RuntimeError(f"{self.name} does not answer; see {self.log}")
            time.sleep(0.05)


class Balancer:
    """One address for the farm: passes connections to a coordinator that answers `/healthz`.

    A coordinator that stops answering loses its connections: one that is frozen keeps them open.
    """

    def __init__(self, coordinators):
        self.coordinators = coordinators
        self.healthy = {coordinator.port: True for coordinator in coordinators}
        self.lines = {coordinator.port: set() for coordinator in coordinators}
        self.lock = threading.Lock()
        self.turn = 0
        self.server = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.url = f"http://127.0.0.1:{self.server.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()
        for coordinator in coordinators:
            threading.Thread(target=self.watch, args=(coordinator,), daemon=True).start()

    def watch(self, coordinator):
        while True:
            well = coordinator.answers(seconds=1.0)
            with self.lock:
                self.healthy[coordinator.port] = well
                cut = [] if well else list(self.lines[coordinator.port])
            for line in cut:
                try:
                    line.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
            time.sleep(0.2)

    def accept(self):
        while True:
            near, _ = self.server.accept()
            threading.Thread(target=self.serve, args=(near,), daemon=True).start()

    def connect(self):
        with self.lock:
            self.turn += 1
            ports = list(self.healthy)
            ports = ports[self.turn % len(ports):] + ports[:self.turn % len(ports)]
            ports.sort(key=lambda port: not self.healthy[port])
        for port in ports:
            try:
                return port, socket.create_connection(("127.0.0.1", port), timeout=1)
            except OSError:
                continue
        return None, None

    def serve(self, near):
        port, far = self.connect()
        if far is None:
            near.close()
            return
        far.settimeout(None)
        with self.lock:
            self.lines[port].add(far)
        try:
            both = [near, far]
            while True:
                for source in select.select(both, [], [])[0]:
                    data = source.recv(1 << 16)
                    if not data:
                        return
                    (far if source is near else near).sendall(data)
        except OSError:
            pass
        finally:
            with self.lock:
                self.lines[port].discard(far)
            near.close()
            far.close()


class Writer(threading.Thread):
    """A client of one coordinator that makes a small change every `period` seconds and notes each answer.

    The change is a worker that says hello and that it is unfit, so nothing waits for it. `answers` are
    (sent, answered, coordinator); `kept` names what was acknowledged and must be in every ledger for ever.
    """

    def __init__(self, coordinator, token, name, period, fresh_every):
        super().__init__(daemon=True, name=name)
        self.version = NEWEST_VERSION
        self.coordinator, self.token, self.period = coordinator, token, period
        self.fresh_every = fresh_every
        self.answers, self.kept, self.refused = [], [], {}
        self.going = True

    def run(self):
        line, number, name = None, 0, None
        while self.going:
            if number % self.fresh_every == 0:
                name = f"{self.name}-{number}"
            number += 1
            body = json.dumps({
                "worker": name, "beginsAnew": True, "running": [],
                "unfit": {"code": "writer", "message": "only writes", "remedy": "none"},
            })
            sent = time.monotonic()
            try:
                if line is None:
                    line = http.client.HTTPConnection("127.0.0.1", self.coordinator.port, timeout=2)
                line.request("POST", "/api/v1/workers", body, {
                    "Authorization": f"Bearer {self.token}", "Snapfarm-Version": str(self.version),
                    "Content-Type": "application/json"})
                answer = line.getresponse()
                answer.read()
                status = answer.status
            except (OSError, http.client.HTTPException) as error:
                status, line = type(error).__name__, None
            if status == 200:
                self.answers.append((sent, time.monotonic(), self.coordinator.name))
                if not self.kept or self.kept[-1] != name:
                    self.kept.append(name)
            elif status == 426 and self.version > 1:
                self.version -= 1  # A build that speaks an older protocol.
            else:
                self.refused[status] = self.refused.get(status, 0) + 1
            time.sleep(self.period)


class Farm:
    """The coordinators and workers of one farm; each coordinator has its snapfarm and its ledger's URL."""

    def __init__(self, programs, folder, ledgers, bucket=None):
        self.snapfarm, self.folder, self.ledger = programs[0], folder, ledgers[0]
        snapfarm = self.snapfarm
        self.coordinators = [
            Coordinator(program, f"{folder}/c{n}", ledger, bucket)
            for n, (program, ledger) in enumerate(zip(programs, ledgers))]
        if len(ledgers) > 1 and not bucket:
            # Pictures and bundles are not in the ledger: all coordinators have one folder of them.
            os.makedirs(f"{folder}/blobs", mode=0o700)
            for coordinator in self.coordinators:
                os.symlink(f"{folder}/blobs", f"{coordinator.data}/blobs")
        self.workers, self.writers = [], []
        self.url = None
        first = self.coordinators[0]
        self.token = subprocess.run(
            [snapfarm, "tokens", "create", "all", "--data", first.data,
             "--scope", "submit", "--scope", "work", "--scope", "read"],
            capture_output=True, text=True, check=True, env=ENVIRONMENT).stdout.strip()
        for other in self.coordinators[1:]:
            for name in ("tokens.json", "lease.key"):
                if os.path.exists(f"{first.data}/{name}"):
                    shutil.copy2(f"{first.data}/{name}", f"{other.data}/{name}")

    def start(self, balanced=False):
        for coordinator in self.coordinators:
            coordinator.start()
            coordinator.await_answer()
        # Callers name all coordinators, or what stands in front of them.
        self.url = Balancer(self.coordinators).url if balanced else \
            ",".join(coordinator.url for coordinator in self.coordinators)

    def add_workers(self, count):
        for n in range(count):
            worker = Program(
                [self.snapfarm, "worker", "--coordinator", self.url, "--id", f"worker-{n}",
                 "--scratch", f"{self.folder}/scratch-{n}", "--cache", f"{self.folder}/cache"],
                f"{self.folder}/worker-{n}.log", self.token, self.folder)
            worker.start()
            self.workers.append(worker)

    def add_writers(self, fresh_every=10):
        # Several for each coordinator, so that one that waits for an answer hides no other's.
        for coordinator in self.coordinators:
            for n in range(3):
                name = f"writer-{coordinator.name}-{n}"
                writer = Writer(coordinator, self.token, name, 0.25, fresh_every)
                writer.start()
                self.writers.append(writer)

    def answered(self, sent_after, not_by=None):
        """When the first change that was sent after a moment was answered; None: none yet."""
        times = [done for writer in self.writers for sent, done, name in writer.answers[-200:]
                 if sent >= sent_after and name != not_by]
        return min(times, default=None)

    def await_write(self, sent_after, not_by=None, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = self.answered(sent_after, not_by)
            if found is not None:
                return found
            time.sleep(0.01)
        return None

    def close(self):
        for writer in self.writers:
            writer.going = False
        for program in self.workers + self.coordinators:
            if program.running():
                program.signal(signal.SIGCONT)
                program.signal(signal.SIGTERM)
        end = time.monotonic() + 20
        for program in self.workers + self.coordinators:
            try:
                if program.process:
                    program.process.wait(max(0.1, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                program.kill()
