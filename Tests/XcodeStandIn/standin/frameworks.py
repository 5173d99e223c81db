"""What the snapshot frameworks do with a picture: where they look, write and what they say.

Each function gets the running test and its step, and returns the texts of its failures. Names and
messages are those of iOSSnapshotTestCase 8 and swift-snapshot-testing 1.18.
"""
import json
import os
import unicodedata

from . import pictures


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


# iOSSnapshotTestCase

def fb_name(selector, identifier, options, device_type, runtime):
    """The steps of FBSnapshotTestController, in its order."""
    name = selector + ("_" + identifier if identifier else "")
    if "none" in options:
        return name + ".png"
    if "device" in options:
        name += "_" + device_type["name"].split(" ")[0]
    if "OS" in options:
        name += "_" + runtime
    if "screenSize" in options:
        name += "_%dx%d" % tuple(device_type["size"])
    name = "".join("_" if is_separator(letter) else letter for letter in name)
    if "screenScale" in options:
        name += "@%dx" % device_type["scale"]
    return name + ".png"


def is_separator(letter):
    """Whitespace and punctuation; not symbols: of ASCII these are $ + < = > ^ ` | ~."""
    return letter == "\t" or unicodedata.category(letter)[0] == "P" or (
        unicodedata.category(letter) == "Zs")


def fb(test, step):
    """Looks in FB_REFERENCE_IMAGE_DIR with "_64" glued to it, and leaves three pictures of a
    difference in IMAGE_DIFF_DIR. A test that records always fails."""
    environment = test.environment
    picture = test.picture(step)
    variable = step.get("recordVariable", "SNAPSHOT_TEST_RECORD_MODE")
    records = environment.get(variable) == step.get("recordValue", "true")
    root = environment.get("FB_REFERENCE_IMAGE_DIR") or (
        os.path.join(test.process.products.bundle, "ReferenceImages"))
    folder = step.get("folder", test.module + "." + "/".join(test.suites))
    name = fb_name(test.method + step.get("selectorSuffix", ""), step.get("identifier", ""),
                   step.get("options", ["screenScale"]), test.process.device_type,
                   test.process.runtime)
    reference = os.path.join(root + "_64", folder, name)
    if records:
        write(reference, picture)
        test.attach("Recorded Image", picture)
        return ["failed - Test ran in record mode. Reference image is now saved. Disable record "
                "mode to perform an actual snapshot comparison!"]
    old = read(reference)
    if old is None:
        return [fb_error(1, "Unable to load reference image.", "Reference image not found. You "
                         "need to run the test in record mode", reference)]
    if old == picture:
        return []
    diffs = os.path.join(environment.get("IMAGE_DIFF_DIR") or environment["TMPDIR"], folder)
    difference = pictures.png({"difference of": test.name}, pictures.size_of(picture))
    for kind, title, data in (("reference_", "Reference Image", old),
                              ("failed_", "Failed Image", picture),
                              ("diff_", "Diffed Image", difference)):
        write(os.path.join(diffs, kind + name), data)
        test.attach(title, data)
    if pictures.size_of(old) != pictures.size_of(picture):
        reason = "referenceImage:{%d, %d}, image:{%d, %d}" % (
            pictures.size_of(old) + pictures.size_of(picture))
        return [fb_error(3, "Images different sizes", reason, reference)]
    return [fb_error(4, "Images different", "image pixels differed by more than 0.00% from the "
                     "reference image", reference)]


def fb_error(code, description, reason, reference):
    return ("failed - Snapshot comparison failed: Optional(Error Domain="
            'FBSnapshotTestControllerErrorDomain Code=%d "%s" UserInfo={NSLocalizedFailureReason='
            "%s, FBReferenceImageFilePathKey=%s, NSLocalizedDescription=%s})"
            % (code, description, reason, reference, description))


# swift-snapshot-testing

def pf_sanitize(text):
    """Runs of what is no word character become one dash; then one dash at each end goes."""
    result, in_run = "", False
    for letter in text:
        is_word = letter == "_" or unicodedata.category(letter) in (
            "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Pc")
        if is_word:
            result += letter
        elif not in_run:
            result += "-"
        in_run = not is_word
    if result.startswith("-"):
        result = result[1:]
    return result[:-1] if result.endswith("-") else result


def pf(test, step):
    """References lie beside the test file as it was named when it was built; no variable moves
    them. Without SNAPSHOT_TESTING_RECORD a missing one is written, and the test fails once."""
    environment = test.environment
    picture = test.picture(step)
    file = test.source_file
    stem = os.path.splitext(os.path.basename(file))[0]
    folder = os.path.join(os.path.dirname(file), "__Snapshots__", stem)
    if step.get("named"):
        name_id = pf_sanitize(step["named"])
    else:
        test.counter += 1
        name_id = str(test.counter)
    base = pf_sanitize(test.function) + "." + name_id + ".png"
    reference = os.path.join(folder, base)
    mode = environment.get("SNAPSHOT_TESTING_RECORD")
    if mode not in ("all", "failed", "missing", "never"):
        mode = "missing"
    old = read(reference)
    if mode == "all":
        write(reference, picture)
        test.attach(base, picture, step.get("typed", True))
        return [pf_recorded("Record mode is on.", reference, "Turn record mode off and re-run "
                            "\"%s\" to assert against the newly-recorded snapshot" % test.function)]
    if old is None and mode == "never":
        return ["failed - No reference was found on disk. New snapshot was not recorded because "
                "recording is disabled"]
    if old is None:
        write(reference, picture)
        test.attach(base, picture, step.get("typed", True))
        return [pf_recorded("No reference was found on disk.", reference, "Re-run \"%s\" to assert "
                            "against the newly-recorded snapshot." % test.function)]
    if old == picture:
        return []
    return [pf_differs(test, step, mode, reference, old, picture)]


def pf_differs(test, step, mode, reference, old, picture):
    """Leaves the failed picture where SNAPSHOT_ARTIFACTS says, three attachments, and a text."""
    folder = test.environment.get("SNAPSHOT_ARTIFACTS") or test.environment["TMPDIR"]
    stem = os.path.splitext(test.file_name)[0]
    failed = os.path.join(folder, stem, os.path.basename(reference))
    write(failed, picture)
    for title, data in (("reference", old), ("failure", picture), ("difference", pictures.png(
            {"difference of": test.name}, pictures.size_of(picture)))):
        test.attach(title, data, step.get("typed", True))
    first = "failed - Snapshot %sdoes not match reference." % (
        '"%s" ' % step["named"] if step.get("named") else "")
    if mode == "failed":
        write(reference, picture)
        first += " A new snapshot was automatically recorded."
    return pf_mismatch(first, reference, failed, old, picture)


def pf_recorded(first, reference, last):
    return 'failed - %s Automatically recorded snapshot: …\n\nopen "file://%s"\n\n%s' % (
        first, reference, last)


def pf_mismatch(first, reference, failed, old, new):
    reason = "Newly-taken snapshot does not match reference."
    if pictures.size_of(old) != pictures.size_of(new):
        reason = "Newly-taken snapshot@(%d.0, %d.0) does not match reference@(%d.0, %d.0)." % (
            pictures.size_of(new) + pictures.size_of(old))
    return '%s\n\n@−\n"file://%s"\n@+\n"file://%s"\n\n%s' % (first, reference, failed, reason)


# Producers without a comparison

def kit(test, step):
    """A writer that looks for SNAPFARM_CAPTURE_DIR, writes picture and sidecar, and is silent
    elsewhere."""
    root = test.environment.get("SNAPFARM_CAPTURE_DIR")
    if not root:
        return []
    name = step.get("name", test.function_name)
    base = os.path.join(root, step.get("folder", "/".join(test.suites)), name)
    if os.path.exists(base + ".png") and not step.get("again"):
        return ["failed - The picture %s.png was written before." % name]
    write(base + ".png", test.picture(step))
    owner = step.get("owner", "%s/%s/%s" % (test.target, "/".join(test.suites), test.method))
    if owner:
        sidecar = {"test": owner}
        if step.get("identifier"):
            sidecar["identifier"] = step["identifier"]
        write(base + ".json", json.dumps(sidecar, ensure_ascii=False).encode())
    return []


def previews(test, step):
    """SnapshotPreviews: picture and sidecar into SNAPSHOTS_EXPORT_DIR. Set but empty crashes."""
    root = test.environment.get("SNAPSHOTS_EXPORT_DIR")
    if root is None:
        return []
    if root == "":
        raise test.crashed("Precondition failed: SNAPSHOTS_EXPORT_DIR is empty")
    words = "%s_%s" % (step.get("prefix", test.module + "/" + test.file_name),
                       step.get("component", test.function_name))
    base, in_run = "", False
    for letter in words:
        kept = letter.isalnum() or letter in ".-_"
        base += letter if kept else ("" if in_run else "_")
        in_run = not kept
    base = os.path.join(root, base.strip("_.-") or "snapshot")
    write(base + ".png", test.picture(step))
    sidecar = {
        "context": {
            "accessibility_enabled": False,
            "preview": {"display_name": step.get("component", test.function_name), "index": 0},
            "simulator": {"device_name": test.process.device["name"],
                          "model_identifier": test.process.device_type["model"]},
            "test_name": test.method,
        },
        "display_name": step.get("component", test.function_name),
        "group": step.get("prefix", test.module + "/" + test.file_name),
    }
    write(base + ".json", json.dumps(sidecar, indent=2, sort_keys=True).encode())
    return []


def attachment(test, step):
    """Only an attachment of the test, which ends in the result bundle."""
    test.attach(step.get("name", test.function_name), test.picture(step), step.get("typed", True))
    return []


def plain_file(test, step):
    """Writes a picture to a path with variables of the test's environment in it."""
    write(test.expand(step["path"]), test.picture(step))
    return []


WRITERS = {"fb": fb, "pf": pf, "kit": kit, "previews": previews, "attachment": attachment,
           "file": plain_file}
