"""Tiny PNGs that say how they were made: any other setting gives other pixels.

16 × 16 by default, in 16 blocks whose colours are a hash of everything a screen depends on.
"""
import hashlib
import struct
import zlib


def look_of(place, device, settings, name, status_bar=False):
    """What the screen shows of a test. `settings`: the language and region of the process."""
    live = device.get("live") or {}
    languages = live.get("AppleLanguages") or ["en-US"]
    look = {
        "name": name,
        "device": device["type"],
        "os": device["runtime"],
        "appearance": device["appearance"],
        "contrast": device["contrast"],
        "contentSize": device["contentSize"],
        "language": settings.get("language") or languages[0].split("-")[0],
        "region": settings.get("region") or str(live.get("AppleLocale", "en_US")).split("_")[-1],
    }
    if status_bar:
        look["statusBar"] = sorted(device["statusBar"].items())
        if "time" not in device["statusBar"]:
            # The clock goes on: the same screen is never seen twice.
            look["clock"] = place.count("clock")
    return look


def png(look, size=(16, 16), changed=0):
    """`changed`: so many pixels, from the top left, are as no look has them."""
    text = "\n".join("%s=%s" % (key, value) for key, value in sorted(look.items()))
    hashed = hashlib.sha512(text.encode("utf-8", "surrogateescape")).digest()
    colours = [hashed[3 * n:3 * n + 3] + b"\xff" for n in range(16)]
    width, height = size
    rows = []
    for y in range(height):
        line = colours[4 * (4 * y // height):4 * (4 * y // height) + 4]
        rows.append(b"".join(line[4 * x // width] for x in range(width)))
    if changed:
        pixels = bytearray(b"".join(rows))
        for index in range(min(changed, width * height)):
            for part in range(3):
                pixels[4 * index + part] ^= 0x80
        rows = [bytes(pixels[4 * width * y:4 * width * (y + 1)]) for y in range(height)]
    return encode(width, height, rows)


def encode(width, height, rows):
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data
                + struct.pack(">I", zlib.crc32(kind + data)))

    data = zlib.compress(b"".join(b"\0" + row for row in rows))
    return (b"\x89PNG\r\n\x1a\n"
            + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0))
            + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def size_of(picture):
    return struct.unpack(">II", picture[16:24])
