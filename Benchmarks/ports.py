"""Ports of 127.0.0.1 for servers that a measurement starts."""
import socket

KEPT = []


def reserved_port():
    """A port that is kept for a server of this script: a socket stays bound to it and never listens, so the
    kernel gives it to no other process, and a server that sets SO_REUSEADDR can still bind it."""
    kept = socket.socket()
    kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    kept.bind(("127.0.0.1", 0))
    KEPT.append(kept)
    return kept.getsockname()[1]
