#!/usr/bin/env python3
"""Workers on demand on a real Slurm of four nodes, on one machine (root, Debian): `make slurm-check`.

0 -> 4 -> 0 workers twice, a node that dies in the middle (slurmd and all it runs get SIGKILL), and
double starts of one name. Each node is a network namespace with a host name of its own; nothing of
the machine's own services is used. The argument is a built snapfarm.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
SCRIPT = os.path.abspath(f"{os.path.dirname(__file__)}/../../deploy/launchers/slurm-worker")
NODES = [1, 2, 3, 4]
FARM = "http://10.77.0.10:7420"


def say(text):
    print(f"{time.monotonic() - BEGAN:6.1f} s  {text}", flush=True)


def sh(*words, check=True, **more):
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, **more)
    if check and done.returncode != 0:
        raise SystemExit(f"{' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def wait(what, seconds, condition):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"after {seconds} s: {what} is not so")
        time.sleep(0.2)


class Cluster:
    """munge, a controller and four nodes; all are children of this process."""

    def __init__(self, folder):
        self.folder = folder
        self.children = []
        self.nodes = {}
        self.spaces = ["sfswitch"] + [f"sfhost{n}" for n in [0] + NODES]

    def network(self):
        for space in self.spaces:
            subprocess.run(["ip", "netns", "del", space], capture_output=True)
            sh("ip", "netns", "add", space)
            sh("ip", "-n", space, "link", "set", "lo", "up")
        sh("ip", "-n", "sfswitch", "link", "add", "br0", "type", "bridge")
        sh("ip", "-n", "sfswitch", "link", "set", "br0", "up")
        for n in [0] + NODES:
            host = f"sfhost{n}"
            sh("ip", "-n", "sfswitch", "link", "add", f"port{n}", "type", "veth",
               "peer", "name", "eth0", "netns", host)
            sh("ip", "-n", "sfswitch", "link", "set", f"port{n}", "master", "br0", "up")
            sh("ip", "-n", host, "addr", "add", f"10.77.0.{10 + n}/24", "dev", "eth0")
            sh("ip", "-n", host, "link", "set", "eth0", "up")

    def spawn(self, words, log):
        out = open(f"{self.folder}/{log}.log", "a")
        child = subprocess.Popen(words, stdout=out, stderr=out, stdin=subprocess.DEVNULL,
                                 start_new_session=True)
        self.children.append(child)
        return child

    def inside(self, n, name, *words):
        """Words that run on a node, under its host name."""
        line = f"hostname {name}; exec \"$@\""
        return ["ip", "netns", "exec", f"sfhost{n}", "unshare", "-u", "sh", "-c", line, "sh", *words]

    def configure(self):
        folder = self.folder
        for name in ["state", "spool", "munge"]:
            os.makedirs(f"{folder}/{name}")
        socket = f"{folder}/munge/socket"
        with open(f"{folder}/munge/key", "wb") as key:
            key.write(os.urandom(128))
        os.chmod(f"{folder}/munge/key", 0o400)
        sh("chown", "-R", "munge:munge", f"{folder}/munge")
        sh("chmod", "755", f"{folder}/munge", folder)
        self.spawn(["setpriv", "--reuid=munge", "--regid=munge", "--clear-groups", "munged",
                    "--foreground", f"--key-file={folder}/munge/key", f"--socket={socket}",
                    f"--pid-file={folder}/munge/pid", f"--log-file={folder}/munge/log",
                    f"--seed-file={folder}/munge/seed"], "munged")
        wait("munge listens", 10, lambda: os.path.exists(socket))
        nodes = "\n".join(f"NodeName=lin{n} NodeAddr=10.77.0.{10 + n} CPUs=1 RealMemory=500 "
                          "Feature=chromium-120 State=UNKNOWN" for n in NODES)
        with open(f"{folder}/slurm.conf", "w") as conf:
            conf.write(f"""ClusterName=snapfarm
SlurmctldHost=ctl(10.77.0.10)
AuthType=auth/munge
AuthInfo=socket={socket}
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/ctl.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldPort=6817
SlurmdPort=6818
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SlurmdTimeout=10
InactiveLimit=0
KillWait=5
ReturnToService=2
MailProg=/bin/true
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
""")
        with open(f"{folder}/cgroup.conf", "w") as conf:
            conf.write("CgroupPlugin=cgroup/v1\nCgroupMountpoint=/sys/fs/cgroup\n"
                       "IgnoreSystemd=yes\n")
        os.environ["SLURM_CONF"] = f"{folder}/slurm.conf"

    def start(self):
        self.network()
        self.configure()
        self.spawn(self.inside(0, "ctl", "slurmctld", "-D", "-f", f"{self.folder}/slurm.conf"),
                   "slurmctld")
        for n in NODES:
            self.start_node(n)
        wait("four nodes are idle", 60, lambda: self.slurm(
            "sinfo", "-h", "-t", "idle", "-N", "-o", "%N").split() == [f"lin{n}" for n in NODES])

    def start_node(self, n):
        os.makedirs(f"{self.folder}/spool/lin{n}", exist_ok=True)
        self.nodes[n] = self.spawn(
            self.inside(n, f"lin{n}", "slurmd", "-D", "-N", f"lin{n}", "-f",
                        f"{self.folder}/slurm.conf"), f"slurmd{n}")

    def slurm(self, *words, **more):
        return sh("ip", "netns", "exec", "sfhost0", *words, check=False, **more)

    def jobs(self, *states):
        lines = self.slurm("squeue", "-h", "-o", "%T %j").split("\n")
        return [line.split()[1] for line in lines if line and line.split()[0] in states]

    def kill_node(self, n):
        """All that a machine runs, at once."""
        pids = [int(p) for p in sh("ip", "netns", "pids", f"sfhost{n}").split()]
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return len(pids)

    def stop(self):
        for n in [0] + NODES:
            subprocess.run(["ip", "netns", "exec", f"sfhost{n}", "true"], capture_output=True)
            try:
                self.kill_node(n)
            except SystemExit:
                pass
        for child in self.children:
            child.kill()
            child.wait()
        for space in self.spaces:
            subprocess.run(["ip", "netns", "del", space], capture_output=True)


class Farm:
    """A project whose tests take a second, and a coordinator on the controller's machine."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.folder = cluster.folder + "/farm"
        os.makedirs(self.folder)
        self.begun = self.folder + "/begun"
        self.write("units", "".join(f"unit/{n}\n" for n in range(40)))
        self.write("test.sh", f"for t; do :; done\nflock {self.begun} sh -c 'echo \"$0\" >>{self.begun}' "
                   "\"$1 $(hostname)\"\nsleep 1\n")
        self.write("app.yaml", """version: 1
name: app
jobs:
  unit_test:
    kind: unit
    driver: command
    discover: cat units
    run: sh test.sh {tests}
    bundle: [test.sh, units]
    timeout: {test: 30s, shard: 5m}
""")
        self.write("farm.yaml", f"""version: 1
listen: 10.77.0.10:7420
data: state
log: text
launchers:
  - name: cluster
    kind: command
    check: [{SCRIPT}, check]
    start: [{SCRIPT}, start, --nice=0, "{{worker}}"]
    list: [{SCRIPT}, list]
    stop: [{SCRIPT}, stop, "{{name}}"]
    variables: ["FARM_PROGRAM={PROGRAM}", FARM_CONSTRAINT=chromium-120, FARM_PARTITION=all]
    coordinator: {FARM}
    token: WORKER_TOKEN
    offers: [lab]
    max: 4
    tests: 10
    idle: 4s
    start-within: 60s
""")
        self.tokens = {scope: self.run("tokens", "create", scope, "--scope", scope, "--config",
                                       "farm.yaml").strip() for scope in ["submit", "work", "read"]}
        self.server = None

    def write(self, name, text):
        with open(f"{self.folder}/{name}", "w") as file:
            file.write(text)

    def environment(self, **more):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("SNAPFARM", "CI"))}
        return {**clean, **more}

    def run(self, *words, token=None, check=True):
        env = self.environment(**({"SNAPFARM_TOKEN": token} if token else {}))
        return sh("ip", "netns", "exec", "sfhost0", PROGRAM, *words, cwd=self.folder, env=env,
                  check=check)

    def serve(self):
        log = open(f"{self.folder}/serve.log", "a")
        self.server = subprocess.Popen(
            self.cluster.inside(0, "ctl", PROGRAM, "serve", "--config", "farm.yaml", "--insecure"),
            cwd=self.folder, env=self.environment(WORKER_TOKEN=self.tokens["work"]),
            stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)
        wait("the coordinator listens", 20, lambda: "listening" in self.log())

    def log(self):
        with open(f"{self.folder}/serve.log") as file:
            return file.read()

    def begin(self):
        open(self.begun, "w").close()
        out = open(f"{self.folder}/run.log", "w")
        return subprocess.Popen(
            ["ip", "netns", "exec", "sfhost0", PROGRAM, "run", "app.yaml", "--coordinator", FARM],
            cwd=self.folder, env=self.environment(SNAPFARM_TOKEN=self.tokens["submit"]),
            stdout=out, stderr=out, stdin=subprocess.DEVNULL)

    def end(self, run, what):
        status = run.wait(timeout=180)
        with open(f"{self.folder}/run.log") as file:
            text = file.read()
        if status != 0:
            raise SystemExit(f"{what}: status {status}\n{text}\n{self.log()}")
        with open(f"{self.folder}/snapfarm-out/summary.json") as file:
            tests = json.load(file)["tests"]
        verdicts = sorted(t["verdict"] for t in tests)
        assert len(tests) == 40 and set(verdicts) <= {"passed", "flaky"}, verdicts
        with open(self.begun) as file:
            starts = len(file.read().split("\n")) - 1
        say(f"{what}: green, 40 verdicts of 40 tests ({verdicts.count('flaky')} flaky), "
            f"{starts} tests begun")


def up_and_down(cluster, farm, round_number):
    assert cluster.jobs("RUNNING", "PENDING") == []
    say(f"round {round_number}: 0 workers")
    run = farm.begin()
    wait("four workers run", 60, lambda: len(cluster.jobs("RUNNING")) == 4)
    say(f"round {round_number}: 4 workers: {', '.join(cluster.jobs('RUNNING'))}")
    farm.end(run, f"round {round_number}")
    wait("no worker is left", 60, lambda: cluster.jobs("RUNNING", "PENDING", "COMPLETING") == [])
    say(f"round {round_number}: 0 workers")


def dying_node(cluster, farm):
    run = farm.begin()
    wait("four workers run", 60, lambda: len(cluster.jobs("RUNNING")) == 4)
    wait("tests run", 60, lambda: os.path.getsize(farm.begun) > 0)
    say(f"killed lin2 with {cluster.kill_node(2)} processes")
    farm.end(run, "a node that dies")
    cluster.start_node(2)
    wait("no worker is left", 180, lambda: cluster.jobs("RUNNING", "PENDING", "COMPLETING") == [])
    wait("four nodes are idle", 60, lambda: len(cluster.slurm(
        "sinfo", "-h", "-t", "idle", "-N", "-o", "%N").split()) == 4)
    say("its node is back, 0 workers")


def double_start(cluster, farm):
    name = f"cluster-{int(time.time())}-99"
    script = (f"#!/bin/sh\nexec {PROGRAM} worker --coordinator - --id {name} --idle-seconds 4 "
              f"--offer lab <<'END'\n{FARM}\n{farm.tokens['work']}\nEND\n")
    run = farm.begin()
    for _ in range(2):
        cluster.slurm("sbatch", "--parsable", f"--job-name={name}", "--no-requeue",
                      "--export=PATH,HOME", "--output=/dev/null", input=script)
    wait("both run", 60, lambda: cluster.jobs("RUNNING").count(name) == 2)
    say(f"two workers of the one name {name} run")
    farm.end(run, "a double start")
    wait("no worker is left", 60, lambda: cluster.jobs("RUNNING", "PENDING", "COMPLETING") == [])


def restarted(cluster, farm):
    """A coordinator that begins anew knows its workers again, and starts no others beside them."""
    run = farm.begin()
    wait("four workers run", 60, lambda: len(cluster.jobs("RUNNING")) == 4)
    before = sorted(cluster.jobs("RUNNING"))
    farm.server.send_signal(signal.SIGKILL)
    farm.server.wait()
    farm.serve()
    wait("it looked", 20, lambda: farm.log().count("listening") >= 2)
    time.sleep(5)
    after = sorted(cluster.jobs("RUNNING", "PENDING"))
    assert after == before, (before, after)
    say("a coordinator that was killed and began anew has the same four workers")
    farm.end(run, "a restarted coordinator")
    wait("no worker is left", 60, lambda: cluster.jobs("RUNNING", "PENDING", "COMPLETING") == [])


def main():
    folder = tempfile.mkdtemp(prefix="snapfarm-slurm-")
    cluster = Cluster(folder)
    farm = None
    try:
        cluster.start()
        say("Slurm: four nodes are idle")
        farm = Farm(cluster)
        farm.serve()
        up_and_down(cluster, farm, 1)
        up_and_down(cluster, farm, 2)
        double_start(cluster, farm)
        restarted(cluster, farm)
        dying_node(cluster, farm)
        print(farm.run("runs", "--coordinator", FARM, token=farm.tokens["read"]))
        bad = [line for line in farm.log().split("\n") if "warning" in line.lower()]
        print("\n".join(bad))
        farm.server.terminate()
        farm.server.wait(timeout=40)
        print(farm.run("check", "state", check=False))
    finally:
        if farm and farm.server:
            farm.server.kill()
        cluster.stop()
        if os.environ.get("KEEP"):
            print(folder)
        else:
            shutil.rmtree(folder, ignore_errors=True)


BEGAN = time.monotonic()
main()
