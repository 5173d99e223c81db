#!/usr/bin/env python3
"""The launcher script of Kubernetes with the real `kubectl`, against a stand-in for the API.

The stand-in keeps Jobs of one namespace, filters by labels, refuses a second Job of a name, and answers
as an API server does. `make deploy-check` calls it where kubectl is; the argument is the folder deploy/.
"""
import json
import os
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

SCRIPT = os.path.abspath(sys.argv[1]) + "/launchers/kubernetes-worker"
JOBS = "/apis/batch/v1/namespaces/snapfarm/jobs"
jobs = {}


def status(code, reason, message):
    return code, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code,
                  "reason": reason, "message": message}


class API(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, code, body):
        data = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        url = urlsplit(self.path)
        if url.path == "/api":
            return self.answer(200, {"kind": "APIVersions", "versions": ["v1"]})
        if url.path == "/apis":
            version = {"groupVersion": "batch/v1", "version": "v1"}
            return self.answer(200, {"kind": "APIGroupList", "apiVersion": "v1", "groups": [
                {"name": "batch", "versions": [version], "preferredVersion": version}]})
        if url.path == "/api/v1":
            return self.answer(200, {"kind": "APIResourceList", "groupVersion": "v1", "resources": []})
        if url.path == "/apis/batch/v1":
            return self.answer(200, {
                "kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "batch/v1",
                "resources": [{"name": "jobs", "singularName": "job", "namespaced": True, "kind": "Job",
                               "verbs": ["create", "delete", "get", "list"]}]})
        # As a real server, it checks the fields itself; so kubectl need not.
        if url.path == "/openapi/v3":
            return self.answer(200, {"paths": {"apis/batch/v1": {"serverRelativeURL": "/openapi/v3/batch"}}})
        if url.path == "/openapi/v3/batch":
            kind = {"group": "batch", "version": "v1", "kind": "Job"}
            post = {"x-kubernetes-action": "post", "x-kubernetes-group-version-kind": kind, "parameters": [
                {"name": "fieldValidation", "in": "query", "schema": {"type": "string"}}],
                "responses": {"200": {"description": "OK"}}}
            patch = {**post, "x-kubernetes-action": "patch"}
            return self.answer(200, {"openapi": "3.0.0", "info": {"title": "k", "version": "v1"},
                                     "paths": {JOBS: {"post": post, "patch": patch}}})
        if url.path == JOBS:
            wanted = parse_qs(url.query).get("labelSelector", [""])[0]
            found = [job for job in jobs.values() if not wanted or all(
                job["metadata"]["labels"].get(pair.split("=")[0]) == pair.split("=")[1]
                for pair in wanted.split(","))]
            return self.answer(200, {"kind": "JobList", "apiVersion": "batch/v1", "metadata": {},
                                     "items": found})
        name = url.path.removeprefix(JOBS + "/")
        if name in jobs:
            return self.answer(200, jobs[name])
        return self.answer(*status(404, "NotFound", f'jobs.batch "{name}" not found'))

    def do_POST(self):
        job = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert urlsplit(self.path).path == JOBS, self.path
        name = job["metadata"]["name"]
        if name in jobs:
            return self.answer(*status(409, "AlreadyExists", f'jobs.batch "{name}" already exists'))
        jobs[name] = job
        self.answer(201, job)

    def do_DELETE(self):
        options = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        name = urlsplit(self.path).path.removeprefix(JOBS + "/")
        if jobs.pop(name, None) is None:
            return self.answer(*status(404, "NotFound", f'jobs.batch "{name}" not found'))
        assert options.get("propagationPolicy") == "Background", options
        self.answer(200, {"kind": "Status", "apiVersion": "v1", "status": "Success"})


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), API)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/config", "w") as file:
            json.dump({
                "apiVersion": "v1", "kind": "Config", "current-context": "c",
                "clusters": [{"name": "c", "cluster": {
                    "server": f"http://127.0.0.1:{server.server_port}"}}],
                "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
                "users": [{"name": "u", "user": {}}]}, file)
        environment = {
            "PATH": os.environ["PATH"], "HOME": folder, "KUBECONFIG": f"{folder}/config",
            "FARM_IMAGE": "registry.example.org/snapfarm:1.0", "FARM_SECRET": "snapfarm-worker",
            "FARM_NAMESPACE": "snapfarm"}

        def call(*words, told="", fails=None):
            done = subprocess.run(["sh", SCRIPT, *words], input=told, capture_output=True, text=True,
                                  timeout=60, env=environment)
            if fails is None:
                assert done.returncode == 0, (words, done.stdout, done.stderr)
            else:
                assert done.returncode != 0 and fails in done.stderr, (words, done.stdout, done.stderr)
            return done.stdout

        told = "https://farm.example.org\n\n"
        call("check", told=told)
        assert call("list") == ""
        for number in range(1, 7):
            call("start", "--id", f"l-1-{number}", "--offer", 'note=it\'s "$HOME"\\', told=told)
        call("start", "--id", "l-1-1", told=told, fails="already exists")
        container = jobs["l-1-1"]["spec"]["template"]["spec"]["containers"][0]
        assert container["args"][-1] == 'note=it\'s "$HOME"\\', container
        jobs["l-1-1"]["status"] = {"active": 1, "ready": 1}
        jobs["l-1-2"]["status"] = {"active": 1, "ready": 0}
        jobs["l-1-3"]["status"] = {"succeeded": 1, "ready": 0}
        jobs["l-1-4"]["status"] = {"failed": 1}
        jobs["l-1-5"]["metadata"]["deletionTimestamp"] = "2026-11-25T00:00:00Z"
        jobs["other"] = {"metadata": {"name": "other", "labels": {}}}
        assert call("list").split("\n") == ["l-1-1", "l-1-2 pending", "l-1-6 pending", ""], call("list")
        call("stop", "l-1-1")
        call("stop", "l-1-1")
        assert "l-1-1" not in jobs and "l-1-2" in jobs
        server.shutdown()
        server.server_close()
        call("list", fails="refused")
    print("started, listed and stopped Jobs with kubectl")


main()
