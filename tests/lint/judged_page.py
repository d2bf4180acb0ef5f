#!/usr/bin/env python3
"""How right is `gait lint` on programs that nobody had in mind when its rules were written?

tests/lint/judged/ has what it found in public training scripts, each finding judged by reading the program. Without options: the counts.

  --page             docs/lint-precision.md, as scripts/draw-docs writes it
  --clones FOLDER    check again: FOLDER/OWNER+NAME is a clone of each project at the commit of projects.tsv; what is found today is
                     compared with what was judged
  --gait PROGRAM     the one to check again with (build/gait)
"""
import argparse
import collections
import csv
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent / "judged"
ROOT = HERE.parent.parent.parent
VERDICTS = ("right", "arguable", "wrong")


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def sets():
    """Numbers and findings of the sets, the newest first."""
    found = {int(p.stem.removeprefix("set")): rows_of(p) for p in HERE.glob("set*.tsv")}
    for number, findings in found.items():
        for f in findings:
            if f["verdict"] not in VERDICTS or not f["reason"]:
                sys.exit(f"set{number}.tsv: {f['project']} {f['file']}:{f['line']} has no verdict, or no reason")
    return sorted(found.items(), reverse=True)


def shares(findings):
    n, count = len(findings), collections.Counter(f["verdict"] for f in findings)
    true = count["right"] + count["arguable"]
    return [n, *(count[v] for v in VERDICTS), f"{100 * count['right'] / n:.0f} %", f"{100 * true / n:.0f} %"]


def table(head, rows):
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(str(x).replace("|", "\\|") for x in row) + " |"


def speaks_today():
    """When a rule speaks, by its code."""
    first_lines = (p.read_text(encoding="utf-8").split("\n", 1)[0].split() for p in (ROOT / "src" / "lint" / "rules").glob("*.scm"))
    words = {"off": "when selected", "with-run": "with a run that prices it"}
    return {line[1]: words.get(line[-1], "always") for line in first_lines}


def by_rule(findings):
    rules, today = sorted({f["code"] for f in findings}), speaks_today()
    off = {rule for rule in rules if today[rule] != "always"}
    lines = [[rule + " (off today)" * (rule in off), *shares([f for f in findings if f["code"] == rule])] for rule in rules]
    return table(("rule", "findings", *VERDICTS, "right", "right or arguable"), lines + [["all", *shares(findings)]])


def all_sets_by_rule():
    findings, today = [f for _, part in sets() for f in part], speaks_today()
    rules = sorted({f["code"] for f in findings})
    rows = [[rule, *shares([f for f in findings if f["code"] == rule]), today[rule]] for rule in rules]
    return table(("rule", "findings", *VERDICTS, "right", "right or arguable", "speaks today"), rows)


def each(findings, commits):
    for f in findings:
        url = f"https://github.com/{f['project']}/blob/{commits[f['project']]}/{f['file']}#L{f['line']}"
        yield f["code"], f"[{f['project']} {f['file']}:{f['line']}]({url})", f["verdict"], f["reason"]


def page():
    projects = rows_of(HERE / "projects.tsv")
    yield "# Findings of gait lint in public programs, judged"
    yield ""
    yield "Written by `scripts/draw-docs`; `bench/lint-judged` counts; [how it was done](../tests/lint/judged/README.md)."
    yield ""
    yield "## All sets, by rule"
    yield ""
    yield "As judged, with the rules of that day: what a rule was taught since is not counted here."
    yield ""
    yield from all_sets_by_rule()
    for number, findings in sets():
        those = [p for p in projects if int(p["set"]) == number]
        scripts = sum(len(p["scripts"].split()) for p in those)
        n, right, arguable, wrong, right_share, true_share = shares(findings)
        yield ""
        yield f"## Set {number}"
        yield ""
        yield f"{len(those)} projects, {scripts} training scripts, {n} findings: {right} right ({right_share}), {arguable} arguable, " \
              f"{wrong} wrong; right or arguable: {true_share}."
        yield ""
        yield from by_rule(findings)
        yield ""
        yield from table(("rule", "line", "verdict", "why"), each(findings, {p["project"]: p["commit"] for p in those}))


def found_today(gait, clone, scripts):
    out = subprocess.run([gait, "lint", "--isolated", "--json", *scripts], cwd=clone, capture_output=True, text=True, check=False)
    if out.returncode > 1:
        print(f"{clone.name}: {out.stderr.strip()}", file=sys.stderr)
    files = json.loads(out.stdout)["files"] if out.stdout else []
    return {(f["path"], str(x["line"]), x["code"]) for f in files for x in f["findings"]}


def check_again(gait, clones):
    projects, missing = rows_of(HERE / "projects.tsv"), 0
    for number, findings in sets():
        kept, new = [], 0
        for p in (p for p in projects if int(p["set"]) == number):
            clone = clones / p["project"].replace("/", "+")
            if not clone.is_dir():
                missing += 1
                continue
            judged = {(f["file"], f["line"], f["code"]): f for f in findings if f["project"] == p["project"]}
            today = found_today(gait, clone, p["scripts"].split())
            kept += [judged[k] for k in today & judged.keys()]
            new += len(today - judged.keys())
        print(f"set {number}: of {len(findings)} judged findings {len(kept)} are found today, and {new} that were not judged")
        if kept:
            print("\n".join(by_rule(kept)))
    if missing:
        print(f"{missing} projects are not in {clones}: git clone them, each at its commit in {HERE / 'projects.tsv'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--clones", type=pathlib.Path)
    parser.add_argument("--gait", type=pathlib.Path, default=ROOT / "build" / "gait")
    options = parser.parse_args()
    if options.page:
        print("\n".join(page()))
        return
    if options.clones:
        check_again(options.gait.resolve(), options.clones)
        return
    for number, findings in sets():
        print(f"set {number}")
        print("\n".join(by_rule(findings)))
    print(json.dumps({"judged": {number: dict(collections.Counter(f["verdict"] for f in findings)) for number, findings in sets()}}))


main()
