#!/usr/bin/env python3
"""A session of an agent with `snapfarm mcp`, through the reference client of the Model Context Protocol.

    python3 -m venv venv && venv/bin/pip install mcp
    venv/bin/python Benchmarks/agents/session.py SNAPFARM [--mode auto|legacy]

Makes a project whose run has three causes, then finds the red run, reads the causes, looks at one, rejects it with a
reason and is refused to accept; with --allow-approve it accepts another, and the page says who did. Prints the bytes
of each answer. Exit status 1: something is not as it should be.
"""
import argparse
import asyncio
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import Implementation

PIPELINE = """version: 1
name: shop
references: {store: store.git, pin: snapfarm.refs}
devices:
  - {name: A, width: 40, height: 40, scale: 1}
jobs:
  screens:
    kind: snapshot
    driver: command
    discover: cat scenes
    run: sh test.sh {tests}
"""
PROGRAM = """set -eu
mkdir -p "$SNAPFARM_CAPTURE_DIR/Shop"
cp "pictures/$1.png" "$SNAPFARM_CAPTURE_DIR/Shop/$1.png"
"""
# Each screen has some of three blocks, so that each change of a colour is on several screens.
SCREENS = {"cart": "abc", "home": "ab", "list": "bc", "menu": "ac", "pay": "abc", "user": "a", "help": "b", "news": "c"}
BEFORE = {"a": (183, 65, 14), "b": (20, 60, 160), "c": (90, 160, 60)}
AFTER = {"a": (0, 128, 128), "b": (230, 190, 40), "c": (120, 30, 120)}
BOXES = {"a": (4, 4, 16, 12), "b": (22, 4, 14, 12), "c": (4, 22, 20, 12)}


def png(blocks, colours, side=40):
    rows = [[(245, 245, 245)] * side for _ in range(side)]
    for block in blocks:
        x, y, width, height = BOXES[block]
        for row in range(y, y + height):
            for column in range(x, x + width):
                rows[row][column] = colours[block]
    data = b"".join(b"\0" + bytes(value for pixel in row for value in pixel) for row in rows)

    def chunk(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")


def project(folder, program, environment):
    (folder / "app.yaml").write_text(PIPELINE)
    (folder / "test.sh").write_text(PROGRAM)
    (folder / "scenes").write_text("\n".join(sorted(SCREENS)) + "\n")
    (folder / "pictures").mkdir()
    for colours, words, code in [(BEFORE, ["--mode", "record"], 0), (AFTER, [], 1)]:
        for name, blocks in SCREENS.items():
            (folder / "pictures" / f"{name}.png").write_bytes(png(blocks, colours))
        ending = subprocess.run([program, "run", "app.yaml", "--quiet", *words], cwd=folder, env=environment)
        assert ending.returncode == code, f"the run ended with {ending.returncode}"


def size(result):
    """The bytes of an answer's parts: text, and pictures as base64."""
    text = sum(len(part.text.encode()) for part in result.content if part.type == "text")
    pictures = [len(part.data) for part in result.content if part.type == "image"]
    return text, pictures


async def session(program, folder, environment, mode, options, steps):
    server = StdioServerParameters(command=program, args=["mcp", "app.yaml", *options], env=environment, cwd=folder)
    info = Implementation(name="session.py", version="1.0")
    async with Client(stdio_client(server), mode=mode, client_info=info) as client:
        tools = await client.list_tools()
        listed = json.dumps([tool.model_dump(exclude_none=True, by_alias=True) for tool in tools.tools])
        names = [tool.name for tool in tools.tools]
        print(f"tools/list: {len(listed.encode())} bytes: {', '.join(names)}")

        async def call(name, **arguments):
            result = await client.call_tool(name, arguments)
            text, pictures = size(result)
            images = f" and {len(pictures)} pictures of {sum(pictures)} bytes" if pictures else ""
            print(f"{name} {json.dumps(arguments)}: {text} bytes{images}{', an error' if result.is_error else ''}")
            return result

        await steps(client, names, call)


async def reading(client, names, call):
    assert "approve" not in names and "run" not in names, names
    runs = (await call("list_runs")).structured_content
    red = next(run for run in runs["runs"] if run["state"] == "failed")
    brief = (await call("show_run", run=red["run"])).structured_content
    print("   ", brief["says"])
    causes = [record for record in brief["records"] if record["kind"] == "cause"]
    for cause in causes:
        print("   ", cause["id"], cause["words"])
    assert len(causes) == 3, brief["records"]
    seen = await call("show_change", run=red["run"], change=causes[0]["id"])
    assert len(size(seen)[1]) == 3, seen.content
    await call("show_change", run=red["run"], change=causes[0]["id"], pictures="none")
    await call("show_baseline", run=red["run"], change=causes[0]["id"])
    said = await call("comment", run=red["run"], change=causes[1]["id"], text="is this from the new theme?")
    assert not said.is_error, said.content
    reason = "the button must stay rust"
    rejected = await call("reject", run=red["run"], change=causes[0]["id"], reason=reason)
    assert not rejected.is_error and rejected.structured_content["pictures"] > 0, rejected.content
    print("   ", rejected.structured_content)
    refused = await call("approve", run=red["run"], change=causes[1]["id"], reason="looks right")
    assert refused.is_error and "for people" in refused.content[0].text, refused.content
    print("   ", refused.content[0].text)
    again = (await call("show_run", run=red["run"])).structured_content
    assert any("session.py 1.0 (agent)" in record.get("decided", "") for record in again["records"]), again
    for name in ("doctor", "plan"):
        assert not (await call(name)).is_error
    resources = await client.list_resources()
    uri = next(one.uri for one in resources.resources if str(one.uri).endswith(red["run"]))
    read = await client.read_resource(uri)
    print(f"resources/read {uri}: {len(read.contents[0].text.encode())} bytes")


async def accepting(client, names, call):
    assert "approve" in names, names
    brief = (await call("show_run")).structured_content
    # Pictures with the rejected cause stay red; others with this one are still to be decided.
    single = next(record for record in brief["records"] if "open" in record.get("decided", ""))
    done = await call("approve", run=brief["run"]["id"], change=single["id"], reason="the new theme")
    assert not done.is_error and done.structured_content["pictures"] > 0, done.content
    print("   ", done.structured_content)
    shown = (await call("show_run")).structured_content
    print("   ", [record.get("decided") for record in shown["records"]])


def page(program, folder, environment):
    """The text of the run's page, as a browser gets it."""
    words = [program, "review", "app.yaml", "--no-open", "--run"]
    listed = subprocess.run([program, "runs", "--json", "--data", ".snapfarm"], cwd=folder, env=environment, capture_output=True, text=True)
    run = json.loads(listed.stdout)["runs"][0]["run"]
    server = subprocess.Popen([*words, run], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().strip()
        jar = folder / "cookies"
        fetched = subprocess.run(["curl", "-sSL", "-c", jar, "-b", jar, address], capture_output=True, text=True, check=True)
        return fetched.stdout
    finally:
        server.terminate()
        server.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--mode", default="auto", help="auto (the newest revision) or legacy (with a handshake)")
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SNAPFARM_", "CI", "GITHUB_"))}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        project(folder, program, environment)
        for options, steps in [([], reading), (["--allow-approve"], accepting)]:
            print(f"-- snapfarm mcp {' '.join(options)}")
            asyncio.run(session(program, folder, environment, arguments.mode, options, steps))
        text = page(program, folder, environment)
        assert text.count("session.py 1.0 (agent)") > 1, "the page does not say who decided"
        print("the page says: session.py 1.0 (agent)")


if __name__ == "__main__":
    sys.exit(main())
