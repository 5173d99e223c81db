"""CircleCI, as far as pipelines/circleci/ uses it."""
import glob
import os
import re
import shutil

import yaml

from ci import LOST_DEVICE, Job, Place, only, ordered


class CircleCI(Place):
    failed = None

    def run(self):
        names = {"empty share": "shards.yml", "own split": "testsuite.yml"}
        name = names.get(self.scenario, "config.yml")
        self.config = yaml.safe_load(open(self.example(f"circleci/{name}")))
        only(self.config, "version", "parameters", "executors", "commands", "jobs", "workflows")
        self.workspace = f"{self.folder}/kept/workspace"
        os.makedirs(self.workspace)
        (flow,) = self.config["workflows"].values()
        entries = [e if isinstance(e, dict) else {e: {}} for e in only(flow, "jobs")["jobs"]]
        entries = {name: options or {} for e in entries for name, options in e.items()}
        if self.scenario == "missing device":
            matrix = entries["snapshot_test"]["matrix"]["parameters"]["device"]
            matrix.remove(LOST_DEVICE)
        self.ended, self.passed = {}, set()
        needs = {n: [self.required(r)[0] for r in o.get("requires", [])]
                 for n, o in entries.items()}
        for job in ordered(needs):
            self.run_entry(job, entries[job])
        if self.scenario == "decide":
            # Somebody approves what the workflow holds for.
            self.ended["hold"] = "success"
            self.run_entry("accept", entries["accept"])
        if self.scenario == "own split":
            # "Rerun failed tests" gives the machines the suites that failed.
            with open(f"{self.folder}/kept/failed", "w") as file:
                file.write("widgets")
            self.failed = file.name
            self.attempt, self.passed = 2, set()
            self.run_entry("tests", {})
        if self.scenario == "re-run":
            # "Rerun from failed": a new workflow with the workspace of the first.
            self.attempt = 2
            for job in ordered(needs):
                if self.ended[job] != "success":
                    self.run_entry(job, entries[job])

    def prepare_files(self):
        os.makedirs(f"{self.main}/.circleci")
        shutil.copy(self.example("circleci/test-suites.yml"), f"{self.main}/.circleci")

    @staticmethod
    def required(entry):
        if isinstance(entry, str):
            return entry, ["success"]
        ((name, states),) = entry.items()
        return name, states if isinstance(states, list) else [states]

    def run_entry(self, name, options):
        only(options, "requires", "matrix", "type", "context")
        allowed = all(self.ended[n] in states
                      for n, states in map(self.required, options.get("requires", [])))
        if not allowed:
            self.ended[name] = "not_run"
            return
        if options.get("type") == "approval":
            self.blocked = True
            self.ended[name] = "on_hold"
            return
        job = self.config["jobs"][name]
        only(job, "executor", "docker", "parallelism", "parameters", "environment", "steps")
        values = [{}]
        if "matrix" in options:
            (parameter,) = job["parameters"]
            values = [{parameter: v} for v in options["matrix"]["parameters"][parameter]]
        machines = [(v, i) for v in values for i in range(job.get("parallelism", 1))]
        done, failed = self.passed, []
        for parameters, index in machines:
            label = name
            label += f" {parameters['device']}" if parameters else ""
            label += f" {index}" if job.get("parallelism", 1) > 1 else ""
            if label in done:
                continue
            if self.run_job(label, job, parameters, index) == 0:
                done.add(label)
            else:
                failed.append(label)
        self.ended[name] = "failed" if failed else "success"

    def run_job(self, label, job, parameters, index):
        found = Job(label)
        self.jobs.append(found)
        folder = self.machine(re.sub(r"\W+", "-", label))
        variables = {
            "CI": "true", "CIRCLECI": "true", "CIRCLE_SHA1": self.commit,
            "CIRCLE_BRANCH": "topic", "CIRCLE_WORKFLOW_ID": f"w-{self.attempt}",
            "CIRCLE_WORKFLOW_WORKSPACE_ID": "w-1", "CIRCLE_PIPELINE_ID": "p-1",
            "CIRCLE_WORKFLOW_JOB_ID": f"j-{len(self.jobs)}", "CIRCLE_NODE_INDEX": str(index),
            "CIRCLE_NODE_TOTAL": str(job.get("parallelism", 1)),
            "CIRCLE_BUILD_URL": "https://circle/1", "CIRCLE_PROJECT_USERNAME": "o",
            "CIRCLE_PROJECT_REPONAME": "r", "BASH_ENV": f"{folder}.env",
            "CIRCLE_PULL_REQUEST": "https://github.com/o/r/pull/7", **self.token(),
        }
        open(variables["BASH_ENV"], "w").close()
        if self.failed:
            variables["CI_STAND_IN_FAILED"] = self.failed
        for name, value in job.get("environment", {}).items():
            variables[name] = self.filled(value, parameters)
        for step in self.steps(job["steps"]):
            self.step(found, step, folder, variables, parameters)
        return found.code

    def steps(self, listed):
        for step in listed:
            command = self.config.get("commands", {}).get(step if isinstance(step, str) else "")
            if command:
                yield from self.steps(only(command, "steps")["steps"])
            else:
                yield {step: {}} if isinstance(step, str) else step

    @staticmethod
    def filled(text, parameters):
        for name, value in parameters.items():
            text = text.replace(f"<< parameters.{name} >>", value)
        assert "<<" not in text, text
        return text

    def step(self, job, step, folder, variables, parameters):
        ((kind, value),) = step.items()
        stores = kind in ("store_artifacts", "store_test_results")
        when = value.get("when") if isinstance(value, dict) else None
        if job.code and not stores and when != "always":
            return
        if kind == "checkout":
            self.checkout(folder)
        elif kind == "run":
            value = {"command": value} if isinstance(value, str) else value
            only(value, "name", "command", "when")
            code = self.shell(job, self.filled(value["command"], parameters), folder, variables)
            job.code = job.code or code
        elif kind == "attach_workspace":
            self.copy(self.workspace, f"{folder}/{only(value, 'at')['at']}")
        elif kind == "persist_to_workspace":
            only(value, "root", "paths")
            root = f"{folder}/{value['root']}"
            found = [f for p in value["paths"] for f in glob.glob(f"{root}/{p}")]
            assert found, "CircleCI fails a step that persists nothing"
            for path in found:
                target = os.path.relpath(path, root)
                self.copy(path, f"{self.workspace}/{'' if target == '.' else target}")
        elif kind == "store_test_results":
            self.keep("Tests tab", f"{folder}/{only(value, 'path')['path']}")
        elif kind == "store_artifacts":
            only(value, "path")
            self.keep_page(f"{value['path']}/", f"{folder}/{value['path']}")
        elif kind in ("restore_cache", "save_cache"):
            only(value, "keys", "key", "paths", "when")
            self.cache(kind, value, folder)
        else:
            raise AssertionError(f"nobody interprets {kind}")

    def key(self, text):
        text = text.replace("{{ .Branch }}", "topic").replace("{{ .Revision }}", self.commit)
        text = text.replace("{{ arch }}", "arch1")
        text = text.replace("{{ .Environment.SNAPFARM_VERSION }}", "")
        assert "{{" not in text, text
        return text

    def cache(self, kind, value, folder):
        caches = f"{self.folder}/cache"
        if kind == "save_cache":
            target = f"{caches}/{self.key(value['key'])}"
            # A key that is there stays as it is.
            if not os.path.exists(target):
                for path in value["paths"]:
                    assert os.path.exists(f"{folder}/{path}"), f"{path} is not there to be cached"
                    self.copy(f"{folder}/{path}", f"{target}/{path}")
            return
        for key in map(self.key, value["keys"]):
            for found in sorted(os.listdir(caches), reverse=True):
                if found.startswith(key):
                    return self.copy(f"{caches}/{found}", folder)
