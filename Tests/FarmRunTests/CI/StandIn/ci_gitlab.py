"""GitLab CI, as far as pipelines/gitlab/ uses it."""
import glob
import os
import re

import yaml

from ci import LOST_DEVICE, Job, Place, only

JOB_KEYS = ("stage", "needs", "rules", "parallel", "variables", "cache", "before_script", "script",
            "after_script", "artifacts")
RESERVED = ("image", "stages", "workflow", "default")


class GitLab(Place):
    zip = "artifacts.zip"
    host_kind = "gitlab"

    def token(self):
        return {} if self.scenario == "fork" else {"SNAPFARM_GITLAB_TOKEN": "good"}

    def prepare_files(self):
        # The repository under the name that GitLab has for it.
        os.symlink(self.main, f"{self.main}.git")

    def run(self):
        name = "shards.yml" if self.scenario == "empty share" else "gitlab-ci.yml"
        self.config = yaml.safe_load(open(self.example(f"gitlab/{name}")))
        self.default = only(self.config.get("default", {}), "before_script", "cache")
        jobs = {n: j for n, j in self.config.items() if n not in RESERVED}
        if self.scenario == "missing device":
            jobs["part"]["parallel"]["matrix"][0]["PART"].remove(f"device={LOST_DEVICE}")
        self.artifacts, self.ended = {}, {}
        for self.attempt in (1, 2) if self.scenario == "re-run" else (1,):
            # "Retry": the failed jobs, and then what waited for them.
            for stage in self.config["stages"]:
                for name, job in jobs.items():
                    if only(job, *JOB_KEYS)["stage"] == stage and self.may_run(name, job):
                        self.entry(name, job)
        if self.scenario == "decide":
            # Somebody starts the manual job with its variable.
            job = dict(jobs["decide"], rules=[])
            text = self.comment(f"{self.artifacts['merge']}/out")
            job["variables"] = {**job["variables"], "COMMENT": text}
            self.entry("decide", job)

    def before(self, name, job):
        """Whether a job comes before this one: by name, or by its stage."""
        def comes(label):
            other = label.split(":")[0]
            if "needs" in job:
                return other in job["needs"]
            return self.stage(other) < self.stage(name)
        return comes

    def may_run(self, name, job):
        before = self.before(name, job)
        if "needs" in job:
            return all(self.ended.get(other) == 0 for other in job["needs"])
        return not any(code for label, code in self.ended.items() if before(label))

    def stage(self, name):
        return self.config["stages"].index(self.config[name]["stage"])

    def entry(self, name, job):
        for rule in job.get("rules", []):
            if only(rule, "if", "when", "allow_failure").get("when") == "manual":
                self.blocked = True
                return
        parallel = job.get("parallel", 1)
        if isinstance(parallel, dict):
            ((variable, values),) = parallel["matrix"][0].items()
            places = [(f"{name}: [{v}]", {variable: v}) for v in values]
        else:
            places = [(f"{name}: {i + 1}" if parallel > 1 else name, {}) for i in range(parallel)]
        for index, (label, extra) in enumerate(places):
            if self.ended.get(label) == 0:
                continue
            made = Job(label)
            self.jobs.append(made)
            if len(places) > 1:
                extra = {**extra, "CI_NODE_INDEX": str(index + 1)}
            self.run_job(made, name, job, {**extra, "CI_NODE_TOTAL": str(len(places))})
            self.ended[label] = made.code

    def run_job(self, made, name, job, extra):
        folder = self.machine(re.sub(r"\W+", "-", made.name))
        self.checkout(folder)
        number = str(2000 + len(self.jobs))
        variables = {
            "CI": "true", "GITLAB_CI": "true", "CI_API_V4_URL": self.api, "CI_PIPELINE_ID": "1000",
            "CI_JOB_ID": number, "CI_JOB_URL": f"https://gitlab/group/sub/r/-/jobs/{number}",
            "CI_PROJECT_PATH": "group/sub/r", "CI_COMMIT_SHA": self.commit,
            "CI_COMMIT_REF_NAME": "topic", "CI_COMMIT_REF_SLUG": "topic",
            "CI_DEFAULT_BRANCH": "main", "CI_MERGE_REQUEST_IID": "7",
            "CI_MERGE_REQUEST_PROJECT_PATH": "group/sub/r", "SNAPFARM_VERSION": "",
            "CI_PROJECT_URL": f"file://{self.main}", "GITLAB_USER_LOGIN": "ada",
            "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "topic", **extra, **self.token(),
        }
        for key, value in job.get("variables", {}).items():
            variables[key] = self.filled(value, variables)
        caches = self.caches(job)
        for cache in caches:
            self.restore(cache, folder, variables)
        # Artifacts of all earlier stages, or of the jobs that are named.
        for label, kept in self.artifacts.items():
            if self.before(name, job)(label):
                self.copy(kept, folder)
        lines = job.get("before_script", self.default.get("before_script", [])) + job["script"]
        made.code = self.shell(made, "\n".join(lines), folder, variables)
        self.store_artifacts(made, job.get("artifacts", {}), folder)
        for cache in caches:
            if cache.get("policy") != "pull" and (made.code == 0 or cache.get("when") == "always"):
                key = self.filled(cache["key"], variables)
                for path in cache["paths"]:
                    if os.path.exists(f"{folder}/{path}"):
                        self.copy(f"{folder}/{path}", f"{self.folder}/cache/{key}/{path}")

    def caches(self, job):
        found = job.get("cache", self.default.get("cache", []))
        return [only(c, "key", "fallback_keys", "paths", "policy", "when")
                for c in (found if isinstance(found, list) else [found])]

    def restore(self, cache, folder, variables):
        for key in [cache["key"], *cache.get("fallback_keys", [])]:
            kept = f"{self.folder}/cache/{self.filled(key, variables)}"
            if os.path.isdir(kept) and cache.get("policy") != "push":
                return self.copy(kept, folder)

    def store_artifacts(self, made, artifacts, folder):
        only(artifacts, "when", "paths", "exclude", "expire_in", "expose_as", "reports")
        if made.code and artifacts.get("when") != "always":
            return
        target = f"{self.folder}/kept/{len(self.jobs)}"
        for path in artifacts.get("paths", []):
            for found in glob.glob(f"{folder}/{path.rstrip('/')}"):
                self.copy(found, f"{target}/{os.path.relpath(found, folder)}")
        for pattern in artifacts.get("exclude", []):
            for found in glob.glob(f"{target}/{pattern}", recursive=True):
                os.remove(found)
        if "expose_as" in artifacts:
            for path in artifacts["paths"]:
                self.keep_page(f"artifact {path}, on the merge request", f"{target}/{path.rstrip('/')}")
        if os.path.isdir(target):
            self.artifacts[made.name] = target
        junit = only(artifacts.get("reports", {}), "junit").get("junit")
        if junit:
            self.keep("Tests tab", f"{folder}/{junit}")

    @staticmethod
    def filled(text, variables):
        return re.sub(r"\$(\w+)", lambda m: variables.get(m[1], ""), text)

