"""What three people see of a run at a farm: its operator, the one who waits, and the caller."""
import json
import re
import subprocess
import time

from farm import until
from measuring import ENVIRONMENT, Failed

LINE_MAX = 240


def named(lines, cause):
    """The first line that names the cause, and its place where it is not the first one; None: no line does."""
    for number, line in enumerate(filter(str.strip, lines)):
        if re.search(cause, line, re.IGNORECASE):
            return (f"(line {number + 1}) " if number else "") + line.strip()[:LINE_MAX]
    return None


class Witness:
    """Looks at the run of a trial that has begun; what is known then is no news."""

    def __init__(self, farm, trial):
        self.farm, self.trial = farm, trial
        found = re.search(r"run (\S+) at", trial.run.said())
        if not found:
            raise Failed(f"no run has begun:\n{trial.run.said(3000)}")
        self.id = found[1]
        self.heard = len(trial.run.said())
        needs, (status, why) = self.asked()
        self.known, self.least = set(needs), self.open(status, why)
        self.seen = {"farm": None, "why": None, "caller": None}

    def said(self, *questions):
        """Exit status and text of several commands, asked at once."""
        asked = [subprocess.Popen(
            [self.farm.snapfarm, *words, "--coordinator", self.farm.url], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, cwd=self.farm.folder,
            env={**ENVIRONMENT, "SNAPFARM_TOKEN": self.farm.token}) for words in questions]
        answers = [one.communicate(timeout=120) for one in asked]
        return [(one.returncode, out if one.returncode == 0 else err)
                for one, (out, err) in zip(asked, answers)]

    def asked(self):
        """Lines of what the farm needs, or why it does not say it; status and text of `why`."""
        (status, text), why = self.said(["farm", "--json"], ["why", self.id])
        if status != 0:
            return text.splitlines(), why
        return [f"{need['message']} {need['remedy']}" for need in json.loads(text)["farm"]["needs"]], why

    def news(self):
        """What the farm needs that it did not need before."""
        return [line for line in self.asked()[0] if line not in self.known]

    @staticmethod
    def open(status, text):
        """How many test cases `why` calls open; None: it does not say."""
        found = re.search(r"(\d+) of \d+ test cases have no verdict", text)
        return int(found[1]) if found else 0 if status == 0 else None

    def words(self):
        """What the caller has said since the beginning."""
        return self.trial.run.said()[self.heard:].splitlines()

    def look(self, cause, seconds):
        """Notes who names the cause within the time; the moment at which fewer test cases were open, or None."""
        before, moved, end = self.least, None, time.monotonic() + seconds
        while not all(self.seen.values()) and time.monotonic() < end:
            needs, why = self.asked()
            count = self.open(*why)
            self.least = self.least if count is None else min(count, self.least)
            moved = moved or (time.time() if self.least < before else None)
            for who, lines in (("farm", [line for line in needs if line not in self.known]),
                               ("why", why[1].splitlines()), ("caller", self.words())):
                self.seen[who] = self.seen[who] or named(lines, cause)
            time.sleep(0.2)
        return moved

    def await_less(self):
        """When fewer test cases were open than at the last look."""
        def less():
            count = self.open(*self.said(["why", self.id])[0])
            return count is not None and count < self.least

        if self.least:
            until(less, 120, lambda: f"a verdict:\n{self.trial.run.said(2000)}")
        return time.time()
