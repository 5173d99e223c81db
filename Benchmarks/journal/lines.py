"""The line from one coordinator to PostgreSQL, which can fall silent: nothing arrives, and nothing is refused."""
import select
import socket
import threading


class Line:
    """Passes connections on to a server's port; `silence` holds back what comes from both sides.

    It listens only while its server does: libpq takes the next host where a connection is refused,
    and not where one is accepted and ends.
    """

    def __init__(self, target):
        self.target = target
        self.passes = threading.Event()
        self.passes.set()
        self.open = set()
        self.lock = threading.Lock()
        self.server, self.port = None, 0
        self.listen()

    def listen(self):
        if not self.server:
            self.server = socket.create_server(("127.0.0.1", self.port), backlog=64)
            self.port = self.server.getsockname()[1]
            threading.Thread(target=self.accept, args=(self.server,), daemon=True).start()

    def refuse(self):
        if self.server:
            # A thread that waits in accept would keep the port.
            self.server.shutdown(socket.SHUT_RDWR)
            self.server.close()
            self.server = None

    def silence(self):
        self.passes.clear()

    def restore(self):
        self.passes.set()

    def ports(self):
        """The ports of its connections, as PostgreSQL knows them."""
        with self.lock:
            return [far.getsockname()[1] for far in self.open]

    def accept(self, server):
        while True:
            try:
                near, _ = server.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(near,), daemon=True).start()

    def serve(self, near):
        self.passes.wait()
        try:
            far = socket.create_connection(("127.0.0.1", self.target))
        except OSError:
            near.close()
            return
        near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        far.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self.lock:
            self.open.add(far)
        try:
            both = [near, far]
            while True:
                for source in select.select(both, [], [])[0]:
                    self.passes.wait()
                    data = source.recv(1 << 16)
                    if not data:
                        return
                    (far if source is near else near).sendall(data)
        except OSError:
            pass
        finally:
            with self.lock:
                self.open.discard(far)
            near.close()
            far.close()
