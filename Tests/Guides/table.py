"""The table of blocks: for each, by its page and its beginning, who runs it."""
BLOCKS = {}
PAGES = {}
RECIPES = {}


class Entry:
    """kind `run`: words(place, block) runs it; `elsewhere`: words is a Swift test; `never`: the reason."""

    def __init__(self, kind, words):
        self.kind, self.words = kind, words


def _add(page, start, entry):
    assert (page, start) not in BLOCKS, f"{page}: {start!r} stands twice in the table"
    BLOCKS[page, start] = entry


def page(name):
    """What a page's folder has before its first block."""
    def add(function):
        PAGES[name] = function
        return function
    return add


def runs(page, start):
    """The block is run by this function."""
    def add(function):
        _add(page, start, Entry("run", function))
        return function
    return add


def elsewhere(page, start, test):
    """The test with this title reads the block from the page and runs it."""
    _add(page, start, Entry("elsewhere", test))


def never(page, start, reason):
    _add(page, start, Entry("never", reason))


def recipe(page, section, needs=(), files=()):
    """A section's files are run by this function, with these programs and files of Debian."""
    def add(function):
        RECIPES[page, section] = (function, needs, files)
        return function
    return add
