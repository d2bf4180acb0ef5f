"""Every tool of gait mcp by the official Python client.

usage: mcp_tools.py GAIT ROOT WORK
"""
import os
import pathlib
import shlex
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
    yield "lint", {"paths": [str(root / "tests/lint/GT107-made-on-host")], "select": "ALL", "isolated": True}, "gait-lint"
    needless = [str(root / "tests/data/execution" / f"needless.{what}.json.gz") for what in ("trace", "graph")]
    yield "analyze", {"runs": needless[:1], "graph": needless[1]}, "gait-analysis"
    yield "explain", {"runs": needless[:1], "graph": needless[1], "finding": 1}, "gait-explain"


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


def call_of(command, tools):
    """What docs/mcp.md says of `next`: the tool and its arguments."""
    words = shlex.split(command)
    name, words = words[1], words[2:]
    properties = tools[name].input_schema["properties"]
    arguments, operands = {}, []
    while words:
        word = words.pop(0)
        option = {"--json": "full", "-o": "output"}.get(word, word.removeprefix("--"))
        if word == "--":
            arguments["command"], words = words, []
        elif word == "--brief":
            pass
        elif not word.startswith("-"):
            operands.append(word)
        elif properties[option]["type"] == "boolean":
            arguments[option] = True
        else:
            arguments[option] = words.pop(0)
    if name == "explain" and len(operands) > 1:
        arguments["finding"] = operands.pop(0)
    if name == "verify":
        arguments["before"], arguments["after"] = operands
    elif operands:
        arguments[{"lint": "paths"}.get(name, "runs")] = operands
    return name, arguments


async def follow(check, client, before, command):
    """What a result says comes next is a call that works, but for what is not there yet."""
    if not command:
        return
    tools = {t.name: t for t in (await client.list_tools()).tools}
    name, arguments = call_of(command, tools)
    if name == "record":  # of a job that only the user knows
        return check.that(set(arguments) <= set(tools[name].input_schema["properties"]), command)
    arguments = {k: before[k] if v in ("RUN…", ["RUN…"]) else v for k, v in arguments.items()}
    if arguments.get("after") == "after.gait":
        arguments["after"] = arguments["before"]
    folder = {"folder": before["folder"]} if "folder" in before else {}
    result = await client.call_tool(name, {**arguments, **folder})
    check.that(not result.is_error, f"{command}: {text_of(result)}")


async def read_tools(check, client, root, work, schemas):
    for tool, arguments, whole in calls(root, work):
        output = await brief(check, client, tool, **arguments)
        for error in list(schemas["brief"].iter_errors(output))[:2] if output else []:
            check.that(False, f"{tool}: {error.json_path}: {error.message}")
        await follow(check, client, arguments, (output or {}).get("next"))
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


async def long_calls(check, client, work):
    """Progress, a limit of time, several at once, and a call that the client gives up."""
    told = []

    async def progress(value, total, message):
        told.append((value, message))

    await client.call_tool("record", record_of(2.4), progress_callback=progress)
    check.that(len(told) >= 2 and sorted(told) == told and "record runs" in told[0][1], f"progress: {told}")
    begin = time.monotonic()
    limited, given_up, apart = (f"{seconds}.{os.getpid()}" for seconds in (61, 62, 63))  # no other test sleeps so long
    own_session = f"setsid sh -c 'trap \"\" TERM; sleep {apart}; sleep {apart}' & "  # as workers of torchrun are
    result = await client.call_tool("record", {"command": ["sh", "-c", f"{own_session} sleep {limited}; exit 3"], "output": "slow.gait", "timeout_s": 1})
    check.that(result.is_error and "timeout_s" in text_of(result) and time.monotonic() - begin < 30, text_of(result))
    check.that(not runs(f"sleep {limited}"), "a call that was ended left its program behind")
    check.that(not runs(f"sleep {apart}"), "a call that was ended left a program in a session of its own behind")
    with anyio.move_on_after(1.0):
        await client.call_tool("record", record_of(given_up))
    for _ in range(100):
        if not runs(f"sleep {given_up}"):
            break
        await anyio.sleep(0.1)
    check.that(not runs(f"sleep {given_up}"), "a call that was cancelled left its program behind")
    results = {}

    async def one(i):
        command = ["sh", "-c", "while [ ! -e go ]; do sleep 0.05; done; exit 3"]
        results[i] = await client.call_tool("record", {"command": command, "output": f"{i}.gait"})
        if len(results) == 2:  # the other eight run until now
            (work / "go").touch()

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
                await long_calls(check, client, work)
    async with connect(gait, work, "--read-only") as client:
        check_tools(check, (await client.list_tools()).tools, read_only=True)
        trace = str(root / "examples/three_steps.trace.json")
        result = await client.call_tool("verify", {"before": "true", "after": "true", "ab": True})
        check.that(result.is_error and "--read-only" in text_of(result), text_of(result))
        config = str(root / "examples/tiny.yaml")
        result = await client.call_tool("verify", {"before": config, "after": config})
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
