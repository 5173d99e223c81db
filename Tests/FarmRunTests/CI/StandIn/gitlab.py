#!/usr/bin/env python3
"""A stand-in for GitLab's REST API (v4), as far as snapfarm uses it, with the rules GitLab documents.

    gitlab.py PORT STATE

STATE is the JSON file of github.py; statuses are kept as GitLab lists them. Rules that GitHub lacks:
the token is in PRIVATE-TOKEN; a path of a project is one name (%2F); notes that GitLab itself wrote
are listed, too; a status that waits cannot be made to wait again, and a finished one is followed by a
new one; nothing has the state `error`.
"""
import re

from host import Host, serve, state

PROJECT = r"/projects/group%2Fsub%2Fr"
STATES = {"pending": "enqueue", "running": "run", "success": "success", "failed": "drop",
          "canceled": "cancel"}


class GitLab(Host):
    def refusal(self, message):
        return {"message": message}

    def allows(self):
        return self.headers.get("PRIVATE-TOKEN") == state["token"]

    def call(self, path, query, body):
        if path == "/user":
            return self.refuse(403, "403 Forbidden") if state.get("hidden") \
                else self.answer(200, {"id": 1, "username": "bot"})
        note = re.fullmatch(PROJECT + r"/merge_requests/(\d+)/notes(?:/(\d+))?", path)
        if note and int(note[1]) in state["pulls"]:
            if not note[2]:
                if self.command == "GET":
                    assert query["sort"] == ["asc"], query
                    return self.answer(200, self.page(query, "per_page", [
                        {"id": c["id"], "body": c["body"], "system": c.get("system", False),
                         "author": {"id": self.author(c)}} for c in state["comments"]]))
                return self.write(None, body["body"])
            old = self.comment(int(note[2]))
            if not old:
                return self.refuse(404, "404 Note Not Found")
            if not old["mine"]:
                return self.refuse(403, "403 Forbidden")
            if self.command == "DELETE":
                state["comments"].remove(old)
                return self.answer(204)
            return self.write(old, body["body"]) if self.command == "PUT" else self.refuse(405, "")
        merge = re.fullmatch(PROJECT + r"/merge_requests/(\d+)", path)
        if merge and self.command == "GET" and int(merge[1]) in state["pulls"]:
            return self.answer(200, {"iid": int(merge[1]), "sha": self.head(merge[1])})
        new = re.fullmatch(PROJECT + r"/statuses/([0-9a-f]{40})", path)
        if new and self.command == "POST":
            return self.add_status(new[1], body)
        listed = re.fullmatch(PROJECT + r"/repository/commits/([0-9a-f]{40})/statuses", path)
        if listed and self.command == "GET":
            newest = {}
            for status in state["statuses"]:
                if status["sha"] == listed[1]:
                    newest[status["name"]] = status
            return self.answer(200, self.page(query, "per_page", list(newest.values())))
        self.refuse(404, "404 Project Not Found")

    def write(self, old, text):
        if len(text) > 1_000_000:
            return self.refuse(400, "400 Bad request - Note is too long")
        made = self.keep(old, text)
        self.answer(200 if old else 201, {"id": made["id"], "body": text, "system": False})

    def add_status(self, sha, body):
        if not self.knows(sha):
            return self.refuse(404, "404 Commit Not Found")
        if body["state"] not in STATES or len(body.get("description") or "") > 255:
            return self.refuse(400, {"state": ["does not have a valid value"]})
        # The job's own pipeline, which another commit does not have.
        assert body.get("pipeline_id") == (1000 if sha in state["shas"] else None), body
        old = [s for s in state["statuses"] if s["sha"] == sha and s["name"] == body["name"]]
        if old and old[-1]["status"] in ("pending", "running"):
            if old[-1]["status"] == body["state"]:
                event = STATES[body["state"]]
                return self.refuse(400, f"Cannot transition status via :{event} from "
                                        f":{body['state']} (Reason(s): Status cannot transition "
                                        f"via \"{event}\")")
            state["statuses"].remove(old[-1])
        words = {"sha": sha, "status": body["state"], "name": body["name"],
                 "description": body.get("description"), "target_url": body.get("target_url")}
        state["statuses"].append({k: v for k, v in words.items() if v is not None})
        self.answer(201, words)


serve(GitLab)
