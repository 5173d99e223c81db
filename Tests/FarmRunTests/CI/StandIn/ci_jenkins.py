"""Jenkins, as far as pipelines/jenkins/ uses it: a declarative pipeline of stages with shell steps.

The reader knows blocks, calls and assignments, which is what the examples hold; anything else, such as
a `script` block, is refused. There is no schema of a Jenkinsfile, and its own check needs a Jenkins.
"""
import glob
import os
import re

from ci import Job, Place

TOKEN = re.compile(r"""
    (?P<space>\s+|//[^\n]*) | (?P<text>'''.*?'''|'[^']*') | (?P<word>[\w.]+)
    | (?P<mark>[=!]=|[{}()\[\],:=])
""", re.X | re.S)


def tokens(source):
    place, found = 0, []
    while place < len(source):
        match = TOKEN.match(source, place)
        assert match, source[place:place + 40]
        place = match.end()
        if match.lastgroup != "space":
            # The end of a line ends a call.
            line = source.count("\n", 0, match.start())
            found.append((match.lastgroup, match[0], line))
    return found


class Reader:
    """A block is a list of (name, arguments, named arguments, block or None)."""

    def __init__(self, source):
        self.tokens, self.at = tokens(source), 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "", -1)

    def next(self, value=None):
        token = self.peek()
        assert value is None or token[1] == value, f"{token} instead of {value}"
        self.at += 1
        return token

    def block(self):
        found = []
        while self.peek()[1] not in ("}", ""):
            found.append(self.statement())
        return found

    def statement(self):
        kind, name, line = self.next()
        assert kind == "word", name
        if self.peek()[1] == "=":
            self.next()
            return name, [self.value()], {}, None
        positional, named, block = [], {}, None
        if self.peek()[1] == "(":
            self.next()
            positional, named = self.arguments(")")
            self.next(")")
        elif self.peek()[2] == line and self.peek()[1] not in ("{", "}"):
            positional, named = self.arguments(None)
        if self.peek()[1] == "{":
            self.next()
            if name == "expression":
                positional = [self.next()[1] for _ in range(3)]
            else:
                block = self.block()
            self.next("}")
        return name, positional, named, block

    def arguments(self, end):
        positional, named = [], {}
        while self.peek()[1] != end:
            if self.tokens[self.at + 1][1] == ":":
                name = self.next()[1]
                self.next(":")
                named[name] = self.value()
            else:
                positional.append(self.value())
            if self.peek()[1] != ",":
                break
            self.next(",")
        return positional, named

    def value(self):
        kind, text, _ = self.next()
        if kind == "text":
            return text[3:-3] if text.startswith("'''") else text[1:-1]
        if text == "[":
            items = self.arguments("]")
            self.next("]")
            return items
        if kind == "word" and self.peek()[1] == "(":
            self.next()
            call = (text, *self.arguments(")"))
            self.next(")")
            return call
        return {"true": True, "false": False}.get(text, text)


class Failed(Exception):
    pass


class Jenkins(Place):
    zip = "archive.zip"

    host_kind = "bitbucket"

    def run(self):
        name = "Shards.Jenkinsfile" if self.scenario == "empty share" else "Jenkinsfile"
        source = open(self.example(f"jenkins/{name}")).read()
        ((root, _, _, self.pipeline),) = Reader(source).block()
        assert root == "pipeline"
        for self.attempt in (1, 2) if self.scenario == "re-run" else (1,):
            # A build that is started again runs everything anew, under a number of its own.
            self.stashes = {}
            self.build({})
        if self.scenario == "decide":
            source = open(self.example("jenkins/Accept.Jenkinsfile")).read()
            ((_, _, _, self.pipeline),) = Reader(source).block()
            parameters = {"BRANCH": "topic", "BUILD_JOB": "app/PR-7", "BUILD": "1",
                          "COMMENT": self.comment(f"{self.folder}/kept/archive/out")}
            for kind, _, named, _ in self.part(self.pipeline, "parameters"):
                assert kind in ("text", "string") and named["name"] in parameters, named
            self.build(parameters)

    def token(self):
        return {}

    def forget(self):
        """The next build copies what this one archived, until it archives its own."""

    def only(self, block, *names):
        for name, *_ in block:
            assert name in names, f"nobody interprets {name}"
        return block

    def part(self, block, name):
        return next((b for n, _, _, b in block if n == name), None)

    def settings(self, block):
        return {n: v[0] for n, v, _, _ in self.part(block, "environment") or []}

    def build(self, parameters):
        self.only(self.pipeline, "agent", "options", "environment", "parameters", "stages")
        variables = {
            "CI": "true", "JENKINS_URL": "https://jenkins/", "BUILD_NUMBER": str(self.attempt),
            "BUILD_TAG": f"jenkins-app-PR-7-{self.attempt}", "JOB_NAME": "app/PR-7",
            "BUILD_URL": f"https://jenkins/job/app/job/PR-7/{self.attempt}/",
            "GIT_COMMIT": self.commit, "BRANCH_NAME": "PR-7", "CHANGE_ID": "7",
            "CHANGE_BRANCH": "topic", "SNAPFARM_BITBUCKET_API": self.api,
            **parameters, **self.settings(self.pipeline),
        }
        if "SNAPFARM_BITBUCKET_REPOSITORY" in variables:
            variables["SNAPFARM_BITBUCKET_REPOSITORY"] = "o/r"
        if self.scenario == "fork":
            variables["CHANGE_FORK"] = "somebody"
        for name, words, _, stage in self.part(self.pipeline, "stages"):
            assert name == "stage", name
            if not self.stage(words[0], stage, variables):
                return

    def stage(self, label, stage, variables):
        self.only(stage, "agent", "environment", "when", "steps", "post", "parallel")
        variables = {**variables, **self.settings(stage)}
        for _, (name, sign, value), _, _ in self.part(stage, "when") or []:
            assert (name, value) == ("env.CHANGE_FORK", "null")
            if (sign == "!=") != ("CHANGE_FORK" in variables):
                return True
        inner = self.part(stage, "parallel")
        if inner:
            stages = [(w[0], b) for _, w, _, b in inner]
            if self.scenario == "missing device":
                stages = [(n, b) for n, b in stages if n != "iPad Pro"]
            return all([self.stage(n, b, variables) for n, b in stages])
        job = Job(label)
        self.jobs.append(job)
        folder = self.machine(re.sub(r"\W+", "-", label))
        try:
            self.steps(job, self.part(stage, "steps"), folder, variables)
        except Failed as failure:
            job.code = job.code or 1
            job.said += str(failure)
        post = self.part(stage, "post")
        if post:
            self.steps(job, self.part(self.only(post, "always"), "always"), folder, variables)
        return job.code == 0

    def steps(self, job, block, folder, variables):
        for name, words, named, inner in block:
            if name == "checkout":
                assert words == ["scm"]
                self.checkout(folder)
            elif name == "sh":
                code = self.shell(job, words[0], folder, variables, ("sh", "-xe", "-c"))
                if code:
                    job.code = code
                    raise Failed("")
            elif name == "stash":
                kept = f"{self.folder}/kept/stash-{self.attempt}-{named['name']}"
                self.matching(folder, named["includes"], kept, named.get("excludes"))
                if not os.path.isdir(kept):
                    raise Failed("No files included in stash")
                self.stashes[named["name"]] = kept
            elif name == "unstash":
                if words[0] not in self.stashes:
                    if self.scenario == "missing device":
                        # The stage and its line went together.
                        continue
                    raise Failed(f"No such saved stash '{words[0]}'")
                self.copy(self.stashes[words[0]], folder)
            elif name == "archiveArtifacts":
                kept = f"{self.folder}/kept/archive/{named['artifacts'].replace('/**', '')}"
                archive = f"{self.folder}/kept/archive"
                self.matching(folder, named["artifacts"], archive, named.get("excludes"))
                if named["artifacts"] == "out/**":
                    self.keep_page("artifacts out/**", kept)
                else:
                    self.keep(f"artifacts {named['artifacts']}", kept)
                assert named.get("allowEmptyArchive") is True
            elif name == "junit":
                assert named.get("allowEmptyResults") is True
                self.keep("Tests tab", f"{folder}/{named['testResults']}")
            elif name == "copyArtifacts":
                self.matching(f"{self.folder}/kept/archive", named["filter"], folder)
            elif name == "withCredentials":
                assert self.scenario != "fork", "a credential where a fork's code runs"
                ((items, _),) = words
                given = {n["variable"]: "good" for _, _, n in items}
                self.steps(job, inner, folder, {**variables, **given})
            else:
                raise AssertionError(f"nobody interprets {name}")

    def matching(self, folder, pattern, target, excluded=None):
        left = glob.glob(f"{folder}/{excluded}", recursive=True) if excluded else []
        for path in glob.glob(f"{folder}/{pattern}", recursive=True):
            if os.path.isfile(path) and path not in left:
                self.copy(path, f"{target}/{os.path.relpath(path, folder)}")
