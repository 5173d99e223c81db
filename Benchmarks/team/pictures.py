"""Pictures like those of an app's screens: bars, lists, buttons, text and a photo.

The layout of a screen is one of a few hundred; its title, one line of text and the photo follow
from its name, so that no two files are equal, and no file is a small delta of another.
"""
import functools
import random
import struct
import zlib

LAYOUTS = 50
# Bytes that the photo's noise takes in the file: nearly all of it, as in real references.
PHOTO_BYTES = (4_000, 28_000)
LETTERS_MAX = 40
GLYPH_WIDTH, GLYPH_HEIGHT, LINE_HEIGHT = 7, 10, 18
BAR, ROW, BUTTON = 64, 72, 56


def screen(name, width, height, state=0):
    """The PNG of one screen; `state` counts what a developer changed in it."""
    own = random.Random(f"{name} {state}")
    layout = random.Random(name).randrange(LAYOUTS)
    above, below, photo_rows, back = body(width, height, layout)
    raw = b"".join([
        text_line(own, width, back), above, photo(own, width, photo_rows),
        text_line(own, width, back), below,
    ])
    return png(width, height, raw[:height * (1 + 3 * width)])


def png(width, height, raw):
    """8 bits, RGB; `raw` has a filter byte before each row."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(
            ">I", zlib.crc32(kind + body))

    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(raw, 1)) + chunk(b"IEND", b"")
    )


@functools.lru_cache(maxsize=None)
def body(width, height, number):
    """What all screens of a layout share: rows above and below the photo, and its height."""
    own = random.Random(f"{width}x{height} {number}")
    back = bytes(own.choice([(255, 255, 255), (242, 242, 247), (28, 28, 30)]))
    tint = bytes(own.randrange(40, 220) for _ in range(3))
    above = [rows(tint, width, BAR), rows(back, width, own.randrange(8, 40))]
    photo_rows = own.randrange(height // 8, height // 4)
    left = height - BAR - photo_rows - 2 * LINE_HEIGHT
    below = []
    while left > 0:
        kind = own.choice(["list", "list", "button", "space"])
        if kind == "list":
            below += list_row(own, width, back, tint)
            left -= ROW
        elif kind == "button":
            below += button(own, width, back, tint)
            left -= BUTTON
        else:
            below.append(rows(back, width, 16))
            left -= 16
    return b"".join(above), b"".join(below), photo_rows, back


def rows(colour, width, count):
    return (b"\0" + colour * width) * count


@functools.lru_cache(maxsize=None)
def glyphs(back):
    """The rows of 40 letters with soft edges, on a background."""
    own = random.Random(7)
    ink = 0 if back[0] > 127 else 255

    def stroke():
        parts = [own.choice([0, 0, 1, 0.5]) for _ in range(GLYPH_WIDTH - 1)]
        return b"".join(
            bytes(int(channel + (ink - channel) * part) for channel in back) for part in parts
        ) + back

    def letter():
        top, middle, foot = stroke(), stroke(), stroke()
        return [top] + [middle] * (GLYPH_HEIGHT - 2) + [foot]

    return [letter() for _ in range(40)]


def text_line(own, width, back, indent=16):
    """A line of words; LINE_HEIGHT rows."""
    letters = glyphs(back)
    room = (width - 2 * indent) // GLYPH_WIDTH
    line = own.choices(letters, k=own.randrange(8, min(room, LETTERS_MAX)))
    left = b"\0" + back * indent
    right = back * (width - indent - GLYPH_WIDTH * len(line))
    drawn = [
        left + b"".join(letter[row] for letter in line) + right for row in range(GLYPH_HEIGHT)
    ]
    return b"".join(drawn) + rows(back, width, LINE_HEIGHT - GLYPH_HEIGHT)


def list_row(own, width, back, tint):
    """Two lines of text and a separator."""
    return [
        text_line(own, width, back), text_line(own, width, back),
        rows(back, width, ROW - 2 * LINE_HEIGHT - 1), rows(tint, width, 1),
    ]


def button(own, width, back, tint):
    inside = b"\0" + back * 16 + tint * (width - 32) + back * 16
    return [rows(back, width, 8), inside * (BUTTON - 16), rows(back, width, 8)]


def photo(own, width, count):
    """A gradient with noise in its middle; the noise weighs what PHOTO_BYTES says."""
    wanted = own.randrange(*PHOTO_BYTES)
    noisy = min(3 * width, 2 * wanted // count)
    drawn = []
    for row in range(count):
        shade = 40 + 160 * row // count
        # Four of eight bits: half of the bytes remain when deflated.
        noise = own.randbytes(noisy).translate(noise_table(shade))
        drawn.append(b"\0" + noise + bytes([shade]) * (3 * width - noisy))
    return b"".join(drawn)


@functools.lru_cache(maxsize=None)
def noise_table(shade):
    return bytes(shade + (value & 15) for value in range(256))
