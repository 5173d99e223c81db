#!/usr/bin/env python3
"""How well the diff picture's colours are told apart with each kind of colour vision.

Simulates deuteranopia, protanopia and tritanopia by the matrices of Machado, Oliveira and
Fernandes (2009, severity 1, on linear RGB) and prints the distance (CIE76 in Lab; 10 and more is
told apart at a glance) and the WCAG contrast of each pair of colours.
Usage: colour_vision.py [DIFF.png OUT.png]   With a picture: its four looks side by side.
"""
import sys

import numpy as np

MACHADO = {
    "normal": np.eye(3),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
COLOURS = {
    "changed": (255, 0, 255),
    "anti-aliased": (255, 176, 0),
    "noise on black": (204, 153, 204),
    "faded black": (192, 192, 192),
    "faded white": (255, 255, 255),
    "hatch": (96, 96, 96),
}
PAIRS = [
    ("changed", "faded black"),
    ("changed", "faded white"),
    ("changed", "anti-aliased"),
    ("anti-aliased", "faded black"),
    ("anti-aliased", "faded white"),
    ("noise on black", "faded black"),
    ("noise on black", "changed"),
    ("hatch", "faded black"),
]
# Linear sRGB to XYZ (D65).
XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)


def linear(rgb):
    rgb = np.asarray(rgb, float) / 255
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def seen(rgb, kind):
    """The linear colours that an eye with that vision sees."""
    return np.clip(linear(rgb) @ MACHADO[kind].T, 0, 1)


def lab(light):
    scaled = light @ XYZ.T / XYZ.sum(axis=1)
    root = np.where(scaled > 0.008856, np.cbrt(scaled), 7.787 * scaled + 16 / 116)
    x, y, z = np.moveaxis(root, -1, 0)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def contrast(one, other):
    lights = sorted([one @ XYZ[1] + 0.05, other @ XYZ[1] + 0.05])
    return lights[1] / lights[0]


def table():
    kinds = list(MACHADO)
    print(f"{'distance in Lab / WCAG contrast':36}" + "".join(f"{kind:>16}" for kind in kinds))
    for one, other in PAIRS:
        cells = []
        for kind in kinds:
            a, b = seen(COLOURS[one], kind), seen(COLOURS[other], kind)
            distance = np.linalg.norm(lab(a) - lab(b))
            cells.append(f"{distance:.0f} / {contrast(a, b):.1f}")
        print(f"{one + ' : ' + other:36}" + "".join(f"{cell:>16}" for cell in cells))


def looks(source, target):
    from PIL import Image

    picture = np.asarray(Image.open(source).convert("RGB"))
    light = [seen(picture, kind) for kind in MACHADO]
    rgb = [np.where(v <= 0.0031308, v * 12.92, 1.055 * v ** (1 / 2.4) - 0.055) for v in light]
    Image.fromarray((np.concatenate(rgb, axis=1) * 255 + 0.5).astype(np.uint8)).save(target)


table()
if len(sys.argv) == 3:
    looks(sys.argv[1], sys.argv[2])
