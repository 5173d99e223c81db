#!/usr/bin/env python3
"""Looks at pages in Chromium: axe-core's findings, and screenshots for people.

    check.py --into FOLDER NAME=URL …

Each page is opened narrow and wide, light and dark. Exits 1 where axe-core finds anything serious
or critical. axe-core comes out of a package of PyPI and is not kept in the repository.
"""
import argparse
import base64
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
import zipfile

AXE = "axe-playwright-python==0.1.8"
WIDTHS = {"phone": 390, "desktop": 1280}
THEMES = ("light", "dark")
BAD = ("serious", "critical")


def axe(folder: pathlib.Path) -> str:
    """The script of axe-core, downloaded once into a folder."""
    kept = folder / "axe.min.js"
    if not kept.exists():
        with tempfile.TemporaryDirectory() as scratch:
            command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", scratch, AXE]
            subprocess.run(command, check=True)
            wheel = next(pathlib.Path(scratch).glob("*.whl"))
            with zipfile.ZipFile(wheel) as packed:
                name = next(n for n in packed.namelist() if n.endswith("axe.min.js"))
                kept.write_bytes(packed.read(name))
    return kept.read_text()


class Browser:
    """One headless Chromium behind chromedriver."""

    def __init__(self):
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        for line in self.driver.stdout:
            if "started successfully on port " in line:
                self.port = int(line.rsplit("port ", 1)[1].strip(" .\n"))
                break
        binary = shutil.which("chromium-headless-shell") or shutil.which("chromium")
        options = {"args": ["--no-sandbox", "--hide-scrollbars", "--force-device-scale-factor=1"]}
        if binary:
            options["binary"] = binary
        wanted = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}}
        self.session = self.call("POST", "/session", wanted, bare=True)["sessionId"]

    def call(self, method, path, body=None, bare=False):
        prefix = "" if bare else f"/session/{self.session}"
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{prefix}{path}", method=method,
            data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def devtools(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, url, width, theme):
        self.devtools("Emulation.setDeviceMetricsOverride",
                      width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
        self.devtools("Emulation.setEmulatedMedia",
                      features=[{"name": "prefers-color-scheme", "value": theme}])
        # A page whose policy forbids scripts from elsewhere is looked at all the same.
        self.devtools("Page.setBypassCSP", enabled=True)
        self.call("POST", "/url", {"url": url})
        time.sleep(0.3)

    def run(self, script):
        return self.call("POST", "/execute/async", {"script": script, "args": []})

    def shot(self, path):
        path.write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def close(self):
        self.driver.terminate()
        self.driver.wait()


def findings(browser, script):
    browser.devtools("Runtime.evaluate", expression=script)
    return browser.run(
        "const done = arguments[arguments.length - 1];"
        "axe.run({resultTypes: ['violations']}).then("
        " r => done(r.violations.map(v => ({id: v.id, impact: v.impact, help: v.help,"
        " nodes: v.nodes.slice(0, 3).map(n => n.html.slice(0, 200)), count: v.nodes.length}))),"
        " e => done([{id: 'axe', impact: 'critical', help: String(e), nodes: [], count: 1}]))")


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--into", type=pathlib.Path, required=True)
    words.add_argument("pages", nargs="+", metavar="NAME=URL")
    given = words.parse_args()
    given.into.mkdir(parents=True, exist_ok=True)
    script = axe(given.into)
    bad = 0
    browser = Browser()
    try:
        for page in given.pages:
            name, url = page.split("=", 1)
            for size, width in WIDTHS.items():
                for theme in THEMES:
                    browser.open(url, width, theme)
                    browser.shot(given.into / f"{name}-{size}-{theme}.png")
                    for found in findings(browser, script):
                        bad += found["impact"] in BAD
                        print(f"{name} {size} {theme}: {found['impact']} {found['id']} "
                              f"({found['count']}): {found['help']}")
                        for node in found["nodes"]:
                            print(f"    {node}")
    finally:
        browser.close()
    print(f"{len(given.pages)} pages, {bad} serious or critical findings")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
