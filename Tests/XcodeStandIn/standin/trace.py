"""trace.jsonl: what was called, by whom, with what, and how it ended. Also what the tests saw.

Each line is one event with a number `n` that only grows: who has the smaller one was first. A call
has two lines, `start` and `end`; one that has no end was killed. Between them a run notes what it
did: `boot`, `launch`, `test`, `strike` (a trouble), `refuse` (a rule was broken).
"""
import json
import os

# What of the caller's environment decides something in the real tools.
KEPT = ("DEVELOPER_DIR", "NSUnbufferedIO", "LANG", "LC_ALL")
KEPT_PREFIXES = ("TEST_RUNNER_", "SIMCTL_CHILD_")


class Trace:
    def __init__(self, place):
        self.place = place
        self.call = None

    def add(self, event, **facts):
        with self.place.locked("trace.lock"):
            path = os.path.join(self.place.state, "trace.count")
            try:
                with open(path, encoding="ascii") as file:
                    number = int(file.read()) + 1
            except FileNotFoundError:
                number = 1
            line = {"n": number, "event": event, "pid": os.getpid()}
            if self.call is not None:
                line["call"] = self.call
            line.update(facts)
            text = json.dumps(line, ensure_ascii=False) + "\n"
            # The count first: a process killed in between leaves a gap, never a number twice.
            new = path + ".new"
            with open(new, "w", encoding="ascii") as file:
                file.write(str(number))
            os.replace(new, path)
            file = os.open(
                self.place.file("trace.jsonl"), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644
            )
            try:
                os.write(file, text.encode("utf-8", "surrogateescape"))
            finally:
                os.close(file)
        return number

    def start(self, tool, words):
        shown = {
            name: value for name, value in sorted(os.environ.items())
            if name in KEPT or name.startswith(KEPT_PREFIXES)
        }
        self.call = self.add("start", tool=tool, argv=words, env=shown, cwd=os.getcwd())

    def end(self, outcome):
        self.add("end", outcome=outcome)
