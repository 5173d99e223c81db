"""GitHub Actions, as far as pipelines/github/ uses it."""
import fnmatch
import json
import os
import re
import shutil

import yaml

from ci import LOST_DEVICE, ROOT, Job, Place, only, ordered


class GitHub(Place):
    zip = "snapfarm.zip"

    def prepare_files(self):
        action = f"{self.main}/.github/actions/snapfarm"
        shutil.copytree(f"{ROOT}/pipelines/github/action", action)
        shutil.copy(f"{ROOT}/pipelines/install.sh", action)

    def token(self):
        # The workflow that tests a pull request has none, whoever made it.
        return {}

    def run(self):
        name = "shards.yml" if self.scenario == "empty share" else "snapfarm.yml"
        self.artifacts = f"{self.folder}/kept/artifacts"
        os.makedirs(self.artifacts)
        self.ended = {}
        for self.attempt in (1, 2) if self.scenario == "re-run" else (1,):
            # "Re-run failed jobs".
            self.workflow(name, "pull_request")
        # Whatever it ended with, the default branch's workflow hears of it.
        self.workflow("report.yml", "workflow_run")

    def workflow(self, name, event):
        config = yaml.safe_load(open(self.example(f"github/{name}")))
        # YAML 1.1 reads the key `on` as true.
        only(config, "name", True, "permissions", "env", "jobs")
        assert event in config[True], config[True]
        jobs = config["jobs"]
        for job in jobs.values():
            only(job, "runs-on", "container", "strategy", "needs", "if", "steps", "env",
                 "permissions", "concurrency")
        if self.scenario == "missing device" and "part" in jobs:
            jobs["part"]["strategy"]["matrix"]["select"].remove(f"device={LOST_DEVICE}")
        needs = {n: [j["needs"]] if "needs" in j else [] for n, j in jobs.items()}
        writes = "statuses" in str([j.get("permissions") for j in jobs.values()])
        for name in ordered(needs):
            self.entry(name, jobs[name], needs[name], config, event, writes)

    def entry(self, name, job, needs, config, event, writes):
        always = "cancelled" in str(job.get("if"))
        if any(self.ended.get(n) for n in needs) and not always:
            self.ended[name] = 1
            return
        strategy = only(job.get("strategy") or {"matrix": {}}, "fail-fast", "matrix")
        (axis, values), = strategy["matrix"].items() or [("", [""])]
        if self.attempt == 2 and self.ended.get(name) == 0:
            return
        codes = []
        for index, value in enumerate(values):
            label = f"{name} {value}".strip()
            if label in self.__dict__.setdefault("passed", set()):
                continue
            made = Job(label)
            self.jobs.append(made)
            facts = {f"matrix.{axis}": str(value), "strategy.job-index": str(index),
                     "strategy.job-total": str(len(values))}
            self.run_job(made, job, config, facts, event, writes)
            codes.append(made.code)
            if made.code == 0:
                self.passed.add(label)
        self.ended[name] = max(codes, default=0)

    def facts(self, event):
        # The merge that GitHub tests is no commit that anybody pushed.
        facts = {
            "github.sha": "f" * 40, "github.ref_name": "7/merge", "github.token": "good",
            "github.run_attempt": str(self.attempt),
            "github.event.pull_request.head.sha": self.commit,
            "runner.os": "Linux", "runner.arch": "X64", "vars.SNAPFARM_VERSION": "",
            "vars.SNAPFARM_URL": "", "vars.SNAPFARM_SHA256": "",
            "vars.SNAPFARM_STORE": f"file://{self.store}",
        }
        if event == "workflow_run":
            owner = "somebody" if self.scenario == "fork" else "o"
            facts.update({
                "github.event.workflow_run.event": "pull_request",
                "github.event.workflow_run.head_sha": self.commit,
                "github.event.workflow_run.id": "99",
                "github.event.workflow_run.html_url": "https://github.com/o/r/actions/runs/99",
                "github.event.workflow_run.head_branch": "topic",
                "github.event.workflow_run.head_repository.owner.login": owner,
            })
            api = {"repos/o/r/pulls": [{"number": 6, "head": {"sha": "0" * 40}},
                                       {"number": 7, "head": {"sha": self.commit}}]}
            with open(f"{self.folder}/gh.json", "w") as file:
                names = {n: f"{self.artifacts}/{n}" for n in os.listdir(self.artifacts)}
                json.dump({"api": api, "query": {"head": f"{owner}:topic", "state": "open"},
                           "artifacts": {"99": names}}, file)
        return facts

    def run_job(self, job, spec, config, facts, event, writes):
        folder = self.machine(re.sub(r"\W+", "-", job.name))
        self.output = f"{folder}.output"
        facts = {**self.facts(event), **facts}
        with open(f"{folder}.event", "w") as file:
            json.dump({"pull_request": {"head": {"sha": self.commit}}}
                      if event == "pull_request" else {"workflow_run": {}}, file)
        os.mkdir(f"{folder}.temp")
        variables = {
            "CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "o/r",
            "GITHUB_SHA": "f" * 40, "GITHUB_RUN_ID": "99" if event == "pull_request" else "100",
            "GITHUB_RUN_ATTEMPT": str(self.attempt), "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_REF": "refs/pull/7/merge" if event == "pull_request" else "refs/heads/main",
            "GITHUB_REF_NAME": "7/merge" if event == "pull_request" else "main",
            "GITHUB_STEP_SUMMARY": f"{folder}.summary", "GITHUB_EVENT_PATH": f"{folder}.event",
            "GITHUB_OUTPUT": self.output, "GITHUB_PATH": f"{folder}.path",
            "RUNNER_TEMP": f"{folder}.temp", "GH_STATE": f"{self.folder}/gh.json",
        }
        self.add(variables, config.get("env"), facts)
        self.add(variables, spec.get("env"), facts)
        if not writes:
            assert "good" not in variables.values(), "a token where a fork's code runs"
        self.run_steps(job, spec["steps"], folder, variables, facts)
        self.keep("job summary", f"{folder}.summary")
        lines = [l for l in job.said.splitlines() if l.startswith("::error")]
        if lines:
            self.kept.add("annotations")

    def add(self, variables, extra, facts):
        for name, value in (extra or {}).items():
            variables[name] = self.filled(str(value), facts)

    def run_steps(self, job, steps, folder, variables, facts):
        for step in steps:
            only(step, "name", "id", "uses", "with", "run", "env", "if", "shell")
            condition = str(step.get("if", ""))
            if job.code and "always()" not in condition:
                continue
            if "!= ''" in condition:
                words = re.search(r"([\w.-]+) != ''", condition)[1]
                if not facts[words]:
                    continue
            own = dict(variables)
            self.add(own, step.get("env"), facts)
            # YAML's true is the text `true`.
            given = {k: str(v).lower() if isinstance(v, bool) else str(v)
                     for k, v in step.get("with", {}).items()}
            inputs = {k: self.filled(v, facts) for k, v in given.items()}
            if "run" in step:
                assert "${{" not in step["run"], "a script is no place for an expression"
                open(self.output, "w").close()
                strict = ["-o", "pipefail"] if step.get("shell") else []
                words = ["bash", "-e", *strict, "-c"]
                code = self.shell(job, step["run"], folder, own, words)
                job.code = job.code or code
                for line in open(self.output):
                    key, value = line.rstrip("\n").split("=", 1)
                    facts[f"steps.{step['id']}.outputs.{key}"] = value
            elif step["uses"].startswith("./"):
                self.action(job, step["uses"], folder, variables, facts, inputs)
            else:
                self.uses(step["uses"], inputs, folder)

    def action(self, job, uses, folder, variables, facts, inputs):
        path = f"{folder}/{uses}"
        action = yaml.safe_load(open(f"{path}/action.yml"))
        only(inputs, *action["inputs"])
        values = {f"inputs.{k}": inputs.get(k, v.get("default", ""))
                  for k, v in action["inputs"].items()}
        inside = {**facts, **values, "github.action_path": path}
        self.run_steps(job, action["runs"]["steps"], folder, variables, inside)

    def uses(self, uses, inputs, folder):
        name, _, version = uses.partition("@")
        assert version == "v4", uses
        if name == "actions/checkout":
            only(inputs, "persist-credentials")
            self.checkout(folder)
        elif name == "actions/upload-artifact":
            only(inputs, "name", "path")
            target = f"{self.artifacts}/{inputs['name']}"
            kept, *left = inputs["path"].split()
            source = f"{folder}/{kept}"
            if os.path.isdir(source):
                # A run's second attempt has artifacts of its own name space; the newest counts.
                shutil.rmtree(target, ignore_errors=True)
                self.copy(source, target)
                for path in left:
                    assert path.startswith(f"!{kept}/"), path
                    os.remove(f"{target}/{path.removeprefix(f'!{kept}/')}")
                if inputs["name"] == "snapfarm":
                    self.keep_page("artifact snapfarm", target)
        elif name == "actions/download-artifact":
            only(inputs, "pattern", "path")
            for found in fnmatch.filter(os.listdir(self.artifacts), inputs["pattern"]):
                self.copy(f"{self.artifacts}/{found}", f"{folder}/{inputs['path']}/{found}")
        elif name in ("actions/cache", "actions/cache/restore", "actions/cache/save"):
            only(inputs, "path", "key", "restore-keys")
            self.cache(name, inputs, folder)
        else:
            raise AssertionError(f"nobody interprets {uses}")

    def cache(self, name, inputs, folder):
        caches = f"{self.folder}/cache"
        def flat(key):
            return key.replace("/", "%")
        if name.endswith("save"):
            if os.path.exists(f"{folder}/{inputs['path']}"):
                target = f"{caches}/{flat(inputs['key'])}/{inputs['path']}"
                self.copy(f"{folder}/{inputs['path']}", target)
            return
        for key in [inputs["key"], *inputs.get("restore-keys", "").split()]:
            for found in sorted(os.listdir(caches), reverse=True):
                if found.startswith(flat(key)):
                    return self.copy(f"{caches}/{found}", folder)

    def filled(self, text, facts):
        def value(match):
            for words in match[1].split("||"):
                words = words.strip()
                assert words in facts, f"nobody knows {words}"
                if facts[words]:
                    return facts[words]
            return ""
        return re.sub(r"\$\{\{ (.+?) \}\}", value, text)
