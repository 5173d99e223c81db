"""The small app that several pages speak of: pictures of a checkout on two devices, as files."""
from place import png

CELLS = {"iPhone 8": "iPhone8_13_1@2x", "iPhone XR": "iPhoneXR_12_2@2x"}
TESTS = ("testCart", "testEmpty", "testPaid")

# Copies the picture of a test; its name says the device, as iOSSnapshotTestCase writes it.
SCRIPT = """\
case $1 in list) printf 'Checkout/testCart\\nCheckout/testEmpty\\nCheckout/testPaid\\n'; exit ;; esac
mkdir -p "$SNAPFARM_CAPTURE_DIR/CheckoutTests"
for file in pictures/"$SNAPFARM_DEVICE"/"${1#*/}"_*.png; do
  cp "$file" "$SNAPFARM_CAPTURE_DIR/CheckoutTests"
done
"""

PIPELINE = """\
version: 1
name: wallet
references: {store: STORE, pin: snapfarm.refs}
devices:
  - iPhone 8 (13.1)
  - iPhone XR (12.2)
jobs:
  screens:
    kind: snapshot
    driver: command
    discover: sh tests.sh list
    run: sh tests.sh {tests}
    bundle: [tests.sh, pictures/**]
"""


def wallet(place, store="../wallet-references.git", file="app.yaml"):
    place.write(file, PIPELINE.replace("STORE", store))
    place.write("tests.sh", SCRIPT)
    for device, ending in CELLS.items():
        for index, test in enumerate(TESTS):
            png(place.path(f"pictures/{device}/{test}_{ending}.png"), 60 + 40 * index, size=(40, 40),
                spot=(4, 4, 12, 6))
    place.write(".gitignore", ".snapfarm/\nsnapfarm-out/\n")
    place.sh("git init -q && git add -A && git commit -qm App")


def record(place, file="app.yaml"):
    """The first references, committed."""
    place.sh(f"snapfarm refs init && snapfarm run {file} --mode record && "
             "git add -A && git commit -qm References")


def paint(place, tests=("testPaid", "testCart"), devices=tuple(CELLS), shade=200):
    """These tests' pictures look otherwise: a box in another grey."""
    for device in devices:
        for test in tests:
            png(place.path(f"pictures/{device}/{test}_{CELLS[device]}.png"), shade, size=(40, 40),
                spot=(8, 8, 20, 12))
