#!/usr/bin/env python3
"""Calls snapfarm with hostile command lines, variables and configuration files, and looks at how it ends.

    Tests/Fuzzing/commands.py SNAPFARM [--tries 2000] [--seed N] [--only TRY]

Commands and options are those that the program lists itself (`--experimental-dump-help`), so a new one is tried
without a change here. Values are addresses, numbers, names and files, most of them wrong; files are real ones
(a pipeline, scenes, a coordinator's configuration with every key, a pin, a run's zip) with a few words changed.
A try fails where the program is ended by a signal, ends with a code outside of the table of docs/ci.md or with 70
(a fault of its own), says nothing, prints an error as a library wrote it, or does not end after SIGTERM.
Exit status 1: one did; its words, variables and seed are printed.
"""
import argparse
import concurrent.futures
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

CODES = {0, 1, 2, 64, 65, 69, 74, 75, 78, 130, 143}
# Words of libraries and of the language that no sentence for people has.
RAW = re.compile(r"Fatal error|NIO\w*Error|errno: \d|deadlineExceeded|HTTPClientError|SQLite error|GRDB|"
                 r"/buildkite/|\.swift:\d+|DecodingError|CocoaError|NSCocoaErrorDomain|Optional\(")
# A command that serves or works until it is stopped.
LONG = {("serve",), ("worker",), ("review",)}
SECONDS = 4.0
PER_FOLDER = 200

PORTS = ["0", "1", "80", "65535", "65536", "99999", "-1", "18446744073709551616", "08", "٣", "", "1e3", " 1"]
HOSTS = ["127.0.0.1", "[::1]", "[::", "::1", "localhost", "0x7f.1", "127.0.0.256", "a..b", "-", "xn--", "é.invalid",
         "no.invalid", "u:p@127.0.0.1", "[fe80::1%25lo]", "[::ffff:127.0.0.1]", "256", "", "a" * 300 + ".invalid"]
SCHEMES = ["http://", "https://", "HTTP://", "git://", "ssh://", "file://", "storybook:http://", "postgres://", "s3://",
           "javascript:", "http:/", "http:", "//", "", "ftp://", "ext::", "h\u0301ttp://"]
PATHS = ["", "/", "/x.git", "/../..", "/%00", "/%zz", "/?a=b#c", "/" + "x" * 5000, "/ü", "/a b", "\\x", "/x.zip"]
NUMBERS = ["0", "1", "2", "-1", "3/2", "1/2", "0/0", "1e308", "nan", "inf", "9223372036854775807", "9223372036854775808",
           "-9223372036854775808", "0x10", "٣", "1_000", "1.5", "10m", "99999999999h", "1e18s", "00000000001", "", "1,2",
           "100%", "1 "]
NAMES = ["", ".", "..", "a/../b", "-", "--", "-x", "~", "null", "true", "*", "**", "[", "{a,b}", "a=b", "=", "a=", "=b",
         "\u202ex", "\x1b[2J", "a\tb", "a\nb", "é", "e\u0301", ".git", "GIT~1", "con", "x" * 5000, "日" * 1500, "%s%n",
         "$(true)", "'", '"', "one", "two", "A", "B", "app", "screens", "command", "verify", "record", "json", "text"]
FILES = ["app.yaml", "scenes.yaml", "farm.yaml", "snapfarm.refs", "history.json", "run.zip", "one.png", "folder",
         "none", "store.git", "snapfarm-out", "link", "fifo.none", "null", "full", "empty", "bytes"]
VARIABLES = {
    "address": ["SNAPFARM_COORDINATOR", "GITHUB_API_URL", "GITHUB_SERVER_URL", "CI_API_V4_URL", "CI_SERVER_URL",
                "CIRCLE_BUILD_URL", "CIRCLE_PULL_REQUEST", "BITRISE_BUILD_URL", "BUILDKITE_BUILD_URL", "BUILDKITE_REPO",
                "SNAPFARM_PAGE", "SNAPFARM_STORE", "BITBUCKET_GIT_HTTP_ORIGIN", "GIT_REPOSITORY_URL", "HTTP_PROXY"],
    "name": ["SNAPFARM_TOKEN", "SNAPFARM_COMMIT", "SNAPFARM_RUN_KEY", "SNAPFARM_PIPELINE", "SNAPFARM_REVIEWER",
             "SNAPFARM_GITHUB_TOKEN", "SNAPFARM_GITHUB_REPOSITORY", "GITHUB_REPOSITORY", "GITHUB_SHA", "GITHUB_REF",
             "CIRCLE_SHA1", "CIRCLE_BRANCH", "CI_COMMIT_SHA", "CI_PROJECT_ID", "BITRISE_GIT_COMMIT", "USER", "LC_ALL",
             "SNAPFARM_SIMULATORS", "SNAPFARM_XCODES", "SNAPFARM_ARTIFACT_HEADER", "TERM", "S3_ACCESS", "S3_SECRET",
             "HOOK_SECRET", "LEDGER_PASSWORD", "PGPASSWORD", "WALLET_TOKEN", "DEVELOPER_DIR"],
    "number": ["SNAPFARM_PULL_REQUEST", "CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", "CI_NODE_INDEX", "CI_NODE_TOTAL",
               "CI_MERGE_REQUEST_IID", "BITRISE_PULL_REQUEST", "BUILDKITE_PULL_REQUEST", "BUILDKITE_PARALLEL_JOB",
               "BUILDKITE_PARALLEL_JOB_COUNT", "BITBUCKET_PR_ID", "COLUMNS", "GITHUB_RUN_ID"],
    "file": ["SNAPFARM_CA", "SNAPFARM_CA_FILE", "SNAPFARM_SSH_KEY", "SNAPFARM_KNOWN_HOSTS", "SNAPFARM_CPU_PRESSURE",
             "GITHUB_EVENT_PATH", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "XDG_CACHE_HOME", "TMPDIR",
             "BITRISE_DEPLOY_DIR"],
}
PROVIDERS = [{}, {}, {"CI": "true"}, {"GITHUB_ACTIONS": "true"}, {"CIRCLECI": "true"}, {"GITLAB_CI": "true"},
             {"BITRISE_IO": "true"}, {"BUILDKITE": "true"}, {"BITBUCKET_BUILD_NUMBER": "1"}]

APP = """version: 1
name: app
references: {store: store.git, pin: snapfarm.refs}
devices:
  - {name: A, width: 8, height: 8, scale: 1}
  - {name: B, os: "18.2", width: 8, height: 16, scale: 2}
variants:
  appearance: [light, dark]
jobs:
  screens:
    kind: snapshot
    driver: command
    discover: cat scenes
    run: sh test.sh {tests}
    comparison: {policy: fb, perPixelTolerance: 0.02, ignore: ["0,0-1,1"], cells: {"A*": {overallTolerance: 0.1}}}
    timeout: {test: 5s, shard: 10s}
    retries: 1
    bundle: [test.sh, scenes]
    matrix: {devices: [A], variants: {appearance: [light]}}
"""
SCENES = """version: 1
serve: {command: "true", url: "http://127.0.0.1:1/", seconds: 1}
scenes:
  - {name: home, url: /, wait: {selector: "#a"}, mask: [".clock"]}
  - {name: other, url: "http://127.0.0.1:1/x", fullPage: true, steps: [{click: "#b"}, {type: {into: "#c", text: d}}]}
"""
FARM = """version: 1
listen: 127.0.0.1:0
data: state
tls: {certificate: one.png, key: none}
stores: {app: store.git, web: "https://git.invalid/x.git"}
repositories: {app: {url: "https://127.0.0.1:1/x.git", pin: snapfarm.refs, token: WALLET_TOKEN}}
webhooks: [{url: "http://127.0.0.1:1/hook", secret: HOOK_SECRET, events: [run.closed]}]
blobs: {s3: {endpoint: "http://127.0.0.1:1", bucket: farm-blobs, prefix: farm, region: us-east-1, path-style: true, access-key: S3_ACCESS, secret-key: S3_SECRET}}
ledger: {url: "postgres://u@127.0.0.1:1/farm", password: LEDGER_PASSWORD, pool: farm, address: "http://127.0.0.1:7420"}
log: json
retention: {days: 30, runs: 20}
limits: {silence: 1h}
proxies: [{address: 127.0.0.1, header: X-User}]
launchers:
  - {name: local, start: "true", list: "true", stop: "true", max: 2, offers: {os: linux}}
"""


def mutated(text, chance):
    """A text with one to three words changed, lines repeated, removed or cut, or a byte flipped."""
    lines = text.split("\n")
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(lines))
        kind = chance.randrange(8)
        words = list(re.finditer(r'"[^"]*"|[\w./:@-]+', lines[at]))
        if kind < 5 and words:
            word = chance.choice(words)
            kind = "address" if "://" in word.group() and chance.random() < 0.7 else None
            new = value(chance, kind or chance.choice(["address", "number", "name", "file"]))
            if chance.random() < 0.5:
                new = json.dumps(new, ensure_ascii=False)
            lines[at] = lines[at][:word.start()] + new + lines[at][word.end():]
        elif kind == 5:
            lines.insert(at, lines[at])
        elif kind == 6 and len(lines) > 1:
            del lines[at]
        else:
            lines[at] = lines[at][:chance.randrange(len(lines[at]) + 1)]
    data = bytearray("\n".join(lines).encode("utf-8", "surrogateescape"))
    if data and chance.random() < 0.1:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(data)


def address(chance):
    if chance.random() < 0.5:  # Right but for its port.
        return (chance.choice(["http://", "https://"]) + chance.choice(["127.0.0.1", "localhost", "[::1]"]) + ":"
                + chance.choice(PORTS) + chance.choice(["", "/", "/x.git"]))
    text = chance.choice(SCHEMES) + chance.choice(HOSTS)
    if chance.random() < 0.7:
        text += ":" + chance.choice(PORTS)
    text += chance.choice(PATHS)
    return text + ("," + address(chance) if chance.random() < 0.1 else "")


def value(chance, kind):
    if kind == "address":
        return address(chance)
    return chance.choice({"number": NUMBERS, "name": NAMES, "file": FILES}[kind])


def kind_of(name, chance):
    """What an option of this name is mostly given; sometimes anything else."""
    if chance.random() < 0.2:
        return chance.choice(["address", "number", "name", "file"])
    if re.search(r"coordinator|url|from|store|address|ledger", name):
        return "address"
    if re.search(r"days|runs|seconds|limit|port|workers|retries|tolerance|max|hours|shard|seed|count|size|keep", name):
        return "number"
    if re.search(r"config|data|output|to$|folder|file|path|history|quarantine|scratch|backup|pipeline|pin", name):
        return "file"
    return "name"


def commands(program):
    """Every command without subcommands: its words and its arguments."""
    listed = subprocess.run([program, "--experimental-dump-help"], capture_output=True, text=True, check=True)
    found = []

    def walk(command, words):
        inner = command.get("subcommands", [])
        for sub in inner:
            walk(sub, words + [sub["commandName"]])
        if not inner and words and words[0] != "help":
            found.append((words, command.get("arguments", [])))
    walk(json.loads(listed.stdout)["command"], [])
    return found


class Try:
    """One call, made from its number and the seed alone."""

    def __init__(self, number, seed, listed):
        self.number = number
        chance = random.Random(f"{seed}-{number}")
        words, arguments = chance.choice(listed)
        while tuple(words) in LONG and chance.random() < 0.6:
            words, arguments = chance.choice(listed)
        self.command, self.words = tuple(words), list(words)
        for argument in arguments:
            kind = argument["kind"]
            name = (argument.get("names") or [{}])[0].get("name", argument.get("valueName", ""))
            wanted = not argument.get("isOptional", False)
            address = kind != "flag" and kind_of(name, chance) == "address"
            likely = 0.9 if wanted else 0.6 if address else 0.15
            if name in ("help", "version") or chance.random() > likely:
                continue
            for _ in range(2 if argument.get("isRepeating") and chance.random() < 0.3 else 1):
                flag = [f"--{name}" if len(name) > 1 else f"-{name}"] if kind != "positional" else []
                self.words += flag if kind == "flag" else flag + [value(chance, kind_of(name, chance))]
        if chance.random() < 0.05:
            self.words.insert(chance.randrange(len(self.words) + 1), chance.choice(NAMES))
        self.variables = dict(chance.choice(PROVIDERS))
        for _ in range(chance.choice([0, 0, 1, 1, 2, 4])):
            kind = chance.choice(list(VARIABLES))
            self.variables[chance.choice(VARIABLES[kind])] = value(chance, kind)
        self.files = {}
        for name, text in (("app.yaml", APP), ("scenes.yaml", SCENES), ("farm.yaml", FARM)):
            if chance.random() < 0.3:
                self.files[name] = mutated(text, chance)
        # What no process can be given.
        self.words = [word.replace("\0", "") for word in self.words]
        self.variables = {key: text.replace("\0", "")[:3000] for key, text in self.variables.items()}

    def run(self, program, folder, home):
        """What is wrong with how it ended; None: nothing."""
        for name, data in self.files.items():
            with open(f"{folder}/{name}", "wb") as file:
                file.write(data)
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": home, "TMPDIR": home, "LANG": "C.UTF-8",
                       "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", **self.variables}
        for name in ("LD_LIBRARY_PATH",):
            if name in os.environ:
                environment[name] = os.environ[name]
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen([program, *self.words], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                       stdout=output, stderr=output, start_new_session=True)
            ends_itself = True
            try:
                status = process.wait(0.7 if self.command in LONG else SECONDS)
            except subprocess.TimeoutExpired:
                ends_itself = False
                process.send_signal(signal.SIGTERM)
                try:
                    status = process.wait(40)
                except subprocess.TimeoutExpired:
                    status = "no end after SIGTERM"
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
            output.seek(0)
            self.said = output.read(200_000).decode("utf-8", "replace")
        self.status = status
        for name in self.files:
            shutil.copy(f"{folder}/../real/{name}", f"{folder}/{name}")
        # It was stopped before it had set up how it ends.
        if not ends_itself and status == -signal.SIGTERM:
            return None
        if status not in CODES:
            return f"it ended with {status}"
        raw = RAW.search(self.said)
        if raw:
            return f"it printed {raw.group()!r}"
        if status not in (0, 130, 143) and not self.said.strip():
            return f"it ended with {status} and said nothing"
        return None

    def __str__(self):
        return (f"try {self.number}: {json.dumps(self.words, ensure_ascii=False)}\n  variables {json.dumps(self.variables, ensure_ascii=False)}\n"
                f"  files {self.files}\n  said {self.said[:1500]}")


def fixture(program, folder):
    """A project with a recorded run in `folder`/real."""
    real = f"{folder}/real"
    os.makedirs(f"{real}/folder")
    for name, text in (("app.yaml", APP), ("scenes.yaml", SCENES), ("farm.yaml", FARM), ("scenes", "one\ntwo\n"),
                       ("empty", ""), ("history.json", "{}"), ("test.sh", "exit 0\n")):
        with open(f"{real}/{name}", "w", encoding="utf-8") as file:
            file.write(text)
    with open(f"{real}/bytes", "wb") as file:
        file.write(random.Random(1).randbytes(300))
    os.symlink("empty", f"{real}/link")
    # By links, so that nothing is written into /dev or in the place of a device.
    os.symlink("/dev/null", f"{real}/null")
    os.symlink("/dev/full", f"{real}/full")
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": folder, "LANG": "C.UTF-8"}
    for words in (["git", "init", "-q"], [program, "refs", "init"], [program, "run", "app.yaml", "--workers", "1"]):
        subprocess.run(words, cwd=real, env=environment, capture_output=True, timeout=120)
    zips = [f"{at}/{name}" for at, _, names in os.walk(f"{real}/snapfarm-out") for name in names if name.endswith(".zip")]
    if zips:
        shutil.copy(zips[0], f"{real}/run.zip")


def main():
    # A test process may block or ignore signals, and its children inherit that.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("snapfarm")
    parser.add_argument("--tries", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--only", type=int, help="this try alone")
    parser.add_argument("--at-once", type=int, default=2)
    options = parser.parse_args()
    program = os.path.abspath(options.snapfarm)
    listed = commands(program)
    place = tempfile.mkdtemp(prefix="snapfarm-commands-")
    print(f"seed {options.seed}, {options.tries} tries of {len(listed)} commands", flush=True)
    numbers = iter([options.only] if options.only is not None else range(options.tries))
    lock, wrong, ended = threading.Lock(), [], {}

    def work(worker):
        base = f"{place}/{worker}"
        fixture(program, base)
        done = 0
        while True:
            with lock:
                number = next(numbers, None)
                if number is None or len(wrong) >= 20:
                    return
            if done % PER_FOLDER == 0:
                shutil.rmtree(f"{base}/try", ignore_errors=True)
                shutil.copytree(f"{base}/real", f"{base}/try", symlinks=True)
                os.makedirs(f"{base}/home", exist_ok=True)
            done += 1
            one = Try(number, options.seed, listed)
            os.makedirs(f"{base}/try", exist_ok=True)
            problem = one.run(program, f"{base}/try", f"{base}/home")
            with lock:
                ended[one.status] = ended.get(one.status, 0) + 1
                if problem:
                    wrong.append(one)
                    print(f"WRONG, {problem}: seed {options.seed}, {one}", flush=True)

    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
        for future in [pool.submit(work, n) for n in range(options.at_once)]:
            future.result()
    shutil.rmtree(place, ignore_errors=True)
    print(f"{sum(ended.values())} tries in {time.monotonic() - began:.0f} s, {len(wrong)} wrong; ends: "
          + ", ".join(f"{code}: {count}" for code, count in sorted(ended.items(), key=str)))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
