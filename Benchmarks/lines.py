"""TCP connections that a script passes on: it counts their bytes, holds them back, or chooses where they lead."""
import socket
import threading
import time


class Line:
    """Passes connections on to a server's port; `silence` holds back what comes from both sides.

    It listens only while its server does: libpq takes the next host where a connection is refused,
    and not where one is accepted and ends.
    """

    def __init__(self, target):
        self.target = target
        self.passes = threading.Event()
        self.passes.set()
        # The connections to the server, with its port.
        self.open = {}
        self.lock = threading.Lock()
        self.received = self.sent = 0
        self.server, self.port = None, 0
        self.listen()

    def listen(self):
        if not self.server:
            self.server = socket.create_server(("127.0.0.1", self.port), backlog=512)
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
        """The ports of its connections, as the server knows them."""
        with self.lock:
            return [far.getsockname()[1] for far in self.open]

    def take(self):
        """The bytes from the server and to it since the last call, when all connections are over."""
        deadline = time.monotonic() + 10
        while self.open and time.monotonic() < deadline:
            time.sleep(0.01)
        with self.lock:
            counts = self.received, self.sent
            self.received = self.sent = 0
        return counts

    def accept(self, server):
        while True:
            try:
                near, _ = server.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(near,), daemon=True).start()

    def connect(self):
        """A connection to the server, and its port."""
        return socket.create_connection(("127.0.0.1", self.target)), self.target

    def serve(self, near):
        self.passes.wait()
        try:
            far, port = self.connect()
        except OSError:
            near.close()
            return
        for end in (near, far):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self.lock:
            self.open[far] = port
        back = threading.Thread(target=self.pump, args=(far, near, "received"), daemon=True)
        back.start()
        self.pump(near, far, "sent")
        back.join()
        with self.lock:
            del self.open[far]
        near.close()
        far.close()

    def pump(self, source, target, name):
        try:
            while True:
                data = source.recv(1 << 16)
                self.passes.wait()
                if not data:
                    return shut(target, socket.SHUT_WR)
                with self.lock:
                    setattr(self, name, getattr(self, name) + len(data))
                target.sendall(data)
        except OSError:
            shut(source)
            shut(target)


def shut(end, how=socket.SHUT_RDWR):
    try:
        end.shutdown(how)
    except OSError:
        pass


class Balancer(Line):
    """One address for a farm: passes connections to a coordinator that answers `/healthz`.

    A coordinator that stops answering loses its connections: one that is frozen keeps them open.
    """

    def __init__(self, coordinators):
        self.healthy = {coordinator.port: True for coordinator in coordinators}
        self.turn = 0
        super().__init__(None)
        self.url = f"http://127.0.0.1:{self.port}"
        for coordinator in coordinators:
            threading.Thread(target=self.watch, args=(coordinator,), daemon=True).start()

    def watch(self, coordinator):
        while True:
            well = self.healthy[coordinator.port] = coordinator.answers()
            with self.lock:
                for far, port in self.open.items():
                    if port == coordinator.port and not well:
                        shut(far)
            time.sleep(0.2)

    def connect(self):
        self.turn += 1
        ports = list(self.healthy)
        start = self.turn % len(ports)
        for port in sorted(ports[start:] + ports[:start], key=lambda port: not self.healthy[port]):
            try:
                far = socket.create_connection(("127.0.0.1", port), timeout=1)
            except OSError:
                continue
            far.settimeout(None)
            return far, port
        raise OSError("no coordinator takes connections")
