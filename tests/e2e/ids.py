"""Ids of findings: distinct in each output, taken by explain, the same in recordings of one job and in moved sources.

usage: ids.py GAIT ROOT WORK
"""
import json
import pathlib
import re
import subprocess
import sys

import json_outputs

FORM = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*|GT[0-9]{3}-[0-9a-f]{8}")
# Recordings of one job: names that shared/traces has, one file a line; and what they must have in common.
JOBS = [
    ("kineto_tb/resnet50_num_workers_0/*.json.gz", {"input-bound"}),
    ("kineto_tb/resnet50_num_workers_4/*.json.gz", {"blocking-copy"}),
    ("qa_tutorial/*.json", {"launch-bound"}),
]


def run(gait, *words):
    done = subprocess.run([gait, *map(str, words), "-q"], capture_output=True, text=True)
    return json.loads(done.stdout) if done.stdout else None


def ids_of(output):
    """Of analyze, explain or lint."""
    found = output["findings"] if "findings" in output else [f for file in output["files"] for f in file["findings"]]
    return [f["id"] for f in found]


class Check:
    def __init__(self):
        self.checks = self.errors = 0

    def that(self, holds, said):
        self.checks += 1
        self.errors += not holds
        if not holds:
            print(said)


def distinct(check, gait, root):
    """Of all small traces and sources."""
    for path in json_outputs.traces(root):
        output = run(gait, "analyze", "--json", path)
        if not output:
            continue
        ids = ids_of(output)
        check.that(len(ids) == len(set(ids)), f"{path}: equal ids in {ids}")
        check.that(all(FORM.fullmatch(i) for i in ids), f"{path}: an odd id in {ids}")
        for number, one in enumerate(ids, 1):
            by_id, by_number = (run(gait, "explain", "--json", word, path) for word in (one, number))
            check.that(by_id == by_number, f"{path}: explain {one} is not explain {number}")
    ids = ids_of(run(gait, "lint", "--json", "--isolated", "--select", "ALL", *sorted((root / "tests/lint").glob("GT*"))))
    check.that(len(ids) > 200 and len(ids) == len(set(ids)), "lint: equal ids, or hardly any")


def shared(check, gait, root):
    folder = root.parent / "shared/traces"
    for pattern, expected in JOBS if folder.is_dir() else []:
        files = sorted(folder.glob(pattern))
        each = [set(ids_of(run(gait, "analyze", "--json", f))) for f in files]
        check.that(len(files) > 1 and all(expected <= ids for ids in each), f"{pattern}: {each}")


def recorded_again(check, gait, root, work):
    """A recording that was stored, made on another machine of a source whose lines have changed since, and one that is made now."""
    python, job = root / ".venv/bin/python", root / "tests/data/suspects"
    stored = set(ids_of(run(gait, "analyze", "--json", job / "train.gait")))
    places = {i for i in stored if re.search("-[0-9a-f]{8}$", i)}
    check.that(places, "the stored recording tells no place")
    if not python.exists() or subprocess.run([python, "-c", "import torch"], capture_output=True).returncode:
        print("no PyTorch here: the job is not recorded again")
        return
    done = subprocess.run([gait, "record", "-q", "--stop-after", "--replacements", "0", "--rounds", "2", "--traced", "2", "-o", work / "again.gait",
                           "--", python, job / "train.py"], capture_output=True, text=True, cwd=work)
    check.that(done.returncode == 0, f"the job cannot be recorded: {done.stderr}")
    again = set(ids_of(run(gait, "analyze", "--json", work / "again.gait")))
    check.that(places <= again, f"recorded again: {sorted(stored)} became {sorted(again)}")


def moved(check, gait, root, work):
    """A line may move, with its function and its folder; another line has another id."""
    text = (root / "tests/data/suspects/train.py").read_text()
    first = work / "train.py"
    first.write_text(text)
    (work / "deep").mkdir()
    (work / "deep/train.py").write_text("\n# moved\n\n" + text)
    before, after = (ids_of(run(gait, "lint", "--json", "--isolated", p)) for p in (first, work / "deep/train.py"))
    check.that(before and before == after, f"a moved line: {before} became {after}")
    twice = work / "twice.py"
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if ".item()" in line)
    twice.write_text("\n".join(lines[:at + 1] + lines[at:at + 1] + lines[at + 1:]) + "\n")
    ids = ids_of(run(gait, "lint", "--json", "--isolated", twice))
    check.that(len(ids) == len(set(ids)), f"a line that stands twice: {ids}")


def main(gait, root, work):
    check = Check()
    root, work = pathlib.Path(root), pathlib.Path(work)
    distinct(check, gait, root)
    shared(check, gait, root)
    recorded_again(check, gait, root, work)
    moved(check, gait, root, work)
    print(f"{check.checks} checks, {check.errors} errors")
    return check.errors > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
