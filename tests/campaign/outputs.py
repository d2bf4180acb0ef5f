"""All that the program writes: how to have each of them written, and what must be true afterwards.

Used by `faults` and `full_disk`. An `Output` has a folder with what its command needs and, wherever an
older result can be in the way, with that older result. A case works in a copy of it; `judge` says what is
wrong with that copy after the command has ended in any way:

- the result is the older one or the complete new one, bit by bit, and the exit code is 0 only for the new;
- a checkpoint folder goes on from a committed checkpoint to the weights of the run that nothing disturbed;
- a failure is a message that begins with "gait:" and names the cause, and leaves no temporary file behind.
"""
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GRACE_S = 10  # beyond ten times what the command takes undisturbed
EXIT_CODES = {0, 1, 2, 3, 4}
CAUSES = {
    "ENOSPC": ("No space left on device", "disk is full", "disk full"),
    "EIO": ("Input/output error", "disk I/O error"),
    "EINTR": ("Interrupted system call",),
    "ENOMEM": ("out of memory", "Cannot allocate memory"),
    "EMFILE": ("Too many open files",),
    "ENOLCK": ("No locks available",),
}

CONFIG = """\
layers: 1
heads: 2
width: 16
context: 16
batch_size: 2
steps: 8
schedule: constant
warmup_steps: 1
eval_interval: 0
eval_batches: 1
builtin_chars: 4000
dropout: 0.1
threads: 1
num_workers: 0
"""
JOB = """\
import torch
torch.manual_seed(1)
model = torch.nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(40):
    optimizer.zero_grad()
    model(torch.ones(2, 4)).sum().backward()
    optimizer.step()
"""


@dataclass
class Ended:
    """How a command ended; code is minus the signal's number where one ended it."""
    code: int
    out: bytes
    err: str
    seconds: float
    hung: bool = False

    def message(self):
        lines = [line for line in self.err.splitlines() if line.startswith("gait:")]
        return lines[-1] if lines else ""


def environment(folder, **more):
    """One thread and nothing of the caller's that changes what is done. TMPDIR is of the case."""
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "LD_LIBRARY_PATH")}
    # With a spin count the program need not start itself a second time to set one.
    return {**kept, "LC_ALL": "C", "OMP_NUM_THREADS": "1", "GOMP_SPINCOUNT": "1",
            "TMPDIR": str(folder / "tmp"), "GAIT_HOOK": str(ROOT / "hook"), **more}


def run(words, folder, limit_s=600, env=None, stdout=subprocess.PIPE):
    begin = time.monotonic()
    process = subprocess.Popen([str(w) for w in words], cwd=folder, env=env or environment(folder),
                               stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE,
                               start_new_session=True)
    try:
        out, err = process.communicate(timeout=limit_s)
        hung = False
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        hung = True
    return Ended(process.returncode, out or b"", err.decode(errors="replace"), time.monotonic() - begin, hung)


def listing(folder):
    """Names of all files and folders below, relative."""
    return {str(p.relative_to(folder)) for p in folder.rglob("*")}


def content(path):
    """What a file or folder holds, to compare; None where there is none."""
    if path.is_dir():
        return {str(p.relative_to(path)): hashlib.sha256(p.read_bytes()).hexdigest()
                for p in sorted(path.rglob("*")) if p.is_file()}
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None


@dataclass
class Output:
    name: str
    words: list  # the command, without the program
    folder: Path  # the template
    result: str = ""  # the file or folder that it writes; empty: standard output
    kind: str = "bytes"  # how results are compared: bytes, run, checkpoint, tables, or metrics: a run and its log
    gait: Path = None
    old: object = None
    new: object = None
    seconds: float = 0
    refused: bool = False  # the older result is not the program's to replace
    steps_logged: list = None
    may_appear: set = field(default_factory=set)  # names that a good run leaves

    def copy(self, to):
        shutil.copytree(self.folder, to, symlinks=True)
        (to / "tmp").mkdir(exist_ok=True)
        return to

    def learn(self, folder):
        """One undisturbed run in a copy, which shows what must come out."""
        self.copy(folder)
        self.old = self.held(folder)
        ended = run([self.gait, *self.words], folder)
        if bool(ended.code) != self.refused:
            raise SystemExit(f"{self.name}: the undisturbed run ended with exit code {ended.code}: {ended.err}")
        self.seconds = ended.seconds
        self.new = ended.out if not self.result else self.held(folder)
        self.steps_logged = logged_steps(folder)
        self.may_appear = {plain_name(n) for n in listing(folder) | listing(self.folder)}
        if self.result and self.new == self.old and not self.refused:
            raise SystemExit(f"{self.name}: the new result is as the old one: nothing could be seen")

    def limit_s(self):
        return GRACE_S + 10 * self.seconds

    def held(self, folder):
        """The result that lies in folder, to compare."""
        path = folder / self.result
        if self.kind == "checkpoint":
            steps = sorted(path.glob("step-????????")) if path.is_dir() else []
            return content(steps[-1] / "model.safetensors"), content(steps[-1] / "optimizer.safetensors")
        if self.kind in ("run", "metrics"):
            return self.meaning(path)
        return content(path)

    def meaning(self, path):
        """A run whose bytes hold clock times or random names, by its analysis without them."""
        if not path.exists():
            return None
        shown = run([self.gait, "analyze", "--json", path.name], path.parent)
        if shown.code:
            return f"unreadable: {shown.err}"
        return [(r["complete"], r["events"], r["spans_kept"], r["steps"]["count"], sorted(o["name"] for o in r["ops"]))
                for r in json.loads(shown.out)["ranks"]]

    def judge(self, folder, ended, fault, hit=""):
        """What is wrong after a disturbed run, or None. hit: the path at which the fault struck."""
        if ended.hung:
            return f"hung: not at its end after {self.limit_s():.0f} s"
        if ended.code < 0 or ended.code > 128:
            return f"crashed: {how(ended.code)}; {last_lines(ended.err)}"
        if ended.code not in EXIT_CODES:
            return f"exit code {ended.code}; {last_lines(ended.err)}"
        if ended.code == 0:
            return "exit code 0" if self.refused else self.judge_success(folder, ended, fault)
        if hit != "stderr" and not self.refused:
            if fault == "short":
                return f"a short transfer was not gone on with: {last_lines(ended.err)}"
            if not ended.message():
                return f"exit code {ended.code} without a message: {last_lines(ended.err)}"
            said = [line for line in ended.err.splitlines() if line.startswith("gait")]
            if not any(c in line for line in said for c in CAUSES[fault]):
                return f"the message does not name {fault}: {ended.message()}"
        return self.judge_failure(folder, ended)

    def judge_success(self, folder, ended, fault):
        if not self.result:
            return None if ended.out == self.new else "exit code 0, but standard output is not complete"
        if self.held(folder) != self.new:
            return f"exit code 0, but the result is not complete; {last_lines(ended.err)}"
        if self.kind == "metrics" and logged_steps(folder) != self.steps_logged:
            # The training comes first: it goes on without its log, and says so.
            told = [line for line in ended.err.splitlines() if line.startswith("warning:")]
            if not any(c in line for line in told for c in CAUSES.get(fault, ())):
                return f"exit code 0, but the log lacks something; {last_lines(ended.err)}"
        return None

    def judge_failure(self, folder, ended):
        """After a reported failure: nothing lost, and nothing left behind but what the message names."""
        wrong = self.judge_lost(folder)
        if wrong:
            return f"{wrong}; {last_lines(ended.err)}"
        left = sorted(n for n in listing(folder) if plain_name(n) not in self.may_appear
                      and not any(str(p) in ended.err for p in (Path(n), *Path(n).parents) if p.name))
        return f"left behind: {', '.join(left[:4])}; {ended.message()}" if left else None

    def judge_lost(self, folder):
        if self.kind == "checkpoint":
            return self.judge_resume(folder)
        if self.kind == "tables":  # each of them by itself
            held = self.held(folder)
            mixed = [n for n in self.old if held.get(n) not in (self.old[n], self.new[n])]
            return f"{mixed[0]} is neither the old nor the new one" if mixed else None
        if self.result and self.held(folder) not in (self.old, self.new):
            return "the result is neither the old nor the new one"
        return None

    def judge_resume(self, folder):
        """A second, undisturbed run goes on from what was committed and ends as it must."""
        again = run([self.gait, *self.words], folder, self.limit_s())
        if again.code:
            return f"cannot go on: {last_lines(again.err)}"
        if self.held(folder) != self.new:
            return "goes on to other weights"
        began = re.search(r"^resume +from step (\d+)", again.err, re.M)
        if not began or int(began.group(1)) < 4:
            return f"a committed checkpoint is lost: {began.group(0) if began else 'begins anew'}"
        return None


def logged_steps(folder):
    """The steps in metrics.jsonl; a line that is no JSON is a fault unless it is the last."""
    path = folder / "logs/metrics.jsonl"
    if not path.exists():
        return []
    whole = path.read_text().rpartition("\n")[0]
    return [json.loads(line).get("step") for line in whole.splitlines()]


def plain_name(name):
    """A name without what differs from run to run."""
    name = re.sub(r"events\.out\.tfevents\..*", "events.out.tfevents", name)
    name = re.sub(r"gait-record-\w{6}(?=/|$)", "gait-record-*", name)
    return re.sub(r"\.tmp[.-][\w.-]+", ".tmp-*", name)


def how(code):
    number = -code if code < 0 else code - 128
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"exit code {code}"


def last_lines(text):
    return " | ".join(text.strip().splitlines()[-2:])[-300:] or "nothing on stderr"


class Maker:
    """Makes the templates in folder with an undisturbed program."""

    def __init__(self, gait, tools, folder):
        self.gait, self.tools, self.folder = gait, tools, folder
        self.shared = folder / "shared"
        self.left_out = []
        (self.shared / "tmp").mkdir(parents=True)

    def do(self, *words, program=None):
        ended = run([program or self.gait, *words], self.shared)
        if ended.code:
            raise SystemExit(f"cannot prepare: {' '.join(map(str, words))}: {ended.err}")

    def output(self, name, words, needs, **more):
        folder = self.folder / name.replace(" ", "-")
        folder.mkdir()
        for n in needs:
            source, _, target = n.partition("=")
            source, target = self.shared / source, folder / (target or source)
            (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
        made = Output(name, words, folder, gait=self.gait, **more)
        made.learn(self.folder / (folder.name + "-undisturbed"))
        return made

    def inputs(self):
        generate = self.tools / "generate_trace"
        (self.shared / "config.yaml").write_text(CONFIG)
        (self.shared / "text.txt").write_text("a quick brown fox and a lazy dog\n" * 100)
        self.do("--steps", 3, "--layers", 2, "-o", "trace.json", program=generate)
        self.do("--steps", 5, "--layers", 2, "-o", "other.json", program=generate)
        self.do("--size", "40MB", "-o", "big.json", program=generate)  # more spans than --memory 1M holds
        self.do("import", "trace.json", "-o", "run.gait")
        self.do("import", "other.json", "-o", "other.gait")
        self.do("report", "other.gait", "-o", "other.html")
        self.do("export", "--chrome", "other.gait", "-o", "other.chrome.json")
        self.do("export", "--parquet", "lake", "--job", "j", "--whole", "other.gait")
        self.do("train", "config.yaml", "--steps", 4, "--checkpoint-dir", "ck", "--checkpoint-interval", 2)
        self.do("train", "config.yaml", "--steps", 2, "--checkpoint-dir", "other")
        self.do("export", "other", "--hf", "hf")
        (self.shared / "mine").mkdir()
        (self.shared / "mine/notes").write_text("of the user's own\n")
        self.do("profile", "config.yaml", "--profile-steps", 3, "-o", "other.profile.gait")

    def recording(self):
        """What the hook leaves in its folder: recorded once, put there again by each case's job."""
        python = ROOT / ".venv/bin/python"
        (self.shared / "job.py").write_text(JOB)
        if not python.exists() or run([python, "-c", "import torch"], self.shared).code:
            self.left_out.append("record: no PyTorch in .venv")
            return False
        self.do("record", "-o", "job.gait", "--traces", "recorded", "--warmup", 1, "--rounds", 1, "--untraced", 2,
                "--traced", 2, "--replacements", 0, "--", python, "job.py")
        return True

    def all(self):
        self.inputs()
        save = ["train", "config.yaml", "--checkpoint-dir", "ck", "--checkpoint-interval", "2"]
        made = [
            self.output("save", save, ["config.yaml", "ck"], result="ck", kind="checkpoint"),
            self.output("metrics", ["train", "config.yaml", "--log-dir", "logs", "--log-interval", "2", "-o", "out.gait"],
                        ["config.yaml", "other.profile.gait=out.gait"], result="out.gait", kind="metrics"),
            self.output("import", ["import", "trace.json", "-o", "out.gait", "--threads", "1"],
                        ["trace.json", "other.gait=out.gait"], result="out.gait"),
            self.output("import spill", ["import", self.shared / "big.json", "-o", "out.gait", "--threads", "1", "--memory",
                                         "1M"], ["other.gait=out.gait"], result="out.gait"),
            self.output("report", ["report", "run.gait", "-o", "out.html"],
                        ["run.gait", "other.html=out.html"], result="out.html"),
            self.output("export chrome", ["export", "--chrome", "run.gait", "-o", "out.json"],
                        ["run.gait", "other.chrome.json=out.json"], result="out.json"),
            self.output("export parquet", ["export", "--parquet", "lake", "--job", "j", "--whole", "run.gait"],
                        ["run.gait", "lake"], result="lake", kind="tables"),
            self.output("export hf", ["export", "ck", "--hf", "hf", "--force", "--max-shard-size", "5KB"],
                        ["ck", "hf"], result="hf"),
            # A folder of the user's own: refused, whatever fails.
            self.output("export refused", ["export", "ck", "--hf", "mine"], ["ck", "mine"], result="mine", refused=True),
            self.output("prepare", ["data", "prepare", "text.txt", "-o", "out", "-t", "bytes", "--shard-tokens", "999",
                                    "--threads", "1"], ["text.txt"], result="out"),
            self.output("sample", ["sample", "ck", "a", "-n", "20", "--threads", "1"], ["ck"]),
            self.output("profile", ["profile", "config.yaml", "--profile-steps", "2", "-o", "out.gait"],
                        ["config.yaml", "other.profile.gait=out.gait"], result="out.gait", kind="run"),
        ]
        if self.recording():
            made.append(self.output("record", ["record", "-o", "out.gait", "--", "/bin/sh", "-c",
                                               'cp recorded/* "$GAIT_RECORD_DIR"'],
                                    ["recorded", "other.gait=out.gait"], result="out.gait", kind="run"))
        return made
