"""Buildkite, as far as pipelines/buildkite/ uses it."""
import os
import re

import yaml

from ci import LOST_DEVICE, Job, Place, only

STEP_KEYS = ("label", "key", "command", "env", "matrix", "parallelism", "depends_on", "retry",
             "allow_dependency_failure")


class Buildkite(Place):
    def run(self):
        name = "shards.yml" if self.scenario == "empty share" else "pipeline.yml"
        text = open(self.example(f"buildkite/{name}")).read()
        # Buildkite fills in variables when it reads the file; the examples need none of that.
        for line in text.splitlines():
            assert line.lstrip().startswith("#") or "$" not in line, line
        steps = only(yaml.safe_load(text), "steps")["steps"]
        if self.scenario == "missing device":
            steps[0]["matrix"].remove(f"device={LOST_DEVICE}")
        os.makedirs(f"{self.folder}/kept/artifacts")
        self.ended, self.done = {}, set()
        for self.attempt in (1, 2) if self.scenario == "re-run" else (1,):
            # "Retry" of the failed job; what depends on it was retried by hand, too.
            for step in steps:
                self.step(step)

        if self.scenario == "decide":
            # Somebody unblocks the build with the field's text.
            kept = f"{self.folder}/kept"
            with open(f"{kept}/meta-data-comment", "w") as file:
                file.write(self.comment(f"{kept}/artifacts/out"))
            self.ended["comment"] = 0
            self.step(steps[-1])

    def step(self, step):
        if "block" in step:
            only(step, "block", "key", "depends_on", "allow_dependency_failure", "blocked_state",
                 "fields")
            self.blocked = True
            self.ended[step["key"]] = "blocked"
            return
        only(step, *STEP_KEYS)
        need = step.get("depends_on")
        state = self.ended.get(need, 0)
        if state == "blocked" or state and not step.get("allow_dependency_failure"):
            self.ended[step["key"]] = "blocked"
            return
        values = step.get("matrix") or [""]
        count = step.get("parallelism", 1)
        for value in values:
            for index in range(count):
                label = step["label"].replace("{{matrix}}", value)
                label += f" {index}" if count > 1 else ""
                if label not in self.done:
                    self.job(label, step, value, index, count)
        self.ended[step["key"]] = max(
            (j.code for j in self.jobs if j.key == step["key"] and j.name not in self.done),
            default=0)

    def job(self, label, step, value, index, count):
        job = Job(label)
        job.key = step["key"]
        self.jobs.append(job)
        folder = self.machine(re.sub(r"\W+", "-", label))
        self.checkout(folder)
        variables = {
            "CI": "true", "BUILDKITE": "true", "BUILDKITE_BUILD_ID": "u-1",
            "BUILDKITE_JOB_ID": f"job-{len(self.jobs)}", "BUILDKITE_COMMIT": self.commit,
            "BUILDKITE_BRANCH": "topic", "BUILDKITE_PULL_REQUEST": "7",
            "BUILDKITE_BUILD_URL": "https://buildkite/o/r/builds/1",
            "SNAPFARM_GITHUB_REPOSITORY": "o/r", "BUILDKITE_UNBLOCKER": "ada",
            "SNAPFARM_HISTORY_CACHE": f"{self.folder}/cache/history.json", **self.token(),
        }
        if count > 1:
            variables["BUILDKITE_PARALLEL_JOB"] = str(index)
            variables["BUILDKITE_PARALLEL_JOB_COUNT"] = str(count)
        for key, text in step.get("env", {}).items():
            variables[key] = text.replace("{{matrix}}", value)
        job.code = self.shell(job, step["command"], folder, variables)
        if job.code == 0:
            self.done.add(label)
        kept = f"{self.folder}/kept"
        self.keep_page("artifacts out/", f"{kept}/artifacts/out")
        self.keep("annotation", f"{kept}/annotation-snapfarm.md")
