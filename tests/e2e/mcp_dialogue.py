"""Find, explain, patch, verify: a job whose cause was planted, through the tools of gait mcp alone.

usage: mcp_dialogue.py GAIT ROOT WORK
"""
import pathlib
import shutil
import sys

import anyio

import json_schemas
from mcp_client import Check, brief, connect

JOB = "cnn_collect.py"  # collects garbage in every step: docs/lint-jobs.md
RULE, CODE = "garbage-collector", "GT105"
STEPS = ["--tiny", "--steps", "120"]
QUICK = {"stop_after": True, "rounds": 2, "traced": 2, "replacements": 0}


def apply_edits(path, finding):
    text = path.read_bytes()
    for edit in reversed(finding["edits"]):
        text = text[:edit["begin"]] + edit["text"].encode() + text[edit["end"]:]
    path.write_bytes(text)


async def record(check, client, name, schema):
    output = await brief(check, client, "record", command=[sys.executable, JOB, *STEPS], output=name, **QUICK)
    check.that(output and output["run"] == name and output["exit_code"] == 0, f"record: {output}")
    check.that(schema.is_valid(output) and "loss" in output["printed_last"], f"record: {output}")
    return output


async def main(gait, root, work):
    check, work = Check(), pathlib.Path(work)
    schema = json_schemas.validators(pathlib.Path(root) / "docs/schema")["brief"]
    shutil.copy(pathlib.Path(root) / "tests/lint/jobs" / JOB, work)
    async with connect(gait, work, env={"OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}) as client:
        # find: in a recording, then in the source
        recorded = await record(check, client, "before.gait", schema)
        check.that(recorded["next"] == "gait analyze --brief before.gait", f"next: {recorded['next']}")
        before = await brief(check, client, "analyze", runs=["before.gait"])
        found = before["findings"][0]
        check.that(found["id"] == RULE and found["gain_ms"] > 0.3 * before["step"]["ms"], f"found: {found}")
        lint = await brief(check, client, "lint", paths=[JOB], **{"with": "before.gait"})
        check.that([(f["id"][:5], f["gain_ms"]) for f in lint["findings"]] == [(CODE, found["gain_ms"])], f"lint: {lint}, {found}")
        # explain
        why = await brief(check, client, "explain", finding=found["id"], runs=["before.gait"])
        check.that("gc" in why["fix"] and why["gain_ms"] == found["gain_ms"], f"explain: {why}")
        check.that(why["next"] == "gait verify --brief before.gait after.gait", f"next: {why['next']}")
        # patch: the edit that lint gives
        whole = await client.call_tool("lint", {"paths": [JOB], "with": "before.gait", "full": True})
        apply_edits(work / JOB, whole.structured_content["files"][0]["findings"][0])
        check.that("gc.collect()" not in (work / JOB).read_text(), "the edit does not take the call away")
        again = await brief(check, client, "lint", paths=[JOB], **{"with": "before.gait"})
        check.that(not again["findings"], f"lint after the edit: {again}")
        # verify
        await record(check, client, "after.gait", schema)
        verdict = await brief(check, client, "verify", before="before.gait", after="after.gait")
        gates = {g["name"]: g for g in verdict["gates"]}
        check.that(verdict["verdict"] == "PASS" and gates["same losses"]["verdict"] == "PASS", f"verify: {verdict}")
        check.that(gates["step time"]["change"] < -0.1, f"step time: {gates['step time']}")
        after = await brief(check, client, "analyze", runs=["after.gait"])
        ids = [{f["id"] for f in run["findings"]} for run in (before, after)]
        check.that(RULE not in ids[1], f"the cause is still there: {after}")
        print(f"{before['step']['ms']:.2f} ms per step, then {after['step']['ms']:.2f} ms; findings before {sorted(ids[0])}, after {sorted(ids[1])}")
    check.end()


if __name__ == "__main__":
    anyio.run(main, *sys.argv[1:])
