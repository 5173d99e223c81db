"""A Git host of this machine whose bytes are counted: `git daemon` behind a proxy."""
import os
import socket
import subprocess
import threading
import time

from measuring import ENVIRONMENT
from ports import reserved_port


class GitDaemon:
    """Serves the bare repositories of a folder; `proxy` counts what goes through `url`."""

    def __init__(self, folder):
        self.direct = reserved_port()
        self.daemon = subprocess.Popen(
            ["git", "daemon", "--reuseaddr", "--export-all", "--enable=receive-pack",
             "--listen=127.0.0.1", f"--port={self.direct}", f"--base-path={folder}"],
            env=ENVIRONMENT, stderr=subprocess.DEVNULL, start_new_session=True,
        )
        wait_for(self.direct)
        self.proxy = CountingProxy(self.direct)

    def close(self):
        os.killpg(self.daemon.pid, 15)
        self.daemon.wait()

    def url(self, name, direct=False):
        """The address of a repository, through the proxy or past it."""
        return f"git://127.0.0.1:{self.direct if direct else self.proxy.port}/{name}.git"


class CountingProxy:
    """Passes TCP connections on and counts what comes from the server and what goes to it."""

    def __init__(self, target):
        self.target = target
        self.lock = threading.Lock()
        self.open = 0
        self.received = self.sent = 0
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.server.accept()
            with self.lock:
                self.open += 1
            threading.Thread(target=self.serve, args=(near,), daemon=True).start()

    def serve(self, near):
        far = socket.create_connection(("127.0.0.1", self.target))
        back = threading.Thread(target=self.pump, args=(far, near, "received"), daemon=True)
        back.start()
        self.pump(near, far, "sent")
        back.join()
        near.close()
        far.close()
        with self.lock:
            self.open -= 1

    def pump(self, source, target, name):
        try:
            while data := source.recv(1 << 16):
                with self.lock:
                    setattr(self, name, getattr(self, name) + len(data))
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def take(self):
        """The bytes since the last call, when all connections are over."""
        deadline = time.monotonic() + 10
        while self.open and time.monotonic() < deadline:
            time.sleep(0.01)
        with self.lock:
            counts = self.received, self.sent
            self.received = self.sent = 0
        return counts


def wait_for(port):
    for _ in range(500):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.01)
    raise SystemExit("git daemon does not answer")
