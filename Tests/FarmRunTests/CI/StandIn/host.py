"""What the stand-ins of Git hosts share: the file of state, refusals that were ordered, pages."""
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

state = json.load(open(sys.argv[2]))
lock = threading.Lock()


class Host(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body=None, headers=()):
        text = json.dumps(body if body is not None else {}).encode() if status != 204 else b""
        # Kept before anybody can ask what was done.
        with open(sys.argv[2] + ".new", "w") as file:
            json.dump(state, file)
        os.replace(sys.argv[2] + ".new", sys.argv[2])
        self.send_response(status)
        for name, value in dict(headers).items():
            self.send_header(name, str(value))
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def refuse(self, status, message, headers=()):
        self.answer(status, self.refusal(message), headers)

    def handle_call(self):
        with lock:
            url = urlsplit(self.path)
            state.setdefault("calls", []).append(f"{self.command} {self.path}")
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            if state.get("refusals"):
                status, headers = state["refusals"].pop(0)
                return self.refuse(status, "Too many requests", headers)
            if not self.allows():
                return self.refuse(401, "401 Unauthorized")
            self.call(url.path, parse_qs(url.query), body)

    @staticmethod
    def page(query, size, items):
        size = min(int(query.get(size, ["20"])[0]), 100)
        page = int(query.get("page", ["1"])[0])
        return items[(page - 1) * size:page * size]

    @staticmethod
    def author(comment):
        """The number of the account that wrote it; 1 is the token's own."""
        return 2 if comment.get("stranger", not comment["mine"]) else 1

    @staticmethod
    def head(number):
        return state.get("heads", {}).get(number, state["shas"][-1])

    @staticmethod
    def knows(sha):
        if sha in state["shas"]:
            return True
        call = ["git", "-C", state.get("repository") or "/", "cat-file", "-e", sha + "^{commit}"]
        return bool(state.get("repository")) \
            and subprocess.run(call, capture_output=True).returncode == 0

    @staticmethod
    def comment(number):
        return next((c for c in state["comments"] if c["id"] == number), None)

    @staticmethod
    def keep(old, text):
        if old:
            old["body"] = text
            return old
        number = max([c["id"] for c in state["comments"]] + [state.get("last", 0)]) + 1
        state["last"] = number
        made = {"id": number, "body": text, "mine": True}
        state["comments"].append(made)
        return made

    do_GET = do_POST = do_PUT = do_DELETE = handle_call

    def log_message(self, *words):
        pass


def serve(host):
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), host).serve_forever()
