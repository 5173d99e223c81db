"""A primary PostgreSQL and its standby, as processes of this script that can be killed as machines are."""
import os
import shutil
import signal

from farm import Program, parents, reserved_port, until
from measuring import Failed, run

USER = "snapfarm"
DATABASE = "snapfarm"


def programs():
    """The folder of initdb, postgres and psql: the newest of Debian, or what PATH has."""
    base = "/usr/lib/postgresql"
    versions = sorted((name for name in os.listdir(base) if name.isdigit()), key=int) \
        if os.path.isdir(base) else []
    found = f"{base}/{versions[-1]}/bin" if versions else os.path.dirname(shutil.which("initdb") or "")
    if not os.path.exists(f"{found}/initdb"):
        raise Failed("no PostgreSQL; run deploy/system-packages.sh test")
    return found


# PostgreSQL refuses root.
UNPRIVILEGED = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] \
    if os.geteuid() == 0 else ["setpriv"]


def descendants(pid):
    """The processes that `pid` started: backends lead sessions of their own, so no group has them."""
    return [child for child, parent in parents().items() if parent == pid]


def send(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


class Server(Program):
    """One PostgreSQL on a port of this machine."""

    def __init__(self, folder):
        self.port, self.data, self.bin = reserved_port(), f"{folder}/data", programs()
        self.lines = []
        os.makedirs(folder, mode=0o755)
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
        settings = {
            "listen_addresses": "127.0.0.1", "port": self.port, "unix_socket_directories": folder,
            "max_connections": 100, "shared_buffers": "64MB", "wal_keep_size": "512MB",
            # A standby comes back in the time of a test, and not in five seconds.
            "wal_retrieve_retry_interval": "200ms",
        }
        # It ends with this script, even when the script is killed.
        super().__init__(
            [*UNPRIVILEGED, "--pdeathsig=KILL", f"{self.bin}/postgres", "-D", self.data,
             *(word for name, value in settings.items() for word in ("-c", f"{name}={value}"))],
            f"{folder}/log", "/")

    def tool(self, name, *words):
        run(*UNPRIVILEGED, f"{self.bin}/{name}", *words, cwd="/")

    def make(self):
        self.tool("initdb", "-D", self.data, "-U", USER, "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")

    def copy(self, primary):
        """Becomes an empty machine that follows `primary`."""
        shutil.rmtree(self.data, ignore_errors=True)
        self.tool("pg_basebackup", "-D", self.data, "-R", "-X", "stream", "-c", "fast", "--no-sync",
                  "-d", f"host=127.0.0.1 port={primary.port} user={USER} application_name=standby")

    def serve(self):
        """Starts it, and returns when it answers."""
        self.start()
        for line in self.lines:
            line.listen()
        until(lambda: self.answers() or not self.running(), 60, lambda: f"PostgreSQL:\n{self.said(3000)}")
        if not self.running():
            raise Failed(f"PostgreSQL has ended:\n{self.said(3000)}")

    def answers(self):
        return self.sql("select 1", database="postgres", quiet=True) == "1"

    def kill(self, all_of_it=True):
        """SIGKILL for all of it at one moment, as its machine dies."""
        for line in self.lines:
            line.refuse()
        if self.running():
            self.signal(signal.SIGSTOP)  # It starts no backend while the list is made.
            for pid in descendants(self.process.pid):
                send(pid, signal.SIGKILL)
            super().kill()

    def restart_immediately(self):
        """What `pg_ctl restart -m immediate` does."""
        for line in self.lines:
            line.refuse()
        self.signal(signal.SIGQUIT)
        self.end(30)
        self.serve()

    def promote(self):
        self.tool("pg_ctl", "-D", self.data, "-w", "-t", "60", "promote")

    def sql(self, text, database=DATABASE, quiet=False):
        """Rows as lines of columns with `|` between them; quiet: None where it fails."""
        try:
            return run(
                f"{self.bin}/psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", text,
                f"host=127.0.0.1 port={self.port} user={USER} dbname={database} connect_timeout=5",
            ).decode().strip()
        except Failed:
            if quiet:
                return None
            raise

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

    def __init__(self, folder, synchronous=True):
        self.synchronous = synchronous
        self.servers = [Server(f"{folder}/pg{n}") for n in range(2)]
        self.primary, self.standby = self.servers
        self.primary.make()
        self.primary.serve()
        self.primary.sql(f"create database {DATABASE}", database="postgres")
        self.follow()

    def url(self, ports=None):
        """Both hosts, or the lines to them; libpq takes whichever may be written."""
        hosts = ",".join(f"127.0.0.1:{port}" for port in ports or [server.port for server in self.servers])
        return f"postgres://{USER}@{hosts}/{DATABASE}?target_session_attrs=read-write"

    def follow(self):
        """Makes the standby anew from the primary, and lets commits wait for it."""
        self.standby.copy(self.primary)
        self.standby.serve()
        self.await_streaming()
        if self.synchronous:
            self.primary.sql("alter system set synchronous_standby_names = '*'", database="postgres")
            self.primary.sql("select pg_reload_conf()", database="postgres")
            self.await_streaming("and sync_state = 'sync'")

    def await_streaming(self, more=""):
        until(lambda: self.primary.sql("select count(*) from pg_stat_replication where state = 'streaming' "
                                       + more, database="postgres", quiet=True) == "1",
              60, lambda: "the standby")

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
