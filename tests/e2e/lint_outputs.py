"""Read the outputs of write_lint with other people's programs.

usage: lint_outputs.py WRITE_LINT ROOT WORK. Exit code 77 where jsonschema is not installed.
"""
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import urllib.parse

import junit_schema

try:
    import jsonschema
    import referencing
except ImportError:
    print("skipped: jsonschema is not installed (scripts/install-oracles)")
    sys.exit(77)

BODY = "# grün 😀 日本\nfor x in y:\n\tz = '😀é' + x.item()  # {0}\n    w = [a](1).item(); v = u.item()\n"
TEXTS = {
    "plain.py": BODY,
    "my file.py": BODY * 3,
    "ü 日本.py": BODY,
    "per%cent,co:lon;[x]#?.py": BODY,
    "new\nline\ttab\033.py": BODY,
    "q\"uo\\te'.py": BODY,
    "folder/./below.py": BODY,
    "crlf.py": BODY.replace("\n", "\r\n") * 2,
    "no-end.py": BODY + "last = x.item()",
    "bom.py": "\ufeff" + BODY,
    "clean.py": "pass\n",
    "one-line.py": "a.item()",
}
errors = []


def expect(what, got, wanted):
    if got != wanted:
        errors.append(what)
        print(f"{what}:\n  expected {wanted!r:.300}\n  got      {got!r:.300}")


def run(*words, **more):
    return subprocess.run([str(w) for w in words], capture_output=True, **more)


def write(program, *words, cwd):
    done = run(program, *words, cwd=cwd)
    if done.returncode:
        raise SystemExit(f"write_lint {words}: exit code {done.returncode}: {done.stderr.decode()}")
    return done.stdout


# --- JSON


def validator(root):
    folder = root / "docs/schema"
    schemas = {p.name: json.loads(p.read_text()) for p in folder.glob("*.schema.json")}
    registry = referencing.Registry().with_resources(
        (name, referencing.Resource.from_contents(schema)) for name, schema in schemas.items())
    return jsonschema.Draft202012Validator(schemas["lint.schema.json"], registry=registry)


def validate(what, validator, output):
    for error in list(validator.iter_errors(output))[:5]:
        errors.append(what)
        print(f"{what}: {error.json_path}: {error.message[:300]}")


def with_bytes_replaced(text, edits):
    for e in reversed(edits):
        text = text[:e["begin"]] + e["text"].encode() + text[e["end"]:]
    return text


def check_json(output, root):
    validate("json", validator(root), output)
    expect("paths of json", [f["path"] for f in output["files"]], list(TEXTS))
    n = sum(len(f["findings"]) for f in output["files"])
    expect("findings", (output["summary"]["findings"], n), (n, sum(t.count(".item()") for t in TEXTS.values())))
    for f in output["files"]:
        text = TEXTS[f["path"]]
        for finding in f["findings"]:
            line = text.split("\n")[finding["line"] - 1]
            expect("columns", line[finding["column"] - 1:finding["end_column"] - 1], ".item()")


# --- SARIF


def unescaped(message):
    """Text of a SARIF message without placeholders and links (3.11.5, 3.11.6)."""
    if re.search(r"(?<![{])(?:{{)*{\d+}(?!})", message) or re.search(r"(?<!\\)\[(?:[^\[\]\\]|\\.)*\]\(", message):
        expect("a placeholder or link in a message", message, None)
    message = message.replace("{{", "{").replace("}}", "}")
    return message.replace("\\[", "[").replace("\\]", "]") if "\\[" in message else message


def offset(lines, line, column):
    return sum(len(x) for x in lines[:line - 1]) + column - 1


def with_regions_replaced(text, replacements):
    lines = re.split(r"(?<=\n)", text)
    for r in reversed(replacements):
        region = r["deletedRegion"]
        begin = offset(lines, region["startLine"], region["startColumn"])
        end = offset(lines, region["endLine"], region["endColumn"])
        text = text[:begin] + r["insertedContent"]["text"] + text[end:]
        lines = re.split(r"(?<=\n)", text)
    return text


def regions(value):
    if isinstance(value, dict):
        yield from (v for k, v in value.items() if k in ("region", "deletedRegion"))
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from regions(item)


def check_result(result, path, finding, rules):
    expect("rule", (result["ruleId"], rules[result["ruleIndex"]]["id"]), (finding["code"],) * 2)
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    expect("characters of a URI", re.sub(r"[A-Za-z0-9._~/-]|%[0-9A-F]{2}", "", uri), "")
    expect("URI", urllib.parse.unquote(uri), os.path.normpath(path))
    region = result["locations"][0]["physicalLocation"]["region"]
    expect("region", list(region.values()), [finding[k] for k in ("line", "column", "end_line", "end_column")])
    text = finding["title"] + "\nhelp: " + finding["advice"]
    if finding["price"]:
        text += "\ncost: " + finding["price"]
    expect("message", unescaped(result["message"]["text"]), text)
    change = result["fixes"][0]["artifactChanges"][0]
    expect("fix", with_regions_replaced(TEXTS[path], change["replacements"]).encode(),
           with_bytes_replaced(TEXTS[path].encode(), finding["edits"]))


def check_sarif(sarif, output, root):
    schema = json.loads((root / "tests/data/sarif/sarif-2.1.0.json").read_text())
    validate("sarif", jsonschema.Draft202012Validator(schema), sarif)
    for region in regions(sarif):
        expect("a region begins", "startLine" in region, True)
    job = sarif["runs"][0]
    rules = job["tool"]["driver"]["rules"]
    findings = [(f["path"], x) for f in output["files"] for x in f["findings"]]
    expect("results", len(job["results"]), len(findings))
    for result, (path, finding) in zip(job["results"], findings):
        check_result(result, path, finding, rules)
    notes = job["invocations"][0]["toolExecutionNotifications"]
    expect("notifications", [n["level"] for n in notes], ["warning"])


# --- annotations


def check_github(text, output):
    """As the runner reads them: a line, "::name key=value,…::message"."""
    want = [(f["path"], x) for f in output["files"] for x in f["findings"]]
    commands = [line for line in text.split("\n") if ",title=" in line]
    expect("annotations", len(commands), len(want))
    for line, (path, finding) in zip(commands, want):
        head, message = re.fullmatch(r"::warning (.*?)::(.*)", line).groups()
        properties = dict(p.split("=", 1) for p in head.split(","))
        decoded = {k: urllib.parse.unquote(v) for k, v in properties.items()}
        expect("file of an annotation", decoded["file"], re.sub("[\t\033]", "?", path))
        expect("title", decoded["title"], f"{finding['code']} {finding['rule']}")
        expect("place", [int(decoded[k]) for k in ("line", "col", "endLine", "endColumn")],
               [finding[k] for k in ("line", "column", "end_line", "end_column")])
        text = finding["title"] + "\nhelp: " + finding["advice"]
        expect("message of an annotation", re.sub(r"%(25|0A|0D)", lambda m: chr(int(m[1], 16)), message).split("\ncost")[0], text)


# --- JUnit


def check_junit(text, output):
    suite, complaints = junit_schema.read(text)
    expect("schema of JUnit", complaints, [])
    cases = suite.findall("testcase")
    expect("test cases", [case.get("name") for case in cases],
           [re.sub("\033", "\ufffd", re.sub("[\n\t]", " ", f["path"])) for f in output["files"]])
    for case, f in zip(cases, output["files"]):
        failures = case.findall("failure")
        expect("failures", [x.get("type") for x in failures], [x["code"] for x in f["findings"]])
        for failure, x in zip(failures, f["findings"]):
            place = f":{x['line']}:{x['column']}: {x['code']} {x['rule']}: {x['title']}"
            expect("message of a failure", failure.get("message"), case.get("name") + place)
            lines = failure.text.split("\n")
            expect("text of a failure", (lines[-3 if x["price"] else -2], re.sub("[\t\r]", " ", x["source"]) in lines), ("help: " + x["advice"], True))
        expect("list", (case.findtext("system-out") or "").count(": GT"), len(failures) if len(failures) > 1 else 0)


# --- diffs


def check_diff(what, diff, folder, path, old, new):
    """patch and git, each on a folder of its own."""
    for words in ["patch", "-p0", "-s"], ["git", "apply", "-p0"]:
        shutil.rmtree(folder, ignore_errors=True)
        (folder / path).parent.mkdir(parents=True)
        (folder / path).write_bytes(old)
        done = run(*words, input=diff, cwd=folder, env={**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)})
        if done.returncode:
            expect(f"{words[0]}: {what}: {(done.stdout + done.stderr).decode()[:300]}", done.returncode, 0)
            continue
        left = sorted(p.name for p in folder.rglob("*") if p.is_file())
        expect(f"{words[0]}: {what}: files", left, [pathlib.Path(path).name])
        expect(f"{words[0]}: {what}", (folder / path).read_bytes(), new)


def changed(rng, lines):
    lines = list(lines)
    for _ in range(rng.randint(1, 6)):
        at = rng.randint(0, len(lines))
        lines[at:at + rng.randint(0, 3)] = [rng.choice("abcd") for _ in range(rng.randint(0, 3))]
    return lines


def check_any_diffs(program, work):
    rng = random.Random(5)
    for i in range(60):
        end = rng.choice(["\n", "\r\n"])
        old = [rng.choice("abcdefghijkl") + str(rng.randint(0, 20)) for _ in range(rng.randint(3, 60))]
        texts = [end.join(x) + rng.choice(["", end]) for x in (old, changed(rng, old) + ["last"])]
        for name, text in zip(("old", "new"), texts):
            (work / name).write_bytes(text.encode())
        diff = write(program, "compare", "my file.py", "old", "new", cwd=work)
        if texts[0] != texts[1]:
            check_diff(f"random text {i}", diff, work / "tree", "my file.py", texts[0].encode(), texts[1].encode())


def check_diffs(program, work):
    for path, text in TEXTS.items():
        if ".item()" not in text:
            continue
        diff = write(program, "diff", path, cwd=work)
        if "\n" in path: # patch refuses such names; git alone takes them
            continue
        check_diff(path, diff, work / "tree", path, text.encode(), write(program, "fix", path, cwd=work))
    check_any_diffs(program, work)


def main(program, root, work):
    root, work = pathlib.Path(root).resolve(), pathlib.Path(work)
    program = pathlib.Path(program).resolve()
    for path, text in TEXTS.items():
        (work / path).parent.mkdir(exist_ok=True)
        (work / path).write_bytes(text.encode())
    output = json.loads(write(program, "json", *TEXTS, cwd=work))
    check_json(output, root)
    check_sarif(json.loads(write(program, "sarif", *TEXTS, cwd=work)), output, root)
    check_github(write(program, "github", *TEXTS, cwd=work).decode(), output)
    check_junit(write(program, "junit", *TEXTS, cwd=work).decode(), output)
    check_diffs(program, work)
    print(f"{len(TEXTS)} files, {output['summary']['findings']} findings; {len(errors)} errors")
    return len(errors) > 0


sys.exit(main(*sys.argv[1:]))
