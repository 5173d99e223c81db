#!/usr/bin/env python3
"""A stand-in for Bitbucket Cloud's REST API (2.0), as far as snapfarm uses it, with its rules.

    bitbucket.py PORT STATE

STATE is the JSON file of github.py; statuses are kept as Bitbucket lists them. Rules that GitHub
lacks: a page says where the next one is; comments that were deleted are listed without text; a status
is found by its key of at most 40 characters, needs a URL, and is overwritten; a pull request names its
commit by twelve characters.
"""
import re

from host import Host, serve, state

REPOSITORY = "/repositories/o/r"
STATES = ("SUCCESSFUL", "FAILED", "INPROGRESS", "STOPPED")


class Bitbucket(Host):
    def refusal(self, message):
        return {"type": "error", "error": {"message": message}}

    def allows(self):
        return self.headers.get("Authorization") == "Bearer " + state["token"]

    def listed(self, query, items):
        size = min(int(query.get("pagelen", ["10"])[0]), 100)
        page = int(query.get("page", ["1"])[0])
        shown = {"pagelen": size, "page": page, "size": len(items),
                 "values": items[(page - 1) * size:page * size]}
        if page * size < len(items):
            shown["next"] = f"https://api.bitbucket.org/2.0/elsewhere?page={page + 1}"
        self.answer(200, shown)

    def call(self, path, query, body):
        if path == "/user":
            message = "Token is invalid or not supported for this endpoint."
            return self.refuse(401, message) if state.get("hidden") \
                else self.answer(200, {"type": "user", "uuid": "{1}"})
        comment = re.fullmatch(REPOSITORY + r"/pullrequests/(\d+)/comments(?:/(\d+))?", path)
        if comment and int(comment[1]) in state["pulls"]:
            if not comment[2]:
                if self.command == "GET":
                    return self.listed(query, [
                        {"id": c["id"], "user": {"type": "user", "uuid": f"{{{self.author(c)}}}"},
                         "deleted": c.get("system", False),
                         "content": {"raw": "" if c.get("system") else c["body"]}}
                        for c in state["comments"]])
                return self.write(None, body["content"]["raw"])
            old = self.comment(int(comment[2]))
            if not old:
                return self.refuse(404, "Resource not found")
            if not old["mine"]:
                return self.refuse(403, "You do not have permission to edit this comment.")
            if self.command == "DELETE":
                state["comments"].remove(old)
                return self.answer(204)
            assert self.command == "PUT", self.command
            return self.write(old, body["content"]["raw"])
        pull = re.fullmatch(REPOSITORY + r"/pullrequests/(\d+)", path)
        if pull and self.command == "GET" and int(pull[1]) in state["pulls"]:
            head = self.head(pull[1])[:12]
            return self.answer(200, {"id": int(pull[1]), "source": {"commit": {"hash": head}}})
        new = re.fullmatch(REPOSITORY + r"/commit/([0-9a-f]{40})/statuses/build", path)
        if new and self.command == "POST":
            return self.add_status(new[1], body)
        listed = re.fullmatch(REPOSITORY + r"/commit/([0-9a-f]{40})/statuses", path)
        if listed and self.command == "GET":
            return self.listed(query, [s for s in state["statuses"] if s["sha"] == listed[1]])
        self.refuse(404, "Repository not found")

    def write(self, old, text):
        if len(text) > 32_768:
            return self.refuse(400, "content.raw: too long")
        made = self.keep(old, text)
        self.answer(200 if old else 201, {"id": made["id"], "content": {"raw": text}})

    def add_status(self, sha, body):
        if not self.knows(sha):
            return self.refuse(404, "Commit not found")
        wrong = body["state"] not in STATES or not 0 < len(body["key"]) <= 40 \
            or not body.get("url", "").startswith("http") or len(body.get("description", "")) > 255
        if wrong:
            return self.refuse(400, "Bad request")
        state["statuses"] = [s for s in state["statuses"]
                             if (s["sha"], s["key"]) != (sha, body["key"])]
        state["statuses"].append(dict(body, sha=sha))
        self.answer(201, body)


serve(Bitbucket)
