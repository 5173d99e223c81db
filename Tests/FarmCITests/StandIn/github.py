#!/usr/bin/env python3
"""A stand-in for GitHub's REST API, as far as snapfarm uses it, with the rules GitHub documents.

    github.py PORT STATE

STATE is a JSON file, read at the start and written after each call:
  token        the token that may write; every other one is 401
  pulls, shas  what exists
  comments     [{id, body, mine}]
  statuses     [{sha, …}]
  refusals     [[status, {headers}]]: answers of the next calls before anything is done
  calls        ["METHOD path"]: what was asked
"""
import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

state = json.load(open(sys.argv[2]))


class GitHub(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body=None, headers=()):
        text = json.dumps(body if body is not None else {}).encode()
        self.send_response(status)
        for name, value in dict(headers).items():
            self.send_header(name, str(value))
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
        with open(sys.argv[2], "w") as file:
            json.dump(state, file)

    def refuse(self, status, message, headers=()):
        self.answer(status, {"message": message, "documentation_url": "https://docs"}, headers)

    def handle_call(self):
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
        status = re.fullmatch(r"/repos/o/r/statuses/([0-9a-f]{40})", url.path)
        if status and self.command == "POST":
            return self.add_status(status[1], body)
        comments = re.fullmatch(r"/repos/o/r/issues/(\d+)/comments", url.path)
        if comments and int(comments[1]) in state["pulls"]:
            if self.command == "GET":
                return self.list_comments(parse_qs(url.query))
            return self.write_comment(None, body)
        comment = re.fullmatch(r"/repos/o/r/issues/comments/(\d+)", url.path)
        if comment and self.command == "PATCH":
            old = [c for c in state["comments"] if c["id"] == int(comment[1])]
            if not old:
                return self.refuse(404, "Not Found")
            if not old[0]["mine"]:
                return self.refuse(403, "Resource not accessible by integration")
            return self.write_comment(old[0], body)
        return self.refuse(404, "Not Found")

    def add_status(self, sha, body):
        if sha not in state["shas"]:
            return self.refuse(422, f"No commit found for SHA: {sha}")
        if body["state"] not in ("error", "failure", "pending", "success"):
            return self.refuse(422, "Validation Failed")
        if len(body.get("description") or "") > 140:
            return self.refuse(422, "description is too long (maximum is 140 characters)")
        state["statuses"].append(dict(body, sha=sha))
        return self.answer(201, body)

    def list_comments(self, query):
        size = min(int(query.get("per_page", ["30"])[0]), 100)
        page = int(query.get("page", ["1"])[0])
        shown = state["comments"][(page - 1) * size:page * size]
        return self.answer(200, [{"id": c["id"], "body": c["body"]} for c in shown])

    def write_comment(self, old, body):
        if len(body["body"]) > 65536:
            return self.refuse(422, "body is too long (maximum is 65536 characters)")
        if old:
            old["body"] = body["body"]
            return self.answer(200, old)
        number = max([c["id"] for c in state["comments"]], default=0) + 1
        new = {"id": number, "body": body["body"], "mine": True}
        state["comments"].append(new)
        return self.answer(201, new)

    do_GET = do_POST = do_PATCH = handle_call

    def log_message(self, *words):
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), GitHub).serve_forever()
