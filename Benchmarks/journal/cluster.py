"""A primary PostgreSQL and its standby, as processes of this script that can be killed as machines are."""
import os
import shutil
import signal
import subprocess
import time

USER = "snapfarm"
DATABASE = "snapfarm"


def programs():
    """The folder of initdb, postgres and psql: the newest of Debian, or what PATH has."""
    base = "/usr/lib/postgresql"
    versions = sorted((name for name in os.listdir(base) if name.isdigit()), key=int) \
        if os.path.isdir(base) else []
    found = f"{base}/{versions[-1]}/bin" if versions else os.path.dirname(shutil.which("initdb") or "")
    if not os.path.exists(f"{found}/initdb"):
        raise SystemExit("no PostgreSQL; run deploy/system-packages.sh test")
    return found


# PostgreSQL refuses root. A server ends with this script, even when the script is killed.
UNPRIVILEGED = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] \
    if os.geteuid() == 0 else ["setpriv"]


def descendants(pid):
    """The processes that `pid` started: backends lead sessions of their own, so no group has them."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = open(f"/proc/{entry}/stat").read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == pid:
                found.append(int(entry))
    return found


def send(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


class Server:
    """One PostgreSQL on a port of this machine."""

    def __init__(self, folder, port):
        self.folder, self.port = folder, port
        self.data = f"{folder}/data"
        self.bin = programs()
        self.process = None
        self.lines = []
        os.makedirs(folder, mode=0o755)
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres", "postgres")

    def tool(self, name, *words):
        done = subprocess.run([*UNPRIVILEGED, f"{self.bin}/{name}", *words], capture_output=True,
                              text=True, cwd="/")
        if done.returncode:
            raise RuntimeError(f"{name}: {done.stderr[-2000:]}")

    def make(self):
        self.tool("initdb", "-D", self.data, "-U", USER, "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")

    def copy(self, primary):
        """Becomes an empty machine that follows `primary`."""
        shutil.rmtree(self.data, ignore_errors=True)
        self.tool("pg_basebackup", "-D", self.data, "-R", "-X", "stream", "-c", "fast", "--no-sync",
                  "-d", f"host=127.0.0.1 port={primary.port} user={USER} application_name=standby")

    def start(self, wait=True):
        settings = {
            "listen_addresses": "127.0.0.1", "port": self.port, "unix_socket_directories": self.folder,
            "max_connections": 100, "shared_buffers": "64MB", "wal_keep_size": "512MB",
            # A standby comes back in the time of a test, and not in five seconds.
            "wal_retrieve_retry_interval": "200ms",
        }
        words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        with open(f"{self.folder}/log", "ab") as log:
            self.process = subprocess.Popen(
                [*UNPRIVILEGED, "--pdeathsig=KILL", f"{self.bin}/postgres", "-D", self.data, *words],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", start_new_session=True)
        for line in self.lines:
            line.listen()
        if wait:
            self.await_answer()

    def await_answer(self, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.sql("select 1", quiet=True) == "1":
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        raise RuntimeError(f"PostgreSQL of {self.folder} does not answer; see its log")

    def kill(self):
        """SIGKILL for all of it at one moment, as its machine dies."""
        for line in self.lines:
            line.refuse()
        if self.process and self.process.poll() is None:
            send(self.process.pid, signal.SIGSTOP)  # It starts no backend while the list is made.
            for pid in descendants(self.process.pid):
                send(pid, signal.SIGKILL)
            self.process.kill()
            self.process.wait()

    def restart_immediately(self):
        """What `pg_ctl restart -m immediate` does."""
        for line in self.lines:
            line.refuse()
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(30)
        self.start()

    def promote(self):
        self.tool("pg_ctl", "-D", self.data, "-w", "-t", "60", "promote")

    def sql(self, text, database=DATABASE, quiet=False):
        """Rows as lines of columns with `|` between them; quiet: None where it fails."""
        done = subprocess.run(
            [f"{self.bin}/psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", text,
             f"host=127.0.0.1 port={self.port} user={USER} dbname={database if not quiet else 'postgres'}"
             " connect_timeout=5"],
            capture_output=True, text=True)
        if done.returncode:
            if quiet:
                return None
            raise RuntimeError(f"psql: {done.stderr[-2000:]}")
        return done.stdout.strip()

    def cpu(self):
        """CPU seconds of it and of all backends it has had."""
        if not self.process:
            return 0.0
        ticks = 0
        for pid in [self.process.pid, *descendants(self.process.pid)]:
            try:
                fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            # Children that are gone count at their parent.
            ticks += sum(int(fields[n]) for n in (11, 12, 13, 14))
        return ticks / os.sysconf("SC_CLK_TCK")


class Pair:
    """A primary and a standby that holds every commit before it is answered, unless told otherwise."""

    def __init__(self, folder, ports, synchronous=True):
        self.synchronous = synchronous
        self.servers = [Server(f"{folder}/pg{n}", port) for n, port in enumerate(ports)]
        self.primary, self.standby = self.servers
        self.primary.make()
        self.primary.start(wait=False)
        end = time.monotonic() + 60
        while self.primary.sql("select 1", quiet=True) != "1":
            if time.monotonic() > end:
                raise RuntimeError(f"PostgreSQL does not start; see {folder}/pg0/log")
            time.sleep(0.02)
        self.primary.sql(f"create database {DATABASE}", database="postgres")
        self.follow()

    def url(self, ports=None):
        """Both hosts, or the lines to them; libpq takes whichever may be written."""
        hosts = ",".join(f"127.0.0.1:{port}" for port in ports or [server.port for server in self.servers])
        return f"postgres://{USER}@{hosts}/{DATABASE}?target_session_attrs=read-write"

    def follow(self):
        """Makes the standby anew from the primary, and lets commits wait for it."""
        self.standby.copy(self.primary)
        self.standby.start()
        self.await_streaming()
        if self.synchronous:
            self.primary.sql("alter system set synchronous_standby_names = '*'", database="postgres")
            self.primary.sql("select pg_reload_conf()", database="postgres")
            self.await_streaming("and sync_state = 'sync'")

    def await_streaming(self, more=""):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if self.primary.sql("select count(*) from pg_stat_replication where state = 'streaming' "
                                + more, quiet=True) == "1":
                return
            time.sleep(0.02)
        raise RuntimeError("the standby does not follow")

    def promote(self):
        """The primary's machine dies, the standby becomes the primary. `follow` makes it whole again.

        Until then no commit waits, as managers of clusters have it; so no second one may die before.
        """
        self.primary.kill()
        self.primary, self.standby = self.standby, self.primary
        self.primary.promote()

    def hold_back(self):
        """Stops what the primary sends, as a slow line does: what is committed is here alone."""
        for pid in self.primary.sql("select pid from pg_stat_replication").split():
            send(int(pid), signal.SIGSTOP)

    def close(self):
        for server in self.servers:
            server.kill()
