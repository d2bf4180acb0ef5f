"""Every tool of gait mcp by the official Python client.

usage: mcp_tools.py GAIT ROOT WORK
"""
import pathlib
import subprocess
import sys
import time

import anyio
import jsonschema
import mcp

import json_schemas
from mcp_client import Check, brief, connect, text_of

TOOLS = {"lint", "record", "analyze", "explain", "whatif", "verify"}
OPEN = {"record", "verify"}  # may start programs
READ_ONLY = TOOLS - {"record"}


def calls(root, work):
    """(tool, arguments) of each that reads, and the `format` of its whole JSON."""
    trace = str(root / "examples/three_steps.trace.json")
    (work / "-odd name.json").write_text((root / "examples/three_steps.trace.json").read_text())
    yield "analyze", {"runs": [trace]}, "gait-analysis"
    yield "analyze", {"runs": ["-odd name.json"]}, "gait-analysis"
    yield "explain", {"runs": [trace], "finding": "host-wait"}, "gait-explain"
    yield "explain", {"runs": [trace], "finding": 1}, "gait-explain"
    yield "explain", {"runs": [trace]}, "gait-explain"
    yield "whatif", {"runs": [trace], "questions": ["no-wait", "scale kernel:* 0.5"]}, "gait-whatif"
    yield "verify", {"before": trace, "after": trace}, "gait-verify"
    yield "lint", {"paths": ["train.py"], "folder": str(root / "tests/data/suspects"), "with": "train.gait"}, "gait-lint"
    yield "lint", {"paths": [str(root / "tests/lint/GT101-sync-item")], "select": "ALL"}, "gait-lint"


def refused(root):
    """Calls whose arguments are wrong, and a word of the answer, which says what to do."""
    trace = str(root / "examples/three_steps.trace.json")
    yield "analyze", {}, "analyze needs runs"
    yield "analyze", {"runs": trace}, "list of strings"
    yield "analyze", {"runs": []}, "list of strings"
    yield "analyze", {"runs": [trace], "ful": True}, "did you mean full"
    yield "analyze", {"runs": [trace], "full": "yes"}, "true or false"
    yield "analyze", {"runs": [trace], "timeout_s": 0}, "from 1 to"
    yield "analyze", {"runs": ["not\0there"]}, "list of strings"
    yield "analyze", {"runs": ["notthere.json"]}, "no such file"
    yield "analyze", {"runs": [trace], "folder": "/no/such"}, "no folder"
    yield "analyze", {"runs": ["--help"]}, "no such file"
    yield "explain", {"runs": [trace], "finding": "python-time-00000000"}, "leave the id out"
    yield "explain", {"runs": [trace], "finding": "9"}, "numbered 1 to 2"
    yield "whatif", {"runs": [trace], "questions": ["no-weit"]}, "did you mean"
    yield "lint", {"paths": ["/no/such.py"]}, "no such file"
    yield "record", {"command": ["/no/such/program"], "output": "a.gait"}, "cannot start"
    yield "record", {"command": ["sh", "-c", "echo said; exit 3"], "output": "a.gait"}, "exit code 3"
    yield "record", {"command": ["sh", "-c", "echo said"], "output": "a.gait"}, "nothing was recorded"


def check_tools(check, tools, read_only):
    names = READ_ONLY if read_only else TOOLS
    check.that({t.name for t in tools} == names, f"tools are {[t.name for t in tools]}")
    for t in tools:
        jsonschema.Draft202012Validator.check_schema(t.input_schema)
        jsonschema.Draft202012Validator.check_schema(t.output_schema)
        hints, opens = t.annotations, t.name in OPEN and not read_only
        check.that(hints.read_only_hint != opens and hints.open_world_hint == opens and hints.destructive_hint == opens,
                   f"{t.name}: {hints}")
        check.that(all(p.get("description") for p in t.input_schema["properties"].values()), f"{t.name}: no description")


async def read_tools(check, client, root, work, schemas):
    for tool, arguments, whole in calls(root, work):
        output = await brief(check, client, tool, **arguments)
        for error in list(schemas["brief"].iter_errors(output))[:2] if output else []:
            check.that(False, f"{tool}: {error.json_path}: {error.message}")
        following = (output or {}).get("next") or ""
        check.that(not following or following.split()[1] in TOOLS, f"{tool}: next is {following}")
        full = await client.call_tool(tool, {**arguments, "full": True})
        check.that(not full.is_error and full.structured_content["format"] == whole, f"{tool}: {text_of(full)[:200]}")
        check.that(schemas[whole.removeprefix("gait-")].is_valid(full.structured_content), f"{tool}: the whole JSON")


async def refuse_wrong_calls(check, client, root):
    for tool, arguments, said in refused(root):
        result = await client.call_tool(tool, arguments)
        check.that(result.is_error and said in text_of(result), f"{tool} {arguments}: {text_of(result)}")
    for name in "analyse", "", "x" * 10_000:
        try:
            await client.call_tool(name, {})
            check.that(False, f"there is a tool {name!r}")
        except mcp.MCPError as e:
            check.that(e.error.code == -32602, f"{name!r}: {e.error}")


def runs(marker):
    return marker in subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout.replace("ps -eo", "")


def record_of(seconds, output="slow.gait"):
    return {"command": ["sh", "-c", f"sleep {seconds}; exit 3"], "output": output}


async def long_calls(check, client):
    """Progress, a limit of time, several at once, and a call that the client gives up."""
    told = []

    async def progress(value, total, message):
        told.append((value, message))

    await client.call_tool("record", record_of(2.4), progress_callback=progress)
    check.that(len(told) >= 2 and sorted(told) == told and "record runs" in told[0][1], f"progress: {told}")
    begin = time.monotonic()
    result = await client.call_tool("record", {**record_of(61.5), "timeout_s": 1})
    check.that(result.is_error and "timeout_s" in text_of(result) and time.monotonic() - begin < 30, text_of(result))
    check.that(not runs("sleep 61.5"), "a call that was ended left its program behind")
    with anyio.move_on_after(1.0):
        await client.call_tool("record", record_of(62.5))
    for _ in range(100):
        if not runs("sleep 62.5"):
            break
        await anyio.sleep(0.1)
    check.that(not runs("sleep 62.5"), "a call that was cancelled left its program behind")
    results = {}

    async def one(i):
        results[i] = await client.call_tool("record", record_of(1, f"{i}.gait"))

    async with anyio.create_task_group() as tasks:
        for i in range(10):
            tasks.start_soon(one, i)
    waits = sum("wait for one" in text_of(r) for r in results.values())
    ended = sum("exit code 3" in text_of(r) for r in results.values())
    check.that((waits, ended) == (2, 8), f"of 10 calls at once {ended} ran and {waits} were told to wait")


async def main(gait, root, work):
    check, root, work = Check(), pathlib.Path(root), pathlib.Path(work)
    schemas = json_schemas.validators(root / "docs/schema")
    for mode, version in ("auto", "2026-07-28"), ("legacy", "2025-11-25"):
        async with connect(gait, work, mode=mode) as client:
            check.that(client.protocol_version == version, f"{mode}: {client.protocol_version}")
            check.that("lint" in client.instructions, f"{mode}: no instructions")
            check_tools(check, (await client.list_tools()).tools, read_only=False)
            await read_tools(check, client, root, work, schemas)
            await refuse_wrong_calls(check, client, root)
            if mode == "auto":
                await long_calls(check, client)
    async with connect(gait, work, "--read-only") as client:
        check_tools(check, (await client.list_tools()).tools, read_only=True)
        trace = str(root / "examples/three_steps.trace.json")
        result = await client.call_tool("verify", {"before": "true", "after": "true", "ab": True})
        check.that(result.is_error and "--read-only" in text_of(result), text_of(result))
        await brief(check, client, "verify", before=trace, after=trace)
        try:
            await client.call_tool("record", record_of(1))
            check.that(False, "--read-only records")
        except mcp.MCPError as e:
            check.that(e.error.code == -32602 and "--read-only" in e.error.message, f"{e.error}")
    check.end()


if __name__ == "__main__":
    anyio.run(main, *sys.argv[1:])
