#!/usr/bin/env python3
"""An operator's day: ten faults, each in the middle of a run, and what people see of them.

    deploy/system-packages.sh test
    Benchmarks/operator/run.py SNAPFARM [EVENT ...] [--keep]

Each event has a farm of its own: one coordinator or two, two workers, a run of 60 tests. While the fault
lasts, `why`, `runs`, `workers`, the run's page, the caller's output and the coordinator's log are printed.
Then the fault is removed, or the way of docs/operations.md is gone, the run ends, and its verdicts are
counted: every test must have exactly one, the one of a quiet day. Any other, or a `check --deep` that
finds something, makes the exit status 1.

It needs root (a small disk of its own for the full one), PostgreSQL and SeaweedFS.
"""
import argparse
import contextlib
import html
import http.server
import json
import os
import re
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."), os.path.join(HERE, "../journal")]
from cluster import Server, DATABASE, USER  # noqa: E402
from farm import ENVIRONMENT, Program  # noqa: E402
from ports import reserved_port  # noqa: E402
from seaweed import Bucket  # noqa: E402

TESTS = 60
FAILING = {"suite/t07", "suite/t31"}
PNG = """import struct, sys, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
number = int(sys.argv[1])
rows = b"".join(b"\\0" + bytes([number, n, 200]) * 8 for n in range(8))
open(sys.argv[2], "wb").write(b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0))
    + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
"""


class Day:
    """A farm and a run in a folder of their own."""

    def __init__(self, options, name, coordinators=1, more="", environment={}, ledger=None, tls=False):
        self.snapfarm, self.keep, self.name = options.snapfarm, options.keep, name
        self.place = tempfile.mkdtemp(prefix=f"operator-{name}-")
        self.environment = dict(environment)
        self.scheme = "https" if tls else "http"
        self.urls, self.servers, self.workers, self.configurations, self.run = [], [], [], [], None
        self.project = f"{self.place}/project"
        os.mkdir(self.project)
        self.write_project()
        self.sh("git", "init", "-q")
        self.ask("refs", "init")
        for number in range(coordinators):
            port = reserved_port()
            folder = f"{self.place}/c{number}"
            os.makedirs(f"{folder}/data", mode=0o700)
            self.urls.append(f"{self.scheme}://127.0.0.1:{port}")
            self.configurations.append(f"{folder}/farm.yaml")
            with open(f"{folder}/farm.yaml", "w") as file:
                file.write(f"version: 1\nlisten: 127.0.0.1:{port}\ndata: data\nlog: json\n"
                           f"stores: {{app: {self.project}/store.git}}\n{more}")
                if ledger:
                    file.write(f"ledger: {{url: \"{ledger}\", pool: day, address: \"{self.urls[-1]}\"}}\n")
        self.data = f"{self.place}/c0/data"

    def write_project(self):
        os.mkdir(f"{self.project}/act")
        files = {
            "scenes": "".join(f"suite/t{n:02}\n" for n in range(TESTS)),
            "act/png.py": PNG,
            # A test takes a third of a second, and may have an act of its own.
            "test.sh": f"""n=${{1#suite/t}}; n=$(echo "$n" | sed 's/^0*\\(.\\)/\\1/')
echo "$1" >> {self.place}/ran
sleep 0.3
if [ -e {self.place}/act-$n ]; then . {self.place}/act-$n; fi
mkdir -p "$SNAPFARM_CAPTURE_DIR/suite" && python3 act/png.py "$n" "$SNAPFARM_CAPTURE_DIR/suite/t$n.png"
case " 7 31 " in *" $n "*) exit 1 ;; esac
""",
            "app.yaml": """version: 1
name: app
references: {store: store.git, pin: snapfarm.refs}
devices:
  - {name: A, width: 8, height: 8, scale: 1}
jobs:
  screens:
    kind: snapshot
    driver: command
    discover: cat scenes
    run: sh test.sh {tests}
    bundle: [test.sh, scenes, "act/*"]
""",
        }
        for name, text in files.items():
            with open(f"{self.project}/{name}", "w") as file:
                file.write(text)

    # programs

    def sh(self, *words):
        return subprocess.run(words, cwd=self.project, env=ENVIRONMENT, capture_output=True, text=True)

    def ask(self, *words, token=None, seconds=60, folder=None):
        environment = {**ENVIRONMENT, **self.environment, **({"SNAPFARM_TOKEN": token} if token else {})}
        try:
            return subprocess.run([self.snapfarm, *words], cwd=folder or self.project, env=environment,
                                  capture_output=True, text=True, timeout=seconds)
        except subprocess.TimeoutExpired as error:
            return subprocess.CompletedProcess(words, "no end", (error.stdout or b"").decode(),
                                               (error.stderr or b"").decode())

    def serve(self, number=0):
        folder = f"{self.place}/c{number}"
        words = [self.snapfarm, "serve", "--config", "farm.yaml"]
        server = Program(words, f"{folder}/log", folder=folder, environment=self.environment)
        self.servers[number:number + 1] = [server]
        before = self.log(number).count("listening")
        server.start()
        end = time.monotonic() + 60
        while self.log(number).count("listening") == before:
            if time.monotonic() > end or not server.running():
                raise RuntimeError(f"{self.name}: no coordinator:\n{self.log(number)[-2000:]}")
            time.sleep(0.05)

    def begin(self, workers=2):
        """Starts coordinators, workers and the run, and returns when eight tests have run."""
        for number in range(len(self.urls)):
            self.serve(number)
        made = {}
        for scope in ("work", "submit", "read", "review"):
            reply = self.ask("tokens", "create", scope, "--config", self.configurations[0], "--scope", scope,
                             folder=f"{self.place}/c0")
            made[scope] = reply.stdout.split()[0] if reply.stdout.split() else ""
            if not made[scope]:
                raise RuntimeError(reply.stderr)
        self.tokens = made
        self.url = ",".join(self.urls)
        for number in range(workers):
            self.work(number)
        self.run = Program([self.snapfarm, "run", "app.yaml", "--mode", "record", "--coordinator", self.url],
                           f"{self.place}/run", made["submit"], self.project, self.environment)
        self.run.start()
        self.await_tests(8)
        listed = json.loads(self.ask("runs", "--json", "--coordinator", self.url, token=made["read"]).stdout)
        self.id = listed["runs"][0]["run"]

    def work(self, number, again=False):
        worker = Program(
            [self.snapfarm, "worker", "--coordinator", self.url, "--id", f"w{number}", "--scratch",
             f"{self.place}/scratch{number}"], f"{self.place}/w{number}", self.tokens["work"], self.place,
            {**self.environment, "XDG_CACHE_HOME": f"{self.place}/cache{number}"})
        self.workers[number:number + 1] = [worker]
        worker.start()

    def await_tests(self, count):
        end = time.monotonic() + 120
        while self.ran() < count:
            if time.monotonic() > end or not self.run.running():
                raise RuntimeError(f"{self.name}: the run does not go on:\n{self.read('run')}")
            time.sleep(0.05)

    def ran(self):
        return len(self.read("ran").split())

    # what people see

    def read(self, name):
        try:
            with open(f"{self.place}/{name}") as file:
                return file.read()
        except OSError:
            return ""

    def log(self, number=0):
        return self.read(f"c{number}/log")

    def page(self):
        """The first words of the run's page, as a browser shows them after a login."""
        found = "no answer"
        for url in self.urls:
            web = urllib.request.build_opener(
                urllib.request.HTTPCookieProcessor(),
                urllib.request.HTTPSHandler(context=ssl._create_unverified_context()))
            form = urllib.parse.urlencode({"key": self.tokens["read"], "back": f"/runs/{self.id}/"}).encode()
            try:
                with web.open(urllib.request.Request(
                        f"{url}/login", form, {"Origin": url, "Accept": "text/html"}), timeout=10) as answer:
                    text = answer.read().decode()
            except urllib.error.HTTPError as error:
                text = f"{error.code}: {error.read().decode()}"
            except OSError as error:
                found = f"{error}"
                continue
            body = re.sub(r"(?s)<(style|script|head)\b.*?</\1>", " ", text)
            return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())[:500]
        return found

    @staticmethod
    def show(title, reply):
        print(f"$ {title}   [exit {reply.returncode}]\n{reply.stdout}{reply.stderr}")

    def see(self, title):
        print(f"\n--- {title}")
        read = self.tokens["read"]
        for words in (["why", self.id], ["runs"], ["workers"]):
            began = time.monotonic()
            reply = self.ask(*words, "--coordinator", self.url, token=read, seconds=40)
            took = time.monotonic() - began
            print(f"$ snapfarm {words[0]}   [exit {reply.returncode}, {took:.1f} s]")
            print("\n".join("    " + line for line in (reply.stdout + reply.stderr).splitlines()[:9]))
        print(f"the page: {self.page()}")
        print("the caller's last lines:")
        print("\n".join("    " + line for line in self.read("run").splitlines()[-4:]))
        print("the log's last lines:")
        for number in range(len(self.urls)):
            for line in self.log(number).splitlines()[-3:]:
                print("    " + line[:300])
        sys.stdout.flush()

    def end(self, exit=1):
        """Counts the verdicts; returns what is wrong."""
        try:
            status = self.run.process.wait(240)
        except subprocess.TimeoutExpired:
            status = "no end"
        print(f"\nthe run ends with {status}:")
        print("\n".join("    " + line for line in self.read("run").splitlines()[-8:]))
        wrong = [] if status == exit else [f"the run ended with {status}"]
        rows = {}
        try:
            with open(f"{self.project}/snapfarm-out/summary.json") as file:
                for row in json.load(file)["tests"]:
                    rows.setdefault(row["test"], []).append(row["verdict"])
        except OSError:
            wrong.append("no summary")
        lost = doubled = invented = 0
        for n in range(TESTS):
            name = f"suite/t{n:02}"
            found = rows.get(name, [])
            lost += not found
            doubled += len(found) > 1
            expected = "failed" if name in FAILING else "passed"
            if found and found[0] not in (expected, "flaky"):
                invented += 1
                print(f"    {name} is {found[0]}, not {expected}")
        for program in [*self.workers, *self.servers]:
            program.signal(signal.SIGTERM)
        for program in [*self.workers, *self.servers]:
            if program.process:
                program.process.wait(60)
        check = self.ask("check", "--deep", "--config", self.configurations[0], folder=f"{self.place}/c0", seconds=120)
        if check.returncode:
            wrong.append(f"check --deep: {check.returncode}: {(check.stdout + check.stderr)[-600:]}")
        print(f"{self.name}: planned {TESTS}, lost {lost}, doubled {doubled}, invented {invented}, "
              f"run {self.ran()} times; check --deep {check.returncode}", flush=True)
        if lost + doubled + invented:
            wrong.append(f"lost {lost}, doubled {doubled}, invented {invented}")
        return wrong

    def kill(self):
        for program in [*self.workers, *self.servers, self.run]:
            if program:
                program.kill()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
        if self.keep:
            print(f"kept: {self.place}")
        else:
            shutil.rmtree(self.place, ignore_errors=True)


@contextlib.contextmanager
def database():
    """A PostgreSQL and its URL."""
    place = tempfile.mkdtemp(prefix="operator-pg-")
    os.chmod(place, 0o755)
    server = Server(f"{place}/pg", reserved_port())
    server.make()
    server.start(wait=False)
    for _ in range(600):
        if server.sql("select 1", quiet=True) == "1":
            break
        time.sleep(0.05)
    server.sql(f"create database {DATABASE}", database="postgres")
    try:
        yield server, f"postgres://{USER}@127.0.0.1:{server.port}/{DATABASE}?target_session_attrs=read-write"
    finally:
        server.kill()
        shutil.rmtree(place, ignore_errors=True)


def leader(options):
    with database() as (_, url), Day(options, "leader", coordinators=2, ledger=url) as day:
        day.begin()
        day.servers[0].kill()
        time.sleep(2)
        day.see("the leading coordinator was killed two seconds ago")
        return day.end()


def away(options):
    with database() as (server, url), Day(options, "database", ledger=url) as day:
        day.begin()
        server.kill()
        time.sleep(20)
        day.see("the database is away for twenty seconds")
        server.start()
        time.sleep(5)
        day.see("the database is back for five seconds")
        return day.end()


def bucket(options):
    with tempfile.TemporaryDirectory(prefix="operator-s3-") as place:
        store = Bucket(f"{place}/s3")
        try:
            with Day(options, "bucket", more=store.configuration, environment=store.environment) as day:
                day.begin()
                store.kill()
                time.sleep(25)
                day.see("the bucket is away for 25 seconds")
                store.start()
                time.sleep(5)
                day.see("the bucket is back for five seconds")
                return day.end()
        finally:
            store.kill()


def disk(options):
    with Day(options, "disk") as day:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m,mode=0700", "tmpfs", day.data], check=True)
        try:
            day.begin()
            with open(f"{day.data}/other", "wb") as file:
                try:
                    while True:
                        file.write(b"x" * 65536)
                        file.flush()
                except OSError:
                    pass
            time.sleep(15)
            day.see("the coordinator's disk is full for 15 seconds")
            os.remove(f"{day.data}/other")
            return day.end()
        finally:
            day.kill()
            subprocess.run(["umount", "-l", day.data])


def expired(options):
    with Day(options, "certificate", more="tls: {certificate: server.pem, key: key.pem}\n", tls=True) as day:
        folder = f"{day.place}/c0"
        write_certificate(folder, days=365)
        day.environment["SNAPFARM_CA"] = f"{folder}/authority.pem"
        day.begin()
        for days, title in ((-1, "that is over"), (3, "for three days")):
            write_certificate(folder, days=days)
            day.show(f"snapfarm reload with a certificate {title}",
                     day.ask("reload", "--config", "farm.yaml", folder=folder))
        time.sleep(2)
        day.see("the certificate was changed two seconds ago")
        return day.end()


def write_certificate(folder, days):
    """One more certificate of the same authority, which ends in so many days; with a negative number it is over."""
    if not os.path.exists(f"{folder}/key.pem"):
        for name in ("key", "authority-key"):
            subprocess.run(["openssl", "genrsa", "-out", f"{folder}/{name}.pem", "2048"], check=True,
                           capture_output=True)
        subprocess.run(["openssl", "req", "-new", "-x509", "-key", f"{folder}/authority-key.pem", "-subj", "/CN=authority",
                        "-days", "400", "-out", f"{folder}/authority.pem"], check=True, capture_output=True)
    now = time.time()
    first, last = (time.strftime("%Y%m%d%H%M%SZ", time.gmtime(now + 86400 * day)) for day in (-30, days))
    with open(f"{folder}/ca.conf", "w") as file:
        file.write(f"[ca]\ndefault_ca=own\n[own]\ndatabase={folder}/index\nnew_certs_dir={folder}\nserial={folder}/serial\n"
                   "default_md=sha256\npolicy=any\nunique_subject=no\nx509_extensions=names\n[any]\ncommonName=supplied\n"
                   "[names]\nsubjectAltName=IP:127.0.0.1\n")
    open(f"{folder}/index", "w").close()
    with open(f"{folder}/serial", "w") as file:
        file.write(f"{int(now):010x}\n")
    for words in (["req", "-new", "-key", f"{folder}/key.pem", "-subj", "/CN=127.0.0.1", "-out", f"{folder}/csr.pem"],
                  ["ca", "-batch", "-config", f"{folder}/ca.conf", "-cert", f"{folder}/authority.pem", "-keyfile",
                   f"{folder}/authority-key.pem", "-in",
                   f"{folder}/csr.pem", "-out", f"{folder}/new.pem", "-notext", "-startdate", first, "-enddate", last]):
        subprocess.run(["openssl", *words], check=True, capture_output=True)
    os.replace(f"{folder}/new.pem", f"{folder}/server.pem")


def hangup(options):
    with Day(options, "sighup") as day:
        day.begin()
        with open(day.configurations[0]) as file:
            text = file.read()
        more = text.replace("stores: {app:", f"stores: {{other: {day.project}/store.git, app:")
        for now, title in ((text + 'webhooks: [{url: "http://127.0.0.1:99999/"}]\n', "a mistake in the configuration"),
                           (more, "one more store")):
            with open(day.configurations[0], "w") as file:
                file.write(now)
            day.servers[0].signal(signal.SIGHUP)
            time.sleep(2)
            day.see(f"SIGHUP two seconds ago, with {title}")
        return day.end()


def key(options):
    with Day(options, "key") as day:
        day.begin()
        os.remove(f"{day.data}/lease.key")
        day.servers[0].kill()
        day.serve()
        time.sleep(5)
        day.see("lease.key is lost, and the coordinator was started again five seconds ago")
        return day.end()


def killed(options):
    with Day(options, "killed") as day:
        acts = [f"{day.place}/act-{number}" for number in range(20, 26)]
        for act in acts:
            # As `kill -9 -1` of a worker's own user does: nothing of the worker is left.
            with open(act, "w") as file:
                file.write(f"rm {act}\npkill -9 -f {day.place}/scratch.\n")
        day.begin()
        end = time.monotonic() + 60
        while all(worker.running() for worker in day.workers) and time.monotonic() < end:
            time.sleep(0.1)
        time.sleep(35)
        day.see("a test killed the workers 35 seconds ago")
        for act in acts:
            if os.path.exists(act):
                os.remove(act)
        for number, worker in enumerate(day.workers):
            if not worker.running():
                day.work(number)
        return day.end()


class Liar(http.server.BaseHTTPRequestHandler):
    """Passes a worker's calls on to its coordinator, and says of each stored picture that it is one byte longer."""
    protocol_version = "HTTP/1.1"
    target, told = "", []

    def log_message(self, *words):
        pass

    def do_GET(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else None
        if body and b'"bytes":' in body and "/leases/" in self.path:
            body = re.sub(rb'"bytes":(\d+)', lambda found: b'"bytes":%d' % (int(found[1]) + 1), body)
        headers = {name: text for name, text in self.headers.items()
                   if name.lower() not in ("host", "content-length", "connection")}
        call = urllib.request.Request(self.target + self.path, body, headers, method=self.command)
        try:
            with urllib.request.urlopen(call, timeout=120) as answer:
                status, found, data = answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            status, found, data = error.code, error.headers, error.read()
            if "/leases/" in self.path and status not in (503, 409):
                self.told.append(f"{self.command} {self.path}: {status} {data.decode()[:300]}")
        except OSError:
            self.close_connection = True
            return
        self.send_response(status)
        for name, text in found.items():
            if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                self.send_header(name, text)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    do_POST = do_PUT = do_HEAD = do_DELETE = do_GET


def report(options):
    with Day(options, "report") as day:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Liar)
        Liar.target, Liar.told = day.urls[0], []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        day.begin(workers=1)
        honest, day.url = day.url, f"http://127.0.0.1:{server.server_address[1]}"
        day.work(1)
        day.url = honest
        time.sleep(8)
        print("what the coordinator answered to wrong reports:")
        print("\n".join(f"    {line}" for line in Liar.told[:4]) or "    nothing: it took them")
        day.see("a worker reports pictures with a wrong size")
        return day.end()


def restore(options):
    with Day(options, "restore") as day:
        day.begin()
        backup = f"{day.place}/backup"
        day.show("snapfarm backup", day.ask("backup", "--config", "farm.yaml", "--to", backup, folder=f"{day.place}/c0"))
        day.await_tests(16)
        day.servers[0].kill()
        shutil.rmtree(day.data)
        day.show("snapfarm restore", day.ask("restore", backup, "--data", day.data))
        day.serve()
        time.sleep(5)
        day.see("the data folder is lost, and a backup was restored five seconds ago")
        return day.end()


EVENTS = {"leader": leader, "database": away, "bucket": bucket, "disk": disk, "certificate": expired,
          "sighup": hangup, "key": key, "killed": killed, "report": report, "restore": restore}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("snapfarm")
    parser.add_argument("events", nargs="*", metavar="EVENT", help=", ".join(EVENTS))
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    options.snapfarm = os.path.abspath(options.snapfarm)
    wrong = {}
    for name in options.events or EVENTS:
        print(f"\n================ {name}", flush=True)
        try:
            found = EVENTS[name](options)
        except (RuntimeError, subprocess.SubprocessError) as error:
            found = [f"{error}"]
        if found:
            wrong[name] = found
    for name, found in wrong.items():
        print(f"WRONG {name}: {'; '.join(found)}")
    print(f"{len(options.events or EVENTS)} events, {len(wrong)} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
