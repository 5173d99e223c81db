#!/usr/bin/env python3
"""A stand-in for GitHub's REST API, as far as snapfarm uses it, with the rules GitHub documents.

    github.py PORT STATE

STATE is a JSON file, read at the start and written after each call:
  token        the token that may write; every other one is 401
  pulls, shas  what exists
  comments     [{id, body, mine, stranger}]: whether the token may write it, and whether
               another account made it (without `stranger`: if the token may not write it)
  hidden       the token has no account that `/user` tells: an app's installation
  statuses     [{sha, …}], the oldest first
  heads        {pull request: commit}: what it is at now
  meet         so many first lists of comments are answered together: nobody has written yet
  repository   a bare repository whose commits exist, too
  refusals     [[status, {headers}]]: answers of the next calls before anything is done
  calls        ["METHOD path"]: what was asked
"""
import json
import os
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

state = json.load(open(sys.argv[2]))
lock = threading.Lock()
meeting = threading.Barrier(state["meet"]) if state.get("meet") else None


def is_known(sha):
    if sha in state["shas"]:
        return True
    call = ["git", "-C", state.get("repository") or "/", "cat-file", "-e", sha + "^{commit}"]
    return bool(state.get("repository")) and subprocess.run(call, capture_output=True).returncode == 0


class GitHub(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body=None, headers=()):
        # 204 has no body.
        text = json.dumps(body if body is not None else {}).encode() if status != 204 else b""
        # Kept before anybody can ask what was done.
        with open(sys.argv[2] + ".new", "w") as file:
            json.dump(state, file)
        os.replace(sys.argv[2] + ".new", sys.argv[2])
        self.send_response(status)
        for name, value in dict(headers).items():
            self.send_header(name, str(value))
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def refuse(self, status, message, headers=()):
        self.answer(status, {"message": message, "documentation_url": "https://docs"}, headers)

    def handle_call(self):
        # What is read before anybody writes: the lists that meet are made first, then answered.
        global meeting
        if meeting and self.command == "GET" and "/comments?" in self.path:
            with lock:
                shown = json.loads(json.dumps(state["comments"]))
            try:
                meeting.wait(10)
            except threading.BrokenBarrierError:
                pass
            meeting = None
            with lock:
                state.setdefault("calls", []).append(f"{self.command} {self.path}")
                return self.list_comments(parse_qs(urlsplit(self.path).query), shown)
        with lock:
            self.handle_alone()

    def handle_alone(self):
        url = urlsplit(self.path)
        state.setdefault("calls", []).append(f"{self.command} {self.path}")
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        if state.get("refusals"):
            status, headers = state["refusals"].pop(0)
            return self.refuse(status, "You have exceeded a rate limit.", headers)
        if not self.headers.get("User-Agent"):
            return self.refuse(403, "Request forbidden by administrative rules.")
        if self.headers.get("Authorization") != "Bearer " + state["token"]:
            return self.refuse(401, "Bad credentials")
        if url.path == "/user":
            return self.refuse(403, "Resource not accessible by integration") \
                if state.get("hidden") else self.answer(200, {"id": 1, "type": "User"})
        status = re.fullmatch(r"/repos/o/r/statuses/([0-9a-f]{40})", url.path)
        if status and self.command == "POST":
            return self.add_status(status[1], body)
        combined = re.fullmatch(r"/repos/o/r/commits/([0-9a-f]{40})/status", url.path)
        if combined and self.command == "GET":
            return self.combined_status(combined[1], parse_qs(url.query))
        comments = re.fullmatch(r"/repos/o/r/issues/(\d+)/comments", url.path)
        if comments and int(comments[1]) in state["pulls"]:
            if self.command == "GET":
                return self.list_comments(parse_qs(url.query))
            return self.write_comment(None, body)
        comment = re.fullmatch(r"/repos/o/r/issues/comments/(\d+)", url.path)
        pull = re.fullmatch(r"/repos/o/r/pulls/(\d+)", url.path)
        if pull and self.command == "GET" and int(pull[1]) in state["pulls"]:
            head = state.get("heads", {}).get(pull[1], state["shas"][-1])
            return self.answer(200, {"number": int(pull[1]), "head": {"sha": head}})
        if comment and self.command == "DELETE":
            old = [c for c in state["comments"] if c["id"] == int(comment[1])]
            if not old:
                return self.refuse(404, "Not Found")
            if not old[0]["mine"]:
                return self.refuse(403, "Must have admin rights to Repository.")
            state["comments"].remove(old[0])
            return self.answer(204)
        if comment and self.command == "PATCH":
            old = [c for c in state["comments"] if c["id"] == int(comment[1])]
            if not old:
                return self.refuse(404, "Not Found")
            if not old[0]["mine"]:
                return self.refuse(403, "Resource not accessible by integration")
            return self.write_comment(old[0], body)
        return self.refuse(404, "Not Found")

    def add_status(self, sha, body):
        if not is_known(sha):
            return self.refuse(422, f"No commit found for SHA: {sha}")
        if body["state"] not in ("error", "failure", "pending", "success"):
            return self.refuse(422, "Validation Failed")
        if len(body.get("description") or "") > 140:
            return self.refuse(422, "description is too long (maximum is 140 characters)")
        state["statuses"].append(dict(body, sha=sha))
        return self.answer(201, body)

    def combined_status(self, sha, query):
        """The newest status of each context, and what they come to."""
        if not is_known(sha):
            return self.refuse(422, f"No commit found for SHA: {sha}")
        newest = {}
        for status in state["statuses"]:
            if status["sha"] == sha:
                newest.pop(status["context"], None)
                newest[status["context"]] = status
        states = {s["state"] for s in newest.values()}
        combined = ("failure" if states & {"failure", "error"} else
                    "pending" if not states or "pending" in states else "success")
        size = min(int(query.get("per_page", ["30"])[0]), 100)
        page = int(query.get("page", ["1"])[0])
        shown = [{k: s.get(k) for k in ("state", "context", "description", "target_url")}
                 for s in reversed(list(newest.values()))]
        return self.answer(200, {"state": combined, "sha": sha, "total_count": len(shown),
                                 "statuses": shown[(page - 1) * size:page * size]})

    def list_comments(self, query, comments=None):
        comments = state["comments"] if comments is None else comments
        size = min(int(query.get("per_page", ["30"])[0]), 100)
        page = int(query.get("page", ["1"])[0])
        shown = comments[(page - 1) * size:page * size]
        return self.answer(200, [{"id": c["id"], "body": c["body"], "user": self.author(c)}
                                 for c in shown])

    @staticmethod
    def author(comment):
        if comment.get("stranger", not comment["mine"]):
            return {"id": 2, "type": "User"}
        return {"id": 1, "type": "Bot" if state.get("hidden") else "User"}

    def write_comment(self, old, body):
        if len(body["body"]) > 65536:
            return self.refuse(422, "body is too long (maximum is 65536 characters)")
        if old:
            old["body"] = body["body"]
            return self.answer(200, old)
        state["last"] = max([c["id"] for c in state["comments"]] + [state.get("last", 0)]) + 1
        number = state["last"]
        new = {"id": number, "body": body["body"], "mine": True}
        state["comments"].append(new)
        return self.answer(201, new)

    do_GET = do_POST = do_PATCH = do_DELETE = handle_call

    def log_message(self, *words):
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), GitHub).serve_forever()
