"""Bitrise, as far as pipelines/bitrise/ uses it."""
import os
import re
import subprocess
import zipfile

import yaml

from ci import Job, Place, only, ordered


class Bitrise(Place):
    def run(self):
        name = "shards.yml" if self.scenario == "empty share" else "bitrise.yml"
        self.config = yaml.safe_load(open(self.example(f"bitrise/{name}")))
        only(self.config, "format_version", "default_step_lib_source", "project_type", "app",
             "pipelines", "workflows")
        (pipeline,) = self.config["pipelines"].values()
        flows = only(pipeline, "workflows")["workflows"]
        if self.scenario == "missing device":
            del flows["ipad_pro"]
            flows["merge"]["depends_on"].remove("ipad_pro")
        self.variables, self.ended = {}, {}
        for entry in self.config.get("app", {}).get("envs", []):
            self.variables.update(entry)
        needs = {n: (o or {}).get("depends_on", []) for n, o in flows.items()}
        for self.attempt in (1, 2) if self.scenario == "re-run" else (1,):
            # "Rebuild unsuccessful workflows": the same pipeline.
            for name in ordered(needs):
                options = only(flows[name] or {}, "depends_on", "parallel")
                if self.ended.get(name) == 0 or any(self.ended[n] for n in needs[name]):
                    self.ended.setdefault(name, 1)
                    continue
                count = options.get("parallel", 1)
                codes = [self.run_workflow(name, i, count) for i in range(count)]
                self.ended[name] = max(codes)

        if self.scenario == "decide":
            # Started by hand, with the URL of the zip.
            folders = os.listdir(f"{self.folder}/machines")
            (deploy,) = [name for name in folders if name.endswith("merge.deploy")]
            self.variables["ZIP"] = f"{self.folder}/machines/{deploy}/FailureDiffs.zip"
            self.run_workflow("accept", 0, 1)

    def run_workflow(self, name, index, count):
        job = Job(f"{name} {index}" if count > 1 else name)
        self.jobs.append(job)
        folder = self.machine(job.name.replace(" ", "-"))
        for part in ("deploy", "results", "html"):
            os.mkdir(f"{folder}.{part}")
        open(f"{folder}.envs", "w").close()
        variables = {
            "CI": "true", "BITRISE_IO": "true", "BITRISEIO_PIPELINE_ID": "p-1",
            "BITRISE_BUILD_SLUG": f"b-{len(self.jobs)}", "BITRISE_GIT_COMMIT": self.commit,
            "BITRISE_GIT_BRANCH": "topic", "BITRISE_PULL_REQUEST": "7",
            "BITRISE_BUILD_URL": "https://bitrise/1", "BITRISEIO_GIT_REPOSITORY_OWNER": "o",
            "BITRISEIO_GIT_REPOSITORY_SLUG": "r", "BITRISE_DEPLOY_DIR": f"{folder}.deploy",
            "BITRISE_TEST_RESULT_DIR": f"{folder}.results",
            "BITRISE_HTML_REPORT_DIR": f"{folder}.html", "ENVMAN_FILE": f"{folder}.envs",
            **self.variables, **self.token(),
        }
        if count > 1:
            variables["BITRISE_IO_PARALLEL_INDEX"] = str(index)
            variables["BITRISE_IO_PARALLEL_TOTAL"] = str(count)
        self.run_steps(job, name, folder, variables)
        return job.code

    def run_steps(self, job, name, folder, variables):
        flow = only(self.config["workflows"][name], "envs", "before_run", "steps")
        for entry in flow.get("envs", []):
            variables.update(entry)
        for before in flow.get("before_run", []):
            self.run_steps(job, before, folder, variables)
        for step in flow["steps"]:
            ((kind, value),) = step.items()
            only(value, "title", "inputs", "is_always_run")
            if job.code and not value.get("is_always_run"):
                continue
            inputs = {k: v for i in value.get("inputs", []) for k, v in i.items()}
            self.step(job, kind, inputs, folder, variables)
            # What envman was told is there from the next step on.
            for line in open(variables["ENVMAN_FILE"]):
                key, text = line.rstrip("\n").split("=", 1)
                variables[key] = text

    def filled(self, text, variables):
        return re.sub(r"\$(\w+)", lambda m: variables[m[1]], text)

    def step(self, job, kind, inputs, folder, variables):
        if kind.startswith("path::./"):
            return self.own_step(job, kind.removeprefix("path::./"), inputs, folder, variables)
        name, version = kind.split("@")
        assert version.isdigit(), kind
        if name == "git-clone":
            self.checkout(folder)
        elif name == "script":
            script = only(inputs, "content")["content"]
            assert script.startswith("#!/usr/bin/env bash\n"), script
            job.code = self.shell(job, script, folder, variables, ("bash", "-c")) or job.code
        elif name == "deploy-to-bitrise-io":
            files = only(inputs, "pipeline_intermediate_files").get("pipeline_intermediate_files")
            if files:
                for line in self.filled(files, variables).splitlines():
                    path, key = line.split(":")
                    target = f"{self.folder}/kept/{key}/{os.path.basename(path)}"
                    self.copy(f"{folder}/{path}", target)
            for shown in os.listdir(f"{folder}.deploy"):
                assert os.path.isfile(f"{folder}.deploy/{shown}"), "folders are not uploaded"
                self.keep(shown, f"{folder}.deploy/{shown}")
                if shown.endswith(".tar.gz"):
                    os.mkdir(f"{folder}.page")
                    subprocess.run(["tar", "-xzf", f"{folder}.deploy/{shown}", "-C",
                                    f"{folder}.page"], check=True)
                    assert not any("Diffs" in name for name in os.listdir(f"{folder}.page"))
                    # Whoever opens the page unpacks the zip beside it.
                    self.copy(f"{folder}.deploy/FailureDiffs.zip", f"{folder}.page/FailureDiffs.zip")
                    with zipfile.ZipFile(f"{folder}.page/FailureDiffs.zip") as diffs:
                        diffs.extractall(f"{folder}.page/FailureDiffs")
                    self.keep_page(shown, f"{folder}.page")
            self.keep("HTML report", f"{folder}.html/*/index.html")
            if os.path.exists(f"{folder}.results/app/test-info.json"):
                self.keep("Tests tab", f"{folder}.results/app/results.xml")
        elif name == "pull-intermediate-files":
            for key in os.listdir(f"{self.folder}/kept"):
                (file,) = os.listdir(f"{self.folder}/kept/{key}")
                self.copy(f"{self.folder}/kept/{key}/{file}", f"{folder}.pulled/{key}/{file}")
                variables[key] = f"{folder}.pulled/{key}/{file}"
        elif name in ("restore-cache", "save-cache"):
            only(inputs, "key", "paths")
            self.cache(name, inputs, folder)
        else:
            raise AssertionError(f"nobody interprets {kind}")

    def own_step(self, job, path, inputs, folder, variables):
        """A step that lies in the repository: step.yml says its inputs, step.sh is run."""
        config = yaml.safe_load(open(f"{folder}/{path}/step.yml"))
        assert config["toolkit"] == {"bash": {"entry_file": "step.sh"}}, config["toolkit"]
        values = {}
        for entry in config["inputs"]:
            (name,) = set(entry) - {"opts"}
            value = inputs.pop(name, entry[name])
            assert value in entry["opts"].get("value_options", [value]), value
            values[name] = self.filled(value or "", variables)
        assert not inputs, f"the step has no input {inputs}"
        job.code = self.shell(job, f"{path}/step.sh", folder, {**variables, **values},
                              ("bash",)) or job.code

    def key(self, text):
        text = text.replace("{{ .Branch }}", "topic").replace("{{ .CommitHash }}", self.commit)
        text = re.sub(r'\{\{ getenv "(\w+)" \}\}', "", text)
        assert "{{" not in text, text
        return text

    def cache(self, kind, inputs, folder):
        caches = f"{self.folder}/cache"
        if kind == "save-cache":
            target = f"{caches}/{self.key(inputs['key'])}"
            for path in inputs["paths"].splitlines():
                if os.path.exists(f"{folder}/{path}"):
                    self.copy(f"{folder}/{path}", f"{target}/{path}")
            return
        for key in map(self.key, inputs["key"].splitlines()):
            for found in sorted(os.listdir(caches), reverse=True):
                if found.startswith(key):
                    return self.copy(f"{caches}/{found}", folder)
