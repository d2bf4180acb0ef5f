"""Recordings of one job, with and without planted faults: what `gait verify` says. same_model.py GAIT JOBS_FOLDER WORK_FOLDER"""
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

OPTIONS = ("-q", "--warmup", "3", "--rounds", "1", "--untraced", "4", "--traced", "2", "--replacements", "0", "--stop-after")
GATES = ("same losses", "same gradients", "same movement")
PASS, FAIL, NONE = "PASS", "FAIL", "N/A"
# change → verdicts of the gates, and the gate that names a parameter, with its code
CASES = {
    "again": ((PASS, PASS, PASS), None, None, None),
    "sdpa": ((PASS, PASS, PASS), None, None, None),
    "unseeded": ((NONE, NONE, NONE), "same losses", "tokens.weight", "different_weights"),
    "frozen": ((None, PASS, FAIL), "same movement", "blocks.1.mlp.0.weight", "movement_differs"),
    "gradient": ((None, FAIL, FAIL), "same gradients", "blocks.1.norm1.weight", "gradients_differ"),
    "mask": ((FAIL, FAIL, None), "same gradients", "blocks.1.", "gradients_differ"),
}


def check(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}: {got!r}, not {wanted!r}")


def record(gait, jobs, work, change):
    path = os.path.join(work, (change or "before") + ".gait")
    command = [gait, "record", *OPTIONS, "-o", path, "--", sys.executable, os.path.join(jobs, "learns.py"), change]
    environment = dict(os.environ, OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1")
    done = subprocess.run(command, env=environment, capture_output=True, timeout=120)
    check(f"exit code of {change or 'the job'}", (done.returncode, done.stderr), (0, b""))
    return path


def verify(gait, before, after):
    done = subprocess.run([gait, "verify", "--json", before, after], capture_output=True, timeout=60)
    return {gate["name"]: gate for gate in json.loads(done.stdout)["gates"]}


def one(change, gates):
    verdicts, naming, parameter, code = CASES[change]
    for name, wanted in zip(GATES, verdicts):
        if wanted:
            check(f"{change}: {name}: {gates[name]['remark']}", gates[name]["verdict"], wanted)
    if naming:
        gate = gates[naming]
        check(f"{change}: {naming}: its code", gate["code"], code)
        check(f"{change}: {naming} names {parameter}: {gate['remark']}", gate["at_parameter"].startswith(parameter), True)
    for name in GATES:
        print(f"{change:9} {name:15} {gates[name]['verdict']:5} {gates[name]['remark']}")


def main():
    gait, jobs, work = sys.argv[1:4]
    with ThreadPoolExecutor(2) as pool:
        before, *after = pool.map(lambda change: record(gait, jobs, work, change), ("", *CASES))
    for change, path in zip(CASES, after):
        one(change, verify(gait, before, path))
    check("bit by bit", "bitwise equal" in verify(gait, before, after[0])["same losses"]["remark"], True)
    shown = subprocess.run([gait, "analyze", "-q", before], capture_output=True, text=True).stdout
    check("the loss is shown", "train 4." in shown and "(steps 1 to " in shown, True)


main()
