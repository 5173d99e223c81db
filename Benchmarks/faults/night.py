"""A night of an operator: twelve events at real farms, one after the other, each in the middle of a run.

    leader       the coordinator that leads is killed; another has the ledger, in PostgreSQL
    database     PostgreSQL is killed, and comes back
    bucket       the server of the bucket of all blobs is killed, and comes back
    disk         the disk of the data folder is full (root)
    certificate  it ends within ten days, then one that has expired is loaded, then a good one
    token        the caller's token is revoked
    reload       the configuration has a mistake
    flood        one team hands in fifty runs; another team has a run of four tests
    worker       a worker is stopped (SIGSTOP) for longer than a lease
    clock        the coordinator's clock is set back by two hours, then it starts anew (libfaketime)
    key          the key of leases is removed, and the coordinator starts anew
    restore      the machine is lost; a backup goes on elsewhere, and the caller with --resume

Each has a row: what the operator sees (`snapfarm farm`: its needs that were not there before), the one who
waits (`snapfarm why`) and the caller, and the seconds from the repair, or from the fault where nothing is to
be repaired, until `why` counts another verdict. Only words that name the cause count, and (nothing) is no
mistake here. A test is lost without a verdict, doubled with two or where it ran again for no reason, and
invented with another verdict than its own, one that never ran, or an attempt that never was. Then, and where
`snapfarm check --deep` finds anything, it is wrong.
"""
import contextlib
import glob
import io
import os
import re
import shutil
import signal
import subprocess
import time
import types

from chaos import sound
from cluster import DATABASE, USER, Server
from farm import Bucket, Farm, until
from measuring import ENVIRONMENT, Failed, run as call, write
from trial import Trial
from upkeep import DISK_MEGABYTES, fill
from witness import Witness, named

NOTHING = "(nothing)"
LIBFAKETIME = next(iter(glob.glob("/usr/lib/*/faketime/libfaketime.so.1")), None)
FLOOD_OPEN = 4
SETTINGS = f"""tls: {{certificate: cert.pem, key: key.pem}}
teams:
  many: {{pipelines: ["flood-*"], runs: {FLOOD_OPEN}}}
  few: {{pipelines: [quick]}}
"""
# Where the run may have its tests run again: a lease was lost, or reports after a backup.
REPEATS = ("disk", "worker", "key", "restore")
# What goes on without a person; the seconds count from the fault.
HEALS = ("leader", "token", "reload", "flood", "worker", "clock", "key", "restore")
# Seconds after which the farm can know it at the earliest: of a worker, a lease; of a database, its deadline.
LOOKS = {"database": 12, "bucket": 20, "worker": 34}
OPTIONS = {"only": "", "tests": 60, "flood": 50, "look": 12.0}
SMALL = {"tests": 36, "flood": 20, "look": 4.0}


def run(snapfarm, work, options, chance):
    night = Night(snapfarm, work, options)
    shared = [night.leader, night.database, night.bucket]
    alone = [night.disk, night.certificate, night.token, night.reload, night.flood, night.worker,
             night.clock, night.key, night.restore]
    chosen = options.only.split(",") if options.only else [one.__name__ for one in shared + alone]
    print("| event | /farm said | why said | the caller | went on after s |\n|---|---|---|---|---:|", flush=True)
    for farm, events in ((night.shared, shared), (night.alone, alone)):
        events = [event for event in events if event.__name__ in chosen]
        if events:
            with farm():
                for event in events:
                    night.pass_through(event)
    for name in night.wrong:
        print(f"WRONG: {name}")
    counts = night.counts
    print(f"silent: {', '.join(night.silent) or 'nobody'}")
    print(f"lost {counts['lost']}, doubled {counts['doubled']}, invented {counts['invented']} "
          f"of {counts['tests']} tests")
    return not night.wrong


class Night:
    def __init__(self, snapfarm, work, options):
        self.snapfarm, self.work, self.options = snapfarm, work, options
        self.counts = dict.fromkeys(("lost", "doubled", "invented", "tests"), 0)
        self.wrong, self.silent = [], []
        self.number, self.farm = 0, None

    # MARK: farms

    @contextlib.contextmanager
    def shared(self):
        """Two coordinators with one ledger in PostgreSQL and a bucket."""
        self.postgres = Server(f"{self.work}/postgres")
        self.postgres.make()
        self.postgres.serve()
        store = None
        try:
            self.postgres.sql(f"create database {DATABASE}", database="postgres")
            ledger = f"postgres://{USER}@127.0.0.1:{self.postgres.port}/{DATABASE}"
            store = self.store = Bucket(f"{self.work}/bucket")
            with Farm([self.snapfarm] * 2, f"{self.work}/shared", [ledger] * 2, store) as self.farm:
                self.farm.start(2)
                yield
        finally:
            self.postgres.kill()
            if store:
                store.kill()

    @contextlib.contextmanager
    def alone(self):
        """One coordinator with a file for a ledger, on a small disk, with TLS and teams."""
        place = f"{self.work}/alone/c0"
        os.makedirs(f"{place}/data")
        call("mount", "-t", "tmpfs", "-o", f"size={DISK_MEGABYTES}m,mode=0700", "tmpfs", f"{place}/data")
        try:
            self.certify(place, 90)
            # All programs of this script trust it, those of the other farm speak no TLS.
            ENVIRONMENT["SNAPFARM_CA"] = f"{place}/trusted.pem"
            with Farm([self.snapfarm], f"{self.work}/alone", more=SETTINGS) as self.farm:
                self.server = self.farm.coordinators[0]
                self.farm.start(2)
                yield
        finally:
            ENVIRONMENT.pop("SNAPFARM_CA", None)
            if os.path.ismount(f"{place}/data"):
                call("umount", "-l", f"{place}/data")

    def certify(self, place, days):
        """A certificate of one authority for `localhost` that ends in so many days."""
        write(f"{place}/names", "subjectAltName=DNS:localhost\n")
        if not os.path.exists(f"{place}/trusted.pem"):
            call("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "99", "-subj", "/CN=night",
                 "-keyout", "authority.pem", "-out", "trusted.pem", cwd=place)
        call("openssl", "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-keyout", "key.pem",
             "-out", "request.pem", cwd=place)
        # Negative days are an end in the past.
        call("openssl", "x509", "-req", "-in", "request.pem", "-CA", "trusted.pem", "-CAkey", "authority.pem",
             "-CAcreateserial", "-days", days, "-extfile", "names", "-out", "cert.pem", cwd=place)

    # MARK: an event

    def made(self, name, tests, token=None, failing=2, pipeline="trial"):
        trial = Trial(
            self.snapfarm, f"{self.work}/{name}", types.SimpleNamespace(cells=1, tests=tests, failing=failing),
            token or self.farm.token, ["--coordinator", self.farm.url])
        with open(f"{trial.folder}/app.yaml") as file:
            write(f"{trial.folder}/app.yaml", file.read().replace("name: trial", f"name: {pipeline}"))
        with open(f"{trial.folder}/one.sh", "a") as file:
            file.write('failed=$?\necho "$1 on $SNAPFARM_CELL"\nexit $failed\n')
        self.trials.append(trial)
        return trial

    def pass_through(self, event):
        name, self.trials, self.note, self.went_on, self.caller = event.__name__, [], None, None, None
        # Paths are printed; so they name no event.
        self.number += 1
        self.trial = trial = self.made(
            f"run-{self.number}", self.options.tests, self.own_token("caller") if name == "token" else None)
        trial.pause(1.0)
        trial.run.start()
        until(lambda: trial.ran() >= 3 or not trial.run.running(), 60, lambda: trial.run.said(3000))
        self.witness = witness = Witness(self.farm, trial)
        begun, steps = time.time(), event()
        moved = witness.look(next(steps), max(self.options.look, LOOKS.get(name, 0)))
        if name not in HEALS:
            begun, moved = time.time(), None
        next(steps, None)
        trial.pause(0.05)
        went_on = self.went_on or (moved or witness.await_less()) - begun
        status = trial.run.end(180)
        self.judge(name, status)
        self.row(name, status, went_on)

    def row(self, name, status, went_on):
        seen = {**self.witness.seen, "caller": self.caller or self.witness.seen["caller"]}
        self.silent += [f"{who} ({name})" for who, words in seen.items() if not words]
        ends = [line for line in self.trial.run.said().splitlines()
                if re.match("(failed|passed|incomplete|error)", line)]
        cells = [name, "; ".join(filter(None, [seen["farm"] or NOTHING, self.note])), seen["why"] or NOTHING,
                 f"{seen['caller'] or NOTHING}; exit {status}: {ends[-1] if ends else NOTHING}", f"{went_on:.1f}"]
        print("| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |", flush=True)

    def judge(self, name, status):
        """Counts what was lost, doubled and invented in the runs of an event."""
        wrong = [] if status == self.trial.wanted_exit() else [f"the caller ended with {status}"]
        for trial in self.trials:
            with contextlib.redirect_stdout(io.StringIO()) as words:
                found = trial.count()
            again = found["again"]
            counts = {"lost": found["lost"],
                      "doubled": found["doubled"] + (max(0, again) if name not in REPEATS else 0),
                      "invented": found["spurious"] + max(0, -again)}
            if any(counts.values()):
                wrong.append(f"{counts}\n{words.getvalue()}{trial.run.said(1000)}")
            for key, value in counts.items():
                self.counts[key] += value
            self.counts["tests"] += trial.planned
        for one in self.farm.coordinators:
            if one.running():
                sound(self.snapfarm, "--deep", *one.place, environment=one.environment)
            else:
                wrong.append(f"{one.name} has ended:\n{one.said(2000)}")
        self.wrong += [f"{name}: {text}" for text in wrong]

    def ask(self, *words, accepted=(0,)):
        """A command of the operator on the coordinator's machine; what it says is noted."""
        result = subprocess.run([self.snapfarm, *words], cwd=self.server.folder, env=ENVIRONMENT,
                                capture_output=True, text=True, timeout=120)
        said = " / ".join((result.stdout + result.stderr).replace(f"{self.server.folder}/", "").split("\n")).strip(" /")
        if result.returncode not in accepted:
            raise Failed(f"{words}: exit {result.returncode}\n{said}")
        return re.sub(" +", " ", said)

    def own_token(self, name):
        return call(self.snapfarm, "tokens", "create", name, "--data", self.server.data, "--scope",
                    "submit").decode().strip()

    # MARK: two coordinators. An event is made before `yield`, which says what must be named; then it is mended.

    def leader(self):
        url = self.postgres.sql("select url from farm.pool")
        gone = next(one for one in self.farm.coordinators if one.url == url)
        gone.kill()
        yield rf"{re.escape(gone.url)}|\bleads\b"
        gone.serve()

    def database(self):
        self.postgres.kill()
        yield "database|postgres|shared ledger"
        self.postgres.serve()

    def bucket(self):
        self.store.kill()
        yield "bucket"
        self.store.start()

    # MARK: one coordinator

    def disk(self):
        fill(self.server.data)
        yield "disk|space"
        os.remove(f"{self.server.data}/filler")

    def certificate(self):
        self.certify(self.server.folder, 10)
        self.note = f"reload, 10 days: {self.ask('reload', '--config', 'farm.yaml')}"
        self.note += f"; /farm, 10 days: {named(self.witness.news(), 'certificate') or NOTHING}"
        self.certify(self.server.folder, -1)
        self.note += f"; reload, expired: {self.ask('reload', '--config', 'farm.yaml', accepted=(0, 65, 78))}"
        yield "certificate|expire"
        self.certify(self.server.folder, 90)
        self.ask("reload", "--config", "farm.yaml")

    def token(self):
        self.ask("tokens", "revoke", "caller", "--data", "data")
        yield "token|revoked"
        status = self.trial.run.end(60)
        self.caller = f"exit {status}: {named(self.witness.words(), 'token|revoked')}"
        self.trial.run.environment["SNAPFARM_TOKEN"] = self.own_token("caller-2")
        self.resume()

    def resume(self):
        self.trial.run.words.append("--resume")
        self.trial.run.start()

    def reload(self):
        file = f"{self.server.folder}/farm.yaml"
        with open(file) as good:
            text = good.read()
        write(file, text + "retentoin: {days: 3}\n")
        self.note = f"reload: {self.ask('reload', '--config', 'farm.yaml', accepted=(65,))}"
        yield r"farm\.yaml|reload"
        write(file, text)
        self.ask("reload", "--config", "farm.yaml")

    def flood(self):
        many = [self.made(f"many-{n}", 2, failing=0, pipeline=f"flood-{n}") for n in range(self.options.flood)]
        for one in many:
            one.run.start()
        until(lambda: sum(one.ran() > 0 for one in many) >= 1, 60, lambda: many[0].run.said(2000))
        quick, begun = self.made("quick", 4, failing=0, pipeline="quick"), time.time()
        quick.run.start()
        yield "quota|at most|open runs|team"
        if quick.run.end(120) != 0:
            raise Failed(f"the run of four tests: {quick.run.said(2000)}")
        took = max(float(line[2]) for line in quick.lines()) - begun
        self.note = f"the other team's 4 tests had run after {took:.1f} s"
        waited = [line for one in many for line in one.run.said().splitlines() if line.startswith("Waiting to")]
        counts = re.findall(r"has (\d+) (?:of at most \d+ )?open runs", "".join(waited))
        self.note += f"; {max(map(int, counts), default=0)} runs of at most {FLOOD_OPEN} were open"
        self.caller = f"{len(waited)} times {waited[0]}" if waited else None
        ended = [one.run.end(300) for one in many]
        if any(ended):
            self.wrong.append(f"flood: its callers ended with {ended}")

    def worker(self):
        stopped, begun = self.farm.workers[0], time.time()
        stopped.signal(signal.SIGSTOP)
        self.trial.pause(0.05)
        yield r"\bw0\b.*(silent|stopped|lost)|(silent|lost).*\bw0\b"
        self.trial.run.end(180)
        # The tests of its lease are all that was left.
        ends = sorted(float(line[2]) for line in self.trial.lines())
        self.went_on = max((b - a, b) for a, b in zip(ends, ends[1:]))[1] - begun
        stopped.signal(signal.SIGCONT)

    def clock(self):
        faked = {"LD_PRELOAD": LIBFAKETIME, "FAKETIME_TIMESTAMP_FILE": f"{self.work}/clock",
                 "FAKETIME_CACHE_DURATION": "1", "DONT_FAKE_MONOTONIC": "1"}
        if not LIBFAKETIME:
            raise Failed("no libfaketime; apt-get install faketime")
        write(f"{self.work}/clock", "+0\n")
        self.server.environment.update(faked)
        self.restart()
        write(f"{self.work}/clock", "-2h\n")
        # First a coordinator that runs sees another time, then one that starts.
        time.sleep(3)
        self.restart()
        hour = time.strftime("T%H:", time.gmtime(time.time() - 7200))
        if hour not in self.server.said().splitlines()[0]:
            raise Failed(f"the clock was not set back:\n{self.server.said(500)}")
        yield r"\bclock"
        for name in faked:
            del self.server.environment[name]
        self.restart()

    def restart(self, meanwhile=lambda: None):
        self.server.signal(signal.SIGTERM)
        self.server.end(60)
        meanwhile()
        self.server.serve()

    def key(self):
        self.restart(lambda: os.remove(f"{self.server.data}/lease.key"))
        yield r"\bkey\b"

    def restore(self):
        self.ask("backup", "--config", "farm.yaml", "--to", f"{self.work}/backups")
        time.sleep(2)
        self.server.kill()
        self.trial.run.kill()
        call("umount", "-l", self.server.data)
        shutil.rmtree(self.server.data)
        self.note = self.ask("restore", f"{self.work}/backups", "--data", "data")
        self.server.serve()
        yield "restor"
        self.resume()
