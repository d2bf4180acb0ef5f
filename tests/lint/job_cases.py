"""jobs.tsv as objects, and the two versions of a job: as it stands, and with the patch of `gait lint --diff` applied."""
import csv
import dataclasses
import json
import os
import re
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
JOBS = os.path.join(HERE, "jobs")
TABLE = os.path.join(HERE, "jobs.tsv")
GAIT = os.path.abspath(os.environ.get("GAIT") or os.path.join(ROOT, "build", "gait"))
FIXES = ("safe", "unsafe")


class BadPatch(Exception):
    """The patch of a job is not there, does not apply, or is of another kind than jobs.tsv says; the text says which."""


@dataclasses.dataclass(frozen=True)
class JobCase:
    name: str
    job: str  # the script that is run
    lint: str  # what `gait lint` is given: the script, or the folder of its project
    rule: str  # code of the planted cause
    fix: str  # FIXES: what `gait lint` calls its edit
    tolerance: float  # relative, of each loss after the fix; 0: the same bit by bit
    processes: int
    steps: int  # asked for at a time, when measured
    block: int  # steps of one ratio
    skip: int  # steps after a switch that are not counted
    note: str


def read():
    with open(TABLE, encoding="utf-8", newline="") as file:
        cases = [JobCase(row["name"], row["job"], row["lint"], row["rule"], row["fix"], float(row["tolerance"]),
                         int(row["processes"]), int(row["steps"]), int(row["block"]), int(row["skip"]), row["note"])
                 for row in csv.DictReader(file, delimiter="\t")]
    for case in cases:
        assert case.fix in FIXES and os.path.exists(os.path.join(JOBS, case.job)), case
        assert case.fix == "unsafe" or case.tolerance == 0, f"{case.name}: a safe fix changes no value"
    return cases


def run(command, folder):
    return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def lint(case, folder, *options):
    """stdout of `gait lint` of the planted rule alone; 1 is its exit code where it found something."""
    done = run([GAIT, "lint", "--isolated", "--quiet", "--select", case.rule, *options, case.lint], folder)
    if done.returncode not in (0, 1):
        raise BadPatch(f"gait lint: exit {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def findings(case, folder, *options):
    return [finding for file in json.loads(lint(case, folder, "--output-format", "json", *options))["files"]
            for finding in file["findings"]]


def why_left_out(case, folder, run_path):
    """What `gait lint --with RUN -v` says of a finding that the run shows to be harmless."""
    done = run([GAIT, "lint", "--isolated", "--select", case.rule, "--with", run_path, "-v", case.lint], folder)
    return next(iter(re.findall(r"left out, (.*)", done.stdout + done.stderr)), "")


def copy_job(case, folder):
    source, target = os.path.join(JOBS, case.lint), os.path.join(folder, case.lint)
    os.makedirs(folder)
    if os.path.isdir(source):
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, target)


def text_of(folder):
    """Of all files, to compare folders."""
    return {os.path.relpath(os.path.join(where, name), folder): open(os.path.join(where, name), encoding="utf-8").read()
            for where, _, names in os.walk(folder) for name in names}


def make_pair(case, folder):
    """(the script as it stands, the patched one, the patch), as copies in folder/slow and folder/fixed."""
    slow, fixed = os.path.join(folder, "slow"), os.path.join(folder, "fixed")
    copy_job(case, slow)
    copy_job(case, fixed)
    kinds = {finding["safety"] for finding in findings(case, slow)}
    if kinds != {case.fix}:
        raise BadPatch(f"{case.rule} is to be found with a {case.fix} fix; found: {', '.join(sorted(kinds)) or 'nothing'}")
    diff = lint(case, slow, "--diff", *(["--unsafe-fixes"] if case.fix == "unsafe" else []))
    patch = os.path.join(folder, "fix.patch")
    with open(patch, "w", encoding="utf-8") as file:
        file.write(diff)
    done = run(["patch", "-p0", "--no-backup-if-mismatch", "-i", patch], fixed)
    if done.returncode != 0 or "fuzz" in done.stdout or "offset" in done.stdout:
        raise BadPatch(f"patch -p0: {done.stdout}{done.stderr}")
    if text_of(slow) == text_of(fixed):
        raise BadPatch("the patch changes nothing")
    return os.path.join(slow, case.job), os.path.join(fixed, case.job), patch


def apply_with_git(case, folder, patch):
    """git must understand the patch in the same way: {file: text} of a third copy."""
    target = os.path.join(folder, "with_git")
    copy_job(case, target)
    done = run(["git", "-c", "core.autocrlf=false", "apply", "-p0", patch], target)
    if done.returncode != 0:
        raise BadPatch(f"git apply -p0: {done.stderr}")
    return text_of(target)
