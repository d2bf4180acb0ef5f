"""--brief of what is long: names, paths, many findings and questions. Figures are those of --json.

usage: briefs.py GAIT ROOT WORK
"""
import json
import pathlib
import subprocess
import sys

BYTES_MAX = 2048
LONG = 10_000
HOSTILE = ["x", '"', "\\", "\n", "\x01", "\x9b", "é", "\N{SNAIL}", "\u202e", "/"]


class Check:
    def __init__(self, gait, work):
        self.gait, self.work, self.outputs, self.errors = gait, work, 0, 0

    def wrong(self, words, what):
        self.errors += 1
        print(f"gait {' '.join(w[:60] for w in words)}: {what}"[:400])

    def run(self, *words):
        words = [str(w) for w in words]
        done = subprocess.run([self.gait, *words, "-q"], capture_output=True, cwd=self.work)
        return words, done

    def brief(self, *words):
        """The output, where it holds; else None."""
        words, done = self.run(*words, "--brief")
        self.outputs += 1
        if not done.stdout:
            self.wrong(words, f"no output: {done.stderr.decode(errors='replace')}")
            return None
        if len(done.stdout) > BYTES_MAX or done.stdout.count(b"\n") != 1:
            self.wrong(words, f"{len(done.stdout)} bytes")
        return json.loads(done.stdout)

    def same(self, words, a, b):
        if a is None or b is None or abs(a - b) > 1e-6 * max(1, abs(b)):
            if a != b:
                self.wrong(words, f"{a} in the brief, {b} in the whole JSON")


def lengthened(root, letter):
    """The example's job with long names: of operators, kernels, threads; those that rules know keep their begin."""
    trace = json.loads((root / "examples/three_steps.trace.json").read_text())
    known = ("cuda", "Profiler", "enumerate", "Optimizer", "thread")
    for e in trace["traceEvents"]:
        name = e.get("name", "")
        if e.get("ph") == "X" and not name.startswith(known):
            e["name"] = name + letter * (LONG // len(letter.encode()))
        elif name.startswith("enumerate(DataLoader)#"):
            e["name"] = "enumerate(DataLoader)#" + letter * LONG + ".__next__"
    return trace


def traces(check, root):
    for i, letter in enumerate(HOSTILE):
        path = check.work / f"{i}.trace.json"
        path.write_text(json.dumps(lengthened(root, letter)))
        brief, whole = check.brief("analyze", path), json.loads(check.run("analyze", "--json", path)[1].stdout)
        for short, full in zip(brief["findings"], whole["findings"]):
            check.same(["analyze", short["id"]], short["gain_ms"], full["price"]["gain_ms"])
            one = check.brief("explain", short["id"], path)
            check.same(["explain", short["id"]], one["gain_ms"], full["price"]["gain_ms"])
            if one["fix"] != full["fix"]["torch"]:
                check.wrong(["explain", short["id"]], "the fix is cut")
        if len(brief["findings"]) + brief["left_out"] != len(whole["findings"]):
            check.wrong(["analyze", path.name], "findings are neither listed nor counted")
        check.brief("explain", path)
        check.brief("verify", path, path)


def paths(check, root):
    """A command to run next names the path whole, or not at all."""
    trace = (root / "examples/three_steps.trace.json").read_text()
    for name in "it's a \"trace\".json", "-dash.json", "y" * 240 + ".json", "dir/" * 40 + "t.json", "snail \N{SNAIL}.json":
        path = check.work / "p" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(trace)
        brief = check.brief("analyze", path)
        done = subprocess.run(["/bin/sh", "-c", brief["next"].replace("gait ", f"'{check.gait}' ", 1)], capture_output=True)
        if "RUN…" in brief["next"]:
            continue
        if done.returncode or json.loads(done.stdout)["command"] != "explain":
            check.wrong(["analyze", name], f"what comes next does not run: {brief['next']}")


def many(check, root):
    questions = [f"remove op:{'z' * 150}{i}*" for i in range(150)] + ["scale kernel:* 0.5"] * 150
    answers = check.brief("whatif", root / "examples/three_steps.trace.json", *questions)
    if len(answers["answers"]) + len(answers["refused"]) + answers["left_out"] != len(questions):
        check.wrong(["whatif"], "questions are neither answered nor counted")
    source = check.work / ("deep" * 50) / ("name" * 50 + ".py")
    source.parent.mkdir()
    body = (root / "tests/lint/GT107-made-on-host/flagged-constant.py").read_text()
    source.write_text("".join(body.replace("class ", f"class C{i}") for i in range(300)))
    lint = check.brief("lint", "--isolated", "--select", "ALL", source.parent)
    if lint["findings_total"] < 500 or len(lint["findings"]) + lint["left_out"] != lint["findings_total"]:
        check.wrong(["lint"], f"findings are neither listed nor counted: {lint['findings_total']}")


def refused(check, root):
    example = root / "examples/three_steps.trace.json"
    for words in (["analyze", "--json", example], ["analyze", "--markdown", example], ["analyze", "--compare", example, example],
                  ["explain", "GT101"], ["lint", "--json", "."], ["lint", "--output-format", "sarif", "."],
                  ["verify", "--json", example, example], ["verify", "--trend"]):
        words, done = check.run(*words, "--brief")
        if done.returncode != 2 or done.stdout or b"gait: " not in done.stderr:
            check.wrong(words, f"exit code {done.returncode}, {done.stdout[:80]}")


def main(gait, root, work):
    check, root = Check(gait, pathlib.Path(work)), pathlib.Path(root)
    traces(check, root)
    paths(check, root)
    many(check, root)
    refused(check, root)
    print(f"{check.outputs} briefs, {check.errors} errors")
    return check.errors > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
