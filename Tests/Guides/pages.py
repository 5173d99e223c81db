"""The commands of README.md and docs/: blocks of shell, spans within sentences, and steps of YAML.

A block of `sh` holds commands, one a line but for lines that end in a backslash or that a brace opens. A
block of `console` holds commands behind `$ `, each followed by what it prints. A block whose first line
is a comment with a path is a file, and no command.
"""
import glob
import os
import re
import shlex

# What a block may be. Of these, `sh` and `console` hold commands.
LANGUAGES = {"sh", "console", "yaml", "json", "mermaid", "python", "ruby", "js", "swift", "text", ""}
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FILE = re.compile(r"(?:#|//) ([\w./-]+\.[a-z]+)(?=\n|:)|# ([\w/]+/[A-Z]\w+)\n")


def names():
    """The pages, as people see their paths."""
    pages = sorted(glob.glob(f"{ROOT}/docs/*.md"))
    return ["README.md"] + [os.path.relpath(page, ROOT) for page in pages]


class Block:
    """One fenced block of a page."""

    def __init__(self, page, section, line, language, lines):
        self.page, self.section, self.line = page, section, line
        self.language, self.lines = language, lines

    def __str__(self):
        return f"{self.page}:{self.line}"

    @property
    def text(self):
        return "".join(line + "\n" for line in self.lines)

    @property
    def file(self):
        """The path of the file that the block is, or None."""
        found = FILE.match(self.text)
        return found and (found.group(1) or found.group(2))

    @property
    def commands(self):
        """Pairs of a command and the lines that it prints (None: the page does not say)."""
        if self.language == "console":
            found = []
            for line in self.lines:
                if line.startswith("$ "):
                    found.append((line[2:], []))
                elif found:
                    found[-1][1].append(line)
            # A block that shows no output is not about it, and what Git says is not ours.
            shown = any(lines for _, lines in found)
            return [(text, lines if lines or shown and text.startswith("snapfarm") else None)
                    for text, lines in found]
        found, open_lines = [], []
        for line in self.lines:
            open_lines.append(line)
            text = "\n".join(open_lines)
            if line.endswith("\\") or text.count("{\n") + text.endswith("{") > text.count("\n}"):
                continue
            if not (line.startswith("#") or line == ""):
                found.append((text, None))
            open_lines = []
        assert not open_lines, f"{self}: a command has no end"
        return found


def blocks(page):
    """The blocks of a page that are no prose."""
    found, opened, section = [], None, ""
    for number, line in enumerate(open(f"{ROOT}/{page}", encoding="utf-8").read().split("\n"), 1):
        if opened is None and line.lstrip().startswith("```"):
            assert line.startswith("```"), f"{page}:{number}: a block begins at the line's start"
            opened = Block(page, section, number + 1, line[3:], [])
        elif opened is not None and line.startswith("```"):
            assert opened.language in LANGUAGES, f"{opened}: nobody knows a block of {opened.language}"
            hides = opened.language != "console" and any(line.startswith("$ ") for line in opened.lines)
            assert not hides, f"{opened}: a block with commands behind `$ ` is a block of `console`"
            found.append(opened)
            opened = None
        elif opened is None and line.startswith("#"):
            section = line.lstrip("# ")
        elif opened is not None:
            opened.lines.append(line)
    assert opened is None, f"{page}: a block has no end"
    return found


def shells(page):
    """The blocks that hold commands."""
    return [b for b in blocks(page) if b.language in ("sh", "console") and not b.file]


def calls(text):
    """The words of each call of snapfarm in shell text."""
    for line in text.replace("\\\n", " ").split("\n"):
        if not re.search(r"\bsnapfarm ", line):
            continue  # A script's line may be the middle of a quotation.
        lexer = shlex.shlex(line, posix=True, punctuation_chars="|;&<>{}")
        lexer.whitespace_split = True
        words, inside = [], False
        for word in list(lexer) + [";"]:
            if re.fullmatch(r"[|;&{}]+", word):
                if inside:
                    yield words
                words, inside = [], False
            elif word in ("<", ">", ">>"):
                # What follows is a file; nothing of a call stands behind it on these pages.
                if inside:
                    yield words
                words, inside = [], False
            elif inside:
                # A variable's value is some number or name.
                words.append(re.sub(r"\$\{?\w+\}?", "1", word))
            else:
                inside = word == "snapfarm"


def all_calls():
    """Every call of snapfarm on the pages: page, line, words, and whether it is a whole command."""
    for page in names():
        for block in blocks(page):
            if block.language in ("sh", "console"):
                texts = [block.text] if block.file else [text for text, _ in block.commands]
            elif block.language == "yaml":
                # A step of one line: `- run: snapfarm …`, or a line of a step's script.
                steps = [re.search(r"(?:^|run: )\s*(snapfarm [^<>]*)$", line) for line in block.lines]
                texts = [step.group(1) for step in steps if step]
            else:
                texts = []
            for text in texts:
                for words in calls(text):
                    yield {"page": page, "line": block.line, "words": words, "whole": True}
        prose = open(f"{ROOT}/{page}", encoding="utf-8").read()
        prose = re.sub(r"^```.*?^```$", lambda m: "\n" * m.group().count("\n"), prose,
                       flags=re.DOTALL | re.MULTILINE)
        for span in re.finditer(r"`(snapfarm [^`…\[<]+)`", prose):
            line = prose.count("\n", 0, span.start()) + 1
            for words in calls(span.group(1)):
                yield {"page": page, "line": line, "words": words, "whole": False}


def make_targets():
    """The targets of `make` that the pages name."""
    texts = [open(f"{ROOT}/{page}", encoding="utf-8").read() for page in names()]
    return sorted({target for text in texts for target in re.findall(r"(?:^|`)make ([a-z-]+)", text, re.M)})
