"""Run the steps of examples/ci as runners do. usage: examples_of_ci.py GAIT ROOT WORK.

GitHub runs a step of `shell: sh` as `sh -e FILE`; GitLab runs the lines of a script in one shell that ends with the first that
fails. `gh` is played by a script that notes what it is given, GitLab's API by a server of this process.
"""
import http.server
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import urllib.parse

import junit_schema

try:
    import yaml
except ImportError:
    print("skipped: PyYAML is not installed (scripts/install-oracles)")
    sys.exit(77)

GH = """#!/bin/sh
echo "$@" >>"$GH_NOTES"
case $* in
*--jq*) echo "$GH_EARLIER" | while read -r id; do echo "$id"; done ;;
*) for word; do case $word in body=@*) cat "${word#body=@}" >>"$GH_NOTES" ;; esac; done; exit "$GH_STATUS" ;;
esac
"""
errors = []


def expect(what, got, wanted):
    if got != wanted:
        errors.append(what)
        print(f"{what}:\n  expected {wanted!r}\n  got      {got!r}")


def contains(what, text, needle):
    if needle not in text:
        errors.append(what)
        print(f"{what}: no {needle!r} in:\n{text}")


def run(script, cwd, variables):
    """As sh -e runs it from a file; variables beside PATH are all that it has."""
    file = cwd / ".step.sh"
    file.write_text(script)
    done = subprocess.run(["sh", "-e", file], cwd=cwd, env={"PATH": os.environ["PATH"], **variables}, capture_output=True, text=True)
    file.unlink()
    return done.returncode, done.stdout + done.stderr


def make_files(root, folder):
    folder.mkdir()
    job = root / "tests/lint/GT101-sync-item"
    (folder / "my job").mkdir()
    shutil.copy(job / "flagged-loss.py", folder / "my job/train.py")
    shutil.copy(job / "silent-every-100.py", folder / "-fine.py")
    (folder / "pyproject.toml").write_text('[tool.gait.lint]\nselect = ["GT101"]\n')
    shutil.copy(root / "tests/data/suspects/train.gait", folder / "same job.gait")
    shutil.copy(root / "tests/cmdline/files/tiny.json", folder / "fast.json")
    shutil.copy(root / "examples/three_steps.trace.json", folder / "slow.json")


# --- GitHub


class Action:
    def __init__(self, path, folder):
        self.action = yaml.safe_load(path.read_text())
        self.folder, self.temp = folder, folder.parent / "temp"
        self.temp.mkdir()
        expect("using", self.action["runs"]["using"], "composite")
        self.steps = {step["name"]: step for step in self.action["runs"]["steps"]}
        for name, step in self.steps.items():
            expect(f"shell of {name}", step["shell"], "sh")
            expect(f"expressions in the script of {name}, where text of others would be run", "${{" in step["run"], False)

    def value(self, expression, inputs):
        context = {f"inputs.{name}": inputs.get(name, i["default"]) for name, i in self.action["inputs"].items()}
        context["github.event.pull_request.number"] = "7"
        name = re.fullmatch(r"\$\{\{ (\S+) \}\}", expression)[1]
        return context[name]

    def run(self, name, inputs, **more):
        step = self.steps[name]
        variables = {key: self.value(x, inputs) for key, x in step["env"].items()}
        summary = self.temp / "summary"
        summary.write_text("")
        variables |= {"RUNNER_TEMP": str(self.temp), "GITHUB_STEP_SUMMARY": str(summary), "GITHUB_REPOSITORY": "a/b"}
        status, output = run(step["run"], self.folder, variables | more)
        return status, output, summary.read_text()


def check_lint(action):
    status, output, _ = action.run("gait lint", {})
    expect("lint of a program with a finding", status, 1)
    contains("annotation", output, "::warning file=my job/train.py,line=")
    status, output, _ = action.run("gait lint", {"lint": "my job\n-fine.py\n"})
    expect("lint of operands with blanks", status, 1)
    contains("annotation", output, "::warning file=my job/train.py,line=")
    expect("lint of a program without", action.run("gait lint", {"lint": "-fine.py"}), (0, "", ""))


def check_comment(action, bin):
    (bin / "gh").write_text(GH)
    (bin / "gh").chmod(0o755)
    notes = action.temp / "notes"

    def comment(earlier="", status="0"):
        notes.write_text("")
        done = action.run("comment", {"token": "t"}, GH_NOTES=str(notes), GH_EARLIER=earlier, GH_STATUS=status)
        return done[0], done[1], notes.read_text()

    status, output, posted = comment()
    expect("comment", (status, output), (0, ""))
    contains("a new comment", posted, "--method POST repos/a/b/issues/7/comments --field body=@")
    contains("its text", posted, "\n### gait verify: FAIL")
    status, _, posted = comment(earlier="11\n12")
    contains("the comment that is there", posted, "--method PATCH repos/a/b/issues/comments/12 --field body=@")
    status, output, _ = comment(status="1")
    expect("a token that may not write", status, 0)
    contains("a token that may not write", output, "::warning::")
    (action.temp / "gait-verify.md").unlink()
    expect("no comment without gates", comment(), (0, "", ""))


def check_ours():
    """Which comments are ours, by jq, which gh has in it."""
    if not shutil.which("jq"):
        return
    text = pathlib.Path(sys.argv[2], "examples/ci/action.yml").read_text()
    ours = re.search(r"ours='(.*)'", text)[1]
    listed = """[{"id": 1, "body": "### gait verify: PASS", "user": {"type": "User"}}, {"id": 2, "body": "hello", "user": {"type": "Bot"}},
        {"id": 3, "body": "### gait verify: FAIL, step", "user": {"type": "Bot"}}]"""
    expect("ours", subprocess.run(["jq", ours], input=listed, capture_output=True, text=True).stdout, "3\n")


def check_github(root, folder, bin):
    action = Action(root / "examples/ci/action.yml", folder)
    check_lint(action)
    status, output, summary = action.run("gait verify", {"before": "same job.gait", "after": "same job.gait"})
    expect("gates that pass", status, 0)
    contains("summary", summary, "### gait verify: PASS, step time")
    contains("log", output, "same losses")
    status, _, summary = action.run("gait verify", {"before": "none.json", "after": "slow.json"})
    expect("a recording that is missing: no text of an earlier step", (status, summary), (3, ""))
    status, _, summary = action.run("gait verify", {"before": "fast.json", "after": "slow.json"})
    expect("a gate that fails", status, 1)
    contains("summary", summary, "### gait verify: FAIL, step time +300.0 %")
    check_comment(action, bin)
    check_ours()


# --- GitLab


class Server(http.server.BaseHTTPRequestHandler):
    notes = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        Server.notes.append((self.path, self.headers["PRIVATE-TOKEN"], dict(urllib.parse.parse_qsl(body))))
        self.send_response(201)
        self.end_headers()

    def log_message(self, *_):
        pass


def junit_of(folder, job):
    suite, complaints = junit_schema.read((folder / job["artifacts"]["reports"]["junit"]).read_text())
    expect("schema of JUnit", complaints, [])
    return {case.get("name"): junit_schema.outcome(case) for case in suite}


def check_gitlab(root, folder):
    jobs = yaml.safe_load((root / "examples/ci/gitlab.yml").read_text())
    lint, verify = jobs["gait-lint"], jobs["gait-verify"]
    expect("lint", run("\n".join(lint["script"]), folder, {})[0], 1)
    expect("findings", junit_of(folder, lint), {"-fine.py": "passed", "my job/train.py": "failure"})
    server = http.server.HTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    variables = verify["variables"] | {"BEFORE": "fast.json", "AFTER": "slow.json", "CI_PROJECT_ID": "5", "CI_MERGE_REQUEST_IID": "9",
                                       "CI_API_V4_URL": f"http://127.0.0.1:{server.server_port}/api/v4"}
    expect("a gate that fails", run("\n".join(verify["script"]), folder, variables)[0], 1)
    expect("gates", junit_of(folder, verify)["step time"], "failure")
    after = "\n".join(verify["after_script"])
    expect("no comment without a token", (run(after, folder, variables), Server.notes), ((0, ""), []))
    expect("comment", run(after, folder, variables | {"GAIT_TOKEN": "secret"}), (0, ""))
    server.shutdown()
    expect("what was posted", Server.notes,
           [("/api/v4/projects/5/merge_requests/9/notes", "secret", {"body": (folder / verify["artifacts"]["paths"][0]).read_text()})])


def main(gait, root, work):
    root, work = pathlib.Path(root), pathlib.Path(work)
    bin = work / "bin"
    bin.mkdir()
    (bin / "gait").symlink_to(gait)
    os.environ["PATH"] = f"{bin}:{os.environ['PATH']}"
    for platform in "github", "gitlab":
        make_files(root, work / platform)
    check_github(root, work / "github", bin)
    check_gitlab(root, work / "gitlab")
    print(f"{len(errors)} errors")
    return len(errors) > 0


sys.exit(main(*sys.argv[1:]))
